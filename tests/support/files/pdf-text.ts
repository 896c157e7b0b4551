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
