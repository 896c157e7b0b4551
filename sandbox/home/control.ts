import { Hono } from 'hono';
import type { Core, FaultKind } from '../core/core.ts';
import { faultKinds, providerNames } from '../core/core.ts';
import type { Locks } from '../igloohome/locks.ts';
import { drawLicence, readSpecimen } from '../licence/licence.ts';
import type { Letter, Mailbox } from '../mail/mail.ts';
import type { Plugs } from '../plug/plug.ts';
import { finishIdentity, identityErrors, outcomeOfPayment } from '../stripe/pages.ts';
import type { Stripe } from '../stripe/store.ts';

export type World = { core: Core; stripe: Stripe; locks: Locks; plugs: Plugs; mailbox: Mailbox };

const no = (message: string, status: 400 | 404 = 400): Response => Response.json({ error: message }, { status });

/** What tests and outsiders script the outside world with (architecture, section 4). */
export function createControl(world: World): Hono {
  const { core, stripe, locks, plugs, mailbox } = world;
  const api = new Hono();
  const body = async (request: Request): Promise<Record<string, unknown>> => {
    const sent: unknown = await request.json().catch(() => null);
    return sent !== null && typeof sent === 'object' ? Object.fromEntries(Object.entries(sent)) : {};
  };

  api.get('/mail', (c) => c.json(mailbox.find(c.req.query('to') || null, c.req.query('subject') || null).map(toMail)));
  api.delete('/mail', (c) => {
    mailbox.empty();
    return c.json({ emptied: true });
  });

  api.get('/payments', (c) => {
    stripe.expireDue();
    return c.json(
      Object.values(stripe.ledger.sessions)
        .toReversed()
        .map((one) => ({
          id: one.id,
          url: one.url,
          status: one.status,
          payment_status: one.payment_status,
          amount_total: one.amount_total,
          currency: one.currency,
          client_reference_id: one.client_reference_id,
          payment_intent: one.payment_intent,
          created: one.created,
          expires_at: one.expires_at,
        })),
    );
  });
  api.get('/refunds', (c) => c.json(Object.values(stripe.ledger.refunds).toReversed()));
  api.post('/payments/:id', async (c) => {
    const session = stripe.ledger.sessions[c.req.param('id')];
    if (!session) return no('no such payment', 404);
    const outcome = String((await body(c.req.raw))['outcome']);
    if (!outcomeOfPayment(stripe, session, outcome))
      return no('outcome is one of paid, declined, cancelled, expired, delayed_paid, delayed_failed');
    return c.json({ id: session.id, status: session.status, payment_status: session.payment_status });
  });

  api.get('/identity', (c) =>
    c.json(
      Object.values(stripe.ledger.identity)
        .toReversed()
        .map((one) => ({ id: one.id, url: one.url, status: one.status, client_reference_id: one.client_reference_id })),
    ),
  );
  api.post('/identity/:id', async (c) => {
    const session = stripe.ledger.identity[c.req.param('id')];
    if (!session) return no('no such check', 404);
    const sent = await body(c.req.raw);
    const outcome = String(sent['outcome']);
    const known = ['verified', 'processing', 'requires_input', ...identityErrors];
    if (!known.includes(outcome)) return no(`outcome is one of ${known.join(', ')}`);
    const word = (name: string, other: string): string => (typeof sent[name] === 'string' ? sent[name] : other);
    finishIdentity(stripe, session, outcome, {
      first: word('first_name', 'Alex'),
      last: word('last_name', 'Citizen'),
      dob: word('dob', '1998-04-03'),
      expiry: word('expiry', '2031-04-03'),
    });
    return c.json({ id: session.id, status: session.status });
  });

  api.get('/doors', (c) =>
    c.json(
      locks.all.map((lock) => ({
        id: lock.id,
        name: lock.name,
        battery: lock.battery,
        bridge: 'EB1X00001',
        codes: lock.codes.length,
        log: lock.log.map(({ pin: _pin, ...entry }) => entry),
      })),
    ),
  );
  api.get('/doors/webhook-key', (c) => c.text(locks.publicKey));
  api.post('/doors/:id/keypad', async (c) => {
    const lock = locks.get(c.req.param('id'));
    if (!lock) return no('no such lock', 404);
    const pin = (await body(c.req.raw))['pin'];
    if (typeof pin !== 'string' || !/^\d{1,10}$/.test(pin)) return no('pin is 1 to 10 digits');
    return c.json(locks.press(lock, pin));
  });

  api.get('/plugs', (c) => c.json(plugs.list()));

  api.get('/faults', (c) => c.json(core.faults()));
  api.post('/faults', async (c) => {
    const sent = await body(c.req.raw);
    const provider = providerNames.find((name) => name === sent['provider']);
    const kind: FaultKind | undefined = faultKinds.find((name) => name === sent['kind']);
    if (!provider) return no(`provider is one of ${providerNames.join(', ')}`);
    if (!kind) return no(`kind is one of ${faultKinds.join(', ')}`);
    const number = (name: string, other: number): number =>
      typeof sent[name] === 'number' && sent[name] > 0 ? sent[name] : other;
    core.addFault({
      provider,
      kind,
      status: number('status', 503),
      left: number('count', sent['seconds'] === undefined ? 1 : 1_000_000),
      until: Date.now() + number('seconds', 86_400) * 1000,
    });
    return c.json({ armed: true });
  });
  api.delete('/faults', (c) => {
    core.clearFaults();
    return c.json({ cleared: true });
  });

  api.post('/clock', async (c) => {
    const sent = await body(c.req.raw);
    const { advance_seconds: seconds, now } = sent;
    if (typeof seconds === 'number') core.advance(seconds);
    else if (typeof now === 'string' && !Number.isNaN(Date.parse(now))) core.setNow(new Date(now));
    else return no('advance_seconds or now is needed');
    stripe.expireDue();
    return c.json({ now: core.now().toISOString() });
  });
  api.get('/clock', (c) => c.json({ now: core.now().toISOString() }));
  api.get('/requests', (c) => c.json(core.requests(c.req.query('provider') || null)));
  return api;
}

function toMail(letter: Letter): Record<string, unknown> {
  return { ...letter, attachments: letter.attachments.map(({ content: _content, ...one }) => one) };
}

/** The specimen licence as a photograph. */
export async function licenceAnswer(url: URL): Promise<Response> {
  const specimen = readSpecimen(url.searchParams);
  if (!specimen) return no('dob and expiry are YYYY-MM-DD');
  return new Response(new Uint8Array(await drawLicence(specimen)), {
    headers: { 'content-type': 'image/jpeg', 'cache-control': 'no-store' },
  });
}
