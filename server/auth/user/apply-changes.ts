import type { Transaction } from '#server/db/database.ts';
import { type UserRow, userById } from '../accounts/users.ts';
import { deleteTokens, revokeTokens } from '../codes/revoke-tokens.ts';
import { recordEvent } from '../core/audit-log.ts';
import type { SignedInUser } from '../core/request.ts';
import { endSessions } from '../sessions/end.ts';
import { storeEmailChange } from '../verify/email-change.ts';
import { storePhoneChange } from '../verify/phone-change.ts';
import type { AuthContext } from '../core/context.ts';

/** Changes of an account. Null means no change. */
export type Changes = {
  readonly hash: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly data: Record<string, unknown> | null;
  readonly ip: string;
};

/** Makes all changes in one transaction, then sends their messages. Returns the changed account. */
export async function applyChanges(
  context: AuthContext,
  user: UserRow,
  caller: SignedInUser,
  { hash, email, phone, data, ip }: Changes,
): Promise<UserRow | null> {
  const { db, queue, sessions } = context;
  const { changed, ended } = await db.transaction(async (tx) => {
    const endedIds = hash === null ? [] : await setPassword(context, tx, user, caller, { hash, ip });
    if (email !== null) await requestEmailChange(context, tx, user, { email, ip });
    if (phone !== null) await requestPhoneChange(context, tx, user, { phone, ip });
    if (data !== null) await setData(context, tx, user, { data, ip });
    return { changed: await userById(tx, user.id), ended: endedIds };
  });
  sessions.forget(ended);
  queue.wake();
  return changed;
}

/** Sets the password and ends the other sessions. Returns their ids. */
async function setPassword(
  context: AuthContext,
  tx: Transaction,
  user: UserRow,
  caller: SignedInUser,
  { hash, ip }: { hash: string; ip: string },
): Promise<readonly string[]> {
  await tx.query(`update auth.users set encrypted_password = $2 where id = $1::uuid`, [user.id, hash]);
  // An attacker may have requested a link or code before, so all of them are revoked, sent or queued.
  await revokeTokens(tx, user);
  await recordEvent(tx, { action: 'user_updated_password', actorId: user.id, at: context.clock(), ip });
  return endSessions(context, tx, caller, 'others', ip);
}

async function requestEmailChange(
  { clock, config, queue }: AuthContext,
  tx: Transaction,
  user: UserRow,
  { email, ip }: { email: string; ip: string },
): Promise<void> {
  const at = clock();
  const userId = user.id;
  const both = config.doubleConfirm && user.email !== null && user.email_confirmed_at !== null;
  await storeEmailChange(tx, { userId, newEmail: email, both, restart: true, at });
  await deleteTokens(tx, userId, ['email_change', 'email_change_current']);
  await queue.add(tx, { kind: 'email_change', email, userId });
  if (both) await queue.add(tx, { kind: 'email_change_current', email: user.email ?? '', userId });
  await recordEvent(tx, { action: 'user_email_change_requested', actorId: userId, at, ip });
}

async function requestPhoneChange(
  { clock, queue }: AuthContext,
  tx: Transaction,
  { id: userId }: UserRow,
  { phone, ip }: { phone: string; ip: string },
): Promise<void> {
  const at = clock();
  await storePhoneChange(tx, { userId, phone, at });
  await queue.add(tx, { kind: 'phone_change', phone, userId });
  await recordEvent(tx, { action: 'user_phone_change_requested', actorId: userId, at, ip });
}

async function setData(
  { clock }: AuthContext,
  tx: Transaction,
  user: UserRow,
  { data, ip }: { data: Record<string, unknown>; ip: string },
): Promise<void> {
  // As in Supabase Auth, keys are merged and null removes a key.
  const removed = Object.entries(data).flatMap(([name, value]) => (value === null ? [name] : []));
  await tx.query(
    `update auth.users set raw_user_meta_data = (raw_user_meta_data || $2::jsonb) - $3::text[] where id = $1::uuid`,
    [user.id, data, removed],
  );
  await recordEvent(tx, { action: 'user_modified', actorId: user.id, at: clock(), ip });
}
