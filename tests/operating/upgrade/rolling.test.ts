import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/main.ts';
import type { Release } from '#server/db/schema/schema.ts';
import { startBalancer } from '#tests/cluster/balancer.ts';
import { checkedOutSchema } from '#tests/support/image.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/postgres.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';
import { type Load, startLoad } from './booking-load.ts';
import { type ReleasedProgram, unpackProgram } from './released-program.ts';
import { openClient } from './state-server.ts';

/**
 * Runs the last release and this version on one PostgreSQL while customers book at both. Runs only in `npm run test:long`, because the last
 * release is built from the history of this repository, which a checkout may lack.
 */

const LONG_MS = 120_000;
const CUSTOMERS = 2;
/** Number of bookings at a server in each phase. */
const BOOKINGS = 15;
const OLD_ROOM = '5a000000-0000-4000-8000-00000000000a';
const NEW_ROOM = '5a000000-0000-4000-8000-00000000000b';

/** Log levels of pino for warnings and errors. */
const [WARN, ERROR] = [40, 50];
/** Warnings that are allowed, because a machine that is busy with other tests is slow. */
const EXPECTED_WARNINGS: readonly string[] = ['a statement was slow'];

describe.runIf(process.env['TEST_LONG'] && process.env['TEST_POSTGRES_URL'])('a rolling upgrade', () => {
  let release: Release;
  let program: ReleasedProgram;
  let database: TestDatabase;
  let folder: string;
  let sandbox: Sandbox;
  let closeBalancer: () => void;
  let ports: { readonly sandbox: number; readonly old: number; readonly new: number };
  const servers: { old?: ServerProcess; new?: ServerProcess } = {};
  const loads: { old?: Load; new?: Load } = {};

  beforeAll(async () => {
    const last = (await checkedOutSchema()).releases.at(-1);
    if (last === undefined) throw new Error('database/released.json has no release');
    release = last;
    program = await unpackProgram(release);
    const created = await createTestDatabase();
    if (created === null) throw new Error('PostgreSQL is not available');
    database = created;
    folder = await mkdtemp(join(tmpdir(), 'rolling-'));
    const first = await freePorts();
    ports = { sandbox: first, old: first + 8, new: first + 9 };
    const balancer = await startBalancer([ports.old, ports.new]);
    closeBalancer = balancer.close;
    sandbox = await startSandbox({ port: ports.sandbox, webhookTarget: `http://localhost:${balancer.port}` });
  }, 300_000);
  afterAll(async () => {
    await Promise.all(Object.values(loads).map((load) => load.stop()));
    await Promise.all(Object.values(servers).map((server) => server.kill()));
    closeBalancer();
    await sandbox.close();
    await database.drop();
    await program.remove();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const start = (which: 'old' | 'new'): Promise<ServerProcess> =>
    startServer(
      {
        DATABASE_URL: database.url,
        DATA_DIR: join(folder, which),
        PORT: String(ports[which]),
        SANDBOX_PORT: String(ports.sandbox),
        APP_SECRET: 'of two servers that share a database, long enough',
        LOG_LEVEL: 'warn',
        RATE_LIMIT_FACTOR: '10000',
        PAYMENT_ANSWER_SECONDS: '30',
        AUTH_MAIL_MIN_SECONDS: '1',
        LOCK_CHECK_MINUTES: '0',
        LEDGER_CHECK_HOURS: '0',
      },
      which === 'old' ? program.main : undefined,
    );
  const bookAt = ({ runtime }: ServerProcess, studioId: string): Load => {
    const { apiUrl, anonKey } = runtime;
    const client = openClient({ url: apiUrl, sandboxUrl: sandbox.url, anonKey, now: () => new Date() });
    return startLoad(client, { studioId, customers: CUSTOMERS });
  };
  const more = async (load: Load, count = BOOKINGS): Promise<void> => {
    const enough = load.bookings.size + count;
    await expect
      .poll(() => load.faults.length > 0 || load.bookings.size >= enough, { timeout: LONG_MS, interval: 200 })
      .toBe(true);
    expect(load.faults).toEqual([]);
  };

  test('while this version upgrades the database, every booking at the last release succeeds', async () => {
    servers.old = await start('old');
    loads.old = bookAt(servers.old, OLD_ROOM);
    await more(loads.old, CUSTOMERS);
    const before = loads.old.bookings.size;
    servers.new = await start('new');
    expect(loads.old.bookings.size).toBeGreaterThan(before);
    await more(loads.old);
  }, 300_000);

  test('both serve side by side, and every booking at either succeeds', async () => {
    const { old: oldLoad } = loads;
    const { new: newServer } = servers;
    if (!oldLoad || !newServer) throw new Error('the servers did not start');
    loads.new = bookAt(newServer, NEW_ROOM);
    await Promise.all([more(oldLoad), more(loads.new)]);
  }, 300_000);

  test('when this version has stopped, every booking at the last release succeeds', async () => {
    await loads.new?.stop();
    expect(await servers.new?.kill('SIGTERM')).toBe(0);
    expect(loads.new?.faults).toEqual([]);
    if (!loads.old) throw new Error('the last release did not start');
    await more(loads.old);
    await loads.old.stop();
    expect(loads.old.faults).toEqual([]);
  }, 300_000);

  test('the database has every booking that was acknowledged, with its status, and no other one', async () => {
    const acknowledged = [...(loads.old?.bookings ?? []), ...(loads.new?.bookings ?? [])];
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ id: string; status: string; state: string }>(
      `select b.id, b.status::text, p.state::text from private.booking b left join private.payment p on p.booking_id = b.id`,
    );
    await client.end();
    const found = rows.map(({ id, status }) => [id, status] as const);
    expect(found.length).toBeGreaterThanOrEqual(4 * BOOKINGS);
    expect(new Map(found)).toEqual(new Map(acknowledged));
    expect(found).toHaveLength(acknowledged.length);
    expect(rows.filter(({ status, state }) => status === 'confirmed' && state !== 'paid')).toEqual([]);
  });

  test('neither server logged an error or an unexpected warning', () => {
    for (const [name, server] of Object.entries(servers)) {
      const entries = readLog(server.output()).filter(({ level }) => level >= WARN);
      const unexpected = entries.filter(({ level, msg }) => level >= ERROR || !EXPECTED_WARNINGS.includes(msg));
      expect(unexpected, name).toEqual([]);
    }
  });

  test('the last release starts again on the upgraded database, unless a baseline has replaced its migrations', async () => {
    expect(await servers.old?.kill('SIGTERM')).toBe(0);
    if (release.baseline !== undefined)
      return expect(start('old')).rejects.toThrow(/unknown migration|start the version that wrote this data/);
    servers.old = await start('old');
    loads.old = bookAt(servers.old, '5a000000-0000-4000-8000-00000000000c');
    await more(loads.old, CUSTOMERS);
    await loads.old.stop();
    expect(loads.old.faults).toEqual([]);
  }, 300_000);
});

type Entry = { readonly level: number; readonly msg: string };

/** Returns the entries of a log. Other lines are meant for the person at the terminal. */
function readLog(output: string): Entry[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{"level":'))
    .map((line) => JSON.parse(line) as Entry);
}
