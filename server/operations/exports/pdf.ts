import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { create, type Font } from 'fontkit';
import PDFDocument from 'pdfkit';

/** What a page shows. Lengths are points from the upper left corner of an A4 page; `y` is the line on which letters stand. */
export type PdfMark =
  | {
      readonly kind: 'text';
      readonly x: number;
      readonly y: number;
      readonly size: number;
      readonly text: string;
      readonly bold?: boolean;
      readonly grey?: boolean;
      /** `x` is where the text ends. */
      readonly right?: boolean;
    }
  | { readonly kind: 'line'; readonly x: number; readonly y: number; readonly width: number };

export const PAGE = { width: 595, height: 842 } as const;

/** The fonts have Latin, Greek, Cyrillic and Vietnamese letters, and some others. */
const FONTS = {
  plain: import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
  bold: import.meta.resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
} as const;

function readFont(url: string): Font {
  const font = create(readFileSync(fileURLToPath(url)));
  if (!('hasGlyphForCodePoint' in font)) throw new Error('the file holds several fonts');
  return font;
}
/** Read once, with the first document: that takes a tenth of a second. */
let fonts: { readonly plain: Font; readonly bold: Font } | null = null;
const readFonts = () => (fonts ??= { plain: readFont(FONTS.plain), bold: readFont(FONTS.bold) });
/** Letters with marks stay one glyph, so that a reader finds and copies them as they are written. */
const FEATURES = { ccmp: false } as unknown as PDFKit.Mixins.OpenTypeFeatures[];
/** Stands for letters that the font lacks, such as Chinese or Arabic ones. */
export const OTHER_SCRIPT = '(letters of another script: see the booking’s page)';

/** A PDF file that is being written. */
export type PdfFile = {
  /** Breaks a text into lines that fit a width. A word that is too long has a line of its own. */
  wrap(text: string, size: number, width: number): string[];
  /** Writes these pages and ends the file. */
  write(pages: readonly (readonly PdfMark[])[]): Promise<Uint8Array<ArrayBuffer>>;
};

/** Begins a PDF file with an embedded font, of which it holds the letters that it uses. */
export function beginPdf(title: string): PdfFile {
  const { plain, bold } = readFonts();
  const document = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    autoFirstPage: false,
    lang: 'en-AU',
    displayTitle: true,
    info: { Title: title },
    font: asSource(plain),
  });
  document.registerFont('plain', asSource(plain)).registerFont('bold', asSource(bold));
  const widthOf = (text: string, size: number): number =>
    document.font('plain').fontSize(size).widthOfString(text, { features: FEATURES });
  const bytes = collect(document);
  return {
    wrap: (text, size, width) => {
      const lines: string[] = [];
      for (const word of printable(text).split(/\s+/)) {
        const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
        if (lines.length > 0 && widthOf(longer, size) <= width) lines[lines.length - 1] = longer;
        else lines.push(word);
      }
      return lines;
    },
    write(pages) {
      for (const marks of pages) {
        document.addPage();
        for (const mark of marks) draw(document, mark);
      }
      document.end();
      return bytes;
    },
  };
}

/** pdfkit takes a font that was read before; its types name files only. */
const asSource = (font: Font): string => font as unknown as string;

type Document = InstanceType<typeof PDFDocument>;

async function collect(document: Document): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  for await (const part of document) parts.push(part as Buffer);
  return new Uint8Array(Buffer.concat(parts));
}

function draw(document: Document, mark: PdfMark): void {
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

/** Returns the text as the font can show it. Both weights have the same letters. */
function printable(text: string): string {
  const { plain } = readFonts();
  const letters = Array.from(text.normalize('NFC'));
  const shown = letters.filter((letter) => plain.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0));

  if (shown.length === letters.length) return shown.join('');
  return `${shown.join('').replace(/\s+/g, ' ').trim()} ${OTHER_SCRIPT}`.trim();
}
