import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { Hono } from 'hono';
import type { Database } from '#server/db/database.ts';
import { addressOf } from '#server/http/address.ts';
import type { Clock, Env, Log } from '#server/http/caller.ts';
import type { Metrics } from '#server/http/metrics.ts';
import { createChanges } from './changes/changes.ts';
import { type Reader, type SentMessage, startReader } from './changes/reader.ts';
import type { RealtimeContext } from './channels/context.ts';
import type { RealtimeSettings } from './core/settings.ts';
import type { VerifyToken } from './core/token.ts';
import { createAuthorization } from './policies/authorization.ts';
import { refuseUpgrade } from './handshake.ts';
import { createRealtimeRouter } from './router.ts';
import { createSockets } from './sockets.ts';
import { type DatabaseBus, openBus } from './topics/bus.ts';
import { broadcastOf, createStoredMessages } from './topics/stored-messages.ts';
import { createTopics, type Topics } from './topics/topics.ts';

/** The realtime API: sockets, and broadcasts over HTTP. */
export type Realtime = {
  readonly router: Hono<Env>;
  /** Answers the upgrade requests of the HTTP server. */
  attach(server: Server): void;
  counts(): {
    readonly sockets: number;
    readonly channels: number;
    readonly delivered: number;
    readonly refused: number;
  };
  /** Tells the clients to connect again, spread over `milliseconds`, and stops. */
  close(milliseconds?: number): Promise<void>;
};

const MAINTENANCE_MS = 5_000;
const PARTITIONS_MS = 3_600_000;
/** The check of a session is cached for half a second; afterwards its answer is new. */
const SESSION_CHECK_MS = 600;

/** Opens the realtime API. `settings`: null when it is switched off. */
export async function openRealtime(dependencies: {
  db: Database;
  verify: VerifyToken;
  sessionAlive: (sessionId: string) => Promise<boolean>;
  /** How many proxies in front of us write X-Forwarded-For. */
  trustedProxies: number;
  settings: RealtimeSettings | null;
  clock: Clock;
  log: Log;
}): Promise<Realtime> {
  const { db, log, clock, settings } = dependencies;
  if (settings === null) return createDisabledRealtime();
  const process = randomUUID();
  let bus: DatabaseBus | null = null;
  const topics: Topics = createTopics(() => bus);
  if (db.kind === 'postgres')
    bus = await openBus({ db, process, log, onMessage: (message) => topics.receive(message) });
  const changes = createChanges({ db, process, clock, log });
  const context: RealtimeContext = {
    ...dependencies,
    settings,
    topics,
    changes,
    counts: { refused: 0 },
    authorization: createAuthorization(db, clock),
    messages: createStoredMessages(db),
  };
  const sockets = createSockets(context, (request) => senderOf(request, dependencies.trustedProxies));
  const reader = await startReader({
    db,
    process,
    log,
    async onBatch(batch) {
      for (const message of batch.messages) deliverMessage(topics, message);
      await changes.deliver(batch.changes);
    },
  });
  const stopWork = await startWork({
    db,
    log,
    reader,
    bus: () => bus,
    maintain: changes.maintain,
    endSessions: sockets.endSessions,
  });
  return {
    router: createRealtimeRouter(context),
    attach: (server) => sockets.attach(server),
    counts: () => ({
      sockets: sockets.count(),
      channels: sockets.channels(),
      delivered: topics.delivered(),
      refused: context.counts.refused,
    }),
    async close(milliseconds = 0) {
      await sockets.close(milliseconds);
      await stopWork();
      await reader.stop();
      await changes.stop();
      await bus?.stop();
    },
  };
}

function senderOf(request: IncomingMessage, trustedProxies: number): string {
  const forwarded = request.headers['x-forwarded-for'];
  const chain = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  return addressOf(request.socket.remoteAddress ?? '', chain, trustedProxies);
}

/** Registers what `/metrics` shows of the realtime API. */
export function measureRealtime(metrics: Metrics, realtime: Realtime): void {
  const gauges: readonly [keyof ReturnType<Realtime['counts']>, string, string][] = [
    ['sockets', 'realtime_sockets', 'Connected clients'],
    ['channels', 'realtime_channels', 'Joined channels'],
    ['delivered', 'realtime_deliveries', 'Broadcasts and presence messages sent to clients since the start'],
    ['refused', 'realtime_refusals', 'Connections and joins refused since the start'],
  ];
  for (const [count, name, help] of gauges) metrics.gauge(name, help, () => Promise.resolve(realtime.counts()[count]));
}

/** A message from the database reaches the sockets of each process by its own reader. */
function deliverMessage(topics: Topics, { id, topic, isPrivate, event, payload, bytes }: SentMessage): void {
  const broadcast = broadcastOf({ event, payload, bytes }, { id });
  topics.receive({ kind: 'broadcast', topic: { name: topic, isPrivate }, broadcast });
}

/** Listens to the database and does what has to be done from time to time. Returns the function that stops it. */
async function startWork(context: {
  db: Database;
  log: Log;
  reader: Reader;
  bus: () => DatabaseBus | null;
  maintain: () => Promise<void>;
  endSessions: () => Promise<void>;
}): Promise<() => Promise<void>> {
  const { db, log, reader } = context;
  const report = (error: unknown): void => log.error({ err: error }, 'realtime maintenance failed');
  let sessionCheck: NodeJS.Timeout | null = null;
  const stops = [
    await db.listen('realtime_changes', () => reader.wake()),
    await db.listen('realtime_sessions', () => {
      // Many sessions may end at once: one check serves them all.
      sessionCheck ??= setTimeout(() => {
        sessionCheck = null;
        context.endSessions().catch(report);
      }, SESSION_CHECK_MS);
    }),
  ];
  const maintain = async (): Promise<void> => {
    await context.bus()?.maintain();
    await context.maintain();
  };
  const keepPartitions = async (): Promise<void> => {
    await db.query('select realtime.maintain_messages(clock_timestamp())');
  };
  await maintain();
  await keepPartitions();
  const timers = [
    setInterval(() => void maintain().catch(report), MAINTENANCE_MS),
    setInterval(() => void keepPartitions().catch(report), PARTITIONS_MS),
  ];
  for (const timer of timers) timer.unref();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    if (sessionCheck) clearTimeout(sessionCheck);
    await Promise.all(stops.map((stop) => stop()));
  };
}

const DISABLED = 'Realtime was disabled for this tenant';

/** A realtime API that is switched off: every call and every connection is refused with 503. */
function createDisabledRealtime(): Realtime {
  const router = new Hono<Env>();
  router.all('*', (c) => c.json({ error: DISABLED }, 503));
  return {
    router,
    attach: (server) =>
      server.on('upgrade', (_request, stream) => {
        stream.on('error', () => stream.destroy());
        refuseUpgrade(stream, 503, DISABLED);
      }),
    counts: () => ({ sockets: 0, channels: 0, delivered: 0, refused: 0 }),
    close: () => Promise.resolve(),
  };
}
