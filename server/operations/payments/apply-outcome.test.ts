import { expect, test } from 'vitest';
import type { PaymentSession } from '#server/providers/ports.ts';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { applyOutcome } from './apply-outcome.ts';
import type { Shares } from './shares.ts';

const START = new Date('2031-03-08T00:00:00Z');
const NOW = new Date('2031-03-01T00:00:00Z');
const MINUTE = 60_000;
// Casts: the operation reads only these fields.
const BOOKING = {
  id: 'b',
  userId: 'u',
  guestEmail: null,
  madeBy: null,
  orderId: null,
  status: 'pending',
  startTime: START,
  endTime: new Date(+START + 60 * MINUTE),
  movesBooking: null,
  moveNumber: null,
  finalCostCents: 4_900,
} as BookingFacts;
const PAYMENT = {
  id: 'p',
  bookingId: 'b',
  attempt: 1,
  state: 'open',
  amountCents: 4_900,
  replacedUntil: null,
} as PaymentFacts;
const PAID = {
  id: 'cs',
  status: 'complete',
  paymentStatus: 'paid',
  intentStatus: 'succeeded',
  amountCents: 4_900,
  currency: 'aud',
  paymentIntentId: 'pi',
  refundedCents: 0,
} as PaymentSession;
const FREE = {
  paymentStatus: 'no_payment_required',
  intentStatus: null,
  amountCents: 0,
  paymentIntentId: null,
} as const;
const PROCESSING = { paymentStatus: 'unpaid', intentStatus: 'processing' } as const;
const FAILED = { paymentStatus: 'unpaid', intentStatus: 'canceled' } as const;
const EXPIRED = { status: 'expired', paymentStatus: 'unpaid', intentStatus: null } as const;

type Given = {
  readonly session?: Partial<PaymentSession>;
  readonly booking?: Partial<BookingFacts>;
  readonly payment?: Partial<PaymentFacts>;
  readonly second?: { readonly booking?: Partial<BookingFacts>; readonly payment?: Partial<PaymentFacts> };
  readonly rows?: RowsByText;
  readonly now?: Date;
};

/** Applies an outcome. Returns what changes, in words. */
async function apply({ session, booking, payment, second, rows = {}, now = NOW }: Given): Promise<string[]> {
  const { db, statements } = createRowDatabase(rows, { is_blocked: { blocked: false } });
  const first = { booking: { ...BOOKING, ...booking }, payment: { ...PAYMENT, ...payment } };
  const others = second
    ? [
        {
          booking: { ...BOOKING, id: 'b2', orderId: 'b', ...second.booking },
          payment: { ...PAYMENT, id: 'p2', bookingId: 'b2', ...second.payment },
        },
      ]
    : [];
  const shares: Shares = [first, ...others];
  await applyOutcome(servicesWith({ db, clock: () => now }), db, {
    session: { ...PAID, ...session },
    shares,
    reason: 'abandoned',
  });
  return statements.flatMap(({ text, values }) => describe(text, values));
}

