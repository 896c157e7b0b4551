import { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import { refuseUpgrade } from './handshake.ts';
import type { Realtime } from './realtime.ts';

const MESSAGE = 'Realtime was disabled for this tenant';

/** A realtime API that is switched off: every call and every connection is refused with 503. */
export function createDisabledRealtime(): Realtime {
  const router = new Hono<Env>();
  router.all('*', (c) => c.json({ error: MESSAGE }, 503));
  return {
    router,
    attach: (server) =>
      server.on('upgrade', (_request, stream) => {
        stream.on('error', () => stream.destroy());
        refuseUpgrade(stream, 503, MESSAGE);
      }),
    counts: () => ({ sockets: 0, channels: 0, delivered: 0, refused: 0 }),
    close: () => Promise.resolve(),
  };
}
