import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import type { WireMessage } from './bus-messages.ts';
import { writePresence } from './stored-presence.ts';

/** Sends the messages of this process to the others in order, each at least once if the database is unreachable only briefly. */
export type Sender = {
  send(message: WireMessage): void;
  /** Returns the number of the last message. */
  last(): number;
  /** Sends again what follows this number, as far as it is kept. */
  repeat(after: number): void;
  /** Sends the collected messages, and gives up those that cannot be sent. */
  stop(): Promise<void>;
};

export const BUS_CHANNEL = 'realtime_bus';
/** Messages of this time share one notification, because each notification holds a lock of the whole database while it commits. */
const COLLECT_MS = 2;
/** PostgreSQL's limit is 8,000 bytes. */
const NOTIFICATION_MAX = 7_800;
/** The time for which sent messages are kept for a process that has missed them, and the most bytes of them. */
const KEPT = { milliseconds: 15_000, bytes: 16 * 1024 * 1024 };
const RETRY_MS = 250;

type Sent = { readonly number: number; readonly text: string; readonly bytes: number; readonly at: number };
type State = {
  readonly db: Database;
  readonly process: string;
  readonly log: Log;
  collected: WireMessage[];
  timer: NodeJS.Timeout | null;
  work: Promise<void>;
  number: number;
  readonly sent: Sent[];
  stopped: boolean;
};

export function createSender(context: { db: Database; process: string; log: Log }): Sender {
  const state: State = {
    ...context,
    collected: [],
    timer: null,
    work: Promise.resolve(),
    number: 0,
    sent: [],
    stopped: false,
  };
  return {
    send(message) {
      state.collected.push(message);
      state.timer ??= setTimeout(() => flush(state), COLLECT_MS);
    },
    last: () => state.number,
    repeat(after) {
      state.work = state.work.then(() => repeat(state, after));
    },
    async stop() {
      state.stopped = true;
      if (state.timer) clearTimeout(state.timer);
      flush(state);
      await state.work;
    },
  };
}

function flush(state: State): void {
  state.timer = null;
  const messages = state.collected;
  state.collected = [];
  if (messages.length === 0) return;
  state.number += 1;
  const { number } = state;
  const text = JSON.stringify(messages);
  const envelope = { number, text, bytes: Buffer.byteLength(text), at: performance.now() };
  state.work = state.work.then(() => sendUntilSent(state, envelope, messages));
}

/** If the database's answer is lost, a message is sent twice; receivers drop the second copy by its number. */
async function sendUntilSent(state: State, envelope: Sent, messages: readonly WireMessage[]): Promise<void> {
  keep(state.sent, envelope);
  for (;;) {
    try {
      await writePresence(state.db, state.process, messages);
      return await notify(state, envelope);
    } catch (error) {
      const late = performance.now() - envelope.at > KEPT.milliseconds;
      state.log.error({ err: error }, 'messages did not reach the other processes');
      if (late || state.stopped) return;
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }
}

/** Sends a notification, which needs no durable commit: a crash of the database also ends the connections that listen for it. */
async function notify({ db, process }: State, { number, text, bytes }: Sent): Promise<void> {
  const head = `{"from":${JSON.stringify(process)},"number":${number}`;
  if (bytes + head.length + 13 <= NOTIFICATION_MAX) {
    await db.query(`select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`, [
      BUS_CHANNEL,
      `${head},"messages":${text}}`,
    ]);
    return;
  }
  await db.query(
    `with stored as (insert into realtime.long_message (body) values ($2) returning id)
     select set_config('synchronous_commit', 'off', true), pg_notify($1, $3 || ',"stored":' || id || '}') from stored`,
    [BUS_CHANNEL, text, head],
  );
}

function keep(sent: Sent[], envelope: Sent): void {
  sent.push(envelope);
  let total = sent.reduce((sum, { bytes }) => sum + bytes, 0);
  while (sent[0] && (total > KEPT.bytes || envelope.at - sent[0].at > KEPT.milliseconds)) {
    total -= sent[0].bytes;
    sent.shift();
  }
}

async function repeat(state: State, after: number): Promise<void> {
  for (const envelope of state.sent.filter(({ number }) => number > after))
    await notify(state, envelope).catch((error: unknown) =>
      state.log.warn({ err: error }, 'messages could not be repeated to other processes'),
    );
}
