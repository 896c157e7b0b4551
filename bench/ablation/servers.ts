import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { createTestDatabase } from '#tests/support/postgres.ts';
import { startServer } from '#tests/support/server-process.ts';
import { addCustomer, freePorts } from '#tests/support/test-server.ts';
import { startInstantPayments } from '../callers/holds.ts';
import { FILL, fillBookings } from '../rows/bookings.ts';
import { REST_TABLES, restRows } from '../rows/rest-tables.ts';
import { EMBEDDED_ROWS, POSTGRES_ROWS, type Row, type Side } from './rows.ts';

/** Starts servers from different folders on the same rows. */
export type Servers = {
  readonly rows: readonly Row[];
  /** Starts the server of the project in this folder. */
  start(project: string): Promise<{ readonly side: Side; stop(): Promise<void> }>;
  close(): Promise<void>;
};

const BOOKINGS = Number(process.env['BENCH_ROWS'] ?? 100_000);
const BOOKINGS_EMBEDDED = 20_000;
const FILLED_AT_ONCE = 2_000;
const TOWNS = 200_000;
const HOLDERS = 200;
const SESSIONS = 512;
const PASSWORD = 'correct horse battery';
const EMAIL = 'bench@example.com';

const OPEN = {
  RATE_LIMIT_FACTOR: '1000000',
  REST_GUEST_PER_MINUTE: '1000000',
  TRUSTED_PROXIES: '1',
  AUTH_AUTOCONFIRM: 'true',
  LOG_LEVEL: 'silent',
  // Servers of one database share its keys.
  APP_SECRET: 'a secret of the bench only, 0123456789abcdef',
};

/** Creates the customers and the member of staff who are the callers. Their tokens are valid for an hour, so each server has its own. */
async function addPeople(env: Readonly<Record<string, string>>): Promise<Pick<Side, 'customers' | 'staff'>> {
  const app = await compose(readConfig(env));
  const first = await addCustomer(app, new Date());
  const others: string[] = [];
  while (others.length < HOLDERS) others.push((await addCustomer(app, new Date())).token);
  const staff = await addCustomer(app, new Date());
  await app.db.query(
    `insert into public.user_roles (user_id, role) values ($1, 'admin') on conflict (user_id) do update set role = 'admin'`,
    [staff.id],
  );
  await app.close();
  return { customers: [first.token, ...others], staff: staff.token };
}

/** Signs in once for each session to refresh. Returns the refresh tokens. */
async function openSessions(apiUrl: string, anonKey: string): Promise<string[]> {
  const post = async (path: string): Promise<string> => {
    const headers = { apikey: anonKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ email: EMAIL, password: PASSWORD });
    const answer = await fetch(`${apiUrl}/auth/v1${path}`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    const { refresh_token }: { refresh_token: string } = JSON.parse(await answer.text());
    return refresh_token;
  };
  const tokens = [await post('/signup')];
  while (tokens.length < SESSIONS) tokens.push(await post('/token?grant_type=password'));
  return tokens;
}

/** Starts a server and measures the time that it took. An earlier start of the same folder fills Node's compile cache. */
async function startFrom(project: string, env: Readonly<Record<string, string>>) {
  await (await startServer(env, join(project, 'server', 'main.ts'))).kill('SIGTERM');
  const began = performance.now();
  const server = await startServer(env, join(project, 'server', 'main.ts'));
  return { server, startMs: performance.now() - began };
}

/** Opens servers on one PostgreSQL database. */
export async function openPostgres(): Promise<Servers> {
  const database = await createTestDatabase();
  if (!database) throw new Error('TEST_POSTGRES_URL is not set');
  const folder = await mkdtemp(join(tmpdir(), 'bench-ablation-data-'));
  const ports = await freePorts();
  const provider = await startInstantPayments(ports + 1);
  const env = { ...OPEN, DATABASE_URL: database.url, SANDBOX_PORT: String(ports) };
  const app = await compose(readConfig({ ...env, PORT: String(ports + 5), DATA_DIR: join(folder, 'first') }));
  await app.close();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await fillBookings(owner, BOOKINGS);
  await owner.query(`${REST_TABLES}${restRows(TOWNS)}analyze`);
  await owner.query('set session_replication_role = replica');
  const removeHolds = async (): Promise<void> =>
    void (await owner.query(
      `update private.booking set status = 'cancelled', cancel_reason = 'hold_expired' where status = 'pending'`,
    ));
  let starts = 0;
  let sessions: string[] | null = null;
  return {
    rows: POSTGRES_ROWS,
    async start(project) {
      starts += 1;
      const own = { ...env, PORT: String(ports + 6 + (starts % 4)), DATA_DIR: join(folder, String(starts)) };
      const people = await addPeople(own);
      const { server, startMs } = await startFrom(project, own);
      sessions ??= await openSessions(server.runtime.apiUrl, server.runtime.anonKey);
      const side = { runtime: server.runtime, startMs, ...people, sessions, removeHolds };
      return { side, stop: async () => void (await server.kill('SIGTERM')) };
    },
    async close() {
      provider.close();
      provider.closeAllConnections();
      await owner.end();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Opens servers on copies of one embedded database. */
export async function openEmbedded(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-ablation-embedded-'));
  const ports = await freePorts();
  const provider = await startInstantPayments(ports + 1);
  const env = { ...OPEN, SANDBOX_PORT: String(ports) };
  const filled = join(folder, 'filled');
  const app = await compose(readConfig({ ...env, PORT: String(ports + 5), DATA_DIR: filled }));
  for (let from = 0; from < BOOKINGS_EMBEDDED; from += FILLED_AT_ONCE)
    await app.db.query(FILL, [from, from + FILLED_AT_ONCE]);
  await app.db.query('analyze');
  await app.close();
  let starts = 0;
  return {
    rows: EMBEDDED_ROWS,
    async start(project) {
      starts += 1;
      const data = join(folder, String(starts));
      await cp(filled, data, { recursive: true });
      const own = { ...env, PORT: String(ports + 6 + (starts % 4)), DATA_DIR: data };
      const people = await addPeople(own);
      const { server, startMs } = await startFrom(project, own);
      const side = { runtime: server.runtime, startMs, ...people, sessions: [], removeHolds: async () => undefined };
      return {
        side,
        async stop() {
          await server.kill('SIGTERM');
          await rm(data, { recursive: true, force: true });
        },
      };
    },
    async close() {
      provider.close();
      provider.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
