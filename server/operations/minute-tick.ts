import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Outbox } from './outbox.ts';
import type { PaymentDesk } from './payments/desk.ts';

export type Tick = {
  /** One round of everything that must happen by itself. Safe to call at any time, from any number of processes. */
  run(): Promise<void>;
};

const JOBS_PER_ROUND = 50;
const RECONCILE_EVERY = '5 minutes';

/** Unpaid holds, paid sessions nobody told us of, due jobs, old files: each by itself, so that one failure stops nothing else. */
export function createTick(parts: {
  db: Database;
  desk: PaymentDesk;
  outbox: Outbox;
  sweeps: readonly (() => Promise<void>)[];
  clock: Clock;
  log: Log;
}): Tick {
  const { db, desk, outbox, sweeps, clock, log } = parts;
  async function guarded(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error(
        { step: name, reason: error instanceof Error ? error.message : String(error) },
        'a step of the tick failed',
      );
    }
  }
  return {
    async run() {
      await guarded('outbox', () => outbox.drain(JOBS_PER_ROUND));
      await guarded('holds', () => desk.releaseExpired());
      await guarded('reconcile', async () => {
        const mine = await db.one<{ taken: boolean }>(
          `select private.take_lease('reconcile', $1::timestamptz, '${RECONCILE_EVERY}'::interval) as taken`,
          [clock()],
        );
        if (mine?.taken) await desk.reconcile();
      });
      await guarded('limits', () =>
        db.query(`delete from private.rate_bucket where full_at < $1::timestamptz`, [clock()]),
      );
      for (const sweep of sweeps) await guarded('sweep', sweep);
    },
  };
}
