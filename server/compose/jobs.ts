import { MESSAGE_WORKERS } from '#server/auth/codes/message-queue.ts';
import { deleteFullLimits } from '#server/http/limits.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { workersFor } from '#server/operations/core/jobs.ts';
import type { Services } from '#server/operations/core/services.ts';
import { ownJobKinds } from '#server/operations/jobs/all-jobs.ts';
import { createBackgroundJobs } from '#server/operations/jobs/background-jobs.ts';
import { sessionTasks } from '#server/operations/jobs/session-tasks.ts';
import { reconcilePayments } from '#server/operations/reconciliation/reconcile-payments.ts';
import { handleDueEvents } from '#server/operations/webhooks/handle-events.ts';
import type { Queue } from '#server/queue/queue.ts';
import type { Scheduler } from '#server/queue/scheduler.ts';
import type { Config } from '#server/config/operating/config.ts';
import { BACKUP_WORKERS, nightlyBackup } from '#server/start/backup/nightly.ts';
import { renewalTasks } from '#server/start/keys/renew-secrets.ts';
import { machineWarnings } from '#server/start/observe/machine.ts';
import { WARNING_WORKERS, warningJobs } from '#server/start/observe/warnings.ts';
import type { ComposedAuth } from './auth.ts';
import type { Base } from './base.ts';
import type { Files } from './files.ts';
import type { Outside } from './outside.ts';

/** Opens the queue with the jobs of all parts, and the scheduler with their periodic tasks. */
export function openJobs(
  config: Config,
  { db, clock, log, keys, observers, staffAccounts }: Base,
  { metrics, circuits }: Outside,
  { store, storage }: Files,
  auth: ComposedAuth,
  services: Services,
): { queue: Queue; scheduler: Scheduler } {
  // Jobs use the same services, but their statements run in the class of the server's own work.
  const own = { ...services, db };
  if (config.ownerEmails.length === 0) log.warn({}, 'job alerts have no recipient; set OWNER_EMAIL or ADMIN_EMAILS');
  const nightly = nightlyBackup({ source: { ...config, db, store }, backup: config.backup, clock, metrics });
  const warnings = warningJobs(machineWarnings({ ...config, db }), { db, clock });
  return createBackgroundJobs(own, {
    scope: observers.jobScope,
    workers: { ...workersFor(own.wallets), ...MESSAGE_WORKERS, ...BACKUP_WORKERS, ...WARNING_WORKERS },
    releaseExpiredHolds: (stop) => releaseExpiredHolds(own, stop),
    reconcilePayments: () => reconcilePayments(own),
    circuits: {
      payments: circuits.payments,
      locks: circuits.locks,
      mail: circuits.mail,
      alerts: circuits.mail,
      campaigns: circuits.mail,
      'account-mails': circuits.mail,
      'account-texts': circuits.texts,
      texts: circuits.texts,
      'apple-passes': circuits.applePush,
      'google-passes': circuits.googleWallet,
    },
    kinds: { ...auth.jobKinds, ...nightly.kinds, ...warnings.kinds, ...ownJobKinds(own) },
    tasks: [
      { name: 'handle stored webhooks', everyMs: 1_000, run: () => handleDueEvents(own) },
      { name: 'delete expired sign-in data', everyMs: 5_000, run: () => auth.cleanup() },
      { name: 'read the staff accounts', everyMs: 10_000, everywhere: true, run: () => staffAccounts.read(db) },
      { name: 'delete full rate limits', everyMs: 10_000, run: () => deleteFullLimits(db, clock()) },
      ...nightly.tasks,
      ...warnings.tasks,
      ...renewalTasks(keys, { db, log }),
      ...sessionTasks(own, config),
      { name: 'delete unreferenced files', everyMs: 5_000, run: () => storage.cleanup() },
    ],
  });
}
