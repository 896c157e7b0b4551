import { z } from 'zod';
import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import type { Broadcast, BroadcastBody } from '../core/frames.ts';
import type { PresenceEntry } from './presence.ts';
import type { Bus, BusMessage, TopicKey } from './topics.ts';

/** The bus of several processes on one PostgreSQL server. */
export type DatabaseBus = Bus & {
  /** Shows that this process lives, and ends the presence of processes that do not. */
  maintain(): Promise<void>;
  stop(): Promise<void>;
};

const CHANNEL = 'realtime_bus';
/** Messages of this time travel in one notification: each holds a lock of the whole database while it commits. */
const COLLECT_MS = 2;
/** PostgreSQL's limit is 8,000 bytes. */
const NOTIFICATION_MAX = 7_800;
const DEAD_SECONDS = 15;
const LONG_MESSAGE_SECONDS = 60;

const entrySchema = z.object({
  key: z.string(),
  ref: z.string(),
  previous: z.string().nullable(),
  payload: z.string(),
});
const messageSchema = z.object({
  name: z.string(),
  isPrivate: z.boolean(),
  broadcast: z
    .object({
      event: z.string(),
      json: z.string().optional(),
      bytes: z.string().optional(),
      meta: z.record(z.string(), z.unknown()).nullable(),
    })
    .optional(),
  joins: z.array(entrySchema).optional(),
  leaves: z.array(entrySchema).optional(),
});
type WireMessage = z.infer<typeof messageSchema>;
const envelopeSchema = z.object({
  from: z.string(),
  messages: z.array(messageSchema).optional(),
  stored: z.number().optional(),
});

/** Connects this process to the others. `onMessage` gets what they publish. */
export async function openBus(context: {
  db: Database;
  process: string;
  log: Log;
  onMessage: (message: BusMessage) => void;
}): Promise<DatabaseBus> {
  const { db, process, log, onMessage } = context;
  let collected: WireMessage[] = [];
  let timer: NodeJS.Timeout | null = null;
  let sending = Promise.resolve();

  const receive = async (payload: string): Promise<void> => {
    if (payload === '') return; // notifications may have been missed: broadcasts are not repeated
    const envelope = envelopeSchema.parse(JSON.parse(payload));
    if (envelope.from === process) return;
    const messages = envelope.messages ?? (await readStored(db, envelope.stored ?? 0));
    for (const message of messages) onMessage(messageOf(message));
  };
  const stopListening = await db.listen(CHANNEL, (payload) => {
    receive(payload).catch((error: unknown) =>
      log.error({ err: error }, 'a message of another process was not delivered'),
    );
  });

  const flush = (): void => {
    timer = null;
    const messages = collected;
    collected = [];
    sending = sending
      .then(() => send(db, process, messages))
      .catch((error: unknown) => log.error({ err: error }, 'messages did not reach the other processes'));
  };

  await beat(db, process);
  return {
    publish(message) {
      collected.push(wireOf(message));
      timer ??= setTimeout(flush, COLLECT_MS);
    },
    presenceOf: (topic) => readPresence(db, process, topic),
    async maintain() {
      await beat(db, process);
      for (const leave of await buryProcesses(db)) {
        onMessage(messageOf(leave));
        collected.push(leave);
      }
      if (collected.length > 0) timer ??= setTimeout(flush, COLLECT_MS);
    },
    async stop() {
      if (timer) clearTimeout(timer);
      flush();
      await sending;
      await stopListening();
      await db.query('delete from realtime.presence where process = $1::uuid', [process]).catch(() => undefined);
      await db.query('delete from realtime.process where id = $1::uuid', [process]).catch(() => undefined);
    },
  };
}

async function beat(db: Database, process: string): Promise<void> {
  await db.query(
    `insert into realtime.process (id, seen_at) values ($1::uuid, clock_timestamp())
     on conflict (id) do update set seen_at = excluded.seen_at`,
    [process],
  );
  await db.query(
    `delete from realtime.long_message where sent_at < clock_timestamp() - $1::int * interval '1 second'`,
    [LONG_MESSAGE_SECONDS],
  );
}