function describe(text: string, values: readonly unknown[]): string[] {
  const words = (...all: readonly unknown[]): string[] => [
    all.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '),
  ];
  if (/update private.payment set state = 'paid', payment_intent/.test(text)) return words('moved', ...values);
  if (/refund_reason = \$6/.test(text)) return words('payment', values[0], values[1], values[2], values[4], values[5]);
  if (/update private.payment set state = \$2/.test(text)) return words('payment', ...values);
  if (/state = 'processing'/.test(text)) return words('payment processing', ...values);
  if (/set status = 'confirmed'/.test(text)) return words('confirm', values[0]);
  if (/set status = 'cancelled', cancel_reason = \$2/.test(text)) return words('cancel', values[0], values[1]);
  if (/set hold_expires_at/.test(text)) return words('hold until', values[1], values[0]);
  if (/insert into private.outbox/.test(text))
    return words('job', values[1], values[2], values[3] === '' ? 'once' : values[3]);
  if (/private.audit\(/.test(text) && values[2] === 'payment') return words('audit', values[1], values[3], values[4]);
  return [];
}
const confirmed = (id = 'b'): string[] => [
  `confirm ${id}`,
  `job mail.booking-confirmed ${id} once`,
  `job access.request ${id} once`,
];
const paidBack = (reason: string, cancel: string | null, got = 4_900): string[] => [
  `payment p refund_pending pi ${got} ${reason}`,
  ...(cancel === null ? [] : [`cancel b ${cancel}`]),
  `audit alert p {"bookingId":"b","reason":"${reason}","expected":4900,"got":${got}}`,
  'job payment.refund p once',
  'job mail.payment-returned b p',
];

test.each<[string, Given, string[]]>([
  ['an open session', { session: { status: 'open', paymentStatus: 'unpaid', intentStatus: null } }, []],
  ['a payment', {}, ['payment p paid pi 4900 null', ...confirmed()]],
  [
    'a payment of a processing attempt',
    { payment: { state: 'processing' } },
    ['payment p paid pi 4900 null', ...confirmed()],
  ],
  [
    'a payment of an attempt whose creation was not answered',
    { payment: { state: 'intent' } },
    ['payment p paid pi 4900 null', ...confirmed()],
  ],
  [
    'the payment of a series of which one price changed',
    {
      booking: { orderId: 'b' },
      session: { amountCents: 9_800 },
      second: { booking: { finalCostCents: 5_900, status: 'confirmed' } },
    },
    [
      'payment p refund_pending pi 4900 amount_mismatch',
      'payment p2 refund_pending pi 4900 amount_mismatch',
      'cancel b amount_mismatch',
      'audit alert p {"bookingId":"b","reason":"amount_mismatch","expected":9800,"got":9800}',
      'job payment.refund p once',
      'job payment.refund p2 once',
      'job mail.payment-returned b p',
    ],
  ],
  ['a payment that is known', { payment: { state: 'paid' }, booking: { status: 'confirmed' } }, []],
  [
    'a payment half an hour after the start',
    { now: new Date(+START + 30 * MINUTE) },
    ['payment p paid pi 4900 null', ...confirmed()],
  ],
  ['a payment later than that', { now: new Date(+START + 30 * MINUTE + 1) }, paidBack('too_late', 'slot_lost')],
  ['a payment of an expired attempt', { payment: { state: 'expired' } }, paidBack('too_late', 'slot_lost')],
  ['a payment of a failed attempt', { payment: { state: 'failed' } }, paidBack('too_late', 'slot_lost')],
  ['a payment of a released hold', { booking: { status: 'cancelled' } }, paidBack('too_late', null)],
  ['a second payment', { booking: { status: 'confirmed' } }, paidBack('second_payment', null)],
  [
    'a payment of another amount',
    { session: { amountCents: 4_800 } },
    paidBack('amount_mismatch', 'amount_mismatch', 4_800),
  ],
  ['a payment in another currency', { session: { currency: 'usd' } }, paidBack('amount_mismatch', 'amount_mismatch')],
  [
    'a payment of a price that changed',
    { booking: { finalCostCents: 5_900 } },
    paidBack('amount_mismatch', 'amount_mismatch'),
  ],
  ['a payment of a blocked customer', { rows: { is_blocked: { blocked: true } } }, paidBack('blocked', 'staff')],
  [
    'a payment that was refunded at once',
    { session: { refundedCents: 4_900 } },
    [
      'payment p refund_pending pi 4900 at_provider',
      'cancel b staff',
      'audit alert p {"bookingId":"b","reason":"refunded_at_provider"}',
      'job mail.booking-cancelled b once',
    ],
  ],
  [
    'a payment that was partly refunded at once',
    { session: { refundedCents: 4_899 } },
    ['payment p paid pi 4900 null', ...confirmed()],
  ],
  [
    'the payment of a series',
    { booking: { orderId: 'b' }, session: { amountCents: 9_800 }, second: {} },
    [
      'payment p paid pi 4900 null',
      'payment p2 paid pi 4900 null',
      ...confirmed(),
      'confirm b2',
      'job access.request b2 once',
    ],
  ],
  [
    'another amount for a series of which one is free',
    {
      booking: { orderId: 'b' },
      session: { amountCents: 4_000 },
      second: { booking: { finalCostCents: 0 }, payment: { amountCents: 0 } },
    },
    [
      'payment p refund_pending pi 4000 amount_mismatch',
      'payment p2 failed pi 0 amount_mismatch',
      'cancel b amount_mismatch',
      'audit alert p {"bookingId":"b","reason":"amount_mismatch","expected":4900,"got":4000}',
      'job payment.refund p once',
      'job payment.refund p2 once',
      'job mail.payment-returned b p',
    ],
  ],
  [
    'a session that is free as its price',
    { session: FREE, booking: { finalCostCents: 0 }, payment: { amountCents: 0 } },
    ['payment p paid null 0 null', ...confirmed()],
  ],
  [
    'a free session of a booking with a price',
    { session: FREE },
    [
      'payment ["p"] failed null',
      'cancel b amount_mismatch',
      'audit alert p {"bookingId":"b","reason":"amount_mismatch","expected":4900,"got":0}',
    ],
  ],
  [
    'a free session of a booking that is confirmed',
    { session: FREE, booking: { status: 'confirmed' } },
    ['payment ["p"] failed null', 'audit alert p {"bookingId":"b","reason":"amount_mismatch","expected":4900,"got":0}'],
  ],
  ['a free session that is known', { session: FREE, payment: { state: 'failed' } }, []],
  ['a free session of a payment that was paid', { session: FREE, payment: { state: 'paid' } }, []],
  [
    'a payment that takes days',
    { session: PROCESSING },
    [
      'payment processing ["p"] pi "2031-03-01T00:00:00.000Z"',
      'audit update p {"bookingId":"b","state":"processing"}',
      'hold until "2031-03-08T00:00:00.000Z" ["b"]',
      'job mail.payment-processing b p',
    ],
  ],
  [
    'a payment that takes days, of a released hold',
    { session: PROCESSING, payment: { state: 'expired' }, booking: { status: 'cancelled' } },
    ['payment processing ["p"] pi "2031-03-01T00:00:00.000Z"', 'audit update p {"bookingId":"b","state":"processing"}'],
  ],
  [
    'a payment that takes days, of an attempt whose creation was not answered',
    { session: PROCESSING, payment: { state: 'intent' }, booking: { status: 'cancelled' } },
    ['payment processing ["p"] pi "2031-03-01T00:00:00.000Z"', 'audit update p {"bookingId":"b","state":"processing"}'],
  ],
  ['a payment that takes days and is known', { session: PROCESSING, payment: { state: 'processing' } }, []],
  [
    'a payment that failed',
    { session: FAILED, payment: { state: 'processing' } },
    [
      'payment ["p"] failed pi',
      'audit update p {"bookingId":"b","state":"failed"}',
      'cancel b payment_failed',
      'job mail.payment-failed b p',
    ],
  ],
  [
    'a payment that failed, of a released hold',
    { session: FAILED, booking: { status: 'cancelled' } },
    ['payment ["p"] failed pi', 'audit update p {"bookingId":"b","state":"failed"}'],
  ],
  ['a payment that failed and is known', { session: FAILED, payment: { state: 'failed' } }, []],
  ['a failed payment that was paid', { session: FAILED, payment: { state: 'paid' } }, []],
  ['an expired session', { session: EXPIRED }, ['payment ["p"] expired null', 'cancel b abandoned']],
  [
    'an expired session without an answer',
    { session: EXPIRED, payment: { state: 'intent' } },
    ['payment ["p"] expired null', 'cancel b abandoned'],
  ],
  ['an expired session that is known', { session: EXPIRED, payment: { state: 'expired' } }, ['cancel b abandoned']],
  [
    'an expired session of a cancelled booking',
    { session: EXPIRED, booking: { status: 'cancelled' } },
    ['payment ["p"] expired null'],
  ],
  [
    'an expired session that is being replaced',
    { session: EXPIRED, payment: { replacedUntil: new Date(+NOW + 1) } },
    ['payment ["p"] expired null'],
  ],
  [
    'an expired session that was being replaced',
    { session: EXPIRED, payment: { replacedUntil: NOW } },
    ['payment ["p"] expired null', 'cancel b abandoned'],
  ],
  [
    'an expired session that was replaced',
    { session: EXPIRED, rows: { 'attempt > $2::int': {} } },
    ['payment ["p"] expired null'],
  ],
  [
    'an expired session whose coupon moves to another hold',
    { session: EXPIRED, rows: { 'private.coupon_redemption': {} } },
    ['payment ["p"] expired null', 'cancel b replaced'],
  ],
])('%s changes its booking and payment', async (_what, given, expected) => {
  expect(await apply(given)).toEqual(expected);
});

const MOVING = {
  id: 'm',
  userId: 'u',
  guestEmail: null,
  status: 'confirmed',
  moves: 0,
  studioId: 's',
  startTime: START.toISOString(),
  endTime: new Date(+START + 60 * MINUTE).toISOString(),
  termsStart: START.toISOString(),
  finalCostCents: 4_900,
  owedCents: 0,
};
const HOLD = {
  movesBooking: 'm',
  moveNumber: 1,
  studioId: 's',
  slots: [],
  startTime: new Date(+START + 24 * 60 * MINUTE),
  endTime: new Date(+START + 25 * 60 * MINUTE),
};
test.each<[string, object, Given, string[]]>([
  [
    'that can move',
    MOVING,
    {},
    ['moved p pi "2031-03-01T00:00:00.000Z" 4900 m 1', 'job access.request m move:1', 'job mail.booking-moved m 1'],
  ],
  ['that has moved since', { ...MOVING, moves: 1 }, {}, paidBack('too_late', 'slot_lost')],
  ['that is over', MOVING, { now: new Date(+START + 60 * MINUTE) }, paidBack('too_late', 'slot_lost')],
  ['of a customer who is blocked', MOVING, { rows: { is_blocked: { blocked: true } } }, paidBack('blocked', 'staff')],
])('a payment for the new hours of a booking %s moves it or goes back', async (_what, moving, given, expected) => {
  expect(await apply({ ...given, booking: HOLD, rows: { ...given.rows, lock_booking: { value: moving } } })).toEqual(
    expected,
  );
});
