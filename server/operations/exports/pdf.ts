/**
 * Writes small PDF files of text and lines (PDF 1.4, ISO 32000-1) with the two fonts that every reader has. Lengths are points from the upper left corner
 * of an A4 page.
 */
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

/** Widths of the characters 32 to 126 of Helvetica, in thousandths of the size. */
const WIDTHS =
  `278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015
  667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333
  556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584`
    .split(/\s+/)
    .map(Number);
/** Bold letters are up to this much wider. */
const BOLD_FACTOR = 1.1;

/** The characters 128 to 159 of the encoding of the fonts (Windows-1252); the others are those of Latin-1. */
const HIGH = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The bytes of a text in the encoding of the fonts. Letters it lacks lose their accents, or become "?". */
function encode(text: string): number[] {
  return Array.from(text).flatMap((letter) => {
    const byte = byteOf(letter);
    if (byte !== null) return [byte];
    const plain = Array.from(letter.normalize('NFKD')).flatMap((part) => byteOf(part) ?? []);
    return plain.length > 0 ? plain : /\p{M}/u.test(letter) ? [] : [63];
  });
}

function byteOf(letter: string): number | null {
  const code = letter.codePointAt(0) ?? 0;
  const high = HIGH.indexOf(letter);
  if (high >= 0 && code > 159) return 128 + high;
  return (code >= 32 && code < 127) || (code >= 160 && code < 256) ? code : null;
}

/** How wide a text is, in points. */
export function widthOf(text: string, size: number, bold = false): number {
  const sum = encode(text).reduce((all, byte) => all + (WIDTHS[byte - 32] ?? 556), 0);
  return ((sum * size) / 1000) * (bold && /[a-z]/i.test(text) ? BOLD_FACTOR : 1);
}

/** Breaks a text into lines that fit a width. A word that is too long has a line of its own. */
export function wrap(text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && widthOf(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

const literal = (text: string): string =>
  `(${encode(text)
    .map((byte) =>
      byte > 126 || byte === 40 || byte === 41 || byte === 92
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : String.fromCodePoint(byte),
    )
    .join('')})`;

function drawing(mark: PdfMark): string {
  const y = (PAGE.height - mark.y).toFixed(2);
  if (mark.kind === 'line') return `0.6 G 0.5 w ${mark.x} ${y} m ${mark.x + mark.width} ${y} l S`;
  const x = (mark.right ? mark.x - widthOf(mark.text, mark.size, mark.bold) : mark.x).toFixed(2);
  return `${mark.grey ? '0.35' : '0'} g BT /${mark.bold ? 'F2' : 'F1'} ${mark.size} Tf 1 0 0 1 ${x} ${y} Tm ${literal(mark.text)} Tj ET`;
}

/** Writes a file with these pages. */
export function writePdf(title: string, pages: readonly (readonly PdfMark[])[]): Uint8Array<ArrayBuffer> {
  const font = (name: string): string =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const fixed = 5;
  const pageAt = (index: number): number => fixed + 1 + index * 2;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en-AU) /ViewerPreferences << /DisplayDocTitle true >> >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${pageAt(index)} 0 R`).join(' ')}] >>`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    `<< /Title ${literal(title)} >>`,
    ...pages.flatMap((marks, index) => {
      const content = marks.map(drawing).join('\n');
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${pageAt(index) + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  // Everything is ASCII, so a character is a byte.
  let file = '%PDF-1.4\n';
  const starts = objects.map((object, index) => {
    const start = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return start;
  });
  const table = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return new TextEncoder().encode(`${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`);
}
