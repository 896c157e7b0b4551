import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import type { Transaction } from '#server/db/database.ts';
import { type UserRow, userByEmail, userById, userByPhone } from '../accounts/users.ts';
import { type Contact, contactColumns } from '../core/contact.ts';
import type { MessageKind, TokenKind } from '../core/message-queue.ts';
import { endMessages } from './message-queue.ts';
import { codeHashes, linkTokenHashes } from './one-time-codes.ts';
import type { AuthContext } from '../core/context.ts';

/*
 * These functions return null for any wrong code and for unknown addresses. The caller must commit even then, because the attempt has been
 * counted.
 */

/** `email` or `phone`: where the code was sent. `attemptId`: the sign-up attempt of the code. */
export type UsedToken = {
  readonly user: UserRow;
  readonly kind: TokenKind;
  readonly email: string | null;
  readonly phone: string | null;
  readonly attemptId: string | null;
};
/** Tokens whose message may have been queued as `otp`. */
const OTP_TOKENS: readonly TokenKind[] = ['signup', 'magiclink', 'sms'];
/** Wrong attempts that a code allows. */
const ATTEMPTS_MAX = 5;
const NO_USER = '00000000-0000-0000-0000-000000000000';
type TokenRow = {
  id: string;
  user_id: string;
  kind: TokenKind;
  email: string | null;
  phone: string | null;
  attempt_id: string | null;
  code_hash: string;
};
const COLUMNS = 'id, user_id, kind, email, phone, attempt_id, code_hash';

/** Uses a code sent to an email or phone. Five wrong attempts disable it. */
export async function useCode(
  context: AuthContext,
  tx: Transaction,
  { code, ...contact }: Contact & { code: string },
  kinds: readonly TokenKind[],
): Promise<UsedToken | null> {
  const owner = 'email' in contact ? await userByEmail(tx, contact.email) : await userByPhone(tx, contact.phone);
  // The code of a change goes to the new address, which no account has yet. Several accounts may have requested it.
  const changes = kinds.includes('email_change') || kinds.includes('phone_change');
  const requesters = changes ? await changeRequesters(tx, contact) : [];
  const userIds = [...new Set([...requesters, ...(owner ? [owner.id] : [])])];
  return tryCode(context, tx, { code, kinds, contact, userIds: userIds.length > 0 ? userIds : [NO_USER] });
}

/** Uses a code of the given account, whichever address or phone it was sent to. */
export function useAccountCode(
  context: AuthContext,
  tx: Transaction,
  userId: string,
  code: string,
  kinds: readonly TokenKind[],
): Promise<UsedToken | null> {
  return tryCode(context, tx, { code, kinds, contact: null, userIds: [userId] });
}

/** Uses the token of a mailed link. */
export async function useLink(
  context: AuthContext,
  tx: Transaction,
  token: string,
  kinds: readonly TokenKind[],
): Promise<UsedToken | null> {
  const row = await tx.queryRow<TokenRow>(
    `select ${COLUMNS} from auth.one_time_tokens
     where token_hash = any($1::text[]) and kind = any($2::text[]) and expires_at > $3::timestamptz and attempts < $4::int for update`,
    [linkTokenHashes(context, token), kinds, context.clock(), ATTEMPTS_MAX],
  );
  return row ? consume(tx, row) : null;
}

/** Returns the accounts that last requested a change to an email or phone. */
async function changeRequesters(tx: Transaction, contact: Contact): Promise<string[]> {
  const { email, phone } = contactColumns(contact);
  const { rows } = await tx.query<{ id: string }>(
    `select user_id as id from auth.one_time_tokens
     where kind in ('email_change', 'phone_change') and (email = $1 or phone = $2) order by created_at desc limit 3`,
    [email, phone],
  );
  return rows.map((row) => row.id);
}

/** `contact`: where the code was sent; null accepts any address or phone. */
type CodeAttempt = {
  readonly code: string;
  readonly kinds: readonly TokenKind[];
  readonly contact: Contact | null;
  readonly userIds: readonly string[];
};

/** Counts the attempt on the row, under its lock: of a thousand concurrent guesses, five are checked. */
async function tryCode(
  context: AuthContext,
  tx: Transaction,
  { code, kinds, contact, userIds }: CodeAttempt,
): Promise<UsedToken | null> {
  const hashes = userIds.flatMap((id) => codeHashes(context, id, code));
  const { email, phone } = contact ? contactColumns(contact) : { email: null, phone: null };
  const { rows } = await tx.query<TokenRow>(
    `update auth.one_time_tokens set attempts = attempts + 1
     where user_id = any($1::uuid[]) and kind = any($2::text[]) and expires_at > $3::timestamptz and attempts < $4::int
       and ($5::boolean or email = $6 or phone = $7)
     returning ${COLUMNS}`,
    [userIds, kinds, context.clock(), ATTEMPTS_MAX, contact === null, email, phone],
  );
  const match = rows.find((row) => hashes.some((hash) => equalInConstantTime(hash, row.code_hash)));
  return match ? consume(tx, match) : null;
}

/** Deletes a used token and its queued messages, because a retry of a message would activate the code again. */
async function consume(tx: Transaction, row: TokenRow): Promise<UsedToken | null> {
  await tx.query('delete from auth.one_time_tokens where id = $1::uuid', [row.id]);
  const kinds: readonly MessageKind[] = OTP_TOKENS.includes(row.kind) ? [row.kind, 'otp'] : [row.kind];
  await endMessages(tx, { id: null, email: row.email, phone: row.phone }, kinds);
  const user = await userById(tx, row.user_id);
  return user && { user, kind: row.kind, email: row.email, phone: row.phone, attemptId: row.attempt_id };
}
