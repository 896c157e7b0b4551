import { z } from 'zod';
import { namesSeveralHosts, readAddress } from '#server/db/postgres/address.ts';
import { flag, whole } from './fields.ts';

/** Several hosts are refused in checks.ts. A value that is refused here counts as unset, and other checks would then report it as missing. */
const isAddress = (text: string): boolean => namesSeveralHosts(text) || readAddress(text) !== null;
const server = z.string().refine(isAddress, 'is not a postgres:// address of a server that takes writes');

/** The environment variables for the database and for how much the server takes on at once, spread into the schema in config.ts. */
export const databaseFields = {
  DATABASE_URL: server.optional(),
  DATABASE_POOL_MODE: z.enum(['session', 'transaction'], 'is session or transaction').default('session'),
  DATABASE_DIRECT_URL: server.optional(),
  DATABASE_REPLICA_URL: z.string().refine(isAddress, 'is not the postgres:// address of one server').optional(),
  DATABASE_REPLICA_LAG_MS: whole(100, 60_000).default(1_000),
  DATABASE_WAIT_SECONDS: whole(0, 3_600).default(60),
  DATABASE_SYNC: flag.default(false),
  POOL_SIZE: whole(2, 200).default(10),
  WORKERS: whole(1, 64).default(1),
  DATABASE_QUEUE: whole(1, 100_000).default(400),
  DATABASE_QUICK_MS: whole(10, 3_000).default(100),
  REQUESTS_AT_ONCE: whole(10, 100_000).default(300),
};
type DatabaseEnvironment = z.output<z.ZodObject<typeof databaseFields>>;

/**
 * `processes`: number of processes that share the port, each with `poolSize` connections. `waiting`: maximum number of waiting statements
 * per class of callers. `quickMs`: duration in milliseconds from which a statement on PostgreSQL counts as long. `requestsAtOnce`: number
 * of requests in progress above which new ones are refused.
 */
export type DatabaseConfig = Readonly<ReturnType<typeof readDatabaseConfig>>;

export function readDatabaseConfig(env: DatabaseEnvironment) {
  return {
    // Only callers' and the server's own statements go through a pooler. Migrations, LISTEN and commands need a direct connection.
    databaseUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL ?? null,
    pooledUrl: env.DATABASE_POOL_MODE === 'transaction' ? (env.DATABASE_URL ?? null) : null,
    replica:
      env.DATABASE_REPLICA_URL === undefined
        ? null
        : { url: env.DATABASE_REPLICA_URL, maxLagMs: env.DATABASE_REPLICA_LAG_MS },
    databaseWaitSeconds: env.DATABASE_WAIT_SECONDS,
    sync: env.DATABASE_SYNC,
    poolSize: env.POOL_SIZE,
    processes: env.WORKERS,
    queue: { waiting: env.DATABASE_QUEUE, quickMs: env.DATABASE_QUICK_MS },
    requestsAtOnce: env.REQUESTS_AT_ONCE,
  };
}
