import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Keys, openKeys } from '#server/crypto/keys.ts';
import type { Database } from '#server/db/database.ts';
import { createPostgres } from '#server/db/postgres/postgres.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { addCustomer, type Customer, freePorts } from '#tests/support/test-server.ts';
import { startBalancer } from '#tests/cluster/balancer.ts';
import type { Connection } from './channels.ts';

/** Several server processes on one PostgreSQL, with a load balancer in front of them. */
export type Cluster = {
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  readonly keys: Keys;
  /** A connection with the rights of the owner of the tables. */
  readonly db: Database;
  readonly databaseUrl: string;
  /** The connection to one process. */
  at(index: number): Connection;
  /** The connection to any process that accepts connections. */
  readonly any: Connection;
  process(index: number): ServerProcess;
  addCustomer(): Promise<Customer>;
  /** Restarts a process that has ended, on the same port. */
  start(index: number): Promise<void>;
  close(): Promise<void>;
};

/** Throws if there is no PostgreSQL. `server` is the URL of a PostgreSQL other than that of the test run. */
export async function startCluster(count: number, env: Record<string, string> = {}, server?: string): Promise<Cluster> {
  const first = await freePorts();
  const database = await createMigratedDatabase(server);
  if (!database) throw new Error('PostgreSQL is not available');
  const dataDir = await mkdtemp(join(tmpdir(), 'cluster-'));
  const keys = await openKeys(dataDir);
  const balancer = await startBalancer(Array.from({ length: count }, (_, index) => first + index));
  const settings = {
    SANDBOX_PORT: String(first + 10),
    DATABASE_URL: database.url,
    RATE_LIMIT_FACTOR: '10000',
    POOL_SIZE: '6',
    REALTIME_MESSAGES_PER_SECOND: '10000',
    REALTIME_PRESENCE_CALLS: '1000',
    ...env,
  };
  const processes: ServerProcess[] = [];
  const start = async (index: number): Promise<void> => {
    // Each process writes a file when it is ready, so each has its own folder. The keys are the same.
    const folder = join(dataDir, String(index));
    await mkdir(folder, { recursive: true });
    await copyFile(join(dataDir, 'keys.json'), join(folder, 'keys.json'));
    processes[index] = await startServer({ ...settings, DATA_DIR: folder, PORT: String(first + index) });
  };
  await Promise.all(Array.from({ length: count }, (_, index) => start(index)));
  const warn = (): void => undefined;
  const db = createPostgres({ backendUrl: database.url, authenticatorUrl: database.url, poolSize: 3, warn });
  const process = (index: number): ServerProcess => {
    const found = processes[index];
    if (!found) throw new Error(`there is no process ${index}`);
    return found;
  };
  const { anonKey, serviceRoleKey } = process(0).runtime;
  return {
    anonKey,
    serviceRoleKey,
    keys,
    db,
    databaseUrl: database.url,
    at: (index) => ({ url: `http://localhost:${first + index}`, anonKey }),
    any: { url: `http://localhost:${balancer.port}`, anonKey },
    process,
    addCustomer: () => addCustomer({ db, keys }, new Date()),
    start,
    async close() {
      await Promise.all(processes.map((server) => server.kill()));
      balancer.close();
      await db.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
