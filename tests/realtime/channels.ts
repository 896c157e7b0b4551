import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import { expect } from 'vitest';

export type Connection = { readonly url: string; readonly anonKey: string };

/** Returns a supabase-js client, signed in if there is a token. Without setAuth, its first join may go out before the token is known. */
export async function connect(
  { url, anonKey }: Connection,
  token?: string | (() => string),
  options: { vsn?: '1.0.0' | '2.0.0'; heartbeatIntervalMs?: number } = {},
): Promise<SupabaseClient> {
  const current = typeof token === 'function' ? token : () => token ?? null;
  const client = createClient(url, anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { vsn: '2.0.0', ...options },
    ...(token === undefined ? {} : { accessToken: () => Promise.resolve(current()) }),
  });
  if (token !== undefined) await client.realtime.setAuth();
  return client;
}

/** Subscribes and returns the first outcome. */
export const outcome = (channel: RealtimeChannel): Promise<[string, string]> =>
  new Promise((resolve) => channel.subscribe((status, error) => resolve([status, error?.message ?? ''])));

export async function subscribed(channel: RealtimeChannel): Promise<void> {
  expect(await outcome(channel)).toEqual(['SUBSCRIBED', '']);
}

/** Returns a list that fills with the payloads of an event's broadcasts as they arrive. */
export function collect(channel: RealtimeChannel, event: string): Record<string, unknown>[] {
  const got: Record<string, unknown>[] = [];
  channel.on('broadcast', { event }, ({ payload }) => void got.push(payload));
  return got;
}

/** What a client has learned about a table from events, and from reading it after every `SUBSCRIBED`, as documented. */
export type Watcher = {
  readonly channel: RealtimeChannel;
  /** Ids received in events, in order. */
  readonly events: number[];
  /** Ids found by reading. */
  readonly read: Set<number>;
  readonly statuses: string[];
  /** The server's messages about the channel. */
  readonly notices: string[];
  /** Resolves after the first read. */
  readonly ready: Promise<void>;
};

/** Rows per read. It must stay below the limit of an answer (`PGRST_DB_MAX_ROWS`), which omits further rows without an error. */
const READ_ROWS = 500;

/**
 * Watches the column `id` of a table. With `since`, it reads the table only once, and at each new connection asks the server for the
 * changes since the last event.
 */
export function watchTable(
  client: SupabaseClient,
  name: string,
  {
    table,
    filter,
    since = false,
  }: { table: string; filter?: readonly [column: string, value: number]; since?: boolean },
): Watcher {
  const options: { wait?: boolean; since?: string } = {};
  const channel = client.channel(name, { config: since ? { postgres_changes_options: options } : {} });
  const watcher = {
    channel,
    events: [] as number[],
    read: new Set<number>(),
    statuses: [] as string[],
    notices: [] as string[],
  };
  const first = Promise.withResolvers<void>();
  const readAll = async (): Promise<void> => {
    let last = -1;
    for (let rows = READ_ROWS; rows === READ_ROWS;) {
      const query = client.from(table).select('id').gt('id', last);
      const { data, error } = await (filter ? query.eq(...filter) : query).order('id').limit(READ_ROWS);
      if (error) return void setTimeout(() => void readAll(), 100);
      for (const { id } of data) watcher.read.add((last = Number(id)));
      rows = data.length;
    }
    first.resolve();
  };
  const where = filter ? { filter: `${filter[0]}=eq.${filter[1]}` } : {};
  channel
    .on('system', {}, ({ message }) => {
      watcher.notices.push(message);
      // The server no longer has all of the changes.
      if (/read again/.test(message)) void readAll();
    })
    .on('postgres_changes', { event: '*', schema: 'public', table, ...where }, (change) => {
      watcher.events.push(Number(Object(change.new)['id']));
      options.since = change.commit_timestamp;
    })
    .subscribe((status) => {
      watcher.statuses.push(status);
      if (status === 'SUBSCRIBED' && !(since && options.since)) void readAll();
    });
  return { ...watcher, ready: first.promise };
}

/** Returns the ids that a watcher has missed, and those that it received twice as an event. */
export const findGaps = (watcher: Watcher, written: readonly number[]): { missed: number[]; twice: number[] } => ({
  missed: written.filter((id) => !watcher.read.has(id) && !watcher.events.includes(id)),
  twice: watcher.events.filter((id, index) => watcher.events.indexOf(id) !== index),
});
