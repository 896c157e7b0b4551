import type { Server } from 'node:http';
import type { Hono } from 'hono';
import { MESSAGE_WORKERS } from './auth/codes/message-queue.ts';
import { isSessionAlive } from './auth/sessions/is-session-alive.ts';
import { createApp } from './app.ts';
import { composeAuth } from './compose-auth.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { currentRequest, noteCaller } from './db/request-scope.ts';
import { createOverload, type Overload } from './http/overload.ts';
import { createBodies, createIdReader, createStore, createWallets, kindsOf } from './start/open-adapters.ts';
import { composeFunctions } from './compose-functions.ts';
import { createBackgroundJobs } from './operations/jobs/background-jobs.ts';
import { sessionTasks } from './operations/jobs/session-tasks.ts';
import { ownJobKinds } from './operations/jobs/all-jobs.ts';
import { type DemoAccount, type DemoRemoval, removeDemoAccounts } from './start/demo-accounts.ts';
import type { Clock, Env, Log, ReadCaller } from './http/caller.ts';
import { createGrantedCaller, ROLE_GRANT, type RoleGrant } from './http/granted-roles.ts';
import { openKeys, type Keys } from './crypto/keys.ts';
import { createReadSender } from './http/bodies/json-sender.ts';
import { createLog } from './http/log.ts';
import { createLimits, deleteFullLimits, type Limit } from './http/limits.ts';
import { createLeasedLimit, takeBatches } from './http/leased-limit.ts';
import { createPolicyReports, POLICY_REPORTS } from './http/metrics/policy-reports.ts';
import { createSite } from './http/site.ts';
import { refuseSuspended } from './http/suspension.ts';
import { createReadCaller, createSessionWatch } from './http/token.ts';
import type { AccessContext } from './operations/access/context.ts';
import type { BookingContext } from './operations/bookings/context.ts';
import { releaseExpiredHolds } from './operations/bookings/release-expired.ts';
import { armFailpoints } from './operations/core/failpoint.ts';
import { workersFor } from './operations/core/jobs.ts';
import { createSingleFlight } from './operations/core/single-flight.ts';
import { createCheckQueue } from './operations/identity/check-queue.ts';
import type { IdentityContext } from './operations/identity/context.ts';
import type { PaymentStatusContext } from './operations/payments/read-status.ts';
import type { ReminderContext } from './operations/mails/reminders.ts';
import { reconcilePayments } from './operations/reconciliation/reconcile-payments.ts';
import { handleDueEvents } from './operations/webhooks/handle-events.ts';
import { guardIdentityChecks, guardIdReader, guardLocks, guardMail, guardPayments } from './providers/guarded.ts';
import { createIgloohomeLocks } from './providers/igloohome/locks.ts';
import { createIgloohomeVerifier } from './providers/igloohome/webhook-signature.ts';
import { readStudioLocks } from './operations/access/studio-locks.ts';
import { createSmtpMail } from './providers/smtp-mail.ts';
import { createStripeIdentity } from './providers/stripe/identity.ts';
import { createStripePayments } from './providers/stripe/payments.ts';
import { ConfigRefused } from './settings/config-refused.ts';
import type { Scheduler } from './queue/scheduler.ts';
import { followBusiness } from './operations/settings/business.ts';
import { createStaffAccounts } from './operations/staff/staff-accounts.ts';
import { measureRealtime, openRealtime } from './realtime/realtime.ts';
import { createRestRouter } from './rest/router.ts';
import { createPictures } from './storage/pictures/pictures.ts';
import { createStorageRouter } from './storage/router.ts';
import { BACKUP_WORKERS, nightlyBackup } from './start/backup/nightly.ts';
import { endClaims } from './start/end-claims.ts';
import { openHealth } from './start/observe/health.ts';
import { machineWarnings } from './start/observe/machine.ts';
import { WARNING_WORKERS, warningJobs } from './start/observe/warnings.ts';
import { openObservers } from './start/observe/observers.ts';
import { openOutside } from './start/observe/outside.ts';
import { keyFaults } from './start/keys/check-keys.ts';
import { renewalTasks } from './start/keys/renew-secrets.ts';
import { createSecrets } from './start/keys/secrets.ts';
import { openPlugs } from './start/open-plugs.ts';
import { type Memory, openDatabase } from './start/open-database.ts';
import { seed } from './start/seed.ts';
import { createSitePages, RENDERER, SITE_FOLDERS } from './start/site-pages.ts';
import { startFaults } from './start/start-checks.ts';

