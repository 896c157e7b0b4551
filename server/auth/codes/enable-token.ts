import type { Transaction } from '#server/db/database.ts';
import { type Contact, contactColumns } from '../core/contact.ts';
import type { TokenKind } from '../core/message-queue.ts';
import { codeHash, deriveCode, linkTokenHash, deriveLinkToken } from './one-time-codes.ts';
import type { AuthContext } from '../core/context.ts';

type NewToken = Contact & {
  readonly messageId: string;
  readonly userId: string;
  readonly kind: TokenKind;
  readonly attemptId?: string | null;
  readonly createdAt: Date;
  /** The fixed code of a test phone, which replaces the derived code. */
  readonly code?: string | undefined;
};

/**
 * Activates the code of a message and replaces an earlier code of the same kind. Returns false if a later message's code is already active.
 */
export async function enableToken(context: AuthContext, tx: Transaction, token: NewToken): Promise<boolean> {
  const { messageId, userId, kind, createdAt } = token;
  const { email, phone } = contactColumns(token);
  const written = await tx.queryRow(
    `insert into auth.one_time_tokens as t (user_id, kind, email, phone, attempt_id, code_hash, token_hash, expires_at, created_at)
     values ($1::uuid, $2, $3, $4, (select a.id from auth.signup_attempts a where a.id = $5::uuid for key share), $6, $7,
       $8::timestamptz, $9::timestamptz)
     on conflict (user_id, kind) do update set email = excluded.email, phone = excluded.phone, attempt_id = excluded.attempt_id,
       code_hash = excluded.code_hash, token_hash = excluded.token_hash, expires_at = excluded.expires_at,
       created_at = excluded.created_at, attempts = case when t.token_hash = excluded.token_hash then t.attempts else 0 end
     where t.created_at <= excluded.created_at
     returning id`,
    [
      userId,
      kind,
      email,
      phone,
      token.attemptId ?? null,
      codeHash(context, userId, token.code ?? deriveCode(context, messageId)),
      linkTokenHash(context, deriveLinkToken(context, messageId)),
      new Date(context.clock().getTime() + context.config.codeSeconds * 1000),
      createdAt,
    ],
  );
  return written !== null;
}
