import { expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import type { PaymentSession } from '#server/providers/ports.ts';
import { createRowDatabase } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { closeSession, endAttempt, holdOver, paymentOnItsWay, replaceAttempt } from './close-session.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
const ago = (ms: number): Date => new Date(+NOW - ms);
// Casts: the operations read only these fields.
const hold = { id: 'b', orderId: null, createdAt: ago(600_000) } as BookingFacts;
const attempt = { id: 'p', kind: 'card', key: 'create:b:1', sessionId: null, card: null, cardAt: null } as PaymentFacts;
const session = (id: string, status: PaymentSession['status']) => ({ id, status }) as PaymentSession;
const missing = new ProviderError('stripe', 'resource_missing', { retryable: false });

/** A provider that finds `found`, and the calls that it got. `row`: what the SQL function of the next step returns. */
function providing(
  found: PaymentSession | null,
  row: unknown = null,
  expire = () => Promise.resolve(session('x', 'expired')),
) {
  const calls: unknown[][] = [];
  const { db } = createRowDatabase({
    '': (values: readonly unknown[]) => (calls.push(['sql', ...values]), { value: row }),
  });
  const services = servicesWith({
    clock: () => NOW,
    config: { sessionMinutes: 31 },
    db,
    payments: {
      provider: 'stripe',
      expireSession: (id) => (calls.push(['expire', id]), expire()),
      findSession: async (...given) => (calls.push(['find', ...given]), found),
      findCharge: async (...given) => (calls.push(['charge', ...given]), found),
    },
  });
  return { services, calls };
}

const since = ago(660_000);
const card = { card: 'pm_1', cardAt: ago(44_999) };
test.each<[string, Partial<PaymentFacts>, PaymentSession | null, unknown, unknown[][], Partial<BookingFacts>?]>([
  ['a free booking', { kind: 'free', sessionId: 'cs' }, null, null, []],
  ['a payment made elsewhere', { kind: 'elsewhere', sessionId: 'cs' }, null, null, []],
  ['a known session', { sessionId: 'cs' }, null, { id: 'x' }, [['expire', 'cs']]],
  ['a session that was never created', {}, null, null, [['find', 'b', since]]],
  ['the session of a series', {}, null, null, [['find', 'first', since]], { orderId: 'first' }],
  [
    'an open session whose creation was not answered',
    {},
    session('cs', 'open'),
    { id: 'x' },
    [
      ['find', 'b', since],
      ['expire', 'cs'],
    ],
  ],
  ['a session that was paid', {}, session('cs', 'complete'), { id: 'cs' }, [['find', 'b', since]]],
  ['a card that was never charged', { card: 'pm_1' }, session('cs', 'open'), null, []],
  ['a charge that took money', card, session('pi', 'complete'), { id: 'pi' }, [['charge', 'create:b:1', since]]],
  [
    'a charge that is open',
    card,
    session('pi', 'open'),
    { id: 'x' },
    [
      ['charge', 'create:b:1', since],
      ['expire', 'pi'],
    ],
  ],
  ['a charge that never arrived', { ...card, cardAt: ago(45_000) }, null, null, [['charge', 'create:b:1', since]]],
])('closing %s calls the provider as needed', async (_what, payment, found, expected, calls, booking = {}) => {
  const { services, calls: performed } = providing(found);
  const closed = await closeSession(services, { ...hold, ...booking }, { ...attempt, ...payment });
  expect(closed).toEqual(expected === null ? null : expect.objectContaining(expected));
  expect(performed).toEqual(calls);
});

test('a session that the provider does not know is closed', async () => {
  const { services } = providing(null, null, () => Promise.reject(missing));
  expect(await closeSession(services, hold, { ...attempt, sessionId: 'cs' })).toBeNull();
});

test('a charge that may still be running keeps the hold for 45 seconds', async () => {
  await expect(closeSession(providing(null).services, hold, { ...attempt, ...card })).rejects.toMatchObject({
    name: 'ProviderError',
    provider: 'stripe',
    reason: 'card_call_running',
    retryable: true,
    ambiguous: true,
    outage: false,
  });
});

const json = { ...attempt, createdAt: NOW.toISOString(), sessionExpiresAt: null, cardAt: null, replacedUntil: null };

test('an attempt is ended as its row is now, with what the caller knows, and keeps its hold for a minute', async () => {
  const { services, calls } = providing(null, { ...json, sessionId: 'begun' });
  expect(await endAttempt(services, hold, attempt)).toBe(true);
  expect(calls).toEqual([
    ['sql', 'p', new Date(+NOW + 60_000)],
    ['expire', 'begun'],
  ]);
  const begun = providing(null, { ...json, sessionId: 'begun' });
  expect(await endAttempt(begun.services, hold, attempt, { sessionId: 'known' })).toBe(true);
  expect(begun.calls.at(-1)).toEqual(['expire', 'known']);
  const gone = providing(null);
  expect(await endAttempt(gone.services, hold, { ...attempt, sessionId: 'old' })).toBe(true);
  expect(gone.calls.at(-1)).toEqual(['expire', 'old']);
});

test('the next attempt of a hold that has ended is refused', async () => {
  const { services, calls } = providing(null);
  await expect(
    replaceAttempt(services, { ...hold, holdExpiresAt: null }, { ...attempt, sessionId: 'cs' }, { card: 'pm_2' }),
  ).rejects.toMatchObject({ code: 'slot_taken', message: 'This time is no longer held for you. Please choose again.' });
  expect(calls.at(-1)).toEqual(['sql', 'p', 'pm_2', NOW, new Date(+NOW + 31 * 60_000)]);
  expect(holdOver()).toMatchObject({ code: 'slot_taken' });
  expect(paymentOnItsWay('b')).toMatchObject({
    code: 'payment_processing',
    message: 'The customer is paying for this booking right now, so nothing was changed. Reload the booking.',
    details: { bookingId: 'b' },
  });
});
