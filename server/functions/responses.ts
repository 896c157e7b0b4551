import { documentPage, documentPdf } from '#server/operations/exports/document-files.ts';
import type { DocumentFacts } from '#server/operations/exports/document-sheets.ts';

/** Returns `byHand: true` if staff refund the money themselves, because it was not paid through the provider. */
export const byHand = (refund: { readonly byHand: boolean }): { byHand?: true } =>
  refund.byHand ? { byHand: true } : {};

/** Returns an HTML page for download. The page has no scripts, and its policy keeps a browser from running any. */
export function htmlFile(html: string, name: string): Response {
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cache-control': 'no-store',
    },
  });
}

/** Returns a file for download. */
export function fileResponse(content: string | Uint8Array<ArrayBuffer>, type: string, name: string): Response {
  return new Response(content, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  });
}

/** Returns the documents of a booking for download. */
export async function documentFile(facts: DocumentFacts, format: 'html' | 'pdf'): Promise<Response> {
  const name = `receipt-${facts.reference}`;
  return format === 'html'
    ? htmlFile(documentPage(facts), `${name}.html`)
    : fileResponse(await documentPdf(facts), 'application/pdf', `${name}.pdf`);
}

/** Returns a CSV file for download. */
export function csvFile(csv: ReadableStream<Uint8Array>, name: string): Response {
  return new Response(csv, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.csv"`,
      'cache-control': 'no-store',
    },
  });
}

/** Returns a JSON file for download. */
export function jsonFile(body: unknown, name: string): Response {
  const file = json(body);
  file.headers.set('content-disposition', `attachment; filename="${name}.json"`);
  return file;
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  });
}

/** Returns the part of an answer that describes what staff can undo. */
export const toUndo = ({
  undo,
}: {
  readonly undo: { readonly id: string; readonly until: Date } | null;
}): { undo?: { id: string; until: string } } =>
  undo === null ? {} : { undo: { id: undo.id, until: undo.until.toISOString() } };
