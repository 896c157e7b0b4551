import { expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import type { PaymentSession, ProviderEvent } from '#server/providers/ports.ts';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { forCalls, servicesWith } from '#tests/support/providers/services.ts';
import { acceptEvent, handleDueEvents } from './handle-events.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
const EVENT = { id: 'evt', type: 'checkout.session.completed', objectId: 'cs', paymentIntentId: 'pi', livemode: true };
const silent = new ProviderError('stripe', `no_response ${'x'.repeat(600)}`, { retryable: true });

type Given = {
  readonly event?: Partial<ProviderEvent>;
  readonly tries?: number;
  readonly error?: Error;
  readonly rows?: RowsByText;
};

/** Accepts an event about an object that the provider reads with this error. Returns the calls, the log, and what was written. */
async function accept({ event = {}, tries = 1, error = silent, rows = {} }: Given = {}) {
  const all = { ...EVENT, ...event };
  const { db, statements } = createRowDatabase(rows, { 'set tries = tries + 1': { ...all, tries } });
  const [calls, logged]: [string[], unknown[]] = [[], []];
  const fail = (call: string): Promise<never> => (calls.push(call), Promise.reject(error));
  const services = servicesWith({
    db,
    clock: () => NOW,
    log: { error: (...line) => void logged.push(line), warn: (...line) => void logged.push(line) },
    hostedChecks: { getSession: (id) => fail(`check ${id}`) },
    payments: {
      provider: 'stripe',
      getSession: (id) => fail(`session ${id}`),
      findSessionOfIntent: (id) => fail(`intent ${id}`),
    },
  });
  await acceptEvent(forCalls(services), all);
  const find = (part: string) => statements.filter(({ text }) => text.includes(part)).map(({ values }) => values);
  return {
    calls,
    logged,
    stored: find('insert into private.webhook_inbox'),
    claimed: find('set tries = tries + 1'),
    handled: find('set handled_at'),
    postponed: find('last_error = $3'),
    audit: find('private.audit('),
  };
}
const check = {
  'from private.identity_session where id': { user_id: 'u' },
  'from private.identity_session s': { decision: null, reasons: null, born: null },
};

test.each<[string, string[]]>([
  ['checkout.session.completed', ['session cs']],
  ['checkout.session.expired', ['session cs']],
  ['checkout.session.async_payment_succeeded', ['session cs']],
  ['checkout.session.async_payment_failed', ['session cs']],
  ['reconcile.session', ['session cs']],
  ['payment_intent.succeeded', ['intent pi']],
  ['payment_intent.payment_failed', ['intent pi']],
  ['charge.refunded', ['intent pi']],
  ['charge.refund.updated', ['intent pi']],
  ['refund.created', ['intent pi']],
  ['refund.updated', ['intent pi']],
  ['refund.failed', ['intent pi']],
  ['charge.dispute.created', ['intent pi']],
  ['charge.dispute.updated', ['intent pi']],
  ['charge.dispute.closed', ['intent pi']],
  ['identity.verification_session.processing', ['check cs']],
  ['identity.verification_session.verified', ['check cs']],
  ['identity.verification_session.requires_input', ['check cs']],
  ['identity.verification_session.canceled', ['check cs']],
  ['identity.verification_session.created', []],
  ['customer.updated', []],
  ['x.checkout.session.completed', []],
  ['checkout.session.completed.x', []],
  ['charge.dispute.created.x', []],
])('an event of the type %s reads %j from the provider', async (type, calls) => {
  const result = await accept({ event: { type }, rows: check });
  expect(result.calls).toEqual(calls);
  expect(result.handled).toHaveLength(calls.length === 0 ? 1 : 0);
});

test('an event is stored, claimed for a minute, and handled once', async () => {
  const { stored, claimed, handled } = await accept({ event: { type: 'customer.updated' } });
  expect(stored).toEqual([['stripe', 'evt', 'customer.updated', 'cs', 'pi', true, NOW]]);
  expect(claimed).toEqual([['evt', new Date(+NOW + 60_000), 'stripe']]);
  expect(handled).toEqual([['evt', NOW, 'stripe']]);
  const again = await accept({ rows: { 'set tries = tries + 1': null } });
  expect([again.calls, again.handled]).toEqual([[], []]);
  expect((await accept({ event: { type: 'charge.refunded', paymentIntentId: null } })).calls).toEqual([]);
});

test.each([
  [1, 2_000],
  [2, 4_000],
  [9, 512_000],
  [10, 900_000],
])('after failure %i an event waits %i ms, with its reason', async (tries, wait) => {
  const { postponed, handled, logged, audit } = await accept({ tries });
  const reason = `stripe ${silent.reason}`;
  expect(postponed).toEqual([['evt', new Date(+NOW + wait), reason.slice(0, 500), 'stripe']]);
  expect([handled, audit]).toEqual([[], []]);
  expect(logged).toEqual([[{ event: 'evt', tries, reason }, expect.stringMatching(/\w/)]]);
});

test('staff are alerted to the third failure, with the beginning of its reason', async () => {
  const { audit } = await accept({ tries: 3 });
  const reason = `stripe ${silent.reason}`.slice(0, 200);
  expect(audit).toEqual([[null, 'alert', 'webhook', 'evt', { type: EVENT.type, reason }]]);
});

test('an event of another program on the same account is ignored', async () => {
  const missing = new ProviderError('stripe', 'resource_missing', { retryable: false });
  const { handled, postponed, logged } = await accept({ error: missing });
  expect([handled.length, postponed]).toEqual([1, []]);
  expect(logged).toEqual([[{ event: 'evt', object: 'cs', reason: 'not_found' }, expect.stringMatching(/\w/)]]);
  const verified = { type: 'identity.verification_session.verified' };
  expect((await accept({ event: verified })).handled).toHaveLength(1);
  expect((await accept({ event: verified, rows: check })).handled).toEqual([]);
});

test('stored events that are due are handled one by one, and those that succeed are counted', async () => {
  const event = (id: string, type: string) => ({ ...EVENT, id, type, tries: 1 });
  const { db, statements } = createRowDatabase({
    'private.claim_webhooks': [
      event('good', 'customer.updated'),
      event('bad', 'reconcile.session'),
      event('fine', 'customer.updated'),
    ],
  });
  const services = servicesWith({
    db,
    clock: () => NOW,
    log: { error: () => undefined },
    payments: { provider: 'stripe', getSession: () => Promise.reject<PaymentSession>(silent) },
  });
  expect(await handleDueEvents(services)).toBe(2);
  expect(statements[0]?.values).toEqual([NOW, 50]);
  expect(statements.filter(({ text }) => text.includes('set handled_at')).map(({ values }) => values[0])).toEqual([
    'good',
    'fine',
  ]);
});
