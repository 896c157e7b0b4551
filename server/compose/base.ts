import { endClaims } from '#server/start/end-claims.ts';
import { openKeys } from '#server/crypto/keys.ts';
import { currentRequest } from '#server/db/request-scope.ts';
import type { Clock } from '#server/http/caller.ts';
import { createLog } from '#server/http/log.ts';
import { armFailpoints } from '#server/operations/core/failpoint.ts';
import type { MailTransport } from '#server/providers/smtp-mail.ts';
import type { IdReader, ObjectStore } from '#server/providers/ports.ts';
import type { CreateWorker } from '#server/db/engine/engine-thread.ts';
import { followBusiness } from '#server/operations/settings/business.ts';
import { createStaffAccounts } from '#server/operations/staff/staff-accounts.ts';
import { ConfigRefused } from '#server/config/config-refused.ts';
import type { Config } from '#server/config/operating/config.ts';
import { keyFaults } from '#server/start/keys/check-keys.ts';
import { createSecrets } from '#server/start/keys/secrets.ts';
import { openObservers } from '#server/start/observe/observers.ts';
import { type Memory, openDatabase } from '#server/start/open-database.ts';
import type { Pictures } from '#server/storage/pictures/pictures.ts';
import { seed } from '#server/start/seed.ts';
import { startFaults } from '#server/start/start-checks.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Dependencies that tests and simulations may replace. */
export type Overrides = {
  readonly clock?: Clock;
  /** An embedded database in memory, given as an image to start from or as an open database. */
  readonly memory?: Memory;
  readonly report?: (line: string) => void;
  /** Runs the embedded engine elsewhere than in a worker thread. */
  readonly createWorker?: CreateWorker;
  /** Makes the requests of the payment provider's SDK. All other requests use the global `fetch`. */
  readonly fetch?: typeof fetch;
  readonly mailTransport?: MailTransport;
  readonly store?: ObjectStore;
  /** Replace the processes that decode pictures and read licences. */
  readonly pictures?: Pictures;
  readonly idReader?: IdReader;
};

export type Base = Awaited<ReturnType<typeof openBase>>;

/** Opens the parts that all others need: log, keys, the migrated database and the settings of the business. Throws `ConfigRefused`. */
export async function openBase(config: Config, overrides: Overrides, opened: AsyncDisposableStack) {
  const clock = overrides.clock ?? (() => new Date());
  const report = overrides.report ?? (() => undefined);
  const log = createLog(config.logLevel, undefined, currentRequest);
  if (config.failpoints) armFailpoints(config.failpoints);
  const keys = await openKeys(config.dataDir, { ...config.keys, signingKeysFile: config.auth.signingKeysFile });
  const secrets = createSecrets(keys);
  const observers = await openObservers(config.observe, log);
  opened.defer(() => observers.close());
  const broken = Promise.withResolvers<Error>();
  const staffAccounts = createStaffAccounts();
  const warn = (line: string): void => log.warn({}, line);
  const database = await openDatabase(config, {
    memory: overrides.memory,
    isStaff: staffAccounts.has,
    report,
    warn,
    broken: broken.resolve,
    createWorker: overrides.createWorker,
  });
  opened.defer(() => database.close());
  const db = observers.watch(database);
  // Only one process at a time has the embedded database open, so a process that claimed jobs in it has ended.
  if (db.kind === 'pglite') await endClaims(db);
  const demo = await seed({ db, root: ROOT, config, clock, report });
  await staffAccounts.read(db);
  const faults = [...(await keyFaults(db, keys)), ...(await startFaults(db, config))];
  if (faults.length > 0) throw new ConfigRefused(faults);
  const business = await followBusiness(db, warn, config);
  opened.defer(() => business.close());
  return {
    overrides,
    clock,
    log,
    warn,
    keys,
    secrets,
    observers,
    staffAccounts,
    broken: broken.promise,
    demo,
    business,
    db,
    // Holds, payments and access codes take precedence over other work, as do the limits and sessions that every request reads.
    urgent: db.inClass('urgent'),
    people: db.inClass('customer'),
  };
}
