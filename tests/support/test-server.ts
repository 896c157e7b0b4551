import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { Server } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serve } from '@hono/node-server';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { constants as studio } from '#rules/venue.ts';
import { startSandbox } from '#sandbox/main.ts';
import { compose, type App } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { takeEmbedded } from './databases/embedded-pool.ts';
import { migratedFolder, migratedImage } from './image.ts';
import { copyTestDatabase } from './postgres.ts';

/** The whole server with the sandbox in this process: a real database, real HTTP, real SMTP. */
export type TestServer = {
  readonly app: App;
  readonly url: string;
  readonly sandboxUrl: string;
  /** The URL for the owner of the tables on PostgreSQL. Null on the embedded database, whose tables the server owns. */
  readonly ownerUrl: string | null;
  /** The server's data folder. */
  readonly dataDir: string;
  /** Moves the server's clock by milliseconds. */
  advance(ms: number): void;
  now(): Date;
  client(token?: string): SupabaseClient<Database>;
  /** Adds a person who is signed in, of age and verified, and has accepted the terms. */
  addCustomer(): Promise<Customer>;
  /** Calls a function with a token. Returns status and parsed body. */
  call(name: string, body: unknown, token?: string): Promise<{ status: number; body: Record<string, unknown> }>;
  sandbox(path: string, body?: unknown): Promise<unknown>;
  /** Runs everything that is due. */
  settle(): Promise<void>;
  close(): Promise<void>;
};
export type Customer = { readonly id: string; readonly email: string; readonly token: string };

export const STUDIO_A = '5a000000-0000-4000-8000-00000000000a';
export const STUDIO_B = '5a000000-0000-4000-8000-00000000000b';

const PORTS_NEEDED = 10;

/** The longest time between the reservation of ports and listening on them, in milliseconds. */
const RESERVED_MS = 120_000;

/** Returns the first of several consecutive free ports, and reserves them. */
export async function freePorts(): Promise<number> {
  for (let round = 0; round < 50; round += 1) {
    // These ports are below those that operating systems assign to clients.
    const first = 20_000 + Math.floor(Math.random() * 1_250) * 10;
    const free = await Promise.all(Array.from({ length: PORTS_NEEDED }, (_, index) => isFree(first + index)));
    if (free.every(Boolean) && (await reserve(first))) return first;
  }
  throw new Error('no free ports');
}
/** Reserves ports. Returns false if another test has reserved them and does not listen yet, which takes a server seconds. */
async function reserve(first: number): Promise<boolean> {
  const file = join(process.env['TEST_PORTS_FOLDER'] ?? join(tmpdir(), 'test-ports'), String(first));
  await mkdir(dirname(file), { recursive: true });
  const age = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => null,
  );
  if (age !== null && age < RESERVED_MS) return false;
  if (age !== null) await rm(file, { force: true });
  return writeFile(file, '', { flag: 'wx' }).then(
    () => true,
    () => false,
  );
}
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}

/**
 * Starts the server and the sandbox. `databaseUrl`: an empty PostgreSQL database. Without it the database is embedded and in memory, or
 * with `inFolder` in a folder, as with `npm start`.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  // Mutation tests pass a faulty database on a PostgreSQL server.
  const faulty = process.env['TEST_DATABASE_TEMPLATE'];
  if (!faulty || options.databaseUrl !== undefined || options.inFolder) return openTestServer(options);
  const database = await copyTestDatabase(faulty);
  const server = await openTestServer({ ...options, databaseUrl: database.url });
  return {
    ...server,
    close: async () => {
      await server.close();
      await database.drop();
    },
  };
}

type TestServerOptions = {
  readonly databaseUrl?: string;
  readonly inFolder?: boolean;
  readonly env?: Record<string, string>;
};

/** A server with its own settings for the database needs a separate engine. */
const openMemory = (env: Record<string, string>) =>
  Object.keys(env).some((name) => /^(DATABASE|POOL)_/.test(name)) ? migratedImage() : takeEmbedded();

