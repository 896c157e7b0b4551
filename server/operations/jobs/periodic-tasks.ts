import type { Task } from '#server/queue/scheduler.ts';
import { callSql } from '../core/call-sql.ts';
import { queueJobAlerts } from './job-alerts.ts';
import type { Services } from '../core/services.ts';

const RECONCILE_EVERY = '5 minutes';
/** Delay before a failed reconciliation is repeated. */
const RECONCILE_RETRY_MS = 30_000;

type PaymentTasks = {
  /** Stops after the holds in progress when `stop` returns true. */
  readonly releaseExpiredHolds: (stop: () => boolean) => Promise<unknown>;
  readonly reconcilePayments: () => Promise<unknown>;
  /** Returns whether the payment provider is known to be down. */
  readonly paymentsDown: () => boolean;
};

/** Lists the periodic tasks of the business, such as releasing expired holds, recovering lost webhooks and raising alerts about failing jobs. */
export function periodicTasks(services: Services, tasks: PaymentTasks): readonly Task[] {
  const { db, clock } = services;
  return [
    {
      name: 'release expired holds',
      everyMs: 1_000,
      // While the provider is down, holds are not released.
      run: (stop) => tasks.releaseExpiredHolds(() => stop() || tasks.paymentsDown()),
    },
    {
      name: 'follow the prices of the day',
      everyMs: 60_000,
      run: () => callSql(db, 'update_hourly_rates', { p_now: clock() }),
    },
    {
      name: 'delete unused photos',
      everyMs: 600_000,
      run: () => callSql(db, 'delete_unused_photos', { p_now: clock() }),
    },
    {
      name: 'forget the buyers whose tax records have ended',
      everyMs: 3_600_000,
      run: () => callSql(db, 'forget_buyers', { p_now: clock() }),
    },
    {
      name: 'forget the crews of past sessions',
      everyMs: 3_600_000,
      run: () => callSql(db, 'forget_crews', { p_now: clock() }),
    },
    {
      name: 'forget the passes of past sessions',
      everyMs: 3_600_000,
      run: () => callSql(db, 'forget_passes', { p_now: clock() }),
    },
    { name: 'reconcile payments', everyMs: 5_000, run: () => reconcile(services, tasks) },
    { name: 'alert the owner to failing jobs', everyMs: 5_000, stage: 1, run: () => queueJobAlerts(services) },
  ];
}

/** Settles payments whose webhooks were lost, in one process at a time. Retries soon after a failure. */
async function reconcile({ db, clock }: Services, { reconcilePayments }: PaymentTasks): Promise<void> {
  const taken = await callSql(db, 'take_lease', { p_name: 'reconcile', p_now: clock(), p_every: RECONCILE_EVERY });
  if (taken !== true) return;
  try {
    await reconcilePayments();
  } catch (error) {
    await db.query(`update private.lease set until = $1::timestamptz where name = 'reconcile'`, [
      new Date(clock().getTime() + RECONCILE_RETRY_MS),
    ]);
    throw error;
  }
}