async function send(db: Database, process: string, messages: readonly WireMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await storePresence(db, process, messages);
  const envelope = JSON.stringify({ from: process, messages });
  if (Buffer.byteLength(envelope) <= NOTIFICATION_MAX) {
    await db.query('select pg_notify($1, $2)', [CHANNEL, envelope]);
    return;
  }
  await db.query(
    `with stored as (insert into realtime.long_message (body) values ($2) returning id)
     select pg_notify($1, jsonb_build_object('from', $3::text, 'stored', id)::text) from stored`,
    [CHANNEL, JSON.stringify(messages), process],
  );
}

/** Keeps the members of this process in the database, where other processes find them. */
async function storePresence(db: Database, process: string, messages: readonly WireMessage[]): Promise<void> {
  const changed = messages.filter(({ joins, leaves }) => joins !== undefined || leaves !== undefined);
  if (changed.length === 0) return;
  const left = changed.flatMap(({ leaves }) => (leaves ?? []).map(({ ref }) => ref));
  const joined = changed
    .flatMap(({ name, isPrivate, joins }) =>
      (joins ?? []).map(({ key, ref, payload }) => ({ topic: name, private: isPrivate, key, ref, payload })),
    )
    .filter(({ ref }) => !left.includes(ref));
  await db.query(
    `insert into realtime.presence (process, topic, private, key, ref, payload)
     select $1::uuid, topic, private, key, ref, payload
     from jsonb_to_recordset($2::jsonb) as joined (topic text, private boolean, key text, ref text, payload text)
     on conflict do nothing`,
    [process, JSON.stringify(joined)],
  );
  if (left.length > 0) await db.query('delete from realtime.presence where ref = any ($1::text[])', [left]);
}

async function readPresence(db: Database, process: string, topic: TopicKey): Promise<readonly PresenceEntry[]> {
  const { rows } = await db.query<{ key: string; ref: string; payload: string }>(
    'select key, ref, payload from realtime.presence where topic = $1 and private = $2::boolean and process <> $3::uuid',
    [topic.name, topic.isPrivate, process],
  );
  return rows.map((row) => ({ ...row, previous: null }));
}

/** Deletes the presence of processes that have ended. Returns it as messages. */
async function buryProcesses(db: Database): Promise<readonly WireMessage[]> {
  const { rows } = await db.query<{ topic: string; private: boolean; key: string; ref: string; payload: string }>(
    `with ended as (
       delete from realtime.process where seen_at < clock_timestamp() - $1::int * interval '1 second' returning id
     )
     delete from realtime.presence p where p.process in (select id from ended)
     returning p.topic, p.private, p.key, p.ref, p.payload`,
    [DEAD_SECONDS],
  );
  return rows.map(({ topic, private: isPrivate, key, ref, payload }) => ({
    name: topic,
    isPrivate,
    joins: [],
    leaves: [{ key, ref, previous: null, payload }],
  }));
}

async function readStored(db: Database, id: number): Promise<readonly WireMessage[]> {
  const row = await db.one<{ body: string }>('select body from realtime.long_message where id = $1::bigint', [id]);
  return row === null ? [] : z.array(messageSchema).parse(JSON.parse(row.body));
}

function wireOf(message: BusMessage): WireMessage {
  const { name, isPrivate } = message.topic;
  if (message.kind === 'presence')
    return { name, isPrivate, joins: [...message.diff.joins], leaves: [...message.diff.leaves] };
  const { event, body, meta } = message.broadcast;
  const encoded = 'json' in body ? { json: body.json } : { bytes: Buffer.from(body.bytes).toString('base64') };
  return { name, isPrivate, broadcast: { event, ...encoded, meta: meta === null ? null : { ...meta } } };
}

function messageOf({ name, isPrivate, broadcast, joins, leaves }: WireMessage): BusMessage {
  const topic = { name, isPrivate };
  if (!broadcast) return { kind: 'presence', topic, diff: { joins: joins ?? [], leaves: leaves ?? [] } };
  return { kind: 'broadcast', topic, broadcast: broadcastOf(broadcast) };
}

function broadcastOf({ event, json, bytes, meta }: NonNullable<WireMessage['broadcast']>): Broadcast {
  const body: BroadcastBody = bytes === undefined ? { json: json ?? '{}' } : { bytes: Buffer.from(bytes, 'base64') };
  return { event, body, meta };
}
