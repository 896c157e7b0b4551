import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { Refusal } from '../core/refusal.ts';

type CustomerContext = { readonly db: Database; readonly clock: Clock };
export type Block = {
  readonly userId: string;
  /** For staff; customers do not read it. */
  readonly reason: string;
  /** null: until staff unblock. */
  readonly until: Date | null;
};

/**
 * Blocks a customer: no hold and no payment any more. Returns the bookings that are not over, for staff to decide about; unpaid holds among
 * them end by themselves. Throws `Refusal`: `not_found`, `invalid_request`.
 */
export async function blockCustomer(
  { db, clock }: CustomerContext,
  { userId, reason, until }: Block,
  actor: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const now = clock();
  if (until !== null && until <= now) throw new Refusal('invalid_request', 'until must be in the future.');
  const row = await db.one<{ bookings: Readonly<Record<string, unknown>>[] | null }>(
    'select private.block_customer($1::uuid, $2, $3::timestamptz, $4::uuid, $5::timestamptz) as bookings',
    [userId, reason, until, actor, now],
  );
  if (!row?.bookings) throw new Refusal('not_found', 'Customer not found');
  return row.bookings;
}

/** Ends a block; a customer who is not blocked stays so. Throws `Refusal('not_found')`. */
export async function unblockCustomer(
  { db }: Pick<CustomerContext, 'db'>,
  userId: string,
  actor: string,
): Promise<void> {
  const row = await db.one<{ found: boolean }>('select private.unblock_customer($1::uuid, $2::uuid) as found', [
    userId,
    actor,
  ]);
  if (!row?.found) throw new Refusal('not_found', 'Customer not found');
}
