import { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { RealtimeContext } from './channels/context.ts';
import { broadcastBatch } from './rest/batch.ts';
import { answerCall } from './rest/call.ts';
import { broadcastSingle } from './rest/single.ts';

/** Creates the router of `/realtime/v1`: broadcasts over HTTP. It does not serve the sockets. */
export function createRealtimeRouter(context: RealtimeContext): Hono<Env> {
  const router = new Hono<Env>();
  router.post('/api/broadcast', (c) => answerCall(context, c, (call) => broadcastBatch(context, c, call)));
  router.post('/api/broadcast/:topic/events/:event', (c) =>
    answerCall(context, c, (call) => broadcastSingle(context, c, call)),
  );
  router.get('/api/ping', (c) => c.json({ message: 'Success' }));
  router.get('/websocket', (c) => c.json({ error: 'Connect with a WebSocket' }, 426, { upgrade: 'websocket' }));
  router.all('*', (c) => c.json({ message: 'Not found' }, 404));
  return router;
}
