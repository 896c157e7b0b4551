import type { Database } from '#server/db/database.ts';
import type { WireMessage } from './bus-messages.ts';
import type { PresenceEntry } from './presence.ts';
import type { TopicKey } from './messages.ts';

/** An entry of another process. */
export type RemoteEntry = { readonly topic: TopicKey; readonly entry: PresenceEntry };

const LONG_MESSAGE_SECONDS = 60;

/** Stores the members of this process in the database for the other processes. */
export async function writePresence(db: Database, process: string, messages: readonly WireMessage[]): Promise<void> {
  const departed = messages.flatMap(({ leaves }) => (leaves ?? []).map(({ ref }) => ref));
  const joined = messages
    .flatMap(({ name, isPrivate, joins }) =>
      (joins ?? []).map(({ key, ref, payload }) => ({ topic: name, private: isPrivate, key, ref, payload })),
    )
    .filter(({ ref }) => !departed.includes(ref));
  if (departed.length === 0 && joined.length === 0) return;
  await db.query(
    `with gone as (delete from realtime.presence where process = $1::uuid and ref = any ($3::text[]))
     insert into realtime.presence (process, topic, private, key, ref, payload)
     select $1::uuid, topic, private, key, ref, payload
     from jsonb_to_recordset($2::jsonb) as joined (topic text, private boolean, key text, ref text, payload text)
     on conflict do nothing`,
    [process, JSON.stringify(joined), departed],
  );
}

/** Returns the entries of other processes on a topic, or on every topic if it is null. */
export async function readPresence(
  db: Database,
  process: string,
  topic: TopicKey | null,
): Promise<readonly RemoteEntry[]> {
  const { rows } = await db.query<{
    process: string;
    topic: string;
    private: boolean;
    key: string;
    ref: string;
    payload: string;
  }>(
    `select process::text as process, topic, private, key, ref, payload from realtime.presence
     where process <> $1::uuid and ($2::text is null or (topic = $2 and private = $3::boolean))`,
    [process, topic?.name ?? null, topic?.isPrivate ?? null],
  );
  return rows.map(({ topic: name, private: isPrivate, ...entry }) => ({
    topic: { name, isPrivate },
    entry: { ...entry, previous: null },
  }));
}

/** Shows that this process is alive. Returns true if the other processes do not have it: it is new, or they considered it ended. */
export async function renewLease(db: Database, process: string): Promise<boolean> {
  const row = await db.queryRow<{ added: boolean }>(
    `insert into realtime.process (id, seen_at) values ($1::uuid, clock_timestamp())
     on conflict (id) do update set seen_at = excluded.seen_at returning xmax = 0 as added`,
    [process],
  );
  await db.query(
    `delete from realtime.long_message where sent_at < clock_timestamp() - $1::int * interval '1 second'`,
    [LONG_MESSAGE_SECONDS],
  );
  return row?.added === true;
}

/** Deletes the presence of processes that were silent for too long, and notifies all processes. Only one of several callers deletes it. */
export async function endSilentProcesses(db: Database, channel: string, leaseSeconds: number): Promise<void> {
  await db.query(
    `with ended as (
       delete from realtime.process where seen_at < clock_timestamp() - $2::numeric * interval '1 second' returning id
     ), gone as (
       delete from realtime.presence p
       where p.process in (select id from ended) or not exists (select from realtime.process r where r.id = p.process)
       returning p.process
     ), reading as (
       delete from realtime.reader r where r.process in (select id from ended)
     )
     select pg_notify($1, jsonb_build_object('ended', jsonb_agg(process))::text)
     from (select id as process from ended union select process from gone) as all_ended having count(*) > 0`,
    [channel, leaseSeconds],
  );
}

/** Removes this process when it stops. */
export async function endLease(db: Database, process: string): Promise<void> {
  await db.query('delete from realtime.presence where process = $1::uuid', [process]);
  await db.query('delete from realtime.process where id = $1::uuid', [process]);
}
