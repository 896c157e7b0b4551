import { join } from 'node:path';
import type { Hono } from 'hono';
import pino from 'pino';
import { createAliveQuestion } from './auth/sessions/sessions.ts';
import { createApp } from './app.ts';
import { composeAuth } from './compose-auth.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { lockDirectory } from './db/directory-lock.ts';
import { readMigrations } from './db/migrate.ts';
import { openEmbedded, openPostgres } from './db/open.ts';
import { composeFunctions } from './compose-functions.ts';
import type { Clock, Env, Log } from './http/caller.ts';
import { createGrantedCaller, ROLE_GRANT, type RoleGrant } from './http/granted-roles.ts';
import { openKeys, type Keys } from './http/keys.ts';
import { createLimits, type Limit } from './http/limits.ts';
import { createMetrics } from './http/metrics.ts';
import { createSite } from './http/site.ts';
import { createReadCaller, createSessionWatch } from './http/token.ts';
import { createAccessCodes } from './operations/access-codes.ts';
import { createBookingMails } from './operations/booking-mails.ts';
import { createBookings } from './operations/bookings.ts';
import { createCouponGuesses } from './operations/bookings/coupon-guesses.ts';
import { armFailpoints } from './operations/failpoint.ts';
import { createIdentity } from './operations/identity.ts';
import { createTick, type Tick } from './operations/minute-tick.ts';
import { createOutbox } from './operations/outbox.ts';
import { createPaymentDesk } from './operations/payments.ts';
import { createPeople } from './operations/people.ts';
import { createPowerControl } from './operations/power.ts';
import { createLinkSigner, createSealer } from './operations/seal.ts';
import { createTestPins } from './operations/test-pins.ts';
import { createWebhookInbox } from './operations/webhooks.ts';
import { createDiskStore } from './providers/disk-store.ts';
import { createIgloohomeLocks, createIgloohomeVerifier } from './providers/igloohome-locks.ts';
import { createOcrIdReader } from './providers/ocr-id-reader.ts';
import type { IdReader, ObjectStore } from './providers/ports.ts';
import { createShellyPower } from './providers/shelly-power.ts';
import { createSmtpMail } from './providers/smtp-mail.ts';
import { createStripeIdentity } from './providers/stripe-identity.ts';
import { createStripePayments } from './providers/stripe-payments.ts';
import { createRealtimeDoor } from './realtime/realtime-door.ts';
import { createRestDoor } from './rest/rest-door.ts';
import { createPictures } from './storage/pictures/pictures.ts';
import { createStorageDoor } from './storage/storage-door.ts';
import { type DemoAccount, seed } from './seed.ts';

const ROOT = new URL('../', import.meta.url).pathname;
/** Joining tells whether an address is on the list already (spec section 8), so it may not be tried often (promises, doors of section 1). */
const JOIN_LIST: Limit = { name: 'mailing-list', max: 5, seconds: 3600 };

/** The whole server, put together but not listening. */
export type House = {
  readonly app: Hono<Env>;
  readonly keys: Keys;
  readonly db: Database;
  readonly log: Log;
  readonly tick: Tick;
  /** Sends account mails that wait. */
  readonly flushMail: () => Promise<void>;
  readonly demo: readonly DemoAccount[];
  close(): Promise<void>;
};

/** What tests may replace. `memory`: an embedded database that is gone with the process, and what it begins as. */
export type Overrides = { readonly clock?: Clock; readonly memory?: Blob; readonly say?: (line: string) => void };

