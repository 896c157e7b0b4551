import type { Config } from './config.ts';
import type { Keys } from './crypto/keys.ts';
import type { Database } from './db/database.ts';
import { addressOf } from './http/address.ts';
import type { Clock, Log } from './http/caller.ts';
import type { SessionWatch } from './http/token.ts';
import { openRealtime, type Realtime } from './realtime/realtime.ts';
import { REALTIME_DEFAULTS } from './realtime/core/settings.ts';

/** Builds the realtime API with everything it needs. */
export function composeRealtime(context: {
  config: Config;
  db: Database;
  keys: Keys;
  watch: SessionWatch;
  clock: Clock;
  log: Log;
}): Promise<Realtime> {
  const { config, keys, watch } = context;
  return openRealtime({
    ...context,
    settings: REALTIME_DEFAULTS,
    verify: (token, now) => keys.verify(token, now),
    sessionAlive: (sessionId) => watch.alive(sessionId),
    addressOf: (request) => {
      const forwarded = request.headers['x-forwarded-for'];
      const chain = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
      return addressOf(request.socket.remoteAddress ?? '', chain, config.trustedProxies);
    },
  });
}
