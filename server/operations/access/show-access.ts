import type { LockCapabilities } from '#server/providers/ports.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { requireConfirmed } from '../core/require-confirmed.ts';
import { readCodeHold } from './code-hold.ts';
import { isHeldForUndo } from '../core/undo-hold.ts';
import { issuedCode, newestCode, readCodeHistory } from './booking-codes.ts';
import { openDigits } from './codes.ts';
import { type FurtherCodes, furtherCodes } from './limits.ts';
import { readAccessTimes } from './times.ts';
import type { Services } from '../core/services.ts';

/**
 * What the PIN page shows. `pin` is null until `releaseAt`, until the lock has answered, after a single-use code has opened the door, while
 * a dispute holds the code (`held`), and while the customer is recovering the account.
 */
export type BookingAccess = FurtherCodes & {
  readonly booking: BookingFacts;
  readonly pin: string | null;
  readonly pinId: string | null;
  readonly held: boolean;
  readonly releaseAt: Date;
  readonly worksFrom: Date;
  readonly worksUntil: Date;
  /** When the newest code opened the door; null before that. It is known only for single-use codes of locks that report openings. */
  readonly openedAt: Date | null;
  readonly mode: LockCapabilities['mode'];
  readonly singleUse: boolean;
};

/** Reads the access of a confirmed booking without changing anything. Throws `Refusal`: `not_found`, `not_confirmed`. */
export async function showAccess(services: Services, bookingId: string): Promise<BookingAccess> {
  const { db, locks, clock } = services;
  const booking = await requireConfirmed(db, bookingId);
  const times = await readAccessTimes(services, db, booking);
  const held = (await readCodeHold(db, bookingId)) !== null;
  const code = held ? null : await issuedCode(db, bookingId);
  const newest = await newestCode(db, bookingId);
  const history = await readCodeHistory(db, bookingId);
  const { mode, singleUse } = locks.capabilities;
  const openedAt = singleUse ? history.openedAt : null;
  const now = clock();
  const ended = now >= booking.endTime;
  const released = now.getTime() >= times.releaseAt.getTime() && !ended && !(await isHeldForUndo(db, bookingId, now));
  return {
    booking,
    pin: code !== null && released && openedAt === null ? openDigits(services, code) : null,
    pinId: code?.id ?? null,
    held,
    releaseAt: times.releaseAt,
    worksFrom: code?.startsAt ?? times.worksFrom,
    worksUntil: code?.endsAt ?? times.worksUntil,
    openedAt: released ? openedAt : null,
    ...furtherCodes(services, { count: history.count, newest }),
    mode,
    singleUse,
  };
}
