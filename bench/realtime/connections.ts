import { readFileSync } from 'node:fs';
import { pgbench } from '../limits/pgbench.ts';
import { openInspector } from './inspector.ts';
import { type Bench, PEOPLE, perSecond, say, SECONDS, times } from './setup.ts';

const IDLE = Number(process.env['BENCH_IDLE'] ?? 5_000);
const MEGABYTE = 1024 * 1024;
const JOINS_AT_ONCE = 16;
/** The open files of a process in addition to its sockets. */
const OTHER_FILES = 300;

/** Measures joins of private channels, compared with the same policy check by pgbench. */
export async function measureJoins(bench: Bench): Promise<void> {
  const { clients, people, port, path, target } = bench;
  await clients.open({ port, path, count: PEOPLE, join: null });
  const join = { topic: 'place:{number}', config: { private: true }, tokens: people.map(({ token }) => token) };
  await clients.joins({ seconds: 1, atOnce: JOINS_AT_ONCE, join });
  const found = await clients.joins({ seconds: SECONDS, atOnce: JOINS_AT_ONCE, join });
  await clients.close();
  const limit = await pgbench(target.databaseUrl, JOIN_SCRIPT, { connections: JOINS_AT_ONCE, seconds: SECONDS });
  say(
    `private joins: ${perSecond(found.perSecond)} (goal 300/s), ${times(found.latencies)}; the policy alone, pgbench: ${perSecond(limit)}`,
  );
}

const JOIN_SCRIPT = `\\set n random(1, ${PEOPLE})
\\startpipeline
select set_config('request.jwt.claims', (select jsonb_build_object('sub', person, 'role', 'authenticated')::text from public.bench_member where place = :n - 1), true), set_config('realtime.topic', 'place:' || :n - 1, true), set_config('role', 'authenticated', true);
select 1 where exists (select from public.bench_member m where m.person = (select auth.uid()) and realtime.topic() = 'place:' || m.place);
\\endpipeline
`;

/** Measures the memory of idle sockets that have joined one channel each. The server runs with an inspector. */
export async function measureIdle(bench: Bench, inspectorPort: number): Promise<void> {
  const files = Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  // Node raises its own limit as far as the system permits.
  if (files < IDLE + OTHER_FILES)
    return say(`idle sockets: not measured; allow more open files first (ulimit -Hn ${IDLE + OTHER_FILES})`);
  const { clients, port, path } = bench;
  const inspector = await openInspector(inspectorPort);
  const join = { topic: 'idle-{number}', config: { broadcast: { self: false } }, tokens: [] };
  await clients.open({ port, path, count: 100, join });
  await clients.close();
  const before = await inspector.memory();
  await clients.open({ port, path, count: IDLE, join });
  await new Promise((done) => setTimeout(done, 1_000));
  const after = await inspector.memory();
  const resident = after.resident - before.resident;
  const each = (bytes: number): string => `${(bytes / IDLE / 1024).toFixed(1)} KB`;
  say(
    `${IDLE} idle sockets: ${(resident / MEGABYTE).toFixed(0)} MB more (goal at most 250 MB), ${each(resident)} per socket, ${each(after.heap - before.heap)} of it heap`,
  );
  await clients.close();
  inspector.close();
}
