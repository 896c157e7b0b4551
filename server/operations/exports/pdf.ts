import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Font } from 'fontkit';

/** An element of a page. Lengths are in points from the top left corner of an A4 page; `y` is the baseline of the text. */
export type PdfMark =
  | {
      readonly kind: 'text';
      readonly x: number;
      readonly y: number;
      readonly size: number;
      readonly text: string;
      readonly bold?: boolean;
      readonly grey?: boolean;
      /** Whether the text is right-aligned, so that `x` is its right edge. */
      readonly right?: boolean;
    }
  | { readonly kind: 'line'; readonly x: number; readonly y: number; readonly width: number };

export const PAGE = { width: 595, height: 842 } as const;

/** The fonts cover Latin, Greek, Cyrillic and Vietnamese letters, among others. */
const FONTS = {
  plain: import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
  bold: import.meta.resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
} as const;

type Library = {
  readonly begin: (options: PDFKit.PDFDocumentOptions) => PDFKit.PDFDocument;
  readonly plain: Font;
  readonly bold: Font;
};

/** Loaded with the first document, because packages and fonts take two tenths of a second. */
let library: Library | null = null;

async function loadLibrary(): Promise<Library> {
  const [{ create }, { default: PDFDocument }] = await Promise.all([import('fontkit'), import('pdfkit')]);
  const readFont = (url: string): Font => {
    const font = create(readFileSync(fileURLToPath(url)));
    if (!('hasGlyphForCodePoint' in font)) throw new Error('the file holds several fonts');
    return font;
  };
  return { begin: (options) => new PDFDocument(options), plain: readFont(FONTS.plain), bold: readFont(FONTS.bold) };
}

/** Keeps accented letters as single glyphs, so that PDF readers can find and copy the text as written. */
const FEATURES = { ccmp: false } as unknown as PDFKit.Mixins.OpenTypeFeatures[];
/** Replaces letters that the font lacks, such as Chinese or Arabic ones. */
export const OTHER_SCRIPT = '(letters of another script: see the booking’s page)';

/** A PDF file under construction. */
export type PdfFile = {
  /** Breaks a text into lines that fit a width. A word that is too long gets its own line. */
  wrap(text: string, size: number, width: number): string[];
  /** Writes these pages and closes the file. */
  write(pages: readonly (readonly PdfMark[])[]): Promise<Uint8Array<ArrayBuffer>>;
};

/** Starts a PDF file with embedded fonts, reduced to the letters that it uses. */
export async function beginPdf(title: string): Promise<PdfFile> {
  const { begin, plain, bold } = (library ??= await loadLibrary());
  const document = begin({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    autoFirstPage: false,
    lang: 'en-AU',
    displayTitle: true,
    info: { Title: title },
    font: asSource(plain),
  });
  document.registerFont('plain', asSource(plain)).registerFont('bold', asSource(bold));
  const measureWidth = (text: string, size: number): number =>
    document.font('plain').fontSize(size).widthOfString(text, { features: FEATURES });
  const printable = (text: string): string => toPrintable(text, plain);
  const bytes = collect(document);
  return {
    wrap: (text, size, width) => {
      const lines: string[] = [];
      for (const word of printable(text).split(/\s+/)) {
        const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
        if (lines.length > 0 && measureWidth(longer, size) <= width) lines[lines.length - 1] = longer;
        else lines.push(word);
      }
      return lines;
    },
    write(pages) {
      for (const marks of pages) {
        document.addPage();
        for (const mark of marks) draw(document, mark, printable);
      }
      document.end();
      return bytes;
    },
  };
}

/** pdfkit accepts a loaded font, but its types allow only file names. */
const asSource = (font: Font): string => font as unknown as string;

async function collect(document: PDFKit.PDFDocument): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  for await (const part of document) parts.push(part as Buffer);
  return new Uint8Array(Buffer.concat(parts));
}

function draw(document: PDFKit.PDFDocument, mark: PdfMark, printable: (text: string) => string): void {
  if (mark.kind === 'line') {
    document
      .moveTo(mark.x, mark.y)
      .lineTo(mark.x + mark.width, mark.y)
      .lineWidth(0.5)
      .stroke('#999999');
    return;
  }
  document.font(mark.bold ? 'bold' : 'plain').fontSize(mark.size);
  const text = printable(mark.text);
  const x = mark.right ? mark.x - document.widthOfString(text, { features: FEATURES }) : mark.x;
  document
    .fillColor(mark.grey ? '#595959' : '#000000')
    .text(text, x, mark.y, { baseline: 'alphabetic', lineBreak: false, features: FEATURES });
}

/** Returns the text on one line, with the letters that the font can display. Both weights cover the same letters. */
function toPrintable(text: string, plain: Font): string {
  const letters = Array.from(text.normalize('NFC').replace(/\s+/g, ' '));
  const shown = letters.filter((letter) => plain.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0));
  if (shown.length === letters.length) return shown.join('');
  return `${shown.join('').replace(/\s+/g, ' ').trim()} ${OTHER_SCRIPT}`.trim();
}
