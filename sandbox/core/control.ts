import type { Core } from './core.ts';
import { Hono } from 'hono';
import { type FaultKind, faultKinds } from './faults.ts';
import type { Provider } from './provider.ts';

/** An error response of the control API. */
export const refusal = (message: string, status: 400 | 404 = 400): Response =>
  Response.json({ error: message }, { status });

/** Reads the JSON object of a request. Returns an empty object if the body is not a JSON object. */
export async function readBody(request: Request): Promise<Record<string, unknown>> {
  const sent: unknown = await request.json().catch(() => null);
  return sent !== null && typeof sent === 'object' ? Object.fromEntries(Object.entries(sent)) : {};
}

/** The control API shared by all providers: faults, clock, request log, webhooks, reset. */
export function createCoreControl(core: Core, providers: readonly Provider[]): Hono {
  const api = new Hono();
  const names = providers.map((provider) => provider.name);
  const runDue = (): void => providers.forEach((provider) => provider.runDue?.());

  api.get('/faults', (c) => c.json(core.faults.list()));
  api.post('/faults', async (c) => {
    const sent = await readBody(c.req.raw);
    const provider = names.find((name) => name === sent['provider']);
    if (!provider) return refusal(`provider is one of ${names.join(', ')}`);
    const kind: FaultKind | undefined = faultKinds.find((name) => name === sent['kind']);
    if (!kind) return refusal(`kind is one of ${faultKinds.join(', ')}`);
    for (const name of ['count', 'seconds', 'status']) {
      const value = sent[name];
      if (value !== undefined && !(typeof value === 'number' && value > 0))
        return refusal(`${name} is a number above 0`);
    }
    const number = (name: string, other: number): number => (typeof sent[name] === 'number' ? sent[name] : other);
    const status = number('status', 503);
    if (!Number.isInteger(status) || status < 400 || status > 599) return refusal('status is from 400 to 599');
    core.faults.add({
      provider,
      kind,
      status,
      // With `seconds`, the fault affects every request during that time. Otherwise it affects only the next request.
      left: number('count', sent['seconds'] === undefined ? 1 : Number.MAX_SAFE_INTEGER),
      until: Date.now() + number('seconds', 86_400) * 1000,
    });
    return c.json({ armed: true });
  });
  api.delete('/faults', (c) => {
    core.faults.clear();
    return c.json({ cleared: true });
  });

  api.get('/clock', (c) => c.json({ now: core.now().toISOString(), ahead_seconds: core.clock.shift() / 1000 }));
  api.post('/clock', async (c) => {
    const { advance_seconds: seconds, now } = await readBody(c.req.raw);
    if (typeof seconds === 'number' && Number.isFinite(seconds)) core.clock.advance(seconds);
    else if (typeof now === 'string' && !Number.isNaN(Date.parse(now))) core.clock.set(new Date(now));
    else return refusal('advance_seconds (a number) or now (an instant) is needed');
    runDue();
    return c.json({ now: core.now().toISOString() });
  });

  api.get('/requests', (c) => c.json(core.requests.list(c.req.query('provider') || null)));
  api.get('/webhooks', (c) => c.json(core.deliveries.list(c.req.query('provider') || null)));
  api.post('/webhooks/:id/replay', (c) =>
    core.deliveries.replay(c.req.param('id')) ? c.json({ replayed: true }) : refusal('no such webhook', 404),
  );

  api.post('/reset', (c) => {
    core.faults.clear();
    core.clock.reset();
    core.requests.clear();
    core.deliveries.clear();
    for (const provider of providers) provider.reset();
    core.state.changed();
    return c.json({ reset: true });
  });
  return api;
}
