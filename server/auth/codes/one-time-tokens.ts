import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import type { Transaction } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { type UserRow, userByEmail, userById, userByPhone } from '../accounts/users.ts';
import type { Contact } from '../core/request.ts';
import type { OneTimeCodes } from './one-time-codes.ts';

export type TokenKind =
  | 'signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  /** Sent to the new address. */
  | 'email_change'
  /** Sent to the current address, when both must agree. */
  | 'email_change_current'
  | 'reauthentication'
  | 'sms'
  | 'phone_change';

/** `email` or `phone`: where the code was sent. `attemptId`: the sign-up attempt of the code. */
export type UsedToken = {
  readonly user: UserRow;
  readonly kind: TokenKind;
  readonly email: string | null;
  readonly phone: string | null;
  readonly attemptId: string | null;
};

/** The `use…` functions return null for any wrong code and for unknown addresses. Commit then too: the try has been counted. */
export type OneTimeTokens = {
  /** Activates the code of a message, in place of an earlier one of its kind. Returns false when a later message's code is active already. */
  enable(tx: Pick<Transaction, 'one'>, token: NewToken): Promise<boolean>;
  /** Uses a code sent to an email or phone. Five wrong tries disable it. */
  useCode(tx: Transaction, proof: Contact & { code: string }, kinds: readonly TokenKind[]): Promise<UsedToken | null>;
  /** Uses a code of a known account. */
  useCodeOf(tx: Transaction, userId: string, code: string, kinds: readonly TokenKind[]): Promise<UsedToken | null>;
  /** Uses the token of a mailed link. */
  useLink(tx: Transaction, token: string, kinds: readonly TokenKind[]): Promise<UsedToken | null>;
};
export type NewToken = Contact & {
  readonly messageId: string;
  readonly userId: string;
  readonly kind: TokenKind;
  readonly attemptId?: string | null;
  readonly createdAt: Date;
  /** Replaces the derived code, for test phones. */
  readonly code?: string | undefined;
};

const TRIES = 5;
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

export function createOneTimeTokens(dependencies: {
  codes: OneTimeCodes;
  clock: Clock;
  codeSeconds: number;
}): OneTimeTokens {
  const { codes, clock, codeSeconds } = dependencies;

  /** Deletes a used token and its queued message: a retry of the message would activate the code again. */
  async function consume(tx: Transaction, row: TokenRow): Promise<UsedToken | null> {
    await tx.query('delete from auth.one_time_tokens where id = $1::uuid', [row.id]);
    await tx.query(
      `delete from auth.message_queue where (kind = $1 or kind = 'otp' and $1 in ('signup', 'magiclink')) and (email = $2 or phone = $3)`,
      [row.kind, row.email, row.phone],
    );
    const user = await userById(tx, row.user_id);
    return user && { user, kind: row.kind, email: row.email, phone: row.phone, attemptId: row.attempt_id };
  }

  /** Counts the try on the row, under its lock: of a thousand concurrent guesses, five are checked. */
  async function tryCode(
    tx: Transaction,
    ids: readonly string[],
    code: string,
    kinds: readonly TokenKind[],
    contact: { email: string | null; phone: string | null } | null,
  ): Promise<UsedToken | null> {
    const hashes = ids.map((id) => codes.codeHash(id, code));
    const { rows } = await tx.query<TokenRow>(
      `update auth.one_time_tokens set attempts = attempts + 1
       where user_id = any($1::uuid[]) and kind = any($2::text[]) and expires_at > $3::timestamptz and attempts < $4::int
         and ($5::boolean or email = $6 or phone = $7)
       returning ${COLUMNS}`,
      [ids, kinds, clock(), TRIES, contact === null, contact?.email ?? null, contact?.phone ?? null],
    );
    const match = rows.find((row) => hashes.some((hash) => equalInConstantTime(hash, row.code_hash)));
    return match ? consume(tx, match) : null;
  }

  return {
    async enable(tx, token) {
      const { messageId, userId, kind, createdAt } = token;
      const written = await tx.one(
        `insert into auth.one_time_tokens as t (user_id, kind, email, phone, attempt_id, code_hash, token_hash, expires_at, created_at)
         values ($1::uuid, $2, $3, $4, $5::uuid, $6, $7, $8::timestamptz, $9::timestamptz)
         on conflict (user_id, kind) do update set email = excluded.email, phone = excluded.phone, attempt_id = excluded.attempt_id,
           code_hash = excluded.code_hash, token_hash = excluded.token_hash, expires_at = excluded.expires_at,
           created_at = excluded.created_at, attempts = case when t.token_hash = excluded.token_hash then t.attempts else 0 end
         where t.created_at <= excluded.created_at
         returning id`,
        [
          userId,
          kind,
          'email' in token ? token.email : null,
          'phone' in token ? token.phone : null,
          token.attemptId ?? null,
          codes.codeHash(userId, token.code ?? codes.codeOf(messageId)),
          codes.tokenHash(codes.tokenOf(messageId)),
          new Date(clock().getTime() + codeSeconds * 1000),
          createdAt,
        ],
      );
      return written !== null;
    },
    async useCode(tx, proof, kinds) {
      const contact = { email: 'email' in proof ? proof.email : null, phone: 'phone' in proof ? proof.phone : null };
      const owner = 'email' in proof ? await userByEmail(tx, proof.email) : await userByPhone(tx, proof.phone);
      // The code of a change goes to the new address, which no account has yet. Several accounts may have requested it.
      const changing = kinds.includes('email_change') || kinds.includes('phone_change');
      const requesters = changing
        ? (
            await tx.query<{ id: string }>(
              `select user_id as id from auth.one_time_tokens where kind in ('email_change', 'phone_change') and (email = $1 or phone = $2) order by created_at desc limit 3`,
              [contact.email, contact.phone],
            )
          ).rows.map((row) => row.id)
        : [];
      const ids = [...new Set([...requesters, ...(owner ? [owner.id] : [])])];
      return tryCode(tx, ids.length > 0 ? ids : [NO_USER], proof.code, kinds, contact);
    },
    useCodeOf: (tx, userId, code, kinds) => tryCode(tx, [userId], code, kinds, null),
    async useLink(tx, token, kinds) {
      const row = await tx.one<TokenRow>(
        `select ${COLUMNS} from auth.one_time_tokens
         where token_hash = $1 and kind = any($2::text[]) and expires_at > $3::timestamptz and attempts < $4::int for update`,
        [codes.tokenHash(token), kinds, clock(), TRIES],
      );
      return row ? consume(tx, row) : null;
    },
  };
}
