import type { Queryable } from '#server/db/database.ts';
import { Refusal } from './refusal.ts';

/** How soon a job is tried again while the customer takes the account back. */
export const UNDO_RETRY_MS = 60_000;

/**
 * Whether the refunds and access codes of a booking wait: the owner of its customer's replaced address has begun to undo the change and has not
 * finished. It ends with the undo, and after a day at the latest.
 */
export async function isHeldForUndo(db: Queryable, bookingId: string, now: Date): Promise<boolean> {
  const row = await db.one<{ held: boolean }>(
    `select private.is_undo_begun(b.user_id, $2::timestamptz) as held from private.booking b where b.id = $1::uuid`,
    [bookingId, now],
  );
  return row?.held === true;
}

/** Throws `Refusal('code_not_released')` while the access codes of a booking wait. */
export async function requireNotUndoing(db: Queryable, bookingId: string, now: Date): Promise<void> {
  if (await isHeldForUndo(db, bookingId, now))
    throw new Refusal(
      'code_not_released',
      'The account of this booking is being taken back by its owner. The code waits until that is done.',
    );
}
