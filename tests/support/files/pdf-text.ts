import { inflateSync } from 'node:zlib';
import { extractText, getDocumentProxy } from 'unpdf';

/** Reads the text of each page of a PDF file as a reader finds it, with one line for each line of the page. */
export async function readPdf(file: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(file)), { mergePages: false });
  return text;
}

/** A text on a page. `x` and `y`: its beginning, in points from the upper left corner of A4. `end`: its end. */
export type PlacedText = { readonly text: string; readonly x: number; readonly y: number; readonly end: number };

/** Reads the position of each text on each page of a PDF file, in whole points. */
export async function readPdfPlaces(file: Uint8Array): Promise<PlacedText[][]> {
  const document = await getDocumentProxy(new Uint8Array(file));
  const numbers = Array.from({ length: document.numPages }, (_, index) => index + 1);
  return Promise.all(
    numbers.map(async (number) => {
      const page = await document.getPage(number);
      const [, , , height = 0] = page.view;
      const { items } = await page.getTextContent();
      return items.flatMap((item): PlacedText[] => {
        if (!('str' in item) || item.str.trim() === '') return [];
        const [, , , , x = 0, y = 0] = item.transform as number[];
        return [{ text: item.str, x: Math.round(x), y: Math.round(height - y), end: Math.round(x + item.width) }];
      });
    }),
  );
}

/** Reads what a reader shows of a file itself: its title, its language, and whether the title is shown instead of the file name. */
export async function readPdfTitle(
  file: Uint8Array,
): Promise<{ title: unknown; language: unknown; isTitleShown: unknown }> {
  const document = await getDocumentProxy(new Uint8Array(file));
  const { info } = await document.getMetadata();
  const { Title: title, Language: language } = info as Readonly<Record<string, unknown>>;
  const preferences = (await document.getViewerPreferences()) as Readonly<Record<string, unknown>> | null;
  return { title, language, isTitleShown: preferences?.['DisplayDocTitle'] };
}

/**
 * Reads how each page is drawn, in order: for a text its font, size and colour, for a line its ends, width and colour. Lengths are in points
 * from the upper left corner; colours are in percent of white.
 */
export function readPdfDrawing(file: Uint8Array): string[][] {
  const streams = Buffer.from(file)
    .toString('latin1')
    .matchAll(/stream\r?\n([^]*?)\r?\nendstream/g);
  const pages = [...streams].flatMap(([, packed = '']) => {
    try {
      return [inflateSync(Buffer.from(packed, 'latin1')).toString('latin1')];
    } catch {
      return [];
    }
  });
  const texts = /([\d.]+) \S+ \S+ scn\nq\n[^]*?\/(F\d+) ([\d.]+) Tf/;
  const lines = /([\d.]+) ([\d.]+) m\n([\d.]+) ([\d.]+) l\n([\d.]+) w\n[^\n]*\n([\d.]+) \S+ \S+ SCN\nS/;
  const percent = (part: string | undefined): string => `${Math.round(Number(part) * 100)} %`;
  return pages
    .filter((page) => page.includes('\nBT\n'))
    .map((page) =>
      [...page.matchAll(new RegExp(`${texts.source}|${lines.source}`, 'g'))].map(
        ([, ink, font, size, x, y, end, bottom, width, stroke]) =>
          font === undefined
            ? `line from ${x}, ${y} to ${end}, ${bottom}, ${width} wide, ${percent(stroke)}`
            : `${font} ${size}, ${percent(ink)}`,
      ),
    );
}
