import { statfs } from 'node:fs/promises';
import type { Log } from '../caller.ts';
import type { Queryable } from '#server/db/database.ts';

/** A dependency that the server needs to answer requests. `run` resolves to false, or rejects, while the dependency is missing. */
export type ReadinessCheck = { readonly name: string; readonly run: () => Promise<boolean> };
type CheckResult = 'ok' | 'failed';
type Outcome = { readonly result: CheckResult; readonly error?: unknown };
export type Readiness = { readonly ready: boolean; readonly checks: Readonly<Record<string, CheckResult>> };

/** How long an answer is cached, because anyone may ask and a check writes to the database. */
const CACHE_MS = 2_000;
const CHECK_TIMEOUT_MS = 3_000;
/** With less free space than this, the database or an upload may fail at any moment. */
const DISK_MIN_BYTES = 50 * 1024 * 1024;

/** Returns the function that answers /readyz. Concurrent callers share one round of checks; a change of a result is logged. */
export function createReadiness({
  checks,
  log,
  cacheMs = CACHE_MS,
}: {
  readonly checks: readonly ReadinessCheck[];
  readonly log: Log;
  readonly cacheMs?: number;
}): () => Promise<Readiness> {
  let cached: { readonly at: number; readonly readiness: Promise<Readiness> } | null = null;
  const failing = new Set<string>();
  const note = (name: string, { result, error }: Outcome): void => {
    if (result === 'failed' && !failing.has(name))
      log.error({ check: name, err: error }, 'the server is not ready because a check failed');
    if (result === 'ok' && failing.has(name)) log.info({ check: name }, 'the server is ready again');
    if (result === 'failed') failing.add(name);
    else failing.delete(name);
  };
  const round = async (): Promise<Readiness> => {
    const outcomes = await Promise.all(checks.map(async (check) => [check.name, await runCheck(check)] as const));
    for (const [name, outcome] of outcomes) note(name, outcome);
    return {
      ready: outcomes.every(([, { result }]) => result === 'ok'),
      checks: Object.fromEntries(outcomes.map(([name, { result }]) => [name, result])),
    };
  };
  return () => {
    if (!cached || performance.now() - cached.at >= cacheMs) cached = { at: performance.now(), readiness: round() };
    return cached.readiness;
  };
}

async function runCheck({ run }: ReadinessCheck): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    const error = new Error(`no result within ${CHECK_TIMEOUT_MS} ms`);
    timer = setTimeout(() => resolve({ result: 'failed', error }), CHECK_TIMEOUT_MS);
  });
  const outcome = run().then(
    (fine): Outcome => ({ result: fine ? 'ok' : 'failed' }),
    (error: unknown): Outcome => ({ result: 'failed', error }),
  );
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Checks that the database answers, accepts writes, and has every migration of this program. `migrations`: their names. */
export function databaseChecks(db: Queryable, migrations: readonly string[]): readonly ReadinessCheck[] {
  return [
    { name: 'database', run: async () => (await db.query('select 1')).count === 1 },
    {
      // Only a real write shows that the disk is full or that the database has become read-only.
      name: 'writable',
      run: async () => {
        const { count } = await db.query(
          `insert into private.settings (name, value) values ('readiness', to_jsonb(now()))
           on conflict (name) do update set value = excluded.value`,
        );
        return count === 1;
      },
    },
    {
      name: 'migrations',
      run: async () => {
        const row = await db.queryRow<{ n: number }>(
          'select count(*)::int as n from private.migrations where name = any($1::text[])',
          [migrations],
        );
        return row?.n === migrations.length;
      },
    },
  ];
}

/** Returns the free and total bytes of the disk that holds a folder. */
export async function readDiskSpace(folder: string): Promise<{ readonly free: number; readonly size: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

export function diskCheck(folder: string): ReadinessCheck {
  return { name: 'disk', run: async () => (await readDiskSpace(folder)).free >= DISK_MIN_BYTES };
}
