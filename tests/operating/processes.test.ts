import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { createPostgres } from '#server/db/postgres/postgres.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // There is no such process.
  }
};

describe.runIf(process.env['TEST_POSTGRES_URL'])('WORKERS=3', () => {
  let server: ServerProcess;
  let settings: Record<string, string>;
  let db: Database;
  let folder: string;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await createMigratedDatabase();
    if (!database) throw new Error('PostgreSQL is not available');
    drop = database.drop;
    folder = await mkdtemp(join(tmpdir(), 'processes-'));
    const port = await freePorts();
    settings = {
      WORKERS: '3',
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      PORT: String(port),
      SANDBOX_PORT: String(port + 10),
      POOL_SIZE: '4',
    };
    server = await startServer(settings);
    db = createPostgres({
      backendUrl: database.url,
      authenticatorUrl: database.url,
      poolSize: 2,
      warn: () => undefined,
    });
  }, 120_000);
  afterAll(async () => {
    await server.kill();
    await db.close();
    await drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the ids of the processes that hold leases. */
  const holders = async (): Promise<number[]> => {
    const { rows } = await db.query<{ pid: string }>(
      `select distinct split_part(holder, ':', 2) as pid from private.task_lease where until > clock_timestamp()`,
    );
    return rows.map(({ pid }) => Number(pid));
  };
  /** Returns the numbers of the processes that the metrics name. */
  const counted = async (): Promise<string[]> => {
    const text = await (await fetch(`${server.runtime.apiUrl}/metrics`)).text();
    return [...text.matchAll(/^process_cpu_seconds_total\{process="(\d+)"\}/gm)]
      .map(([, number = '']) => number)
      .toSorted();
  };

  test('any process answers with the metrics of all three', async () => {
    await expect.poll(counted, { timeout: 30_000 }).toEqual(['1', '2', '3']);
  });

  test('when the process that runs the periodic tasks is killed, its leases end within 10 s, another takes all of them, and a new process starts', async () => {
    await expect.poll(holders, { timeout: 10_000 }).toHaveLength(1);
    const [first = 0] = await holders();
    expect(first).not.toBe(server.runtime.pid);
    const { rows: before } = await db.query('select name from private.task_lease order by name');
    process.kill(first, 'SIGKILL');
    const { rows: remaining } = await db.query<{ seconds: number }>(
      `select extract(epoch from max(until) - clock_timestamp())::float as seconds from private.task_lease`,
    );
    expect(remaining[0]?.seconds).toBeLessThan(10);
    await expect
      .poll(async () => (await holders()).filter((pid) => pid !== first), { timeout: 20_000 })
      .toHaveLength(1);
    const { rows: after } = await db.query(
      'select name from private.task_lease where until > clock_timestamp() order by name',
    );
    expect(after).toEqual(before);
    await expect.poll(counted, { timeout: 30_000 }).toHaveLength(3);
    expect(server.output()).toContain('a server process stopped (SIGKILL); it starts again in ');
  }, 60_000);

  test('SIGTERM stops every process with exit code 0 and gives the leases back', async () => {
    const { rows } = await db.query<{ pid: number }>(
      `select distinct pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(await server.kill('SIGTERM')).toBe(0);
    expect(await holders()).toEqual([]);
    expect(isAlive(server.runtime.pid)).toBe(false);
    await expect(fetch(`${server.runtime.apiUrl}/healthz`)).rejects.toThrow('fetch failed');
  }, 40_000);

  test('SIGTERM while the other processes are still starting ends with exit code 0 too', async () => {
    const starting = await startServer(settings);
    expect(await starting.kill('SIGTERM')).toBe(0);
  }, 60_000);
});
