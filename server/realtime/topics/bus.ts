import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import { readNotification, toWireMessage } from './bus-messages.ts';
import type { PresenceEntry } from './presence.ts';
import { createReceiver } from './receiver.ts';
import { BUS_CHANNEL, createSender } from './sender.ts';
import { endLease, endSilentProcesses, readPresence, renewLease } from './stored-presence.ts';
import type { BusMessage, TopicKey } from './messages.ts';
import type { Bus } from './topics.ts';

/** The bus of several processes on one PostgreSQL server. */
export type DatabaseBus = Bus & {
  /** Shows that this process is alive, and ends the presence of processes that are not. */
  maintain(): Promise<void>;
  stop(): Promise<void>;
};

/** 60 attempts at 250 ms cover the 15 seconds for which processes can repeat their messages. Asking later is pointless. */
const ASK_ATTEMPTS = 60;
const ASK_RETRY_MS = 250;

type BusOptions = {
  readonly db: Database;
  readonly process: string;
  /** The silence, in seconds, after which a process is considered ended. */
  readonly leaseSeconds: number;
  readonly log: Log;
  /** Delivers the messages of the other processes. */
  readonly onMessage: (message: BusMessage) => void;
  /** Called when messages were lost: presence must be read again. */
  readonly onLoss: () => void;
};

/** Connects this process to the others. */
export async function openBus(options: BusOptions): Promise<DatabaseBus> {
  const { db, process, leaseSeconds, log } = options;
  const sender = createSender(options);
  const own = new Map<string, { topic: TopicKey; entry: PresenceEntry }>();
  let stopped = false;
  async function ask(after: Readonly<Record<string, number>>, sent?: number): Promise<void> {
    for (let attempt = 1; attempt <= ASK_ATTEMPTS && !stopped; attempt += 1) {
      try {
        await db.query('select pg_notify($1, $2)', [BUS_CHANNEL, JSON.stringify({ from: process, after, sent })]);
        return;
      } catch (error) {
        log.warn({ err: error }, 'missed messages could not be requested from other processes');
        await sleep(ASK_RETRY_MS);
      }
    }
  }
  const receiver = createReceiver({ ...options, ask: (after) => void ask(after) });

  const end = (ended: readonly string[]): void => {
    for (const id of ended) {
      receiver.forget(id);
      if (id !== process) options.onMessage({ kind: 'ended', process: id });
    }
    // The other processes considered this one ended, because it was silent for too long.
    if (ended.includes(process)) void restore().catch(report);
  };
  const report = (error: unknown): void => log.error({ err: error }, 'the presence of this process is not restored');
  /** Shows the presence of this process again to processes that have dropped it. */
  async function restore(): Promise<void> {
    await renewLease(db, process);
    for (const { topic, entry } of own.values())
      sender.send(toWireMessage({ kind: 'presence', topic, diff: { joins: [entry], leaves: [] } }));
  }
  const receive = (payload: string): void => {
    if (payload === '') {
      // The connection was lost for a while, perhaps with requests of other processes, so they get the last number that they should have.
      void ask(receiver.numbers(), sender.last());
      return options.onLoss();
    }
    const notification = readNotification(payload);
    if ('ended' in notification) return end(notification.ended);
    if (notification.from === process) return;
    if (!('after' in notification)) return receiver.receive(notification);
    sender.repeat(getNumber(notification.after, process));
    if (notification.sent !== undefined) receiver.expect(notification.from, notification.sent);
  };
  const stopListening = await db.listen(BUS_CHANNEL, (payload) => {
    try {
      receive(payload);
    } catch (error) {
      log.error({ err: error }, 'a notification from another process could not be read');
    }
  });

  await renewLease(db, process);
  return {
    publish(message) {
      if (message.kind === 'presence') {
        for (const entry of message.diff.joins) own.set(entry.ref, { topic: message.topic, entry });
        for (const entry of message.diff.leaves) own.delete(entry.ref);
      }
      sender.send(toWireMessage(message));
    },
    readPresence: (topic) => readPresence(db, process, topic),
    async maintain() {
      if (await renewLease(db, process)) await restore();
      await endSilentProcesses(db, BUS_CHANNEL, leaseSeconds);
    },
    async stop() {
      stopped = true;
      await sender.stop();
      receiver.stop();
      await stopListening();
      // If this fails, the other processes remove the presence of this one when its lease ends.
      await endLease(db, process).catch((error: unknown) =>
        log.warn({ err: error }, 'the presence of this process could not be removed; it expires with its lease'),
      );
    },
  };
}

/** Returns the number of the last message that another process has from this one; 0 if it has none. */
const getNumber = (numbers: Readonly<Record<string, number>>, process: string): number =>
  Object.hasOwn(numbers, process) ? (numbers[process] ?? 0) : 0;
