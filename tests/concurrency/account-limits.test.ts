import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { createMigratedDatabase, type TestDatabase } from '#tests/support/postgres.ts';

const PROCESSES = 4;
const TAKES = process.env['TEST_LONG'] ? 10_000 : 400;
const MAX = 100;
const WORKER = new URL('../support/limit-worker.ts', import.meta.url).pathname;

describe.runIf(process.env['TEST_POSTGRES_URL'])('one limit and four processes', () => {
  let database: TestDatabase;
  let dataDir = '';
  beforeAll(async () => {
    const created = await createMigratedDatabase();
    if (!created) throw new Error('PostgreSQL cannot be reached');
    database = created;
    dataDir = await mkdtemp(join(tmpdir(), 'limits-'));
    const app = await compose(readConfig({ DATABASE_URL: database.url, DATA_DIR: dataDir, LOG_LEVEL: 'silent' }));
    await app.close();
  }, 120_000);
  afterAll(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const admitted = async (how: 'exact' | 'naive'): Promise<number> => {
    const runWorker = (): Promise<number> =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [WORKER, database.url, String(TAKES), String(MAX), how], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let printed = '';
        child.stdout.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
        child.once('exit', (code) => (code === 0 ? resolve(Number(printed)) : reject(new Error(`ended with ${code}`))));
      });
    const counts = await Promise.all(Array.from({ length: PROCESSES }, runWorker));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  test(`of ${PROCESSES} × ${TAKES} requests exactly ${MAX} are admitted`, { timeout: 600_000 }, async () => {
    expect(await admitted('exact')).toBe(MAX);
    // The table must be logged, because an unlogged table is empty after a crash.
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      `select relpersistence from pg_class where oid = 'private.rate_bucket'::regclass`,
    );
    await client.end();
    expect(rows).toEqual([{ relpersistence: 'p' }]);
  });

  test('the same load detects a limiter that counts first and writes afterwards', { timeout: 600_000 }, async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('create table private.naive_takes (at timestamptz default now())');
    const count = await admitted('naive');
    await client.end();
    expect(count).toBeGreaterThan(MAX);
  });
});
