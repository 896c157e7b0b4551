import { HORIZON_DAYS_MAX } from '#rules/business/settings-change.ts';
import { callJson, callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import type { Json } from '#database/types.ts';
import type { Queryable } from '#server/db/database.ts';

export type Closure = {
  /** null closes every studio. */
  readonly studioId: string | null;
  readonly startTime: Date;
  readonly endTime: Date;
  /** How many weeks it repeats, at the same time of day in Sydney; 1 for once. 'endless': every week from now on. */
  readonly weeks: number | 'endless';
  readonly reason: string;
  /** Whether customers may read the reason. */
  readonly public: boolean;
};

const DAY_MS = 24 * 3_600_000;
const LONGEST_MS = 366 * DAY_MS;
/** How many weeks of a closure without an end are closed at a time: more than anybody can book ahead. */
const ENDLESS_WEEKS = Math.ceil(HORIZON_DAYS_MAX / 7) + 1;

/** What `private.close_hours()` returns. */
type Outcome =
  | { outcome: 'closed'; closureId: string }
  | { outcome: 'booked'; bookings: readonly Json[] }
  | { outcome: 'no_studio' };

/**
 * Closes hours for bookings. Returns the id of the closure, also when the same hours are closed again. Throws `Refusal`; 'slot_taken' has
 * the bookings in the way in `bookings`, at most a hundred.
 */
export function closeHours({ db, clock }: Services, closure: Closure, actor: string): Promise<string> {
  return storeClosure(db, closure, actor, clock());
}

/** Like `closeHours`, also in the caller's transaction. */
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
  const many = bookings.length === 1 ? 'A booking is' : `${bookings.length} bookings are`;
  throw new Refusal('slot_taken', `${many} in the way. Move or cancel first.`, { bookings });
}

/** Periodic task: adds the weeks that come into reach to closures without an end. */
export async function extendClosures({ db, clock }: Services): Promise<void> {
  const until = new Date(clock().getTime() + (ENDLESS_WEEKS - 1) * 7 * DAY_MS);
  await callSql(db, 'extend_closures', { p_until: until });
}
