import { Refusal } from '../core/refusal.ts';
import type { DocumentFacts } from './document-sheets.ts';
import type { Services } from '../core/services.ts';

/**
 * Reads the tax invoices and adjustment notes of a booking, or the contents of a receipt if it cost nothing. `userId`: the account that
 * must own the booking; null for any. Throws `Refusal('not_found')`.
 */
export async function readDocuments(
  { db }: Services,
  { bookingId, userId }: { readonly bookingId: string; readonly userId: string | null },
): Promise<DocumentFacts> {
  const row = await db.queryRow<{ facts: DocumentFacts }>(
    `select jsonb_build_object('reference', b.reference,
       'documents', coalesce(d.documents, case when x.id is null then '[]' else jsonb_build_array(jsonb_build_object('number', null, 'kind', 'invoice',
         'paymentId', x.id, 'cents', 0, 'content', private.document_content(x), 'issuedAt', x.paid_at)) end)) as facts
     from private.booking b
     left join lateral (
       select jsonb_agg(jsonb_build_object('number', d.number, 'kind', d.kind, 'paymentId', d.payment_id, 'cents', d.cents, 'content', d.content,
         'issuedAt', d.issued_at) order by d.number) as documents
       from private.document d where d.booking_id = b.id and d.voided_at is null) d on true
     left join private.payment x on x.booking_id = b.id and x.kind = 'free' and x.state = 'paid'
     where b.id = $1::uuid and b.moves_booking is null and ($2::uuid is null or b.user_id = $2::uuid)`,
    [bookingId, userId],
  );
  if (!row) throw new Refusal('not_found', 'Booking not found');
  if (row.facts.documents.length === 0)
    throw new Refusal('not_found', 'There is no receipt for this booking: nothing was paid for it.');
  return row.facts;
}
