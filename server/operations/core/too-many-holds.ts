import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import type { BookingFacts } from './booking-rows.ts';
import { Refusal } from './refusal.ts';

/**
 * Builds the refusal of a customer who has too many holds. Its details list the open holds: `holds` is a list of `{bookingId, reference,
 * studioName, startTime, endTime, holdExpiresAt}`; `retryAfter` (seconds) is set if the customer has to wait.
 */
export function tooManyHolds(holds: readonly BookingFacts[], retryAt: string | null, now: Date): Refusal {
  const named = holds.map(
    (hold) => `${hold.studioName}, ${formatStudioRange(hold.startTime, hold.endTime)} (reference ${hold.reference})`,
  );
  const waiting = named.length === 0 ? '' : `Waiting for your payment: ${named.join('; ')}. `;
  const list = holds.map((hold) => ({
    bookingId: hold.id,
    reference: hold.reference,
    studioName: hold.studioName,
    startTime: hold.startTime,
    endTime: hold.endTime,
    holdExpiresAt: hold.holdExpiresAt,
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

/**
 * Unpaid room-hours. `hours`: those that a request would hold; `fit`: those that the account may still hold. `most`: the limit per account;
 * `mostOfBooking`: the limit per booking.
 */
export type UnpaidHours = {
  readonly hours: number;
  readonly fit: number;
  readonly most: number;
  readonly mostOfBooking: number;
};

/**
 * Builds the refusal of a request that exceeds an account's unpaid hours. Its details are `{hours, fit}`: the hours requested, and those
 * that would fit.
 */
export function tooManyHours({ hours, fit, most, mostOfBooking }: UnpaidHours): Refusal {
  const details = { hours, fit };
  if (hours <= fit)
    return new Refusal(
      'too_many_hours',
      `You can hold up to ${mostOfBooking} hours in one booking before you pay. Please choose fewer hours.`,
      { hours, fit: Math.min(fit, mostOfBooking) },
    );
  const limit = `You can hold up to ${most} hours in all rooms together before you pay`;
  if (fit <= 0)
    return new Refusal(
      'too_many_hours',
      `${limit}, and you’re holding all of them. Pay for some or cancel them first.`,
      details,
    );
  const choice = fit < most ? ', or pay for what you’re holding first' : '';
  return new Refusal(
    'too_many_hours',
    `${limit}. You asked for ${hours}, and ${fit} ${fit === 1 ? 'hour fits' : 'hours fit'} now. Please choose fewer hours or dates${choice}.`,
    details,
  );
}
