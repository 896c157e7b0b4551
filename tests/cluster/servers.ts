import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startSandbox } from '#sandbox/main.ts';
import { openKeys } from '#server/crypto/keys.ts';
import { startBalancer } from './balancer.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { addCustomer } from '#tests/support/test-server.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { ownMegabytes } from './memory.ts';

/** Servers that share a database, with the sandbox as the outside world, a mailbox, a load balancer, rooms and customers. */
export type Servers = {
  /** The addresses of the servers, and that of the load balancer. */
  readonly urls: readonly string[];
  readonly url: string;
  readonly anonKey: string;
  readonly tokens: readonly string[];
  readonly rooms: readonly string[];
  readonly mailbox: Mailbox;
  readonly sandboxUrl: string;
  /** Stops a server and starts it again. SIGTERM stops it gracefully, SIGKILL at once. */
  restart(index: number, signal: NodeJS.Signals): Promise<void>;
  /** Returns the memory of each server, in MB. */
  memory(): readonly number[];
  close(): Promise<void>;
};

export type ServersOptions = {
  readonly count: number;
  readonly first: number;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The URL of a superuser, which is needed to add rooms and customers. */
  readonly superuserUrl: string;
  readonly rooms: number;
};

const CUSTOMERS = 400;

/** Uses 20 ports starting at `first`. */
export async function startServers(options: ServersOptions): Promise<Servers> {
  const { count, first, folder, env, superuserUrl } = options;
  const ports = Array.from({ length: count }, (_, index) => first + index);
  const balancer = await startBalancer(ports);
  const url = `http://localhost:${balancer.port}`;
  const sandbox = await startSandbox({ port: first + 8, webhookTarget: url });
  const mailbox = await startMailbox(first + 7);
  const secret = randomBytes(32).toString('base64url');
  const settings = {
    APP_SECRET: secret,
    SANDBOX_PORT: String(first + 8),
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Studio <studio@drill.example>',
    SITE_URL: url,
    RATE_LIMIT_FACTOR: '100000',
    LOCK_CHECK_MINUTES: '0',
    LEDGER_CHECK_HOURS: '0',
    ...env,
  };
  const running: ServerProcess[] = [];
  const start = async (index: number): Promise<void> => {
    const dataDir = join(folder, `server-${index}`);
    await mkdir(dataDir, { recursive: true });
    running[index] = await startServer({ ...settings, DATA_DIR: dataDir, PORT: String(ports[index]) });
  };
  await start(0);
  await Promise.all(ports.slice(1).map((_, index) => start(index + 1)));
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  const rooms = await addRooms(client, options.rooms);
  const tokens = await addCustomers(client, await openKeys(folder, { appSecret: secret }));
  await client.end();
  return {
    urls: ports.map((port) => `http://localhost:${port}`),
    url,
    anonKey: running[0]?.runtime.anonKey ?? '',
    tokens,
    rooms,
    mailbox,
    sandboxUrl: sandbox.url,
    async restart(index, signal) {
      await running[index]?.kill(signal);
      await start(index);
    },
    memory: () => running.map(({ runtime }) => ownMegabytes(runtime.pid)),
    async close() {
      await Promise.all(running.map((server) => server.kill('SIGTERM')));
      balancer.close();
      await mailbox.close();
      await sandbox.close();
    },
  };
}

/** Copies a room `count` times, so that there are enough hours to book. */
async function addRooms(client: pg.Client, count: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    `insert into public.studios
     select (jsonb_populate_record(null::public.studios, to_jsonb(s) || jsonb_build_object('id', gen_random_uuid(), 'name', 'Room ' || n))).*
     from (select * from public.studios order by name limit 1) s, generate_series(1, $1::int) n returning id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

async function addCustomers(client: pg.Client, keys: Awaited<ReturnType<typeof openKeys>>): Promise<readonly string[]> {
  const run = async <R>(text: string, values: readonly unknown[] = []) => {
    const { rows, rowCount } = await client.query(text, [...values]);
    return { rows: rows as R[], count: rowCount ?? 0 };
  };
  const db = {
    query: run,
    queryRow: async <R>(text: string, values?: readonly unknown[]) => (await run<R>(text, values)).rows[0] ?? null,
  };
  const tokens: string[] = [];
  while (tokens.length < CUSTOMERS) tokens.push((await addCustomer({ db, keys }, new Date())).token);
  return tokens;
}
