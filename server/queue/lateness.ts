import type { JobKinds } from './jobs.ts';
import type { Queryable } from '#server/db/database.ts';

type Settings = Readonly<Record<string, { readonly atOnce: number; readonly capacity?: (() => number) | undefined }>>;

/**
 * Returns the seconds that the oldest untried due job has waited. More than a minute means that no worker is running. Ignores jobs for
 * outside systems that do not answer, and workers that run one job at a time, which may have a long backlog.
 */
export async function queueLateness(
  db: Queryable,
  now: Date,
  { workers, kinds }: { readonly workers: Settings; readonly kinds: JobKinds },
): Promise<number> {
  const running = Object.entries(workers).flatMap(([name, { atOnce, capacity }]) =>
    atOnce > 1 && (capacity?.() ?? 1) > 0 ? [name] : [],
  );
  const names = Object.entries(kinds).flatMap(([name, { worker }]) => (running.includes(worker) ? [name] : []));
  const row = await db.queryRow<{ late: number }>(
    `select coalesce(extract(epoch from max($1::timestamptz - due_at)), 0)::float8 as late from private.outbox
     where kind = any($2::text[]) and done_at is null and closed_at is null and tries = 0 and due_at <= $1::timestamptz`,
    [now, names],
  );
  return row?.late ?? 0;
}