const ROOT = new URL('../', import.meta.url).pathname;
/** Limit for joining the mailing list: the answer reveals whether an address has joined, so probing must be slow. */
const JOIN_LIST: Limit = { name: 'mailing-list', max: 5, seconds: 3600 };

/** The whole server, built but not listening. */
export type App = {
  readonly http: Hono<Env>;
  /** Answers the upgrade requests of the HTTP server that serves `http`. */
  readonly attach: (server: Server) => void;
  /** Refuses new sockets and tells the clients of open ones to connect again. The HTTP server does not end before. */
  readonly disconnect: () => Promise<void>;
  /** Counts a request, or refuses it when too many are in progress. */
  readonly admit: Overload['admit'];
  readonly keys: Keys;
  readonly db: Database;
  readonly log: Log;
  /** Background work: `start` begins the loops, `run` does one round of everything. */
  readonly scheduler: Scheduler;
  /** Sends queued account mails. */
  readonly flushMail: () => Promise<void>;
  readonly demo: readonly DemoAccount[];
  /** Resolves when the embedded database has stopped and could not be reopened. The process must end. */
  readonly broken: Promise<Error>;
  /** Runs `npm run remove-demo`. */
  readonly removeDemoAccounts: () => Promise<DemoRemoval>;
  close(): Promise<void>;
};

/** What tests may replace. `memory`: an embedded database in memory: the image it starts from, or an open one. */
export type Overrides = { readonly clock?: Clock; readonly memory?: Memory; readonly report?: (line: string) => void };

