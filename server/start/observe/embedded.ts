import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Queryable } from '#server/db/database.ts';
import type { Embedded } from '#server/db/engine/pglite.ts';
import type { Metrics } from '#server/http/metrics/metrics.ts';
import type { Warning } from './warnings.ts';

/** Above this size PostgreSQL is the better engine: the embedded one reads everything on one thread, and a backup copies it in memory. */
const LARGE_BYTES = 2e9;
const VACUUM_LATE_SECONDS = 3 * 86_400;
/** The engine stops at twice this number, to protect its rows. */
const TRANSACTIONS_MAX = 1_000_000_000;
const MEGABYTE = 1024 * 1024;

const FACTS = `
  select (select extract(epoch from now() - checkpoint_time)::float8 from pg_control_checkpoint()) as checkpoint,
    coalesce((select extract(epoch from now())::float8 - (value #>> '{}')::float8 / 1000 from private.settings where name = 'last_vacuum'), -1) as vacuum,
    (select max(age(datfrozenxid))::float8 from pg_database) as transactions`;
type Facts = { readonly checkpoint: number; readonly vacuum: number; readonly transactions: number };

/** Whether a database is the embedded one. */
export const isEmbedded = (db: Database): db is Embedded => 'heapMegabytes' in db;

const readFacts = async (db: Queryable): Promise<Facts> =>
  (await db.queryRow<Facts>(FACTS)) ?? { checkpoint: 0, vacuum: -1, transactions: 0 };

/** Registers the metrics of the embedded engine. `folder`: its files. */
export function measureEngine(metrics: Metrics, db: Embedded, folder: string): void {
  metrics.gauge('database_embedded_bytes', 'Size of the embedded database', () => readSize(folder));
  metrics.gauge('database_heap_bytes', 'Memory of the embedded engine', () =>
    Promise.resolve(db.heapMegabytes() * MEGABYTE),
  );
  const fact = (name: keyof Facts) => async (): Promise<number> => (await readFacts(db))[name];
  metrics.gauge('database_checkpoint_age_seconds', 'Time since the last checkpoint', fact('checkpoint'));
  metrics.gauge('database_vacuum_age_seconds', 'Time since all tables were vacuumed; -1 before', fact('vacuum'));
  metrics.gauge(
    'database_transaction_age',
    'Transactions since the oldest row that is not frozen',
    fact('transactions'),
  );
}

/** Conditions of the embedded engine that the operator must know about. */
export function engineWarnings(db: Queryable, folder: string): readonly Warning[] {
  return [
    {
      name: 'database-size',
      async read() {
        const bytes = await readSize(folder);
        if (bytes < LARGE_BYTES) return null;
        return `The embedded database has ${(bytes / 1e9).toFixed(1)} GB. Move it to PostgreSQL: npm run move-to-postgres`;
      },
    },
    {
      name: 'database-age',
      async read() {
        const { vacuum, transactions } = await readFacts(db);
        if (vacuum < VACUUM_LATE_SECONDS && transactions < TRANSACTIONS_MAX) return null;
        return `The embedded database was last vacuumed ${Math.round(vacuum / 86_400)} days ago; the log has the reason. A restart vacuums it.`;
      },
    },
  ];
}

/** Adds up the sizes of the files in a folder. Files that disappear in the meantime do not count. */
async function readSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
