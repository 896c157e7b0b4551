import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Mail, TextMessages } from '#server/providers/ports.ts';
import type { Way } from '../core/request.ts';
import type { Message, MessageKind, Waiting } from './message-templates.ts';

/** Account mails and text messages on their way. */
export type MessageQueue = {
  /**
   * Writes a message in the transaction of its cause and answers its id. Whether the address has an account, and so whether anything is
   * sent at all, is looked up when the message leaves: the asker waits as long either way (promises G27).
   */
  add(
    tx: Pick<Transaction, 'query'>,
    message: Way & {
      kind: MessageKind;
      userId?: string | undefined;
      attemptId?: string | null;
      /** `redirect_to` of the request; followed where it is allowed. */
      redirectTo?: string | null | undefined;
    },
  ): Promise<string>;
  /** Sends what waits without making the caller wait; call it after the transaction. */
  soon(): void;
  /** Sends what waits, by mail, by text message or both, and answers when it has gone or was put off; for the poll. */
  flush(channel?: 'email' | 'phone'): Promise<void>;
  /** Removes codes that nobody used. */
  cleanup(): Promise<void>;
};

const BATCH = 20;
const GIVE_UP_TRIES = 15;

export function createMessageQueue(parts: {
  db: Database;
  mail: Mail;
  texts: TextMessages;
  templates: (row: Waiting) => Promise<Message | null>;
  /** The allowed page of another app, or null. */
  mailRedirect: (request: string | null | undefined) => string | null;
  clock: Clock;
  log: Log;
}): MessageQueue {
  const { db, mail, texts, templates, clock, log } = parts;

  async function deliver(row: Waiting, content: Message): Promise<void> {
    const key = `account-${row.id}`;
    if (content.to === 'email') await mail.send({ ...content, to: row.email ?? '', key });
    else await texts.send({ to: `+${row.phone ?? ''}`, text: content.text, key });
  }

  async function send(row: Waiting): Promise<void> {
    try {
      const content = await templates(row);
      if (content) await deliver(row, content);
      await db.query('delete from auth.message_queue where id = $1::uuid', [row.id]);
    } catch (error) {
      const given = row.tries >= GIVE_UP_TRIES;
      const reason = error instanceof Error ? error.message : String(error);
      log.error(
        { message: row.id, kind: row.kind, tries: row.tries, reason },
        given ? 'an account message was given up' : 'an account message could not be sent yet',
      );
      if (given) await db.query('delete from auth.message_queue where id = $1::uuid', [row.id]);
      else {
        const wait = Math.min(2 ** row.tries, 120) * 1000;
        await db.query(
          `update auth.message_queue set lease_until = '-infinity', due_at = $2::timestamptz where id = $1::uuid`,
          [row.id, new Date(clock().getTime() + wait)],
        );
      }
    }
  }

  /** Mails and texts apart: while one service does not answer, the other's messages still go. */
  async function flush(channel?: 'email' | 'phone'): Promise<void> {
    await Promise.all((channel ? [channel] : (['email', 'phone'] as const)).map(flushChannel));
  }

  async function flushChannel(channel: 'email' | 'phone'): Promise<void> {
    const { rows } = await db.query<Waiting>(
      `update auth.message_queue q set lease_until = $1::timestamptz + interval '30 seconds', tries = q.tries + 1
       where q.id in (
         select x.id from auth.message_queue x where x.due_at <= $1::timestamptz and x.lease_until < $1::timestamptz
           and (x.email is not null) = $3::boolean
         order by x.due_at limit $2::int for update skip locked
       )
       returning q.id, q.kind, q.email, q.phone, q.user_id, q.attempt_id, q.tries, q.created_at, q.redirect_to`,
      [clock(), BATCH, channel === 'email'],
    );
    await Promise.all(rows.map(send));
  }

  return {
    flush,
    async add(tx, message) {
      const id = randomUUID();
      await tx.query(
        `insert into auth.message_queue (id, kind, email, phone, user_id, attempt_id, due_at, created_at, redirect_to)
         values ($1::uuid, $2, $3, $4, $5::uuid, $6::uuid, $7::timestamptz, $7::timestamptz, $8)`,
        [
          id,
          message.kind,
          'email' in message ? message.email : null,
          'phone' in message ? message.phone : null,
          message.userId ?? null,
          message.attemptId ?? null,
          clock(),
          parts.mailRedirect(message.redirectTo),
        ],
      );
      return id;
    },
    soon() {
      setImmediate(() => {
        flush().catch((error: unknown) => log.error({ err: error }, 'account messages wait for the next poll'));
      });
    },
    async cleanup() {
      await db.query(`delete from auth.one_time_tokens where expires_at < $1::timestamptz - interval '1 day'`, [
        clock(),
      ]);
    },
  };
}
