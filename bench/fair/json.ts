import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';
import { type Answer, callSteadily, type CallerRequest, quantile } from '../callers/connection.ts';

/**
 * Measures how long other callers wait on the embedded database while a guest sends JSON with many keys: to `/auth/v1/recover` from one
 * address and from eight, and in frames of one WebSocket. The goal is that no request of other callers takes 300 ms.
 */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 8);
const SENDERS = 8;
const GOAL_MS = 300;
const KEYS = 60_000;
/** The keys of a frame of 4.7 MB, just below the largest that sockets used to accept. */
const FRAME_KEYS = 282_000;
const PAUSE_MS = 20;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Returns an object with `count` keys of about 17 bytes each, as JSON. */
const manyKeys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"key${String(index).padStart(8, '0')}":1`).join(',')}}`;

type Target = { readonly url: string; readonly anonKey: string };
type Attack = { readonly name: string; readonly run: (target: Target, until: number) => Promise<string> };

const BODY = manyKeys(KEYS);

function postBodies(addresses: number): Attack['run'] {
  return async ({ url, anonKey }, until) => {
    const make = (sender: number): CallerRequest => ({
      method: 'POST',
      path: '/auth/v1/recover',
      headers: {
        apikey: anonKey,
        'content-type': 'application/json',
        'x-forwarded-for': `198.51.100.${1 + (sender % addresses)}`,
      },
      body: BODY,
    });
    const answers = await Promise.all(
      Array.from({ length: SENDERS }, (_, sender) =>
        callSteadily(url, { until, pauseMs: 0, make: () => make(sender) }),
      ),
    );
    return formatCounts(answers.flat());
  };
}

/** Sends one frame after another, each as soon as the previous one has left, and reconnects when the connection is closed. */
async function sendFrames({ url, anonKey }: Target, until: number): Promise<string> {
  const frame = `["1","1","realtime:any","phx_join",${manyKeys(FRAME_KEYS)}]`;
  let [sent, closed] = [0, 0];
  while (performance.now() < until) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`);
    await new Promise<void>((resolve) => {
      const end = setTimeout(() => socket.terminate(), Math.max(0, until - performance.now()));
      const sendNext = (): void => {
        if (socket.readyState !== WebSocket.OPEN) return;
        socket.send(frame, () => {
          sent += 1;
          sendNext();
        });
      };
      socket.on('open', sendNext);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(end);
        closed += 1;
        resolve();
      });
    });
  }
  return `${sent} frames, ${closed} connections`;
}

const ATTACKS: readonly Attack[] = [
  { name: `${SENDERS} senders at one address, 1 MB with ${KEYS} keys`, run: postBodies(1) },
  { name: `${SENDERS} senders at ${SENDERS} addresses, 1 MB with ${KEYS} keys`, run: postBodies(SENDERS) },
  { name: 'one WebSocket with frames of 4.7 MB', run: sendFrames },
];

const formatCounts = (answers: readonly Answer[]): string =>
  [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => `${status}: ${all.length}`).join(', ');

const OTHERS: readonly (readonly [string, string])[] = [
  ['/healthz', '/healthz'],
  ['a light read', '/rest/v1/studios?select=id,name&limit=1'],
];

async function report(target: Target, { name, run }: Attack): Promise<boolean> {
  const until = performance.now() + SECONDS * 1_000;
  const attack = run(target, until);
  const headers = { apikey: target.anonKey, 'x-forwarded-for': '203.0.113.9' };
  const others = await Promise.all(
    OTHERS.map(([, path]) =>
      callSteadily(target.url, { until, pauseMs: PAUSE_MS, make: () => ({ method: 'GET', path, headers }) }),
    ),
  );
  say(`${name} (${await attack})`);
  let reached = true;
  for (const [index, [what]] of OTHERS.entries()) {
    const answers = others[index] ?? [];
    const times = answers.map(({ ms }) => ms);
    const longest = quantile(times, 1);
    reached &&= longest < GOAL_MS;
    const show = [0.5, 0.99, 1].map((part) => quantile(times, part).toFixed(1)).join(' / ');
    say(`  ${what}: p50 / p99 / longest ${show} ms${longest < GOAL_MS ? '' : ' MISSED'}; ${formatCounts(answers)}`);
  }
  return reached;
}

/** Runs all attacks against one server. Returns whether every request of other callers was within the goal. */
export async function measureJson(): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-json-'));
  const ports = await freePorts();
  const server = await startServer({
    PORT: String(ports + 8),
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(ports),
    TRUSTED_PROXIES: '1',
    REST_GUEST_PER_MINUTE: '1000000',
    LOG_LEVEL: 'silent',
  });
  const { apiUrl: url, anonKey } = server.runtime;
  let reached = true;
  for (const attack of [{ name: 'nobody else', run: async () => 'warm-up' }, ...ATTACKS])
    reached = (await report({ url, anonKey }, attack)) && reached;
  await server.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
  return reached;
}
