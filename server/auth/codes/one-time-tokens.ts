import type { Transaction } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { MailQueue, TokenKind } from './mail-queue.ts';
import { type UserRow, userByEmail, userById } from '../accounts/users.ts';

/** `email`: the address the code was mailed to. */
export type UsedToken = { readonly user: UserRow; readonly kind: TokenKind; readonly email: string };

/** Both answer null for whatever is wrong, unknown addresses included, and must then be committed: the try has been counted. */
export type OneTimeTokens = {
  /** Uses up a code for an address. Five wrong ones burn it. */
  useCode(
    tx: Transaction,
    proof: { email: string; code: string },
    kinds: readonly TokenKind[],
  ): Promise<UsedToken | null>;
  /** Uses up the token of a mailed link. */
  useLink(tx: Transaction, token: string, kinds: readonly TokenKind[]): Promise<UsedToken | null>;
};

const TRIES = 5;
const NOBODY = '00000000-0000-0000-0000-000000000000';
type TokenRow = { id: string; user_id: string; kind: TokenKind; email: string; code_hash: string };

export function createOneTimeTokens(parts: { queue: MailQueue; clock: Clock }): OneTimeTokens {
  const { queue, clock } = parts;

  /** A token is gone with its use, and so is its mail if it still waits to be repeated: sent again, it would make the code good again. */
  async function useUp(tx: Transaction, row: TokenRow): Promise<UsedToken | null> {
    await tx.query('delete from auth.one_time_tokens where id = $1::uuid', [row.id]);
    await tx.query('delete from auth.mail_queue where email = $1 and kind = $2', [row.email, row.kind]);
    const user = await userById(tx, row.user_id);
    return user && { user, kind: row.kind, email: row.email };
  }

  return {
    async useCode(tx, { email, code }, kinds) {
      // The code of an address change goes to the new address, which is no account's yet; several may have asked for it.
      const owners = kinds.includes('email_change')
        ? (
            await tx.query<{ id: string }>(
              `select user_id as id from auth.one_time_tokens where kind = 'email_change' and email = $1 order by created_at desc limit 3`,
              [email],
            )
          ).rows
        : [await userByEmail(tx, email)].filter((user) => user !== null);
      const ids = owners.length > 0 ? owners.map((owner) => owner.id) : [NOBODY];
      const hashes = ids.map((id) => queue.codeHash(id, code));
      // Every right and wrong try is counted by the row itself, under its lock: of a thousand at once five are looked at.
      const { rows } = await tx.query<TokenRow>(
        `update auth.one_time_tokens set attempts = attempts + 1
         where user_id = any($1::uuid[]) and kind = any($2::text[]) and email = $3 and expires_at > $4::timestamptz and attempts < $5::int
         returning id, user_id, kind, email, code_hash`,
        [ids, kinds, email, clock(), TRIES],
      );
      const right = rows.find((row) => hashes.includes(row.code_hash));
      return right ? useUp(tx, right) : null;
    },
    async useLink(tx, token, kinds) {
      const row = await tx.one<TokenRow>(
        `select id, user_id, kind, email, code_hash from auth.one_time_tokens
         where token_hash = $1 and kind = any($2::text[]) and expires_at > $3::timestamptz and attempts < $4::int for update`,
        [queue.tokenHash(token), kinds, clock(), TRIES],
      );
      return row ? useUp(tx, row) : null;
    },
  };
}
