import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import { type Envelope, toBusMessage, readStoredMessages, type WireMessage } from './bus-messages.ts';
import type { BusMessage } from './messages.ts';

/** Orders the messages of the other processes and delivers each of them once. */
export type Receiver = {
  receive(envelope: Envelope): void;
  /** Returns the last number of every process, for a request to repeat later messages. */
  numbers(): Readonly<Record<string, number>>;
  /** Requests the missing messages of a process that has sent messages up to this number. */
  expect(process: string, sent: number): void;
  /** Forgets a process that has ended. */
  forget(process: string): void;
  stop(): void;
};

/** The time for which later messages of a process wait for a missing one, in milliseconds. */
const MISSING_MS = 3_000;
const STORED_ATTEMPTS = 3;
const STORED_RETRY_MS = 250;

type Peer = { last: number; readonly waiting: Map<number, Envelope>; timer: NodeJS.Timeout | null };
export function createReceiver(context: {
  readonly db: Database;
  readonly log: Log;
  readonly onMessage: (message: BusMessage) => void;
  /** Requests that the processes repeat the messages after these numbers. */
  readonly ask: (after: Readonly<Record<string, number>>) => void;
  /** Called when messages of a process are finally lost. */
  readonly onLoss: () => void;
}): Receiver {
  const peers = new Map<string, Peer>();
  // One chain of work, because a long message must be read before the next one is delivered.
  let work = Promise.resolve();
  const deliver = (envelope: Envelope): void => {
    work = work
      .then(() => deliverEnvelope(context.db, context.onMessage, envelope))
      .catch((error: unknown) => {
        context.log.error({ err: error }, 'a message from another process was not delivered');
        context.onLoss();
      });
  };
  const drain = (peer: Peer): void => {
    for (let next = peer.waiting.get(peer.last + 1); next; next = peer.waiting.get(peer.last + 1)) {
      peer.waiting.delete(next.number);
      peer.last = next.number;
      deliver(next);
    }
    if (peer.waiting.size > 0 || !peer.timer) return;
    clearTimeout(peer.timer);
    peer.timer = null;
  };
  /** Gives up the missing message and continues with the next one. */
  const skip = (peer: Peer): void => {
    peer.timer = null;
    context.log.warn({}, 'messages from another process were lost; presence is read again');
    peer.last = Math.min(...peer.waiting.keys()) - 1;
    drain(peer);
    context.onLoss();
  };
  return {
    receive(envelope) {
      const peer = peers.get(envelope.from) ?? { last: envelope.number - 1, waiting: new Map(), timer: null };
      peers.set(envelope.from, peer);
      if (envelope.number <= peer.last) return;
      peer.waiting.set(envelope.number, envelope);
      drain(peer);
      if (peer.waiting.size === 0 || peer.timer) return;
      context.ask({ ...getNumbers(peers), [envelope.from]: peer.last });
      peer.timer = setTimeout(() => skip(peer), MISSING_MS);
    },
    numbers: () => getNumbers(peers),
    expect(process, sent) {
      const last = peers.get(process)?.last ?? 0;
      if (last < sent) context.ask({ ...getNumbers(peers), [process]: last });
    },
    forget(process) {
      const peer = peers.get(process);
      if (peer?.timer) clearTimeout(peer.timer);
      peers.delete(process);
    },
    stop() {
      for (const { timer } of peers.values()) if (timer) clearTimeout(timer);
    },
  };
}

const getNumbers = (peers: ReadonlyMap<string, Peer>): Record<string, number> =>
  Object.fromEntries([...peers].map(([process, { last }]) => [process, last]));

async function deliverEnvelope(
  db: Database,
  onMessage: (message: BusMessage) => void,
  envelope: Envelope,
): Promise<void> {
  const messages = envelope.messages ?? (await readStored(db, envelope.stored ?? 0));
  for (const message of messages) onMessage(toBusMessage(envelope.from, message));
}

async function readStored(db: Database, id: number): Promise<readonly WireMessage[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const row = await db.queryRow<{ body: string }>('select body from realtime.long_message where id = $1::bigint', [
        id,
      ]);
      if (!row) throw new Error('a long message is no longer kept');
      return readStoredMessages(row.body);
    } catch (error) {
      if (attempt === STORED_ATTEMPTS) throw error;
      await new Promise((done) => setTimeout(done, STORED_RETRY_MS));
    }
  }
}
