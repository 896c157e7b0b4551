import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { refuse } from './errors.ts';
import type { MailQueue, TokenKind } from './mail-queue.ts';
import { type UserRow, userByEmail, userById } from './users.ts';

export type OneTimeTokens = {
  /** Uses up a code for an address. Five wrong ones burn it. Throws `otp_expired` for whatever is wrong, unknown addresses included. */
  useCode(
    email: string,
    code: string,
    kinds: readonly TokenKind[],
  ): Promise<{ user: UserRow; kind: TokenKind; email: string }>;
  /** Uses up the token of a mailed link. */
  useLink(token: string, kinds: readonly TokenKind[]): Promise<{ user: UserRow; kind: TokenKind; email: string }>;
};

const TRIES = 5;

export function createOneTimeTokens(parts: { db: Database; queue: MailQueue; clock: Clock }): OneTimeTokens {
  const { db, queue, clock } = parts;

  async function taken(
    row: { user_id: string; kind: TokenKind; email: string } | null,
  ): Promise<{ user: UserRow; kind: TokenKind; email: string }> {
    const user = row ? await userById(db, row.user_id) : null;
    if (!row || !user) throw refuse.otp();
    return { user, kind: row.kind, email: row.email };
  }

  return {
    async useCode(email, code, kinds) {
      // The code of an address change goes to the new address, which is no account's yet.
      const changing = kinds.includes('email_change')
        ? await db.one<{ user_id: string }>(
            `select user_id from auth.one_time_tokens where kind = 'email_change' and email = $1`,
            [email],
          )
        : null;
      const userId = changing?.user_id ?? (await userByEmail(db, email))?.id;
      const hash = queue.codeHash(userId ?? '00000000-0000-0000-0000-000000000000', code);
      if (!userId) throw refuse.otp();
      const row = await db.transaction(async (tx) => {
        const { rows } = await tx.query<{
          id: string;
          user_id: string;
          kind: TokenKind;
          email: string;
          code_hash: string;
        }>(
          `update auth.one_time_tokens set attempts = attempts + 1
           where user_id = $1::uuid and kind = any($2::text[]) and expires_at > $3::timestamptz and attempts < $4::int
           returning id, user_id, kind, email, code_hash`,
          [userId, kinds, clock(), TRIES],
        );
        const right = rows.find((one) => one.code_hash === hash && one.email === email);
        if (right) await tx.query('delete from auth.one_time_tokens where id = $1::uuid', [right.id]);
        return right ?? null;
      });
      return taken(row);
    },
    async useLink(token, kinds) {
      return taken(
        await db.one<{ user_id: string; kind: TokenKind; email: string }>(
          `delete from auth.one_time_tokens where token_hash = $1 and kind = any($2::text[]) and expires_at > $3::timestamptz and attempts < $4::int
           returning user_id, kind, email`,
          [queue.tokenHash(token), kinds, clock(), TRIES],
        ),
      );
    },
  };
}
