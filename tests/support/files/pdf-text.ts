import { extractText, getDocumentProxy } from 'unpdf';

/** Reads the text of each page of a PDF file as a reader finds it, a line for each line of the page. */
export async function readPdf(file: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(file)), { mergePages: false });
  return text;
}
