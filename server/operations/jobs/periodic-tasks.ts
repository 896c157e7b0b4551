import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Task } from '#server/queue/scheduler.ts';
import { type JobAlerts, queueJobAlerts } from './job-alerts.ts';

const RECONCILE_EVERY = '5 minutes';
/** How soon a failed reconciliation is tried again. */
const RECONCILE_RETRY_MS = 30_000;

type Context = {
  readonly db: Database;
  readonly clock: Clock;
  /** Stops after the holds in progress when `stop` returns true. */
  readonly releaseExpiredHolds: (stop: () => boolean) => Promise<unknown>;
  readonly reconcilePayments: () => Promise<unknown>;
  readonly alerts: JobAlerts;
  /** Whether the payment provider is known to be down. */
  readonly paymentsDown: () => boolean;
};

/** Lists the periodic tasks of the business: expired holds, lost webhooks, alerts about failing jobs. */
export function periodicTasks(context: Context): readonly Task[] {
  const { db, clock, releaseExpiredHolds, paymentsDown, alerts } = context;
  return [
    {
      name: 'release expired holds',
      everyMs: 1_000,
      // While the provider is down, holds keep their hours.
      run: (stop) => releaseExpiredHolds(() => stop() || paymentsDown()),
    },
    {
      name: 'follow the prices of the day',
      everyMs: 60_000,
      run: () => db.query('select private.update_hourly_rates($1::timestamptz)', [clock()]),
    },
    {
      name: 'delete unused photos',
      everyMs: 600_000,
      run: () => db.query('select private.delete_unused_photos($1::timestamptz)', [clock()]),
    },
    {
      name: 'forget the buyers whose tax records have ended',
      everyMs: 3_600_000,
      run: () => db.query('select private.forget_buyers($1::timestamptz)', [clock()]),
    },
    {
      name: 'forget the crews of past sessions',
      everyMs: 3_600_000,
      run: () => db.query('select private.forget_crews($1::timestamptz)', [clock()]),
    },
    {
      name: 'forget the passes of past sessions',
      everyMs: 3_600_000,
      run: () => db.query('select private.forget_passes($1::timestamptz)', [clock()]),
    },
    { name: 'reconcile payments', everyMs: 5_000, run: () => reconcile(context) },
    { name: 'alert the owner to failing jobs', everyMs: 5_000, stage: 1, run: () => queueJobAlerts(alerts) },
  ];
}

/** Settles payments whose webhooks were lost, in one process at a time; tries again soon after a failure. */
async function reconcile({ db, clock, reconcilePayments }: Context): Promise<void> {
  const lease = await db.one<{ taken: boolean }>(
    `select private.take_lease('reconcile', $1::timestamptz, '${RECONCILE_EVERY}'::interval) as taken`,
    [clock()],
  );
  if (lease?.taken !== true) return;
  try {
    await reconcilePayments();
  } catch (error) {
    await db.query(`update private.lease set until = $1::timestamptz where name = 'reconcile'`, [
      new Date(clock().getTime() + RECONCILE_RETRY_MS),
    ]);
    throw error;
  }
}
