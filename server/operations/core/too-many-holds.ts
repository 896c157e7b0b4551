import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import type { BookingFacts } from './booking-rows.ts';
import { Refusal } from './refusal.ts';

/**
 * Builds the refusal of one hold too many. Its details name the open holds: `holds` is a list of
 * `{bookingId, reference, studioName, startTime, endTime, holdExpiresAt}`; `retryAfter` (seconds) is set when the customer has to wait.
 */
export function tooManyHolds(holds: readonly BookingFacts[], retryAt: string | null, now: Date): Refusal {
  const named = holds.map(
    (one) =>
      `${one.studioName}, ${formatStudioRange(new Date(one.startTime), new Date(one.endTime))} (reference ${one.reference})`,
  );
  const waiting = named.length === 0 ? '' : `Waiting for your payment: ${named.join('; ')}. `;
  const list = holds.map((one) => ({
    bookingId: one.id,
    reference: one.reference,
    studioName: one.studioName,
    startTime: one.startTime,
    endTime: one.endTime,
    holdExpiresAt: one.holdExpiresAt,
  }));
  if (retryAt === null)
    return new Refusal('too_many_holds', `${waiting}Pay for one of them or cancel one first.`, { holds: list });
  const until = new Date(retryAt);
  return new Refusal(
    'too_many_holds',
    `You’ve started several bookings in the last hour without paying. ${waiting}You can start another from ${formatStudioTime(new Date(Math.ceil(until.getTime() / 60_000) * 60_000))}, Sydney time.`,
    { holds: list, retryAfter: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)) },
  );
}
