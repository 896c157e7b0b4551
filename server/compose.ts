import type { Server } from 'node:http';
import type { Hono } from 'hono';
import { createApp } from './app.ts';
import { MESSAGE_WORKERS } from './auth/codes/message-queue.ts';
import { composeAuth, type ComposedAuth } from './compose/auth.ts';
import { type Base, openBase, type Overrides } from './compose/base.ts';
import { openFiles } from './compose/files.ts';
import { composeFunctions } from './compose/functions.ts';
import { openJobs } from './compose/jobs.ts';
import { openProviders, type Outside } from './compose/outside.ts';
import { openRequests, type Requests } from './compose/requests.ts';
import { openServices } from './compose/services.ts';
import { openSite } from './compose/site.ts';
import type { Config } from './config.ts';
import type { Keys } from './crypto/keys.ts';
import type { Database } from './db/database.ts';
import { createReadSender } from './http/bodies/json-sender.ts';
import type { Env, Log } from './http/caller.ts';
import { createLeasedLimit, takeBatches } from './http/leased-limit.ts';
import type { Limit } from './http/limits.ts';
import { createPolicyReports, POLICY_REPORTS } from './http/metrics/policy-reports.ts';
import type { MiddlewareOptions } from './http/middleware.ts';
import { createOverload, type Overload } from './http/overload.ts';
import type { Services } from './operations/core/services.ts';
import { createIgloohomeVerifier } from './providers/igloohome/webhook-signature.ts';
import type { Queue } from './queue/queue.ts';
import type { Scheduler } from './queue/scheduler.ts';
import { measureRealtime, openRealtime } from './realtime/realtime.ts';
import { createRestRouter } from './rest/router.ts';
import { type DemoAccount, type DemoRemoval, removeDemoAccounts } from './start/demo-accounts.ts';
import { openHealth } from './start/observe/health.ts';

export type { Overrides };

/** Limit for joining the mailing list. The answer reveals whether an address has joined, so probing must be slow. */
const JOIN_LIST: Limit = { name: 'mailing-list', max: 5, seconds: 3600 };

/** The complete server, which is not listening yet. */
export type App = {
  readonly http: Hono<Env>;
  /** Answers the upgrade requests of the HTTP server that serves `http`. */
  readonly attach: (server: Server) => void;
  /** Refuses new sockets and tells the clients of open ones to connect again. The HTTP server does not end until its sockets have ended. */
  readonly disconnect: () => Promise<void>;
  /** Counts a request, or refuses it if too many are in progress. */
  readonly admit: Overload['admit'];
  readonly keys: Keys;
  readonly db: Database;
  readonly log: Log;
  /** The background work. `start` begins the loops; `run` does one round of every task. */
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

/** Opens each part of the server in turn. The names of the functions say which part. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<App> {
  // If a later step throws, the stack closes the opened parts in reverse order.
  await using opened = new AsyncDisposableStack();
  const base = await openBase(config, overrides, opened);
  const requests = openRequests(config, base);
  const outside = openProviders(config, base, opened);
  const auth = await openAuth(config, base, requests, outside, (worker) => jobs.queue.wake(worker));
  const files = await openFiles(config, base, requests, outside, opened);
  const { services, studioLocks, plugCircuits } = await openServices(config, base, outside, files, auth, opened);
  const jobs = openJobs(config, base, outside, files, auth, services);
  const functions = openFunctions(config, base, requests, outside, services, jobs.queue);
  const realtime = await openRealtimeApi(config, base, requests, outside, opened);
  const overload = createOverload(config.requestsAtOnce);
  const { metrics, circuits } = outside;
  const { db, clock, log, keys } = base;
  const health = await openHealth({
    metrics,
    db,
    clock,
    log,
    dataDir: config.dataDir,
    queue: jobs.queue,
    overload,
    circuits,
    plugs: plugCircuits,
  });
  opened.defer(() => health.stop());
  const site = await openSite(config, base, services, studioLocks);
  const app = createApp({
    settings: readMiddlewareSettings(config, base, requests, outside),
    auth: auth.router,
    rest: openRest(config, base, requests),
    storage: files.storage.router,
    realtime: realtime.router,
    functions,
    policyReports: createPolicyReports({ admit: (ip) => requests.limits(POLICY_REPORTS, `ip:${ip}`), metrics }),
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
    scheduler: jobs.scheduler,
    flushMail: async () => void (await jobs.queue.run(Object.keys(MESSAGE_WORKERS))),
    demo: base.demo,
    broken: base.broken,
    removeDemoAccounts: () => removeDemoAccounts(db),
    close: () => resources.disposeAsync(),
  };
}

/** Opens `/auth/v1`. `wake` makes a worker look for due jobs immediately. */
function openAuth(
  config: Config,
  { people: db, keys, clock, business }: Base,
  { limits, watch, readCaller }: Requests,
  { mail, circuits, observe }: Outside,
  wake: (worker: string) => void,
): Promise<ComposedAuth> {
  return composeAuth({
    config,
    db,
    keys,
    limits,
    watch,
    readCaller,
    mail,
    textCircuit: circuits.texts,
    observe,
    wake,
    clock,
    business: business.now,
  });
}

function openFunctions(
  config: Config,
  { people }: Base,
  { readCaller, limits, bodies }: Requests,
  { observe }: Outside,
  services: Services,
  queue: Queue,
): Hono<Env> {
  const verifyLockWebhook = createIgloohomeVerifier({
    publicKeys: config.igloohome.webhookKeys,
    webhookUrl: `${config.siteUrl}/functions/v1/igloohome-webhook`,
    observe,
  });
  return composeFunctions(
    { ...services, customerClass: { ...services, db: people }, verifyLockWebhook, drain: () => queue.run() },
    { checked: !config.production, readCaller, limits, bodies },
  );
}

/** Opens `/realtime/v1` with its metrics. */
async function openRealtimeApi(
  config: Config,
  { db, keys, clock, log }: Base,
  { bodies, watch }: Requests,
  { metrics }: Outside,
  opened: AsyncDisposableStack,
): ReturnType<typeof openRealtime> {
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
  return realtime;
}

function openRest(config: Config, { db, urgent, clock, warn }: Base, { readGranted, limits }: Requests): Hono<Env> {
  return createRestRouter({
    db,
    readCaller: readGranted,
    settings: config.rest,
    url: `${config.siteUrl}/rest/v1`,
    admitInsert: async (table, ip) => (table === 'mailing_list' ? limits(JOIN_LIST, `ip:${ip}`) : null),
    admitGuest: createLeasedLimit({
      limit: { name: 'rest-guest', max: config.rest.guestPerMinute, seconds: 60 },
      take: takeBatches({ queryRow: urgent.queryRow, clock, factor: config.limitFactor }),
      clock,
    }),
    warn,
  }).router;
}

function readMiddlewareSettings(
  config: Config,
  { log, keys, clock, observers }: Base,
  { bodies }: Requests,
  { metrics }: Outside,
): MiddlewareOptions {
  return {
    log,
    accessLog: config.accessLog,
    trustedProxies: config.trustedProxies,
    siteUrl: config.siteUrl,
    captcha: config.auth.captcha?.provider ?? null,
    hsts: config.hsts,
    bodies: bodies.small,
    json: { budget: bodies.perMinute, readSender: createReadSender(keys, clock) },
    observe: metrics.observe,
    scope: observers.requestScope,
  };
}