async function openTestServer(options: TestServerOptions): Promise<TestServer> {
  const first = await freePorts();
  const port = first + 8;
  const dataDir = await mkdtemp(join(tmpdir(), 'test-server-'));
  const url = `http://localhost:${port}`;
  const sandbox = await startSandbox({ port: first, webhookTarget: url });
  let offset = 0;
  const clock = (): Date => new Date(Date.now() + offset);
  const config = readConfig({
    PORT: String(port),
    SANDBOX_PORT: String(first),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    RATE_LIMIT_FACTOR: '10000',
    // Many test files share the cores of the machine.
    ID_READ_SECONDS: '60',
    PAYMENT_ANSWER_SECONDS: '30',
    AUTH_MAIL_MIN_SECONDS: '1',
    // The automatic check is off: it takes a second for every lock, and would run whenever a test moves the clock.
    LOCK_CHECK_MINUTES: '0',
    LEDGER_CHECK_HOURS: '0',
    ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
    ...options.env,
  });
  if (options.inFolder) await migratedFolder(join(dataDir, 'database'));
  const inMemory = options.databaseUrl === undefined && !options.inFolder;
  const app = await compose(config, { clock, ...(inMemory ? { memory: await openMemory(options.env ?? {}) } : {}) });
  const listener = serve({ fetch: app.http.fetch, port });
  if (listener instanceof Server) app.attach(listener);
  // A test may make the database unreachable for a while. The next round tries again.
  const timer = setInterval(() => void app.flushMail().catch(() => undefined), 100);

  async function call(
    name: string,
    body: unknown,
    token?: string,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${url}/functions/v1/${name}`, {
      method: 'POST',
      headers: {
        apikey: app.keys.anonKey,
        authorization: `Bearer ${token ?? app.keys.anonKey}`,
        'content-type': 'application/json',
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: Object.fromEntries(Object.entries((await response.json()) ?? {})) };
  }

  return {
    app,
    url,
    sandboxUrl: sandbox.url,
    ownerUrl: options.databaseUrl ?? null,
    dataDir,
    advance: (ms) => void (offset += ms),
    now: clock,
    client: (token) =>
      createClient<Database>(url, app.keys.anonKey, {
        auth: { persistSession: false, autoRefreshToken: false },
        ...(token === undefined ? {} : { global: { headers: { authorization: `Bearer ${token}` } } }),
      }),
    addCustomer: () => addCustomer(app, clock()),
    call,
    async sandbox(path, body) {
      const response = await fetch(
        `${sandbox.url}${path}`,
        body === undefined
          ? {}
          : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
      );
      return response.json();
    },
    settle: () => app.scheduler.run(),
    async close() {
      clearInterval(timer);
      await app.disconnect();
      await new Promise<void>((resolve) => {
        listener.close(() => resolve());
        if ('closeAllConnections' in listener) listener.closeAllConnections();
      });
      await app.close();
      await sandbox.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Inserts a verified customer into the database and signs a token for them. */
export async function addCustomer(
  app: Pick<App, 'keys'> & { readonly db: Pick<App['db'], 'query' | 'queryRow'> },
  now: Date,
): Promise<Customer> {
  const email = `${randomUUID().slice(0, 13)}@example.com`;
  const row = await app.db.queryRow<{ id: string }>(
    `insert into auth.users (email, email_confirmed_at, raw_user_meta_data, created_at)
     values ($1, $2::timestamptz, '{"full_name": "Alex Citizen", "phone": "+61400000000", "date_of_birth": "1998-04-03"}', $2::timestamptz) returning id`,
    [email, now],
  );
  const id = row?.id ?? '';
  const sessionId = randomUUID();
  await app.db.query(
    `insert into auth.sessions (id, user_id, created_at, refreshed_at, method) values ($1::uuid, $2::uuid, $3::timestamptz, $3::timestamptz, 'password')`,
    [sessionId, id, now],
  );
  await app.db.query(
    `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at) values ($1::uuid, 'staff', 'verified', $2::timestamptz, $2::timestamptz + interval '2 years')`,
    [id, now],
  );
  await app.db.query('insert into public.terms_acceptances (user_id, version) values ($1::uuid, $2)', [
    id,
    studio.termsVersion,
  ]);
  const token = app.keys.sign(
    {
      sub: id,
      aud: 'authenticated',
      role: 'authenticated',
      email,
      session_id: sessionId,
      app_metadata: {},
      user_metadata: {},
    },
    86_400,
    now,
  );
  return { id, email, token };
}

/** Returns a span that begins this many whole hours from now. */
export function span(now: Date, hoursAhead: number, hours = 1): { startTime: string; endTime: string } {
  const start = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000 + hoursAhead * 3_600_000);
  return { startTime: start.toISOString(), endTime: new Date(start.getTime() + hours * 3_600_000).toISOString() };
}

/** Returns the body of the checkout's call for a span of a studio. */
export function checkout(
  time: { startTime: string; endTime: string },
  more: Record<string, unknown> = {},
  studioId: string = STUDIO_A,
): Record<string, unknown> {
  return { metadata: { studioId, ...time, couponCode: null, termsAccepted: true, ...more } };
}

/** Returns the newest payment of a booking from the sandbox. */
export async function readPayment(
  server: Pick<TestServer, 'sandbox'>,
  bookingId: unknown,
): Promise<{
  id: string;
  status: string;
  payment_status: string;
  payment_intent: string | null;
  amount_total: number;
}> {
  const all = await server.sandbox('/api/payments');
  const found = Array.isArray(all)
    ? all.find((payment: { client_reference_id: string }) => payment.client_reference_id === bookingId)
    : undefined;
  if (!found) throw new Error('no payment for this booking');
  return found;
}

/** Returns the mails to a person, newest first. */
export async function mailsTo(
  server: Pick<TestServer, 'sandbox'>,
  email: string,
  subject = '',
): Promise<
  { subject: string; text: string; html: string; duplicateOf: string | null; attachments: { filename: string }[] }[]
> {
  const found = await server.sandbox(
    `/api/mail?to=${encodeURIComponent(email)}&subject=${encodeURIComponent(subject)}`,
  );
  return Array.isArray(found) ? found : [];
}

/** Repeats `ask` until its result is truthy, for at most `ms`. */
export async function until<T>(ask: () => Promise<T | null | undefined | false>, ms = 10_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > end) throw new Error('timed out');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Moves the server's clock and the sandbox clock to the same instant. */
export async function moveTo(server: TestServer, at: number): Promise<void> {
  server.advance(at - server.now().getTime());
  await server.sandbox('/api/clock', { now: new Date(at).toISOString() });
}
