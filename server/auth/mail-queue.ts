import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Keys } from '#server/http/keys.ts';
import {
  accountExistsMail,
  emailChangeMail,
  passwordChangedMail,
  recoveryMail,
  signUpMail,
} from '#server/mails/account.ts';
import type { Mail } from '#server/providers/ports.ts';
import type { AuthConfig } from './auth-config.ts';

export type AccountMailKind = 'signup' | 'account_exists' | 'recovery' | 'email_change' | 'password_changed';
export type TokenKind = 'signup' | 'recovery' | 'email_change';

export type MailQueue = {
  /** Writes a mail in the transaction of its cause. For kinds with a code, the code's hashes are written too, in place of an earlier one. */
  add(tx: Transaction, mail: { kind: AccountMailKind; email: string; userId: string | null }): Promise<void>;
  /** Sends what waits; called after a transaction and by the poll. */
  flush(): Promise<void>;
  codeHash(userId: string, code: string): string;
  tokenHash(token: string): string;
};

const BATCH = 20;
const GIVE_UP_TRIES = 15;

export function createMailQueue(parts: {
  db: Database;
  mail: Mail;
  keys: Keys;
  clock: Clock;
  log: Log;
  config: AuthConfig;
}): MailQueue {
  const { db, mail, keys, clock, log, config } = parts;

  // Derived, never stored: whoever reads the database finds no code, and a repeated mail is word for word the same.
  const codeOf = (rowId: string): string =>
    String(keys.hmac('mail-code', rowId).readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
  const tokenOf = (rowId: string): string => keys.hmac('mail-token', rowId).toString('base64url');
  const codeHash = (userId: string, code: string): string =>
    keys.hmac('code-hash', `${userId}:${code}`).toString('base64url');
  const tokenHash = (token: string): string => keys.hmac('token-hash', token).toString('base64url');

  type Waiting = { id: string; kind: AccountMailKind; email: string; tries: number };

  function compose(row: Waiting): { subject: string; html: string; text: string } {
    const minutes = Math.round(config.codeSeconds / 60);
    const code = codeOf(row.id);
    const href = (path: string, type: string): string =>
      `${config.siteUrl}${path}token_hash=${tokenOf(row.id)}&type=${type}`;
    switch (row.kind) {
      case 'signup':
        return signUpMail({ code, minutes, href: href('/email-verified?', 'signup') });
      case 'recovery':
        return recoveryMail({ code, minutes, href: href('/auth?reset=true&', 'recovery') });
      case 'email_change':
        return emailChangeMail({ code, minutes, href: href('/email-verified?', 'email_change') });
      case 'account_exists':
        return accountExistsMail({ href: `${config.siteUrl}/auth` });
      case 'password_changed':
        return passwordChangedMail();
    }
  }

  async function send(row: Waiting): Promise<void> {
    try {
      await mail.send({ to: row.email, ...compose(row), key: `account-${row.id}` });
      await db.query('delete from auth.mail_queue where id = $1::uuid', [row.id]);
    } catch (error) {
      log.error(
        {
          mail: row.id,
          kind: row.kind,
          tries: row.tries,
          reason: error instanceof Error ? error.message : String(error),
        },
        'an account mail could not be sent yet',
      );
      if (row.tries >= GIVE_UP_TRIES) await db.query('delete from auth.mail_queue where id = $1::uuid', [row.id]);
      else {
        const wait = Math.min(2 ** row.tries, 120) * 1000;
        await db.query(
          `update auth.mail_queue set lease_until = '-infinity', due_at = $2::timestamptz where id = $1::uuid`,
          [row.id, new Date(clock().getTime() + wait)],
        );
      }
    }
  }

  return {
    codeHash,
    tokenHash,
    async add(tx, { kind, email, userId }) {
      const id = randomUUID();
      const now = clock();
      await tx.query(
        `insert into auth.mail_queue (id, kind, email, due_at, created_at) values ($1::uuid, $2, $3, $4::timestamptz, $4::timestamptz)`,
        [id, kind, email, now],
      );
      if (userId === null || kind === 'account_exists' || kind === 'password_changed') return;
      await tx.query(
        `insert into auth.one_time_tokens (user_id, kind, email, code_hash, token_hash, expires_at, created_at)
         values ($1::uuid, $2, $3, $4, $5, $6::timestamptz, $7::timestamptz)
         on conflict (user_id, kind) do update set email = excluded.email, code_hash = excluded.code_hash, token_hash = excluded.token_hash,
           attempts = 0, expires_at = excluded.expires_at, created_at = excluded.created_at`,
        [
          userId,
          kind,
          email,
          codeHash(userId, codeOf(id)),
          tokenHash(tokenOf(id)),
          new Date(now.getTime() + config.codeSeconds * 1000),
          now,
        ],
      );
    },
    async flush() {
      const { rows } = await db.query<Waiting>(
        `update auth.mail_queue q set lease_until = $1::timestamptz + interval '30 seconds', tries = q.tries + 1
         where q.id in (select x.id from auth.mail_queue x where x.due_at <= $1::timestamptz and x.lease_until < $1::timestamptz order by x.due_at limit $2::int for update skip locked)
         returning q.id, q.kind, q.email, q.tries`,
        [clock(), BATCH],
      );
      await Promise.all(rows.map(send));
    },
  };
}
