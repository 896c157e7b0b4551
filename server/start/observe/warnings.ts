import { studioDate } from '#rules/studio-time.ts';
import type { Database, Queryable } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { enqueue, type JobKinds } from '#server/queue/jobs.ts';
import type { Task } from '#server/queue/scheduler.ts';

/** A fault of the machine that the operator must mend. `read` returns the fault in one sentence, or null. */
export type Warning = { readonly name: string; readonly read: () => Promise<string | null> };

const KIND = 'system.warning';
const NOBODY = '00000000-0000-0000-0000-000000000000';
const EVERY_MS = 15 * 60_000;

/** Warnings have a separate worker, because a backup that hangs must not delay them. */
export const WARNING_WORKERS = { warnings: { atOnce: 4 } } as const;

/**
 * Runs warnings as jobs that fail while the fault lasts: the owner is emailed from the third failure on and then once a day, and staff see
 * them among the failing jobs. They end when the fault is mended.
 */
export function warningJobs(
  warnings: readonly Warning[],
  { db, clock }: { readonly db: Database; readonly clock: Clock },
): { readonly kinds: JobKinds; readonly tasks: readonly Task[] } {
  const byName = new Map(warnings.map((warning) => [warning.name, warning]));
  return {
    kinds: {
      [KIND]: {
        worker: 'warnings',
        // The job deletes its row when it is done, so that the row does not block the next warning.
        deletes: true,
        async handle(job) {
          const wrong = await byName.get(String(job.payload['name']))?.read();
          if (wrong) throw new Error(wrong);
          return 'done';
        },
      },
    },
    tasks: [
      {
        name: 'look for what a person has to mend',
        everyMs: EVERY_MS,
        async run() {
          for (const { name, read } of warnings) {
            if ((await read()) === null || (await isOpen(db, name))) continue;
            const now = clock();
            // If a member of staff closes the job of a warning, it returns the next day.
            const dedupe = `${name}:${studioDate(now)}`;
            await enqueue(db, { kind: KIND, subjectId: NOBODY, dedupe, payload: { name }, dueAt: now });
          }
        },
      },
    ],
  };
}

async function isOpen(db: Queryable, name: string): Promise<boolean> {
  const row = await db.queryRow(
    `select from private.outbox where kind = $1 and payload ->> 'name' = $2 and done_at is null and closed_at is null`,
    [KIND, name],
  );
  return row !== null;
}
