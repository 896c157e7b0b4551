import type { Transaction } from '#server/db/database.ts';
import { revokeTokens } from '../codes/revoke-tokens.ts';
import type { UsedToken } from '../codes/use-token.ts';
import { recordEvent } from '../core/audit-log.ts';
import { refuse } from '../core/errors.ts';
import { withProvider } from './with-provider.ts';

/** Progress of an email change that both addresses must confirm (`email_change_confirm_status`). */
const STATUS = { notNeeded: 0, none: 1, byNew: 2, byCurrent: 3 } as const;

type EmailChange = {
  readonly userId: string;
  readonly newEmail: string;
  /** Whether the current address must confirm too. */
  readonly both: boolean;
  /** Whether earlier confirmations no longer count. */
  readonly restart: boolean;
  readonly at: Date;
};

/** Stores a requested email change. It takes effect when it is confirmed. */
export async function storeEmailChange(tx: Transaction, change: EmailChange): Promise<void> {
  const { userId, newEmail, both, restart, at } = change;
  await tx.query(
    `update auth.users set email_change = $2, email_change_sent_at = $3::timestamptz,
       email_change_confirm_status = case when $4::boolean then $5::int else email_change_confirm_status end where id = $1::uuid`,
    [userId, newEmail, at, restart, both ? STATUS.none : STATUS.notNeeded],
  );
}

/**
 * Applies the new email of an account. Returns false if the other address must still confirm. The locked row of the account stores which
 * address has confirmed, so that one address cannot confirm twice.
 */
export async function applyEmailChange(
  tx: Transaction,
  used: UsedToken,
  { at, ip }: { at: Date; ip: string },
): Promise<boolean> {
  const { user } = used;
  const row = await tx.queryRow<{ email: string | null; email_change: string | null; status: number }>(
    'select email, email_change, email_change_confirm_status as status from auth.users where id = $1::uuid for update',
    [user.id],
  );
  const byNew = used.kind === 'email_change';
  if (!row || row.email_change === null || used.email !== (byNew ? row.email_change : row.email))
    throw refuse.wrongCode();
  if (!byNew && row.status === STATUS.notNeeded) throw refuse.wrongCode();
  const [own, other] = byNew ? [STATUS.byNew, STATUS.byCurrent] : [STATUS.byCurrent, STATUS.byNew];
  if (row.status !== STATUS.notNeeded && row.status !== other) {
    await tx.query('update auth.users set email_change_confirm_status = $2::int where id = $1::uuid', [user.id, own]);
    return false;
  }
  await tx.query(
    `update auth.users set email = $2, email_change = null, email_change_sent_at = null, email_change_confirm_status = 0,
       email_confirmed_at = $3::timestamptz, is_anonymous = false, raw_app_meta_data = ${withProvider('email')} where id = $1::uuid`,
    [user.id, row.email_change, at],
  );
  // Revokes all codes that were sent to the old address or are still queued.
  await revokeTokens(tx, { id: user.id, email: row.email, phone: null }, ['phone_change']);
  await recordEvent(tx, { action: 'user_email_changed', actorId: user.id, at, ip });
  return true;
}