export async function compose(config: Config, overrides: Overrides = {}): Promise<House> {
  const clock = overrides.clock ?? (() => new Date());
  const say = overrides.say ?? (() => undefined);
  const log = createLog(config.logLevel);
  if (config.failpoints) armFailpoints(config.failpoints);
  const keys = await openKeys(config.dataDir, config.jwtSecret, config.auth.signingKeysFile);
  const unlock = config.databaseUrl === null && !overrides.memory ? await lockDirectory(config.dataDir) : null;
  const db = await openDatabase(config, overrides.memory, say, log);
  const demo = await seed({ db, root: ROOT, config, clock, say });

  const limits = createLimits({ one: (text, values) => db.one(text, values), clock, factor: config.limitFactor });
  const watch = createSessionWatch(createAliveQuestion({ db, clock, config: config.auth }));
  const readCaller = createReadCaller({ keys, sessions: watch, clock, keyRequired: config.apiKeyRequired });
  const askGrant = async (role: string): Promise<RoleGrant> =>
    (await db.one<{ grant: RoleGrant }>(ROLE_GRANT, [role]))?.grant ?? 'unknown';
  // Storage asks for a key always, as hosted supabase does; its public objects need none.
  const readKeyed = createReadCaller({ keys, sessions: watch, clock, keyRequired: true });
  const mail = createSmtpMail({ url: config.smtpUrl, from: config.mailFrom });

  const auth = await composeAuth({ config, db, keys, limits, watch, readCaller, mail, clock, log });

  const store = await createStore(config);
  const pictures = createPictures();
  const storage = createStorageDoor({
    db,
    store,
    pictures,
    clock,
    readCaller: createGrantedCaller(readKeyed, askGrant),
    sizeMax: config.storage.sizeMax,
    mark: (text) => keys.hmac('object-link', text),
    sessionAlive: (sessionId) => watch.alive(sessionId),
  });
  const payments = createStripePayments(config.stripe);
  const locks = createIgloohomeLocks(config.igloohome);
  const reader = await createIdReader(config);
  const lockOf = await readLockMap(db, config);
  const links = createLinkSigner(keys.derive('links'));
  const desk = createPaymentDesk({ db, payments, clock, log });
  const bookings = createBookings({
    db,
    payments,
    desk,
    clock,
    settings: {
      siteUrl: config.siteUrl,
      holdMinutes: config.holdMinutes,
      sessionMinutes: 31,
      limitFactor: config.limitFactor,
    },
  });
  const access = createAccessCodes({ db, locks, lockOf, sealer: createSealer(keys.derive('door-codes')), clock, log });
  const identity = createIdentity({
    db,
    reader,
    pictures,
    checks: createStripeIdentity({ restrictedKey: config.stripe.restrictedKey, apiUrl: config.stripe.apiUrl }),
    store,
    clock,
    siteUrl: config.siteUrl,
    // A core reads one picture at a time; a model elsewhere reads several.
    readAtOnce: config.vision === null ? 1 : 4,
  });
  const people = createPeople({ db, developerPages: config.developerPages });
  const outbox = createOutbox({
    db,
    clock,
    log,
    handlers: {
      ...createBookingMails({ db, mail, access, links, clock, siteUrl: config.siteUrl }),
      'access.request': access.request,
      'access.revoke': access.revoke,
      'payment.refund': (job) => desk.refund(job.subjectId, job.tries),
      'image.delete': identity.deleteImage,
    },
  });
  const tick = createTick({ db, desk, outbox, sweeps: [storage.sweep, () => auth.sweep()], clock, log });
  const functions = composeFunctions({
    readCaller,
    limits,
    clock,
    desk,
    bookings,
    guesses: createCouponGuesses({ db }),
    access,
    identity,
    people,
    links,
    payments,
    locks,
    lockIds: [...lockOf.values()],
    testPins: createTestPins({ db, locks, lockIds: [...lockOf.values()], clock }),
    power: createPowerControl({ db, power: createShellyPower({ url: config.shellyUrl }) }),
    inbox: createWebhookInbox({ db, desk, clock, log }),
    verifyReport: createIgloohomeVerifier({
      publicKey: config.igloohome.webhookKey,
      webhookUrl: `${config.siteUrl}/functions/v1/igloohome-webhook`,
    }),
    drain: () => outbox.drain(50),
  });

  const metrics = createMetrics();
  metrics.gauge('outbox_waiting', 'Jobs that are due and not done', () =>
    count(
      db,
      `select count(*)::int as n from private.outbox where done_at is null and parked_at is null and due_at <= $1::timestamptz`,
      clock(),
    ),
  );
  metrics.gauge('outbox_parked', 'Jobs that were given up and need a person', () =>
    count(
      db,
      `select count(*)::int as n from private.outbox where parked_at is not null and $1::timestamptz is not null`,
      clock(),
    ),
  );
  const app = createApp({
    hall: { log, trustedProxies: config.trustedProxies, production: config.production, observe: metrics.observe },
    auth: auth.door,
    rest: createRestDoor({
      db,
      readCaller: createGrantedCaller(readCaller, askGrant),
      settings: config.rest,
      url: `${config.siteUrl}/rest/v1`,
      admitInsert: async (table, ip) => (table === 'mailing_list' ? limits(JOIN_LIST, `ip:${ip}`) : null),
      warn: (line) => log.warn({}, line),
    }).door,
    storage: storage.door,
    realtime: createRealtimeDoor(),
    functions,
    site: createSite({ folder: join(ROOT, 'dist', 'web'), anonKey: keys.anonKey, siteUrl: config.siteUrl }),
    ready: async () => (await db.query('select 1').catch(() => null)) !== null,
    metrics: () => metrics.text(),
  });

  return {
    app,
    keys,
    db,
    log,
    tick,
    flushMail: () => auth.queue.flush(),
    demo,
    async close() {
      mail.close();
      pictures.close();
      await reader.close();
      await db.close();
      await unlock?.();
    },
  };
}

/** The vision model's libraries are read in only where one is configured: a start without them is faster. */
async function createIdReader(config: Config): Promise<IdReader & { close(): Promise<void> }> {
  if (config.vision === null) return createOcrIdReader({ timeoutMs: config.idReadSeconds * 1000 });
  const { createVisionIdReader } = await import('./providers/vision-id-reader.ts');
  return { ...createVisionIdReader(config.vision), close: () => Promise.resolve() };
}

/** Bytes lie on this machine's disk, or in a bucket of an S3 service; its library is read in only then. */
async function createStore(config: Config): Promise<ObjectStore> {
  if (config.storage.s3 === null) return createDiskStore(join(config.dataDir, 'objects'));
  const { createS3Store } = await import('./providers/s3-store.ts');
  return createS3Store(config.storage.s3, join(config.dataDir, 'spool'));
}

async function openDatabase(
  config: Config,
  memory: Blob | undefined,
  say: (line: string) => void,
  log: Log,
): Promise<Database> {
  const migrations = await readMigrations(join(ROOT, 'database', 'migrations'));
  const warn = (line: string): void => log.warn({}, line);
  if (config.databaseUrl !== null)
    return openPostgres(config.databaseUrl, { migrations, say, warn, poolSize: config.poolSize });
  return openEmbedded(memory ?? join(config.dataDir, 'database'), { migrations, say, warn });
}

async function readLockMap(db: Database, config: Config): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; name: string }>('select id, name from public.studios where active');
  const map = new Map<string, string>();
  for (const row of rows) {
    const lock = config.igloohome.locks.get(row.name);
    if (lock) map.set(row.id, lock);
  }
  return map;
}

async function count(db: Database, text: string, now: Date): Promise<number> {
  const row = await db.one<{ n: number }>(text, [now]);
  return row?.n ?? 0;
}

function createLog(level: string): Log {
  const logger = pino({ level, base: null, redact: ['*.password', '*.pin', '*.token', '*.authorization'] });
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}
