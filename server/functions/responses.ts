import { documentPage, documentPdf } from '#server/operations/exports/document-files.ts';
import type { DocumentFacts } from '#server/operations/exports/document-sheets.ts';
import type { RefusalCode } from '#server/operations/core/refusal.ts';

/** HTTP status of each refusal. */
export const statuses: Readonly<Record<RefusalCode, 400 | 401 | 403 | 404 | 409 | 410 | 422 | 425 | 429 | 503>> = {
  invalid_request: 400,
  not_signed_in: 401,
  not_yours: 403,
  not_found: 404,
  age_required: 403,
  id_required: 403,
  blocked: 403,
  terms_required: 403,
  mail_unconfirmed: 403,
  slot_taken: 409,
  slot_closed: 409,
  slot_free: 409,
  waitlist_limit: 409,
  crew_full: 409,
  price_changed: 409,
  coupon_invalid: 422,
  coupon_exhausted: 409,
  too_many_holds: 429,
  too_many_hours: 409,
  too_many_requests: 429,
  too_late: 409,
  not_confirmed: 409,
  session_ended: 410,
  lights_in_use: 409,
  code_not_released: 425,
  code_limit: 429,
  code_wait: 429,
  code_held: 409,
  already_done: 409,
  payment_processing: 409,
  image_refused: 422,
  provider_unavailable: 503,
  not_configured: 409,
  last_owner: 409,
  days_overlap: 409,
  invitation_ended: 410,
  second_factor_required: 403,
  current_password_required: 403,
  current_password_invalid: 403,
  reauthentication_not_valid: 422,
  bookings_ahead: 409,
  staff_account: 409,
};

/** `byHand: true` where staff give the money back themselves: it was not paid through the provider. */
export const byHand = (refund: { readonly byHand: boolean }): { byHand?: true } =>
  refund.byHand ? { byHand: true } : {};

/** An HTML page for download. It has no script, and a browser that opens it from here may not run one. */
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

/** A file for download. */
export function fileOf(content: string | Uint8Array<ArrayBuffer>, type: string, name: string): Response {
  return new Response(content, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  });
}

/** The documents of a booking for download. */
export async function documentFile(facts: DocumentFacts, format: 'html' | 'pdf'): Promise<Response> {
  const name = `receipt-${facts.reference}`;
  return format === 'html'
    ? htmlFile(documentPage(facts), `${name}.html`)
    : fileOf(await documentPdf(facts), 'application/pdf', `${name}.pdf`);
}

/** A CSV file for download. */
export function csvFile(csv: ReadableStream<Uint8Array>, name: string): Response {
  return new Response(csv, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.csv"`,
      'cache-control': 'no-store',
    },
  });
}

/** A JSON file for download. */
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

/** Adds what staff can undo to an answer. */
export const undoOf = ({
  undo,
}: {
  readonly undo: { readonly id: string; readonly until: Date } | null;
}): { undo?: { id: string; until: string } } =>
  undo === null ? {} : { undo: { id: undo.id, until: undo.until.toISOString() } };