export async function compose(config: Config, overrides: Overrides = {}): Promise<App> {
  const clock = overrides.clock ?? (() => new Date());
  const report = overrides.report ?? (() => undefined);
  const log = createLog(config.logLevel, undefined, currentRequest);
  if (config.failpoints) armFailpoints(config.failpoints);
  const keys = await openKeys(config.dataDir, { ...config.keys, signingKeysFile: config.auth.signingKeysFile });
  const secrets = createSecrets(keys);
  // Closes what was opened, in reverse order, when a later step throws.
  await using opened = new AsyncDisposableStack();
  const observers = await openObservers(config.observe, log);
  opened.defer(() => observers.close());
  const { spans } = observers;
  const broken = Promise.withResolvers<Error>();
  const staffAccounts = createStaffAccounts();
  const database = await openDatabase(config, {
    memory: overrides.memory,
    isStaff: staffAccounts.has,
    report,
    warn: (line) => log.warn({}, line),
    broken: broken.resolve,
  });
  opened.defer(() => database.close());
  const db = observers.watch(database);
  // One process at a time has the embedded database open, so the process that claimed jobs there has ended.
  if (db.kind === 'pglite') await endClaims(db);
  // Holds, payments and access codes go before other work, and so do the limits and sessions that every request reads.
  const [urgent, people] = [db.inClass('urgent'), db.inClass('customer')];
  const demo = await seed({ db, root: ROOT, config, clock, report });
  await staffAccounts.read(db);
  const faults = [...(await keyFaults(db, keys)), ...(await startFaults(db, config))];
  if (faults.length > 0) throw new ConfigRefused(faults);

  const business = await followBusiness(db, (line) => log.warn({}, line), config);
  opened.defer(() => business.close());
  const bodies = createBodies(config.limitFactor);
  const limits = createLimits({ one: urgent.one, clock, factor: config.limitFactor });
  const watch = createSessionWatch((id) => isSessionAlive({ db: urgent, clock, config: config.auth }, id));
  const readerOf = (keyRequired: boolean): ReadCaller =>
    refuseSuspended(createReadCaller({ keys, sessions: watch, clock, keyRequired }), db.suspension, noteCaller);
  const readCaller = readerOf(config.apiKeyRequired);
  const lookUpGrant = async (role: string): Promise<RoleGrant> =>
    (await urgent.one<{ grant: RoleGrant }>(ROLE_GRANT, [role]))?.grant ?? 'unknown';
  // As on hosted Supabase, storage always requires a key, except for public objects.
  const readKeyedCaller = readerOf(true);
  const { metrics, observe, count, circuits, createBreaker } = openOutside({ db: urgent, clock, log, spans });
  const smtp = createSmtpMail({ url: config.smtpUrl, from: config.mailFrom, currentRequest });
  opened.defer(() => smtp.close());
  const mail = guardMail(smtp, circuits.mail);

  const auth = await composeAuth({
    config,
    db: people,
    keys,
    limits,
    watch,
    readCaller,
    mail,
    textCircuit: circuits.texts,
    observe,
    wake: (worker) => queue.wake(worker),
    clock,
    business: business.now,
  });

  const store = await createStore(config, observe);
  const pictures = createPictures();
  opened.defer(() => pictures.close());
  const storage = createStorageRouter({
    db: { ...people, as: db.as, transactionAs: db.transactionAs },
    store,
    pictures,
    clock,
    readCaller: createGrantedCaller(readKeyedCaller, lookUpGrant),
    sizeMax: config.storage.sizeMax,
    openUploads: config.storage.openUploads,
    marks: (text) => keys.hmacs('object-link', text),
    sessionAlive: (sessionId) => watch.alive(sessionId),
  });
  const payments = guardPayments(createStripePayments(config.stripe), circuits.payments);
  const locks = guardLocks(createIgloohomeLocks(config.igloohome), circuits.locks);
  const { plugs, circuits: plugCircuits } = openPlugs(config.plugs, createBreaker);
  const reader = await createIdReader(config, pictures);
  opened.defer(() => reader.close());
  const { links } = secrets;
  const wallets = await createWallets(config.wallet, circuits);
  const answerWithinMs = config.paymentAnswerSeconds * 1000;
  const payment: PaymentStatusContext = {
    db: urgent,
    payments,
    clock,
    log,
    answerWithinMs,
    count,
    settlements: createSingleFlight(),
  };
  const booking: BookingContext = {
    ...payment,
    openings: createSingleFlight(),
    settings: {
      siteUrl: config.siteUrl,
      holdMinutes: config.holdMinutes,
      sessionMinutes: 31,
      answerWithinMs,
      limitFactor: config.limitFactor,
    },
  };
  const lockOf = await readStudioLocks(db, config.igloohome.locks);
  const access: AccessContext = {
    db: urgent,
    locks,
    lockOf,
    encryption: secrets.doorCodes,
    fingerprint: secrets.doorFingerprint,
    clock,
    log,
  };
  const identity: IdentityContext = {
    db: people,
    // The local reader gets no circuit breaker: it is no outside system, and it has a queue and a time limit of its own.
    reader: config.vision === null ? reader : guardIdReader(reader, circuits.reader),
    pictures,
    // A CPU core reads one photo at a time; a remote model reads several.
    queue: createCheckQueue({ atOnce: config.vision === null ? 1 : 4 }),
    checks: config.stripe.hostedChecks
      ? guardIdentityChecks(
          createStripeIdentity({ restrictedKey: config.stripe.restrictedKey, apiUrl: config.stripe.apiUrl }),
          circuits.identity,
        )
      : null,
    store,
    clock,
    siteUrl: config.siteUrl,
  };
  // The same operations as jobs of the server.
  const own = { payment: { ...booking, db }, access: { ...access, db }, identity: { ...identity, db } };
  const ownEvents = { ...own.payment, hostedChecks: own.identity };
  const mails: ReminderContext = {
    db,
    mail,
    texts: config.auth.phoneEnabled ? auth.texts : null,
    access: own.access,
    links,
    clock,
    siteUrl: config.siteUrl,
    business: business.now,
  };
  const alerts = { db, mail, clock, addresses: config.ownerEmails, siteUrl: config.siteUrl, business: business.now };
  const lights = { db, plugs, clock };
  if (config.ownerEmails.length === 0)
    log.warn({}, 'job alerts have no recipient: neither OWNER_EMAIL nor ADMIN_EMAILS is set');
  const nightly = nightlyBackup({ source: { ...config, db, store }, backup: config.backup, clock, metrics });
  const warnings = warningJobs(machineWarnings({ ...config, db }), { db, clock });
  const { queue, scheduler } = createBackgroundJobs({
    scope: observers.jobScope,
    db,
    clock,
    log,
    workers: { ...workersFor(wallets), ...MESSAGE_WORKERS, ...BACKUP_WORKERS, ...WARNING_WORKERS },
    releaseExpiredHolds: (stop) => releaseExpiredHolds(own.payment, stop),
    reconcilePayments: () => reconcilePayments(ownEvents),
    alerts,
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
    kinds: {
      ...auth.jobKinds,
      ...nightly.kinds,
      ...warnings.kinds,
      ...ownJobKinds({ mails, alerts, ...own, lights, passes: { ...own.payment, links, wallets } }),
    },
    tasks: [
      { name: 'handle stored webhooks', everyMs: 1_000, run: () => handleDueEvents(ownEvents) },
      { name: 'delete expired sign-in data', everyMs: 5_000, run: () => auth.cleanup() },
      { name: 'read the staff accounts', everyMs: 10_000, everywhere: true, run: () => staffAccounts.read(db) },
      { name: 'delete full rate limits', everyMs: 10_000, run: () => deleteFullLimits(db, clock()) },
      ...nightly.tasks,
      ...warnings.tasks,
      ...renewalTasks(keys, { db, log }),
      ...sessionTasks({ ...own, lights, mails }, config),
      { name: 'delete unreferenced files', everyMs: 5_000, run: () => storage.cleanup() },
    ],
  });
  const functions = composeFunctions({
    checked: !config.production,
    readCaller,
    limits,
    bodies,
    clock,
    account: auth.account,
    booking,
    payment,
    events: { ...payment, hostedChecks: identity },
    access,
    identity,
    staff: { db: urgent, developerPages: config.developerPages },
    links,
    wallets,
    power: { db: urgent, plugs },
    verifyLockWebhook: createIgloohomeVerifier({
      publicKeys: config.igloohome.webhookKeys,
      webhookUrl: `${config.siteUrl}/functions/v1/igloohome-webhook`,
      observe,
    }),
    drain: () => queue.run(),
  });
  const realtime = await openRealtime({
    db: db.inClass('server'),
    settings: config.realtime,
    tokens: keys,
    bodies,
    sessionAlive: watch.alive,
    trustedProxies: config.trustedProxies,
    siteUrl: config.siteUrl,
    clock,
    log,
  });
  opened.defer(() => realtime.close());
  measureRealtime(metrics, realtime);
  const overload = createOverload(config.requestsAtOnce);
  const { dataDir, siteUrl } = config;
  const health = await openHealth({ metrics, db, clock, log, dataDir, queue, overload, circuits, plugs: plugCircuits });
  opened.defer(() => health.stop());
  const ofPages = { siteUrl, captcha: config.auth.captcha?.provider ?? null };
  const ofSite = { ...ofPages, anonKey: keys.anonKey, wallets: kindsOf(wallets), contact: business.now, clock };
  const site = createSite({ ...SITE_FOLDERS, ...ofSite });
  const pages = createSitePages({
    folder: RENDERER,
    content: () => ({ settings: business.now(), rooms: business.rooms() }),
    show: site.show,
    warn: (line) => log.warn({}, line),
  });
  business.onChange(() => {
    void pages.render();
    // On failure the last locks stay; the next change reads them again.
    void readStudioLocks(db, config.igloohome.locks, lockOf).catch(() => log.warn({}, 'the locks could not be read'));
  });
  await pages.render();
  const app = createApp({
    settings: {
      log,
      accessLog: config.accessLog,
      trustedProxies: config.trustedProxies,
      ...ofPages,
      hsts: config.hsts,
      bodies: bodies.small,
      json: { budget: bodies.perMinute, readSender: createReadSender(keys, clock) },
      observe: metrics.observe,
      scope: observers.requestScope,
    },
    auth: auth.router,
    rest: createRestRouter({
      db,
      readCaller: createGrantedCaller(readCaller, lookUpGrant),
      settings: config.rest,
      url: `${config.siteUrl}/rest/v1`,
      admitInsert: async (table, ip) => (table === 'mailing_list' ? limits(JOIN_LIST, `ip:${ip}`) : null),
      admitGuest: createLeasedLimit({
        limit: { name: 'rest-guest', max: config.rest.guestPerMinute, seconds: 60 },
        take: takeBatches({ one: urgent.one, clock, factor: config.limitFactor }),
        clock,
      }),
      warn: (line) => log.warn({}, line),
    }).router,
    storage: storage.router,
    realtime: realtime.router,
    functions,
    policyReports: createPolicyReports({ admit: (ip) => limits(POLICY_REPORTS, `ip:${ip}`), metrics }),
    site: site.router,
    ...health,
    metrics: () => metrics.text(),
    metricsToken: config.metricsToken,
  });

  const resources = opened.move();
  return {
    http: app,
    attach: (server) => realtime.attach(server),
    disconnect: () => realtime.disconnect(),
    admit: overload.admit,
    keys,
    db,
    log,
    scheduler,
    flushMail: async () => void (await queue.run(Object.keys(MESSAGE_WORKERS))),
    demo,
    broken: broken.promise,
    removeDemoAccounts: () => removeDemoAccounts(db),
    close: () => resources.disposeAsync(),
  };
}
