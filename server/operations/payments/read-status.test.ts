import { expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import type { Settlement } from '../core/settlement.ts';
import { openLink } from './open-link.ts';
import { payWithCard } from './pay-with-card.ts';
import { readPaymentStatus } from './read-status.ts';

const AT = '2031-03-08T00:00:00.000Z';
const BOOKING = {
  id: 'b',
  status: 'pending',
  orderId: null,
  movesBooking: null,
  startTime: AT,
  endTime: AT,
  createdAt: AT,
  termsStart: AT,
  holdExpiresAt: null,
  confirmedAt: null,
  cancelReason: null,
};
const PAYMENT = {
  id: 'p',
  kind: 'card',
  state: 'open',
  moveNumber: null,
  card: null,
  sessionId: null,
  sessionExpiresAt: null,
  createdAt: AT,
  cardAt: null,
  replacedUntil: null,
};
const silent = new ProviderError('stripe', 'no_response', { retryable: true });
// Casts: the operations read only these fields.
const settled = (booking: object = {}, payment: object = {}): Settlement => ({
  booking: { ...BOOKING, ...booking } as unknown as BookingFacts,
  payment: { ...PAYMENT, ...payment } as unknown as PaymentFacts,
  paid: false,
});
const bookings = (...all: readonly object[]): RowsByText => ({
  'booking_json(b) as facts from private.booking b where b.id': ([id]: readonly unknown[]) => {
    const facts = all.find((candidate) => (candidate as { id: string }).id === id);
    return facts === undefined ? null : { facts };
  },
  'where b.order_id': all.map((facts) => ({ facts })),
});

async function status(settling: Settlement | ProviderError, rows: RowsByText = {}) {
  const services = servicesWith({
    db: createRowDatabase(rows).db,
    log: { warn: () => undefined },
    config: { answerWithinMs: 1_000 },
    settlements: async () => settling,
  });
  return readPaymentStatus(services, 'cs').catch((error: unknown) => error);
}
const stored = (state: string): RowsByText => ({
  'as booking, private.payment_json(x) as payment': { booking: BOOKING, payment: { ...PAYMENT, state } },
});

test.each<[string, Settlement | ProviderError, RowsByText, unknown]>([
  [
    'has settled',
    settled(),
    {},
    { waiting: false, order: [], changed: null, codeHeld: false, payment: { state: 'open' } },
  ],
  ['does not answer', silent, stored('open'), { waiting: true, paid: false, payment: { state: 'open' } }],
  ['does not answer, but was paid before', silent, stored('paid'), { waiting: false, paid: true }],
  ['does not answer, but was disputed before', silent, stored('disputed'), { waiting: false, paid: true }],
  ['does not answer, and is unknown here', silent, {}, silent],
])('the state of a payment whose session %s', async (_what, settling, rows, expected) => {
  const found = await status(settling, rows);
  if (expected instanceof Error) expect(found).toBe(expected);
  else expect(found).toMatchObject(expected as object);
});

test('the state has the other bookings that the payment is for, and whether the code is held', async () => {
  const moving = { ...BOOKING, id: 'm' };
  const held = { 'private.code_hold': ([id]: readonly unknown[]) => (id === 'm' ? { disputeId: 'd' } : null) };
  expect(await status(settled({ movesBooking: 'm' }), { ...bookings(moving), ...held })).toMatchObject({
    changed: { id: 'm' },
    order: [],
    codeHeld: true,
  });
  expect(await status(settled({}, { moveNumber: 1 }), held)).toMatchObject({
    changed: { id: 'b' },
    order: [],
    codeHeld: false,
  });
  const second = { ...BOOKING, id: 'b2' };
  expect(await status(settled({ orderId: 'b' }), bookings(BOOKING, second))).toMatchObject({
    changed: null,
    order: [{ id: 'b' }, { id: 'b2' }],
  });
});

const hold = (more: object = {}): BookingFacts => ({ ...settled().booking, ...more });
/** Opens the link of a hold whose session opens as `opening` decides. */
async function link(opening: () => Promise<string | null>, payment: object | null = {}) {
  const { db } = createRowDatabase({
    'x.move_number is null': payment === null ? null : { facts: { ...PAYMENT, state: 'intent', ...payment } },
  });
  const services = servicesWith({ db, log: { warn: () => undefined }, openings: opening });
  return openLink(services, hold(), 'alex@example.com', 1_000).catch((error: unknown) => error);
}
const refuse = (code: 'provider_unavailable' | 'already_done') => () => Promise.reject(new Refusal(code, 'x'));
const ours = new Error('an error of our own');
test.each<[string, Awaited<ReturnType<typeof link>>, () => Promise<string | null>, (object | null)?]>([
  ['is opened', { url: 'https://pay.example', pending: false }, async () => 'https://pay.example'],
  ['has to wait for the provider', { url: null, pending: true }, async () => null],
  ['cannot be opened now', { url: null, pending: true }, refuse('provider_unavailable')],
  ['gets no answer', { url: null, pending: true }, () => Promise.reject(silent)],
  ['has been paid', { url: null, pending: false }, refuse('already_done')],
  ['has no payment', { url: null, pending: false }, async () => 'x', null],
  ['fails by an error of ours', ours, () => Promise.reject(ours)],
])('the link of a hold that %s', async (_what, expected, opening, payment = {}) => {
  expect(await link(opening, payment)).toEqual(expected);
});

/** Pays a hold by card whose payment and booking are in these states. */
async function pay(state: string, booking: object | null, more: object = {}, holdMore: object = {}) {
  const { db } = createRowDatabase({
    'x.move_number is null': { facts: { ...PAYMENT, state, ...more } },
    'booking_json(b) as facts from private.booking b where b.id':
      booking === null ? null : { facts: { ...BOOKING, ...booking } },
  });
  const logged: unknown[] = [];
  const services = servicesWith({
    db,
    clock: () => new Date(AT),
    log: { warn: (...line) => void logged.push(line) },
    payments: { findSession: () => Promise.reject(silent) },
  });
  const outcome = await payWithCard(services, hold(holdMore), { card: 'pm_1', userId: 'u' }, 1_000).catch(
    (error: { code: string }) => error.code,
  );
  return { outcome, logged };
}
test.each<[string, string, object | null, string, object?]>([
  ['is confirmed', 'paid', { status: 'confirmed' }, 'paid'],
  ['is still pending', 'processing', {}, 'unknown'],
  ['was released', 'failed', { status: 'cancelled', cancelReason: 'hold_expired' }, 'slot_taken'],
  ['is gone', 'failed', null, 'slot_taken'],
  ['moved its booking', 'paid', { status: 'cancelled', cancelReason: 'replaced' }, 'paid', { movesBooking: 'm' }],
  ['was replaced by another hold', 'paid', { status: 'cancelled', cancelReason: 'replaced' }, 'slot_taken'],
])('a payment by card of a hold that %s', async (_what, state, booking, expected, holdMore = {}) => {
  expect((await pay(state, booking, {}, holdMore)).outcome).toBe(expected);
});

test('a payment by card without an answer of the provider is unknown, and logged', async () => {
  const { outcome, logged } = await pay('open', {}, {}, { createdAt: new Date(AT) });
  expect(outcome).toBe('unknown');
  expect(logged).toEqual([[{ booking: 'b', reason: 'stripe no_response' }, expect.stringMatching(/\w/)]]);
});
