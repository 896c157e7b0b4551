import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '#tests/support/postgres.ts';
import { type Runtime, startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';

/** A separate server on its own database, without rate limits. */
export type BenchServer = {
  readonly runtime: Runtime;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The first of a range of free ports, of which the server uses the last. */
  readonly ports: number;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/** Starts a server on a new PostgreSQL database. `more` adds to its environment. */
export async function openBenchServer(more: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  const database = await createTestDatabase();
  if (!database) throw new Error('TEST_POSTGRES_URL is not set');
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const ports = await freePorts();
  const env = {
    PORT: String(ports + 8),
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SANDBOX_PORT: String(ports),
    RATE_LIMIT_FACTOR: '1000000',
    LOG_LEVEL: 'silent',
    ...more,
  };
  const server = await startServer(env);
  return {
    runtime: server.runtime,
    databaseUrl: database.url,
    dataDir,
    ports,
    env,
    async close() {
      await server.kill('SIGTERM');
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
