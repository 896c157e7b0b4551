import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startSandbox } from '#sandbox/main.ts';
import { type Amounts, fillBookings, fillRelated, RELATED } from '#tests/scale/many-rows.ts';
import { type Runtime, startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';

const serverUrl = process.env['TEST_POSTGRES_URL'] ?? '';

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

export function getUrl(size: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/scale_${size}`;
  return url.href;
}
const parseAmounts = (size: string): Amounts => {
  const [bookings = 0, studios = 0] = size.split('x').map(Number);
  // Each account has a hundred bookings. Larger databases have a longer past: the coming two days are the same at every size, with six
  // bookings a day in each room.
  return { bookings, studios, accounts: bookings / 100, hoursApart: 4, hoursAhead: 48 };
};

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates, migrates and seeds the database of this size, and fills it two tables at a time. */
export async function fill(size: string): Promise<void> {
  await drop(size);
  await withClient(serverUrl, (client) => client.query(`create database "scale_${size}"`));
  await withServer(size, () => Promise.resolve());
  const began = performance.now();
  const amounts = parseAmounts(size);
  // The largest table comes first, and the others are filled in parallel.
  const remaining = ['private.booking', ...RELATED.toReversed()] as const;
  const tables = remaining.values();
  const fillNext = () =>
    withClient(getUrl(size), async (client) => {
      const run = (text: string, values?: readonly unknown[]) => client.query(text, values ? [...values] : undefined);
      await run(`set maintenance_work_mem = '1GB'`);
      await run('set synchronous_commit = off');
      for (const table of tables) {
        if (table === 'private.booking') await fillBookings(run, amounts);
        else await fillRelated(run, amounts, [table]);
        say(`${size}: ${table} after ${Math.round((performance.now() - began) / 1_000)} s`);
      }
    });
  await Promise.all([fillNext(), fillNext()]);
  await withClient(getUrl(size), async (client) => {
    // A table that was filled in parallel with another cannot be marked as visible to all before the other has ended.
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
}

export async function drop(size: string): Promise<void> {
  await withClient(serverUrl, (client) => client.query(`drop database if exists "scale_${size}" with (force)`));
  await rm(getDataDir(size), { recursive: true, force: true });
}

/** A server starts only with the keys with which its database was used before, so they are kept between the steps. */
const getDataDir = (size: string): string => join(tmpdir(), `bench-scale-${size}`);

/** A running server, and the environment with which the same server can be composed again. */
export type Running = Runtime & { readonly env: Readonly<Record<string, string>> };

/** Runs `work` while a server and the sandbox use the database of this size. */
export async function withServer<T>(size: string, work: (running: Running) => Promise<T>): Promise<T> {
  const dataDir = getDataDir(size);
  await mkdir(dataDir, { recursive: true });
  const ports = await freePorts();
  const env = {
    PORT: String(ports + 8),
    DATA_DIR: dataDir,
    DATABASE_URL: getUrl(size),
    SANDBOX_PORT: String(ports),
    RATE_LIMIT_FACTOR: '1000000',
    REST_GUEST_PER_MINUTE: '1000000',
    PGRST_DB_PLAN_ENABLED: 'true',
    LOG_LEVEL: 'silent',
    OWNER_EMAIL: 'owner@example.com',
  };
  const sandbox = await startSandbox({ port: ports, webhookTarget: `http://localhost:${ports + 8}` });
  const server = await startServer(env);
  try {
    return await work({ ...server.runtime, env: { ...env, PORT: '0' } });
  } finally {
    await server.kill('SIGTERM');
    await sandbox.close();
  }
}
