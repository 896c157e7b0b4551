import { HORIZON_DAYS_MAX } from '#rules/business/settings-change.ts';
import { callJson, callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import type { Json } from '#database/types.ts';
import type { Queryable } from '#server/db/database.ts';

export type Closure = {
  /** Null closes every studio. */
  readonly studioId: string | null;
  readonly startTime: Date;
  readonly endTime: Date;
  /**
   * Number of weekly repetitions at the same Sydney time of day; 1 closes the hours once. With 'endless' they are closed every week from
   * now on.
   */
  readonly weeks: number | 'endless';
  readonly reason: string;
  /** Whether customers may read the reason. */
  readonly public: boolean;
};

const DAY_MS = 24 * 3_600_000;
const LONGEST_MS = 366 * DAY_MS;
/** Number of weeks ahead for which an endless closure is stored. It exceeds the longest booking horizon, so no booking can be beyond it. */
const ENDLESS_WEEKS = Math.ceil(HORIZON_DAYS_MAX / 7) + 1;

/** What `private.close_hours()` returns. */
type Outcome =
  | { outcome: 'closed'; closureId: string }
  | { outcome: 'booked'; bookings: readonly Json[] }
  | { outcome: 'no_studio' };

/**
 * Closes hours for bookings. Returns the id of the closure. Idempotent: closing the same hours again returns the same id. Throws `Refusal`;
 * 'slot_taken' lists the bookings that have the hours in `bookings`, up to a hundred.
 */
export function closeHours({ db, clock }: Services, closure: Closure, actor: string): Promise<string> {
  return storeClosure(db, closure, actor, clock());
}

/** Like `closeHours`, but can run in the caller's transaction. */
export async function storeClosure(db: Queryable, closure: Closure, actor: string, now: Date): Promise<string> {
  if (closure.endTime <= closure.startTime) throw new Refusal('invalid_request', 'endTime must be after startTime.');
  if (closure.endTime.getTime() - closure.startTime.getTime() > LONGEST_MS)
    throw new Refusal('invalid_request', 'A closure can be at most a year long.');
  const endless = closure.weeks === 'endless';
  if ((endless || closure.weeks === 1) && closure.endTime <= now)
    throw new Refusal('invalid_request', 'These hours are already over.');
  const outcome = await callJson(
    db,
    endless ? 'close_hours_endlessly' : 'close_hours',
    { p: endless ? { ...closure, weeks: ENDLESS_WEEKS } : closure, p_actor: actor, p_now: now },
    (json: Outcome) => json,
  );
  if (outcome === null) throw new Error('closing hours returned nothing');
  if (outcome.outcome === 'closed') return outcome.closureId;
  if (outcome.outcome === 'no_studio') throw new Refusal('not_found', 'Studio not found');
  const { bookings } = outcome;
  const message =
    bookings.length === 1
      ? 'A booking is in the way. Move or cancel it first.'
      : `${bookings.length} bookings are in the way. Move or cancel them first.`;
  throw new Refusal('slot_taken', message, { bookings });
}

/** Periodic task: extends endless closures by the weeks that have come within the booking horizon. */
export async function extendClosures({ db, clock }: Services): Promise<void> {
  const until = new Date(clock().getTime() + (ENDLESS_WEEKS - 1) * 7 * DAY_MS);
  await callSql(db, 'extend_closures', { p_until: until });
}
