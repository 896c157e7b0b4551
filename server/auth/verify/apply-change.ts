import type { Transaction } from '#server/db/database.ts';
import { refuse } from '../core/errors.ts';
import { record } from '../core/audit-log.ts';
import { endLinks } from '../codes/end-links.ts';
import type { UsedToken } from '../codes/one-time-tokens.ts';

type When = { readonly at: Date; readonly ip: string };

/** Progress of an email change that both addresses must confirm. */
const CONFIRMED = { notNeeded: 0, none: 1, byNew: 2, byCurrent: 3 } as const;
export const changeNeedsBoth = CONFIRMED.none;

/**
 * Applies the new email of an account. Returns false when the other address must still confirm. The account's row stores who has
 * confirmed, under its lock, so that one address cannot confirm twice.
 */
export async function applyEmailChange(tx: Transaction, used: UsedToken, { at, ip }: When): Promise<boolean> {
  const { user } = used;
  const row = await tx.one<{ email: string | null; email_change: string | null; confirmed: number }>(
    'select email, email_change, email_change_confirm_status as confirmed from auth.users where id = $1::uuid for update',
    [user.id],
  );
  const byNew = used.kind === 'email_change';
  if (!row || row.email_change === null || used.email !== (byNew ? row.email_change : row.email)) throw refuse.otp();
  if (!byNew && row.confirmed === CONFIRMED.notNeeded) throw refuse.otp();
  if (row.confirmed !== CONFIRMED.notNeeded && row.confirmed !== (byNew ? CONFIRMED.byCurrent : CONFIRMED.byNew)) {
    await tx.query('update auth.users set email_change_confirm_status = $2::int where id = $1::uuid', [
      user.id,
      byNew ? CONFIRMED.byNew : CONFIRMED.byCurrent,
    ]);
    return false;
  }
  await tx.query(
    `update auth.users set email = $2, email_change = null, email_change_sent_at = null, email_change_confirm_status = 0,
       email_confirmed_at = $3::timestamptz, is_anonymous = false, raw_app_meta_data = ${withProvider('email')} where id = $1::uuid`,
    [user.id, row.email_change, at],
  );
  // Ends everything that was sent to the old address or is still queued.
  await endLinks(tx, { id: user.id, email: row.email, phone: null }, ['phone_change']);
  await record(tx, { action: 'user_email_changed', actorId: user.id, at, ip });
  return true;
}

/** Applies the new phone of an account. */
export async function applyPhoneChange(tx: Transaction, used: UsedToken, { at, ip }: When): Promise<void> {
  const { user, phone } = used;
  if (user.phone_change === null || user.phone_change !== phone) throw refuse.otp();
  await tx.query(
    `update auth.users set phone = $2, phone_change = null, phone_change_sent_at = null, phone_confirmed_at = $3::timestamptz,
       is_anonymous = false, raw_app_meta_data = ${withProvider('phone')} where id = $1::uuid`,
    [user.id, phone, at],
  );
  await tx.query(`delete from auth.one_time_tokens where user_id = $1::uuid and kind in ('sms', 'phone_change')`, [
    user.id,
  ]);
  await record(tx, { action: 'user_phone_changed', actorId: user.id, at, ip });
}

/** SQL expression: the account's metadata with one more provider. The first provider stays the first. */
function withProvider(provider: 'email' | 'phone'): string {
  return `raw_app_meta_data || jsonb_build_object(
    'provider', coalesce(raw_app_meta_data -> 'provider', '"${provider}"'),
    'providers', case when coalesce(raw_app_meta_data -> 'providers', '[]') ? '${provider}' then raw_app_meta_data -> 'providers'
      else coalesce(raw_app_meta_data -> 'providers', '[]') || '"${provider}"' end)`;
}
