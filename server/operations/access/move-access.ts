import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { endJobs } from '../core/jobs.ts';
import { liveCodes } from './code-rows.ts';
import { queueAccess } from './queue-access.ts';
import { queueRevocation } from './revoke-codes.ts';

/** Ends the codes of a booking that moves, and queues the code of its new hours, in the caller's transaction. */
export async function moveAccess(
  tx: Transaction,
  booking: BookingFacts,
  { number, start, now }: { readonly number: number; readonly start: Date; readonly now: Date },
): Promise<void> {
  await endJobs(tx, { kinds: ['access.request', 'mail.access-code'], subjectId: booking.id, recipients: [] });
  await tx.query(
    `update public.scheduled_emails set status = 'cancelled' where booking_id = $1::uuid and status in ('pending', 'pending_immediate')`,
    [booking.id],
  );
  await tx.query(
    `update public.booking_access_codes set status = 'revoke_pending' where booking_id = $1::uuid and status in ('requested', 'issued')`,
    [booking.id],
  );
  for (const { id } of await liveCodes(tx, booking.id))
    await queueRevocation(tx, { bookingId: booking.id, codeId: id, dedupe: `move:${id}`, dueAt: now });
  const hasAddress = booking.userId !== null || booking.guestEmail !== null;
  await queueAccess(tx, { id: booking.id, start, hasAddress, dedupe: `move:${number}` }, now);
}
