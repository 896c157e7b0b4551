import { randomUUID } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Mail, TextMessages } from '#server/providers/ports.ts';
import type { MessageQueue } from '../core/message-queue.ts';
import type { Message, QueuedMessage } from './message-templates.ts';

const BATCH = 20;
const TRIES_MAX = 15;

export function createMessageQueue(dependencies: {
  db: Database;
  mail: Mail;
  texts: TextMessages;
  templates: (row: QueuedMessage) => Promise<Message | null>;
  /** Returns the address if it is an allowed page of another app, else null. */
  mailRedirect: (request: string | null | undefined) => string | null;
  clock: Clock;
  log: Log;
}): MessageQueue {
  const { db, mail, texts, templates, clock, log } = dependencies;

  async function deliver(row: QueuedMessage, content: Message): Promise<void> {
    const key = `account-${row.id}`;
    if (content.to === 'email') await mail.send({ ...content, to: row.email ?? '', key });
    else await texts.send({ to: `+${row.phone ?? ''}`, text: content.text, key });
  }

  async function send(row: QueuedMessage): Promise<void> {
    try {
      const content = await templates(row);
      if (content) await deliver(row, content);
      await db.query('delete from auth.message_queue where id = $1::uuid', [row.id]);
    } catch (error) {
      const isLastTry = row.tries >= TRIES_MAX;
      const reason = error instanceof Error ? error.message : String(error);
      log.error(
        { message: row.id, kind: row.kind, tries: row.tries, reason },
        isLastTry
          ? 'an account message failed too often and was dropped'
          : 'an account message could not be sent, will retry',
      );
      if (isLastTry) await db.query('delete from auth.message_queue where id = $1::uuid', [row.id]);
      else {
        const wait = Math.min(2 ** row.tries, 120) * 1000;
        await db.query(
          `update auth.message_queue set lease_until = '-infinity', due_at = $2::timestamptz where id = $1::uuid`,
          [row.id, new Date(clock().getTime() + wait)],
        );
      }
    }
  }

  /** Mails and texts run separately: an outage of one service does not delay the other. */
  async function flush(channel?: 'email' | 'phone'): Promise<void> {
    await Promise.all((channel ? [channel] : (['email', 'phone'] as const)).map(flushChannel));
  }

  async function flushChannel(channel: 'email' | 'phone'): Promise<void> {
    const { rows } = await db.query<QueuedMessage>(
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
          dependencies.mailRedirect(message.redirectTo),
        ],
      );
      return id;
    },
    soon() {
      setImmediate(() => {
        flush().catch((error: unknown) =>
          log.error({ err: error }, 'account messages could not be sent now, the scheduler will retry'),
        );
      });
    },
    async cleanup() {
      await db.query(`delete from auth.one_time_tokens where expires_at < $1::timestamptz - interval '1 day'`, [
        clock(),
      ]);
    },
  };
}
