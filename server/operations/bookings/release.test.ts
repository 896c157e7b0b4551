import { expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import type { PaymentSession } from '#server/providers/ports.ts';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { releaseHold } from './release.ts';

const NOW = new Date('2031-03-01T00:10:00Z');
const START = new Date('2031-03-08T00:00:00Z');
const BOOKING = {
  id: 'b',
  status: 'pending',
  orderId: null,
  startTime: START.toISOString(),
  endTime: START.toISOString(),
  createdAt: '2031-03-01T00:00:00Z',
  termsStart: START.toISOString(),
  holdExpiresAt: null,
  confirmedAt: null,
};
const PAYMENT = {
  id: 'p',
  attempt: 1,
  kind: 'card',
  state: 'open',
  sessionId: 'cs',
  shareOf: null,
  card: null,
  cardAt: null,
  createdAt: BOOKING.createdAt,
};
const missing = new ProviderError('stripe', 'resource_missing', { retryable: false });

type Given = {
  readonly booking?: object;
  readonly payment?: object | null;
  readonly reason?: 'hold_expired' | 'abandoned';
  readonly now?: Date;
  readonly rows?: RowsByText;
};

/** Releases a hold whose session the provider does not know. Returns the state of the booking, or the refusal, and what was written. */
async function release({ booking = {}, payment = {}, reason = 'abandoned', now = NOW, rows = {} }: Given) {
  const facts = { ...BOOKING, ...booking };
  const { db, statements } = createRowDatabase(rows, {
    'booking_json(b) as facts from private.booking b where b.id': { facts },
    'x.move_number is null': payment === null ? null : { facts: { ...PAYMENT, ...payment } },
    lock_order: { value: [facts] },
    'returning id, made_by': { id: 'b', madeBy: null, orderId: null },
  });
  const calls: string[] = [];
  const services = servicesWith({
    db,
    clock: () => now,
    payments: {
      expireSession: (id) => (calls.push(`expire ${id}`), Promise.reject<PaymentSession>(missing)),
      getSession: (id) => (calls.push(`get ${id}`), Promise.reject<PaymentSession>(missing)),
      findSession: async (id) => (calls.push(`find ${id}`), null),
    },
  });
  const answer = await releaseHold(services, 'b', reason).then(
    ({ status, cancelReason }) => `${status} ${cancelReason ?? ''}`.trim(),
    (error: { code: string }) => error.code,
  );
  const written = statements.flatMap(({ text, values }) => {
    if (text.includes("set state = 'failed'")) return ['failed'];
    if (text.includes("set state = 'expired'")) return [`expired ${String(values[0])}`];
    if (text.includes("set status = 'cancelled'")) return [`cancelled ${String(values[1])}`];
    return text.includes('insert into private.outbox')
      ? [`${String(values[1])} ${String(values[2])} ${String(values[3])}`]
      : [];
  });
  return { answer, calls, written };
}
const cancelled = ['expired b', 'cancelled abandoned'];

test.each<[string, Given, string, string[], string[]]>([
  ['confirmed', { booking: { status: 'confirmed' } }, 'confirmed', [], []],
  ['open', {}, 'cancelled abandoned', ['expire cs'], cancelled],
  ['a hold without a payment', { payment: null }, 'cancelled abandoned', [], cancelled],
  ['expired', { payment: { state: 'expired' } }, 'cancelled abandoned', [], cancelled],
  [
    'requested a minute ago',
    { payment: { state: 'intent', sessionId: null }, now: new Date('2031-03-01T00:01:00Z') },
    'cancelled abandoned',
    ['find b'],
    cancelled,
  ],
  [
    'requested less than a minute ago',
    { payment: { state: 'intent', sessionId: null }, now: new Date('2031-03-01T00:00:59.999Z') },
    'pending',
    [],
    [],
  ],
  [
    'requested again less than a minute ago',
    { payment: { state: 'intent', sessionId: null, attempt: 2, createdAt: '2031-03-01T00:09:30Z' } },
    'pending',
    [],
    [],
  ],
  [
    'processing, but unknown to the provider',
    { payment: { state: 'processing' }, reason: 'hold_expired' },
    'cancelled payment_failed',
    ['get cs'],
    ['failed', 'cancelled payment_failed', 'mail.payment-failed b p'],
  ],
  [
    'of a series, and processing, but unknown to the provider',
    { payment: { state: 'processing', shareOf: 'first' }, booking: { orderId: 'o' }, reason: 'hold_expired' },
    'cancelled payment_failed',
    ['get cs'],
    ['failed', 'cancelled payment_failed', 'mail.payment-failed o first'],
  ],
  [
    'of a series',
    { booking: { orderId: 'o' }, payment: null },
    'cancelled abandoned',
    [],
    ['expired o', 'cancelled abandoned'],
  ],
])('releasing a hold whose payment is %s', async (_what, given, answer, calls, written) => {
  expect(await release(given)).toEqual({ answer, calls, written });
});

test('a hold that has changed until it is locked is left as it is', async () => {
  const changed = { lock_order: { value: [{ ...BOOKING, status: 'confirmed' }] } };
  expect(await release({ payment: null, rows: changed })).toEqual({ answer: 'confirmed', calls: [], written: [] });
  const unlocked = { lock_order: { value: [] } };
  expect(await release({ payment: null, rows: unlocked })).toMatchObject({ answer: 'not_found', written: [] });
  // The payment began to be processed after it was read.
  let reads = 0;
  const states = {
    'x.move_number is null': () => ({ facts: { ...PAYMENT, state: (reads += 1) === 1 ? 'expired' : 'processing' } }),
  };
  expect(await release({ rows: states })).toEqual({ answer: 'pending', calls: [], written: [] });
});
