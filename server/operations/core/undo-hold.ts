import type { Queryable } from '#server/db/database.ts';
import { Refusal } from './refusal.ts';

/** Delay before a job is tried again while the customer is recovering the account. */
export const UNDO_RETRY_MS = 60_000;

/**
 * Returns whether the refunds and access codes of a booking are on hold. This is the case while the owner of the customer's previous
 * address is undoing the change of address, until the undo is complete, for a day at most.
 */
export async function isHeldForUndo(db: Queryable, bookingId: string, now: Date): Promise<boolean> {
  const row = await db.queryRow<{ held: boolean }>(
    `select private.is_undo_begun(b.user_id, $2::timestamptz) as held from private.booking b where b.id = $1::uuid`,
    [bookingId, now],
  );
  return row?.held === true;
}

/** Throws `Refusal('code_not_released')` while the access codes of a booking are on hold. */
export async function requireNotUndoing(db: Queryable, bookingId: string, now: Date): Promise<void> {
  if (await isHeldForUndo(db, bookingId, now))
    throw new Refusal(
      'code_not_released',
      'The owner of this booking’s account is undoing an email change. The code is on hold until they finish.',
    );
}
