import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '#sandbox/main.ts';
import { type App, compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { createMigratedDatabase, type TestDatabase } from '#tests/support/postgres.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { addCustomer, checkout, freePorts, span, STUDIO_A } from '#tests/support/test-server.ts';

const BUSY_WAIT_MS = 200;
const ATTEMPTS = process.env['TEST_LONG'] ? 1_000 : 150;
const SECRET = 'one secret of both hosts, 32 letters or more';
const [FIRST, SECOND] = [0, 1] as const;

/** Each server has its own address, port and folder, as on a separate machine. They share the database and the secret. */
describe.runIf(process.env['TEST_POSTGRES_URL'])('two servers on two hosts with one PostgreSQL', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let programs: ServerProcess[] = [];
  let folder: string;
  let urls: string[] = [];
  /** Used for its keys and rows. */
  let app: App;

  beforeAll(async () => {
    const first = await freePorts();
    const created = await createMigratedDatabase();
    if (!created) throw new Error('PostgreSQL went away');
    database = created;
    folder = await mkdtemp(join(tmpdir(), 'two-'));
    urls = [`http://127.0.0.1:${first + 8}`, `http://127.0.0.2:${first + 9}`];
    sandbox = await startSandbox({ port: first, webhookTarget: urls[FIRST] ?? '' });
    const env = {
      SANDBOX_PORT: String(first),
      DATABASE_URL: database.url,
      APP_SECRET: SECRET,
      SITE_URL: 'http://localhost:8000',
      PAYMENT_ANSWER_SECONDS: '30',
      POOL_SIZE: '8',
    };
    const start = (host: number): Promise<ServerProcess> => {
      const { hostname, port } = new URL(urls[host] ?? '');
      return startServer({ ...env, HOST: hostname, PORT: port, DATA_DIR: join(folder, String(host)) });
    };
    programs = [await start(FIRST)];
    programs.push(await start(SECOND));
    app = await compose(readConfig({ ...env, DATA_DIR: join(folder, 'rows'), LOG_LEVEL: 'silent', POOL_SIZE: '4' }));
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await Promise.all(programs.map((program) => program.kill('SIGTERM')));
    await sandbox.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  type Answer = { readonly status: number; readonly body: unknown };
  /** Calls one of the servers, and repeats the call while the server is too busy to begin, as a client does. */
  async function call(host: number, path: string, token: string, body?: unknown): Promise<Answer> {
    let answer = await callOnce(host, path, token, body);
    while (answer.status === 503) {
      await new Promise((resolve) => setTimeout(resolve, BUSY_WAIT_MS));
      answer = await callOnce(host, path, token, body);
    }
    return answer;
  }

  async function callOnce(host: number, path: string, token: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${urls[host]}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        apikey: app.keys.anonKey,
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }
  const customer = () => addCustomer(app, new Date());
  const textAt = (body: unknown, name: string): string => String(Object(body)[name]);

  it(`sell one slot to one of ${ATTEMPTS}`, { timeout: 120_000 }, async () => {
    const tokens: string[] = [];
    for (let index = 0; index < ATTEMPTS; index += 1) tokens.push((await customer()).token);
    const time = span(new Date(), 50);
    const answers = await Promise.all(
      tokens.map((token, index) => call(index % 2, '/functions/v1/create-payment', token, checkout(time))),
    );
    const statuses = answers.map(({ status }) => status);
    const counts = Object.groupBy(statuses, String);
    expect(Object.fromEntries(Object.entries(counts).map(([status, all]) => [status, all?.length]))).toEqual({
      200: 1,
      409: ATTEMPTS - 1,
    });
  });

  it('continue a session that began at the other, and end it at both', async () => {
    const guest = app.keys.anonKey;
    const refresh = (host: number, body: unknown): Promise<Answer> =>
      call(host, '/auth/v1/token?grant_type=refresh_token', guest, {
        refresh_token: textAt(body, 'refresh_token'),
      });
    const user = (host: number, body: unknown): Promise<Answer> =>
      call(host, '/auth/v1/user', textAt(body, 'access_token'));
    const signedIn = await call(FIRST, '/auth/v1/token?grant_type=password', guest, {
      email: 'customer@example.com',
      password: 'demo-customer-1',
    });
    expect(await user(SECOND, signedIn.body)).toMatchObject({ status: 200, body: { email: 'customer@example.com' } });
    const refreshed = await refresh(SECOND, signedIn.body);
    expect((await user(FIRST, refreshed.body)).status).toBe(200);
    const signedOut = await call(FIRST, '/auth/v1/logout', textAt(refreshed.body, 'access_token'), {});
    expect(signedOut.status).toBe(204);
    await expect
      .poll(() => user(SECOND, refreshed.body), { timeout: 2_000 })
      .toMatchObject({ status: 403, body: { code: 'session_not_found' } });
    expect((await refresh(SECOND, refreshed.body)).status).toBe(400);
  });

  it('count the calls of an account at both for one limit', async () => {
    const { token } = await customer();
    const createPayment = (at: number): Promise<Answer> => call(at % 2, '/functions/v1/create-payment', token, {});
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => (await createPayment(index)).status),
    );
    // One or two units come back while the calls run.
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(20);
    expect(statuses.filter((status) => status === 400).length).toBeLessThan(23);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(17);
  });

  it('show hours that were held at the other at once', async () => {
    const { token } = await customer();
    const time = span(new Date(), 60);
    const path = `/rest/v1/bookings?select=start_time&studio_id=eq.${STUDIO_A}&start_time=eq.${time.startTime}`;
    const free = (host: number): Promise<Answer> => call(host, path, app.keys.anonKey);
    for (const host of [FIRST, SECOND]) expect((await free(host)).body).toEqual([]);
    expect((await call(FIRST, '/functions/v1/create-payment', token, checkout(time))).status).toBe(200);
    expect((await free(SECOND)).body).toHaveLength(1);
  });

  it('learn of new settings and of a new table from the other', async () => {
    const owner = await customer();
    await app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [owner.id]);
    const named = async (host: number): Promise<string> =>
      JSON.stringify((await call(host, '/auth/v1/passkeys/registration/options', owner.token, {})).body);
    expect(await named(SECOND)).not.toContain('Two Hosts');
    expect(await call(FIRST, '/functions/v1/staff-set-settings', owner.token, { name: 'Two Hosts' })).toMatchObject({
      status: 200,
    });
    await expect.poll(() => named(SECOND)).toContain('Two Hosts');

    const islands = (host: number): Promise<Answer> => call(host, '/rest/v1/islands', app.keys.anonKey);
    for (const host of [FIRST, SECOND]) expect((await islands(host)).status).toBe(404);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `create table public.islands (id int); grant select on public.islands to anon; notify pgrst, 'reload schema'`,
    );
    await client.end();
    for (const host of [FIRST, SECOND]) await expect.poll(() => islands(host)).toEqual({ status: 200, body: [] });
  });

  // This test takes seven seconds. tests/operating/processes.test.ts does the same with processes of one host.
  const longIt = it.runIf(process.env['TEST_LONG']);
  longIt(
    'take the periodic tasks over when the other is killed, whose leases end within 10 s',
    { timeout: 60_000 },
    async () => {
      const holders = async (): Promise<string[]> => {
        const { rows } = await app.db.query<{ pid: string }>(
          `select distinct split_part(holder, ':', 2) as pid from private.task_lease where until > clock_timestamp()`,
        );
        return rows.map(({ pid }) => pid);
      };
      const [held] = await holders();
      const lost = programs.find(({ runtime }) => String(runtime.pid) === held);
      const other = programs.find((program) => program !== lost);
      await lost?.kill('SIGKILL');
      const { rows: remaining } = await app.db.query<{ seconds: number }>(
        `select extract(epoch from max(until) - clock_timestamp())::float as seconds from private.task_lease`,
      );
      expect(remaining[0]?.seconds).toBeLessThan(10);
      await expect.poll(holders, { timeout: 20_000, interval: 100 }).toEqual([String(other?.runtime.pid)]);
      await other?.kill('SIGTERM');
      expect(await holders()).toEqual([]);
    },
  );
});
