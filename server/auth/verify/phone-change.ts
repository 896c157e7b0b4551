import type { Transaction } from '#server/db/database.ts';
import { deleteTokens } from '../codes/revoke-tokens.ts';
import type { UsedToken } from '../codes/use-token.ts';
import { recordEvent } from '../core/audit-log.ts';
import { refuse } from '../core/errors.ts';
import { withProvider } from './with-provider.ts';

/** Stores a requested phone change. It takes effect when it is confirmed. */
export async function storePhoneChange(
  tx: Transaction,
  change: { userId: string; phone: string; at: Date },
): Promise<void> {
  await tx.query(
    `update auth.users set phone_change = $2, phone_change_sent_at = $3::timestamptz where id = $1::uuid`,
    [change.userId, change.phone, change.at],
  );
}

/** Applies the new phone of an account. */
export async function applyPhoneChange(
  tx: Transaction,
  { user, phone }: UsedToken,
  { at, ip }: { at: Date; ip: string },
): Promise<void> {
  if (user.phone_change === null || user.phone_change !== phone) throw refuse.wrongCode();
  await tx.query(
    `update auth.users set phone = $2, phone_change = null, phone_change_sent_at = null, phone_confirmed_at = $3::timestamptz,
       is_anonymous = false, raw_app_meta_data = ${withProvider('phone')} where id = $1::uuid`,
    [user.id, phone, at],
  );
  await deleteTokens(tx, user.id, ['sms', 'phone_change']);
  await recordEvent(tx, { action: 'user_phone_changed', actorId: user.id, at, ip });
}
