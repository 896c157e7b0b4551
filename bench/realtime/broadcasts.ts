import { median } from '../callers/load.ts';
import { processorTime } from '../callers/processor-time.ts';
import { BARE_CHANNEL } from './bare-server.ts';
import { formatMark, microseconds } from './client-sockets.ts';
import type { Report, Sending } from './clients.ts';
import { type Bench, perSecond, ROUNDS, say, SECONDS, times } from './setup.ts';

const SOCKETS = 500;
const BYTES = 200;
const PACED_PER_SECOND = 20;
const JOIN = { topic: 'bench', config: { broadcast: { self: false } }, tokens: [] };

type Measured = Report & { readonly perProcessorSecond: number };

/** Compares broadcasts of one socket to all others with the bare server. Measures the delay of messages over HTTP and from the database. */
export async function measureBroadcasts(bench: Bench): Promise<void> {
  const rounds: { ours: Measured; limit: Measured }[] = [];
  const sending = { seconds: SECONDS, bytes: BYTES, perSecond: null };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ours = await sendWith(bench, 'ours', sending);
    const limit = await sendWith(bench, 'bare', sending);
    if (round === 0) continue; // warms both up
    rounds.push({ ours, limit });
    say(
      `  fan-out to ${SOCKETS - 1}: ${perSecond(ours.perSecond)}, bare ws ${perSecond(limit.perSecond)}; per second of processor ${perSecond(ours.perProcessorSecond)}, bare ${perSecond(limit.perProcessorSecond)}`,
    );
  }
  const ratio = median(rounds.map(({ ours, limit }) => ours.perSecond / limit.perSecond));
  const work = median(rounds.map(({ ours, limit }) => ours.perProcessorSecond / limit.perProcessorSecond));
  say(
    `broadcast deliveries beside bare ws: ${ratio.toFixed(2)} (goal 0.50), per second of processor ${work.toFixed(2)}, ${perSecond(median(rounds.map(({ ours }) => ours.perSecond)))}`,
  );
  const paced = { seconds: SECONDS, bytes: BYTES, perSecond: PACED_PER_SECOND };
  for (const who of ['ours', 'bare'] as const)
    say(
      `broadcast of a socket at ${perSecond(PACED_PER_SECOND * (SOCKETS - 1))}, ${who}: ${times((await sendWith(bench, who, paced)).latencies)}`,
    );
  await measureHttp(bench);
  await measureDatabase(bench);
}

async function openAll({ clients, port, path, bare }: Bench, who: 'ours' | 'bare'): Promise<number> {
  const count = SOCKETS;
  if (who === 'ours') await clients.open({ port, path, count, join: JOIN });
  else await clients.open({ port: bare.port, path: '/', count, join: null });
  return count;
}

async function sendWith(bench: Bench, who: 'ours' | 'bare', sending: Sending): Promise<Measured> {
  await openAll(bench, who);
  const pid = who === 'ours' ? bench.target.runtime.pid : bench.bare.pid;
  const before = await processorTime(pid);
  const report = await bench.clients.send(sending);
  const used = (await processorTime(pid)) - before;
  await bench.clients.close();
  return { ...report, perProcessorSecond: report.received / used };
}

async function measureHttp(bench: Bench): Promise<void> {
  const { runtime } = bench.target;
  const headers = { apikey: runtime.anonKey, 'content-type': 'application/json' };
  const urls = { ours: `${runtime.apiUrl}/realtime/v1/api/broadcast`, bare: `http://127.0.0.1:${bench.bare.port}/` };
  for (const who of ['ours', 'bare'] as const) {
    await openAll(bench, who);
    const posting = { url: urls[who], headers, seconds: SECONDS, perSecond: PACED_PER_SECOND, bytes: BYTES };
    const { latencies } = await bench.clients.post(posting);
    say(`broadcast over HTTP to ${SOCKETS}, request to socket, ${who}: ${times(latencies)}`);
    await bench.clients.close();
  }
}

/** Measures from the start of the statement to the socket, which includes the commit. */
async function measureDatabase(bench: Bench): Promise<void> {
  const texts = {
    ours: `select realtime.send(jsonb_build_object('mark', $1::text), 'message', 'bench', false)`,
    bare: `select pg_notify('${BARE_CHANNEL}', $1::text)`,
  };
  for (const who of ['ours', 'bare'] as const) {
    await openAll(bench, who);
    for (const rate of [PACED_PER_SECOND, 1]) {
      await bench.clients.begin();
      await writePaced(bench, rate, rate === 1 ? 8 : SECONDS, () => [texts[who], [formatMark(microseconds())]]);
      await new Promise((done) => setTimeout(done, 500));
      const { latencies, received } = await bench.clients.report();
      say(
        `realtime.send to ${SOCKETS}, ${rate}/s, statement to socket, ${who}: ${times(latencies)}, ${received} deliveries`,
      );
    }
    await bench.clients.close();
  }
}

/** Runs statements at even intervals. */
export async function writePaced(
  { owner }: Pick<Bench, 'owner'>,
  rate: number,
  seconds: number,
  make: (at: number) => [string, unknown[]],
): Promise<number> {
  const began = performance.now();
  const running: Promise<unknown>[] = [];
  for (let index = 0; index < rate * seconds; index += 1) {
    const wait = began + (index * 1000) / rate - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    running.push(owner.query(...make(index)));
  }
  await Promise.all(running);
  return running.length;
}
