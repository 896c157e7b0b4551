import type { Config } from './config.ts';
import type { Keys } from './crypto/keys.ts';
import type { Database } from './db/database.ts';
import { addressOf } from './http/address.ts';
import type { Clock, Log } from './http/caller.ts';
import type { Metrics } from './http/metrics.ts';
import type { SessionWatch } from './http/token.ts';
import { openRealtime, type Realtime } from './realtime/realtime.ts';
import { createDisabledRealtime } from './realtime/disabled.ts';

/** Builds the realtime API with everything it needs; a router that refuses everything when it is switched off. */
export function composeRealtime(context: {
  config: Config;
  db: Database;
  keys: Keys;
  watch: SessionWatch;
  clock: Clock;
  log: Log;
}): Promise<Realtime> {
  const { config, keys, watch } = context;
  if (config.realtime === null) return Promise.resolve(createDisabledRealtime());
  return openRealtime({
    ...context,
    settings: config.realtime,
    verify: (token, now) => keys.verify(token, now),
    sessionAlive: (sessionId) => watch.alive(sessionId),
    addressOf: (request) => {
      const forwarded = request.headers['x-forwarded-for'];
      const chain = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
      return addressOf(request.socket.remoteAddress ?? '', chain, config.trustedProxies);
    },
  });
}

/** Registers what `/metrics` shows of the realtime API. */
export function measureRealtime(metrics: Metrics, realtime: Realtime): void {
  metrics.gauge('realtime_sockets', 'Connected clients', () => Promise.resolve(realtime.counts().sockets));
  metrics.gauge('realtime_channels', 'Joined channels', () => Promise.resolve(realtime.counts().channels));
  metrics.gauge('realtime_deliveries', 'Broadcasts and presence messages sent to clients since the start', () =>
    Promise.resolve(realtime.counts().delivered),
  );
  metrics.gauge('realtime_refusals', 'Connections and joins refused since the start', () =>
    Promise.resolve(realtime.counts().refused),
  );
}
