import { mailIsImmediate } from '#rules/access.ts';
import { constants as studio } from '#rules/venue.ts';
import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { endJobs, enqueue } from '../core/jobs.ts';
import { bookingCodes, liveCodes } from './booking-codes.ts';
import { queueRemoval } from './holder.ts';

/** Queues the access code of a confirmed booking and, if there is an address, its mail. */
export async function queueAccess(
  tx: Transaction,
  {
    id,
    start,
    hasAddress,
    dedupe = '',
  }: { readonly id: string; readonly start: Date; readonly hasAddress: boolean; readonly dedupe?: string },
  now: Date,
): Promise<void> {
  await enqueue(tx, {
    kind: 'access.request',
    subjectId: id,
    dedupe,
    dueAt: new Date(Math.max(now.getTime(), start.getTime() - studio.requestLeadMinutes * 60_000)),
    deadlineAt: new Date(Math.max(start.getTime(), now.getTime() + 60_000)),
  });
  if (!hasAddress) return;
  const immediate = mailIsImmediate(start, now);
  // A trigger queues the code mail with this row and fills in the recipient.
  await tx.query(
    `insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for) values ($1::uuid, '', 'access_code', $2, $3::timestamptz)`,
    [
      id,
      immediate ? 'pending_immediate' : 'pending',
      immediate ? now : new Date(start.getTime() - studio.releaseLeadMinutes * 60_000),
    ],
  );
}

/** Ends the codes of a booking that moves and queues a code for its new hours, in the caller's transaction. */
export async function moveAccess(
  tx: Transaction,
  booking: BookingFacts,
  { number, start, now }: { readonly number: number; readonly start: Date; readonly now: Date },
): Promise<void> {
  await tx.query(
    `update public.booking_access_codes set status = 'revoke_pending' where booking_id = $1::uuid and status in ('requested', 'issued')`,
    [booking.id],
  );
  for (const code of await liveCodes(tx, booking.id))
    await queueRemoval(tx, bookingCodes, code, { reason: 'move', dueAt: now });
  await queueAccessAgain(tx, booking, { start, dedupe: `move:${number}`, now });
}

/** Queues the access code of a booking and its mail, replacing those still waiting. */
export async function queueAccessAgain(
  tx: Transaction,
  { id, userId, guestEmail }: BookingFacts,
  { start, dedupe, now }: { readonly start: Date; readonly dedupe: string; readonly now: Date },
): Promise<void> {
  await endJobs(tx, { kinds: ['access.request', 'mail.access-code', 'mail.code-held'], subjectId: id, recipients: [] });
  await tx.query(
    `update public.scheduled_emails set status = 'cancelled' where booking_id = $1::uuid and status in ('pending', 'pending_immediate')`,
    [id],
  );
  await queueAccess(tx, { id, start, hasAddress: userId !== null || guestEmail !== null, dedupe }, now);
}
