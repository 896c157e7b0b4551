import { z } from 'zod';
import { documentMail } from '#server/mails/document.ts';
import type { MailWithCalendar } from '#server/mails/booking-parts.ts';
import type { Queryable } from '#server/db/database.ts';
import { callSql } from '../core/call-sql.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { readDocuments } from '../exports/booking-document.ts';
import { documentPdf } from '../exports/document-files.ts';
import type { DocumentFacts } from '../exports/document-sheets.ts';
import { ownPage, sendBookingMail } from './booking-mail.ts';
import type { Services } from '../core/services.ts';

const payloadSchema = z.object({ number: z.number().nullable().default(null) });

/**
 * Mails the documents of a booking, either because a refund got an adjustment note (`number` in the job) or because staff send them. Sends
 * nothing if the note is void because the refund failed, or if the cancellation mail has already announced the note.
 */
async function sendDocuments(services: Services, job: Job<z.output<typeof payloadSchema>>): Promise<JobOutcome> {
  const { number } = job.payload;
  await sendBookingMail(services, job, async (booking, facts) => {
    const read = await findDocuments(services, facts.id);
    const document = read?.documents.find((each) => number === null || each.number === number);
    if (!read || !document) return null;
    if (number !== null && facts.userId !== null && (await isOfCancellation(services.db, facts.id, number)))
      return null;
    const registered = document.content.seller.abn !== '';
    const page = ownPage(services, facts);
    return documentMail(
      booking,
      { note: number === null ? null : { number, cents: document.cents }, registered },
      page,
      await createPdf(read),
    );
  });
  return 'done';
}

/** Returns whether an adjustment note is for the refund of the cancellation itself. Staff can refund more of the booking later. */
async function isOfCancellation(db: Queryable, bookingId: string, number: number): Promise<boolean> {
  const row = await db.queryRow<{ yes: boolean }>(
    `select c.booking_id is null or c.refund_cents >= sum(d.cents) as yes
     from private.document d left join private.cancellation c on c.booking_id = d.booking_id
     where d.booking_id = $1::uuid and d.kind = 'adjustment' and d.number <= $2::int and d.content @> '{"cancelled": true}'
     group by c.booking_id having max(d.number) = $2::int`,
    [bookingId, number],
  );
  return row?.yes === true;
}

/** Renders the documents of these bookings as a PDF file; null if there are none. */
export async function readPdf(
  services: Services,
  ...bookingIds: readonly string[]
): Promise<MailWithCalendar['document'] | null> {
  const found: DocumentFacts[] = [];
  for (const id of bookingIds) {
    const facts = await findDocuments(services, id);
    if (facts !== null) found.push(facts);
  }
  const [first, ...more] = found;
  return first === undefined ? null : createPdf(first, ...more);
}

async function findDocuments(services: Services, bookingId: string): Promise<DocumentFacts | null> {
  try {
    return await readDocuments(services, { bookingId, userId: null });
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

const createPdf = async (
  facts: DocumentFacts,
  ...more: readonly DocumentFacts[]
): Promise<NonNullable<MailWithCalendar['document']>> => ({
  name: `receipt-${facts.reference}.pdf`,
  content: await documentPdf(facts, ...more),
});

/**
 * Queues a mail with the documents of a booking, for staff. Idempotent for the same request. Throws `Refusal('not_found')` and
 * `('already_done')`.
 */
export async function mailDocuments(
  { db, clock }: Services,
  { bookingId, requestId }: { readonly bookingId: string; readonly requestId: string },
  actor: string,
): Promise<void> {
  const result = await callSql(db, 'mail_documents', {
    p_booking: bookingId,
    p_request: requestId,
    p_actor: actor,
    p_now: clock(),
  });
  if (result === 'no_address')
    throw new Refusal('already_done', 'This booking has no email address to send to.', { reason: 'no_address' });
  if (result !== 'queued') throw new Refusal('not_found', 'There is no receipt for this booking.');
}

export const sendDocumentsJob = defineJob({
  kind: 'mail.document',
  title: 'Documents email',
  worker: 'mail',
  payload: payloadSchema,
  handle: (services, job) => sendDocuments(services, job),
});
