import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { Hono } from 'hono';
import type { Database } from '#server/db/database.ts';
import { getAddress } from '#server/http/address.ts';
import type { BodyBudget } from '#server/http/bodies/bodies.ts';
import type { JsonBudget } from '#server/http/bodies/json-budget.ts';
import type { Clock, Env, Log } from '#server/http/caller.ts';
import type { Metrics } from '#server/http/metrics/metrics.ts';
import { createChanges } from './changes/changes.ts';
import type { SentMessage } from './changes/outbox.ts';
import { startReader } from './changes/reader.ts';
import type { RealtimeContext } from './channels/context.ts';
import { createSessionEnds } from './channels/session-ends.ts';
import { createAccounts } from './core/accounts.ts';
import type { RealtimeOptions } from './core/options.ts';
import type { TokenVerifier } from './core/token.ts';
import { createAuthorization } from './policies/authorization.ts';
import { refuseUpgrade } from './handshake.ts';
import { createRealtimeRouter } from './router.ts';
import { createSockets } from './sockets.ts';
import { type DatabaseBus, openBus } from './topics/bus.ts';
import { toBroadcast, createStoredMessages } from './topics/stored-messages.ts';
import type { BusMessage } from './topics/messages.ts';
import { createTopics, type Topics } from './topics/topics.ts';
import { startWork } from './work.ts';

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
  /** Refuses new connections and tells the clients to reconnect, one after the other over up to five seconds. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
};

const MISSED = 'Messages may have been missed, please read again';

/** Opens the realtime API. `settings`: null if it is switched off. */
export async function openRealtime(dependencies: {
  db: Database;
  tokens: TokenVerifier;
  bodies: { readonly small: BodyBudget; readonly large: BodyBudget; readonly perMinute: JsonBudget };
  sessionAlive: (sessionId: string) => Promise<boolean>;
  /** The number of proxies in front of the server that write X-Forwarded-For. */
  trustedProxies: number;
  siteUrl: string;
  settings: RealtimeOptions | null;
  clock: Clock;
  log: Log;
}): Promise<Realtime> {
  const { db, log, clock, settings } = dependencies;
  if (settings === null) return createDisabledRealtime();
  const process = randomUUID();
  const { topics, bus } = await openTopics(dependencies, process, settings.leaseSeconds);
  const changes = createChanges({ db, process, clock, log });
  const context: RealtimeContext = {
    ...dependencies,
    settings,
    sessionEnds: createSessionEnds(),
    accounts: createAccounts(settings),
    topics,
    changes,
    counts: { refused: 0 },
    authorization: createAuthorization(db, clock),
    messages: createStoredMessages(db),
  };
  const sockets = createSockets(context, (request) => getSenderAddress(request, dependencies.trustedProxies));
  const reader = await startReader({
    db,
    process,
    log,
    async onBatch(batch) {
      for (const message of batch.messages) deliverMessage(topics, message);
      await changes.deliver(batch.changes);
    },
    async onGap() {
      await changes.restore();
      await bus?.maintain();
      sockets.rejoin(MISSED);
    },
  });
  const work = { db, log, reader, bus, changes, sockets, ends: context.sessionEnds };
  const stopWork = await startWork(work, settings.leaseSeconds);
  let closing: Promise<void> | null = null;
  return {
    router: createRealtimeRouter(context),
    attach: (server) => sockets.attach(server),
    counts: () => ({
      sockets: sockets.count(),
      channels: sockets.channels(),
      delivered: topics.delivered(),
      refused: context.counts.refused,
    }),
    disconnect: () => sockets.close(),
    close() {
      closing ??= (async () => {
        await sockets.close();
        await stopWork();
        changes.stop();
        await reader.stop();
        await bus?.stop();
      })();
      return closing;
    },
  };
}

/** Opens the topics of this process and, on PostgreSQL, their connection to the other processes. */
async function openTopics(
  { db, log }: { db: Database; log: Log },
  process: string,
  leaseSeconds: number,
): Promise<{ topics: Topics; bus: DatabaseBus | null }> {
  let bus: DatabaseBus | null = null;
  const topics: Topics = createTopics(() => bus);
  if (db.kind !== 'postgres') return { topics, bus };
  const onMessage = (message: BusMessage): void => topics.receive(message);
  const onLoss = (): void =>
    void topics
      .reloadPresence()
      .catch((error: unknown) => log.error({ err: error }, 'the presence of other processes could not be read'));
  bus = await openBus({ db, process, leaseSeconds, log, onMessage, onLoss });
  return { topics, bus };
}

function getSenderAddress(request: IncomingMessage, trustedProxies: number): string {
  const forwarded = request.headers['x-forwarded-for'];
  const chain = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  return getAddress(request.socket.remoteAddress ?? '', chain, trustedProxies);
}

/** Registers the metrics of the realtime API for `/metrics`. */
export function measureRealtime(metrics: Metrics, realtime: Realtime): void {
  const gauges: readonly [keyof ReturnType<Realtime['counts']>, string, string][] = [
    ['sockets', 'realtime_sockets', 'Connected clients'],
    ['channels', 'realtime_channels', 'Joined channels'],
    ['delivered', 'realtime_deliveries', 'Broadcasts and presence messages sent to clients since the start'],
    ['refused', 'realtime_refusals', 'Connections and joins refused since the start'],
  ];
  for (const [count, name, help] of gauges) metrics.gauge(name, help, () => Promise.resolve(realtime.counts()[count]));
}

/** Delivers a message from the database to the sockets of this process. The reader of each process does so. */
function deliverMessage(topics: Topics, { id, topic, isPrivate, event, payload, bytes }: SentMessage): void {
  const broadcast = toBroadcast({ event, payload, bytes }, { id });
  topics.receive({ kind: 'broadcast', topic: { name: topic, isPrivate }, broadcast });
}

const DISABLED = 'Realtime was disabled for this tenant';

/** Creates a realtime API that is switched off: it refuses every call and every connection with 503. */
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
    disconnect: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
