import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Keys } from '#server/http/keys.ts';
import { emailChangeMail } from '#server/mails/account-email-change.ts';
import { accountExistsMail } from '#server/mails/account-exists.ts';
import { passwordChangedMail } from '#server/mails/account-password-changed.ts';
import { recoveryMail } from '#server/mails/account-recovery.ts';
import { signUpMail } from '#server/mails/account-signup.ts';
import type { Mail } from '#server/providers/ports.ts';
import type { AuthConfig } from '../auth-config.ts';
import { type UserRow, userByEmail, userById } from '../accounts/users.ts';

export type AccountMailKind = 'signup' | 'account_exists' | 'recovery' | 'email_change' | 'password_changed';
export type TokenKind = 'signup' | 'recovery' | 'email_change';

export type MailQueue = {
  /**
   * Writes a mail in the transaction of its cause. Whether the address has an account, and so whether anything is sent at all,
   * is looked up when the mail leaves: the asker waits as long either way (promises G27).
   */
  add(tx: Pick<Transaction, 'query'>, mail: { kind: AccountMailKind; email: string; userId?: string }): Promise<void>;
  /** Sends what waits without making the caller wait; call it after the transaction. */
  soon(): void;
  /** Sends what waits and answers when it has gone or was put off; for the poll. */
  flush(): Promise<void>;
  /** Removes codes that nobody used. */
  sweep(): Promise<void>;
  codeHash(userId: string, code: string): string;
  tokenHash(token: string): string;
};

const BATCH = 20;
const GIVE_UP_TRIES = 15;

type Waiting = {
  id: string;
  kind: AccountMailKind;
  email: string;
  user_id: string | null;
  tries: number;
  created_at: Date;
};
type Letter = { subject: string; html: string; text: string };

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

  /** Makes the code of a mail good, in place of an earlier one. False when a later mail's code is good already. */
  async function enable(row: Waiting, kind: TokenKind, user: UserRow): Promise<boolean> {
    const written = await db.one(
      `insert into auth.one_time_tokens as t (user_id, kind, email, code_hash, token_hash, expires_at, created_at)
       values ($1::uuid, $2, $3, $4, $5, $6::timestamptz, $7::timestamptz)
       on conflict (user_id, kind) do update set email = excluded.email, code_hash = excluded.code_hash,
         token_hash = excluded.token_hash, expires_at = excluded.expires_at, created_at = excluded.created_at,
         attempts = case when t.token_hash = excluded.token_hash then t.attempts else 0 end
       where t.created_at <= excluded.created_at
       returning id`,
      [
        user.id,
        kind,
        row.email,
        codeHash(user.id, codeOf(row.id)),
        tokenHash(tokenOf(row.id)),
        new Date(clock().getTime() + config.codeSeconds * 1000),
        row.created_at,
      ],
    );
    return written !== null;
  }

  /** What a waiting row says today; null when there is nobody to tell, or nothing any more. */
  async function compose(row: Waiting): Promise<Letter | null> {
    const minutes = Math.round(config.codeSeconds / 60);
    const code = codeOf(row.id);
    const href = (path: string, type: TokenKind): string =>
      `${config.siteUrl}${path}token_hash=${tokenOf(row.id)}&type=${type}`;
    switch (row.kind) {
      case 'signup': {
        const user = await userByEmail(db, row.email);
        if (!user || user.email_confirmed_at || !(await enable(row, 'signup', user))) return null;
        return signUpMail({ code, minutes, href: href('/email-verified?', 'signup') });
      }
      case 'recovery': {
        const user = await userByEmail(db, row.email);
        if (!user || !(await enable(row, 'recovery', user))) return null;
        await db.query(`update auth.users set recovery_sent_at = $2::timestamptz where id = $1::uuid`, [
          user.id,
          clock(),
        ]);
        return recoveryMail({ code, minutes, href: href('/auth?reset=true&', 'recovery') });
      }
      case 'email_change': {
        const user = row.user_id === null ? null : await userById(db, row.user_id);
        if (user?.email_change !== row.email) return null;
        // A taken address answers as a free one: its owner is told, the asker learns nothing.
        if (await userByEmail(db, row.email)) return accountExistsMail({ href: `${config.siteUrl}/auth` });
        if (!(await enable(row, 'email_change', user))) return null;
        return emailChangeMail({ code, minutes, href: href('/email-verified?', 'email_change') });
      }
      case 'account_exists':
        return accountExistsMail({ href: `${config.siteUrl}/auth` });
      case 'password_changed':
        return passwordChangedMail();
    }
  }

  async function send(row: Waiting): Promise<void> {
    try {
      const letter = await compose(row);
      if (letter) await mail.send({ to: row.email, ...letter, key: `account-${row.id}` });
      await db.query('delete from auth.mail_queue where id = $1::uuid', [row.id]);
    } catch (error) {
      const given = row.tries >= GIVE_UP_TRIES;
      const reason = error instanceof Error ? error.message : String(error);
      log.error(
        { mail: row.id, kind: row.kind, tries: row.tries, reason },
        given ? 'an account mail was given up' : 'an account mail could not be sent yet',
      );
      if (given) await db.query('delete from auth.mail_queue where id = $1::uuid', [row.id]);
      else {
        const wait = Math.min(2 ** row.tries, 120) * 1000;
        await db.query(
          `update auth.mail_queue set lease_until = '-infinity', due_at = $2::timestamptz where id = $1::uuid`,
          [row.id, new Date(clock().getTime() + wait)],
        );
      }
    }
  }

  async function flush(): Promise<void> {
    const { rows } = await db.query<Waiting>(
      `update auth.mail_queue q set lease_until = $1::timestamptz + interval '30 seconds', tries = q.tries + 1
       where q.id in (
         select x.id from auth.mail_queue x where x.due_at <= $1::timestamptz and x.lease_until < $1::timestamptz
         order by x.due_at limit $2::int for update skip locked
       )
       returning q.id, q.kind, q.email, q.user_id, q.tries, q.created_at`,
      [clock(), BATCH],
    );
    await Promise.all(rows.map(send));
  }

  return {
    codeHash,
    tokenHash,
    flush,
    async add(tx, { kind, email, userId }) {
      await tx.query(
        `insert into auth.mail_queue (id, kind, email, user_id, due_at, created_at)
         values ($1::uuid, $2, $3, $4::uuid, $5::timestamptz, $5::timestamptz)`,
        [randomUUID(), kind, email, userId ?? null, clock()],
      );
    },
    soon() {
      setImmediate(() => {
        flush().catch((error: unknown) => log.error({ err: error }, 'account mails wait for the next poll'));
      });
    },
    async sweep() {
      await db.query(`delete from auth.one_time_tokens where expires_at < $1::timestamptz - interval '1 day'`, [
        clock(),
      ]);
    },
  };
}
