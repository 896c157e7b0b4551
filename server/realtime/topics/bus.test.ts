import { expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { BusMessage } from './messages.ts';
import { type DatabaseBus, openBus } from './bus.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const fail = (): never => {
  throw new Error('the bus does not use this');
};
const unused: Database = {
  kind: 'postgres',
  durability: 'postgres-durable',
  query: fail,
  queryRow: fail,
  transaction: fail,
  as: fail,
  transactionAs: fail,
  listen: fail,
  suspension: fail,
  inClass: fail,
  load: fail,
  close: fail,
};

/** PostgreSQL notifications between processes whose listening connections can be lost and opened again. */
function notifications() {
  const listeners = new Map<string, { onPayload: (payload: string) => void; connected: boolean }>();
  let failures = 0;
  const notify = (payload: string): void => {
    for (const { connected, onPayload } of listeners.values()) if (connected) onPayload(payload);
  };
  return {
    createDatabase: (name: string): Database => ({
      ...unused,
      query: async (text, values = []) => {
        if (failures > 0 && text.includes('pg_notify')) {
          failures -= 1;
          throw new Error('the connection is broken');
        }
        if (text.includes('pg_notify')) notify(String(values[1]));
        return { rows: [], count: 0 };
      },
      queryRow: async () => null,
      listen: async (_channel, onPayload) => {
        listeners.set(name, { onPayload, connected: true });
        return async () => void listeners.delete(name);
      },
    }),
    lose(name: string) {
      const listener = listeners.get(name);
      if (listener) listener.connected = false;
    },
    reconnect(name: string) {
      const listener = listeners.get(name);
      if (!listener) return;
      listener.connected = true;
      listener.onPayload('');
    },
    failQueries(count: number) {
      failures = count;
    },
  };
}

type Process = { readonly bus: DatabaseBus; readonly received: string[] };
async function openProcess(shared: ReturnType<typeof notifications>, name: string): Promise<Process> {
  const received: string[] = [];
  const onMessage = (message: BusMessage): void => {
    if (message.kind === 'broadcast') received.push(message.broadcast.event);
  };
  const context = { process: name, leaseSeconds: 10, log, onMessage, onLoss: () => undefined };
  return { bus: await openBus({ ...context, db: shared.createDatabase(name) }), received };
}
const broadcast = ({ bus }: Process, event: string): void =>
  bus.publish({
    kind: 'broadcast',
    topic: { name: 'any', isPrivate: false },
    broadcast: { event, body: { json: '{}' }, meta: null },
  });
const sent = (): Promise<void> => new Promise((done) => setTimeout(done, 10));

for (const order of [
  ['sender', 'receiver'],
  ['receiver', 'sender'],
]) {
  for (const isKnown of [true, false])
    test(`messages sent while both listen no longer arrive once, when ${order.join(' and then ')} listen again and the sender was ${isKnown ? '' : 'not '}known`, async () => {
      const shared = notifications();
      const sender = await openProcess(shared, 'sender');
      const receiver = await openProcess(shared, 'receiver');
      if (isKnown) broadcast(sender, 'before');
      await sent();
      for (const name of order) shared.lose(name);
      for (const event of ['one', 'two']) {
        broadcast(sender, event);
        await sent();
      }
      for (const name of order) {
        shared.reconnect(name);
        await sent();
      }
      await expect.poll(() => receiver.received).toEqual([...(isKnown ? ['before'] : []), 'one', 'two']);
      for (const { bus } of [sender, receiver]) await bus.stop();
    });
}

test('a question for missed messages is asked again when it fails', async () => {
  const shared = notifications();
  const sender = await openProcess(shared, 'sender');
  const receiver = await openProcess(shared, 'receiver');
  shared.lose('receiver');
  broadcast(sender, 'one');
  await sent();
  shared.failQueries(2);
  shared.reconnect('receiver');
  await expect.poll(() => receiver.received).toEqual(['one']);
  for (const { bus } of [sender, receiver]) await bus.stop();
});
