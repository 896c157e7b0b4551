import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type RawData, WebSocket } from 'ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runScript } from '#tests/support/schema.ts';
import { startTestServer, type TestServer } from '#tests/support/test-server.ts';
import { connectRealtime } from './client.ts';
import { randomFrame } from './random-frames.ts';

/**
 * Number of broken and hostile frames, sent over several sockets at once. A private channel is open at the same time, and none of the
 * sockets may hear it.
 */
const FRAMES = process.env['TEST_LONG'] ? 100_000 : 2_000;
const SOCKETS = 8;
/**
 * Number of frames between two checks that the server answers. It closes a socket on text that is not UTF-8 and on JSON above its limits;
 * the test then opens the socket again.
 */
const BATCH = 50;
const MEASURES = 10;
/** Maximum growth of the heap in bytes, after a garbage collection, compared with the first round. */
const GROWTH_MAX = 25_000_000;
const SECRET = 'a message for one person only';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    env: {
      REALTIME_MESSAGES_PER_SECOND: '100000',
      REALTIME_ACCOUNT_MESSAGES_PER_SECOND: '100000',
      REALTIME_JOINS_PER_SECOND: '100000',
      REALTIME_PRESENCE_CALLS: '100000',
    },
  });
  await runScript(
    server,
    `create policy fuzz_read on realtime.messages for select to authenticated using (realtime.topic() like 'private%');

     create policy fuzz_write on realtime.messages for insert to authenticated with check (realtime.topic() like 'private%');

     create policy fuzz_anon on realtime.messages for select to anon using (realtime.topic() like 'open%');`,
  );
});
afterAll(() => server.close());

test(
  `${FRAMES} hostile frames neither stop the server nor reveal a private message nor fill the memory`,
  { timeout: 600_000 },
  async () => {
    const person = await server.addCustomer();
    const victim = await connectRealtime(server.url, server.app.keys.anonKey, '1.0.0');
    await victim.join(
      'private',
      { private: true, broadcast: { self: true, ack: true }, presence: { enabled: true } },
      person.token,
    );
    const random = randomFrom(3);
    const senders = await Promise.all(
      Array.from({ length: SOCKETS }, (_, index) => openSender(index % 2 ? '1.0.0' : '2.0.0')),
    );
    const heaps: number[] = [];
    for (let round = 0; round < FRAMES / BATCH; round += 1) {
      for (let count = 0; count < BATCH; count += 1) {
        const sender = senders[count % SOCKETS];
        sender?.send(randomFrame(random, sender.serializer));
        if (count === BATCH - 1)
          victim.send('1', `b${round}`, 'realtime:private', 'broadcast', {
            type: 'broadcast',
            event: 'e',
            payload: { SECRET },
          });
      }
      await Promise.all(senders.map((sender) => sender.settle(round)));
      await victim.frame(({ ref }) => ref === `b${round}`);
      if (round % (FRAMES / BATCH / MEASURES) === 0) heaps.push(heapAfterCollection());
    }
    expect(victim.frames.filter(({ event }) => event === 'broadcast').length).toBeGreaterThanOrEqual(FRAMES / 100);
    expect(senders.flatMap((sender) => sender.leaks())).toEqual([]);
    expect((heaps.at(-1) ?? 0) - (heaps[0] ?? 0)).toBeLessThan(GROWTH_MAX);
    for (const sender of senders) sender.close();
    victim.close();
    await expect.poll(() => gauge('realtime_sockets')).toBe(0);
    expect(await gauge('realtime_channels')).toBe(0);
    const good = await connectRealtime(server.url, server.app.keys.anonKey, '1.0.0');
    expect((await good.join('after', { broadcast: { self: true } })).payload['status']).toBe('ok');
    good.send('1', null, 'realtime:after', 'broadcast', { type: 'broadcast', event: 'e', payload: {} });
    await good.frame(({ event }) => event === 'broadcast');
    good.close();
  },
);

type Sender = {
  readonly serializer: '1.0.0' | '2.0.0';
  send(frame: { data: string | Uint8Array; binary: boolean }): void;
  /** Resolves when the server has handled all sent frames. Reopens the socket if the server has closed it. */
  settle(round: number): Promise<void>;
  leaks(): string[];
  close(): void;
};

async function openSender(serializer: '1.0.0' | '2.0.0'): Promise<Sender> {
  const received: string[] = [];
  let replies = new Set<string>();
  let socket = await connect();
  return {
    serializer,
    send({ data, binary }) {
      if (socket.readyState === WebSocket.OPEN) socket.send(data, { binary });
    },
    async settle(round) {
      const ref = `settle ${round}`;
      const heartbeat =
        serializer === '2.0.0'
          ? [null, ref, 'phoenix', 'heartbeat', {}]
          : { topic: 'phoenix', event: 'heartbeat', payload: {}, ref };
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(heartbeat));
      await expect
        .poll(() => replies.has(ref) || socket.readyState === WebSocket.CLOSED, { timeout: 60_000 })
        .toBe(true);
      if (socket.readyState === WebSocket.CLOSED) socket = await connect();
    },
    leaks: () => received.filter((text) => text.includes(SECRET)),
    close: () => socket.close(),
  };

  async function connect(): Promise<WebSocket> {
    const opened = new WebSocket(
      `${server.url.replace(/^http/, 'ws')}/realtime/v1/websocket?apikey=${server.app.keys.anonKey}&vsn=${serializer}`,
    );
    opened.on('message', (data: RawData) => {
      const text = Buffer.isBuffer(data) ? data.toString('utf8') : '';
      const ref = /settle \d+/.exec(text)?.[0];
      if (ref !== undefined) replies.add(ref);
      if (text.includes(SECRET)) received.push(text);
    });
    opened.on('error', () => undefined);
    replies = new Set();
    await new Promise((resolve) => opened.once('open', resolve));
    return opened;
  }
}

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Returns a source of repeatable numbers below `max`. */
function randomFrom(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * max);
  };
}
