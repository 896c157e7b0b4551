import { expect, test } from 'vitest';
import { CIRCUIT_OPEN, ProviderError } from '#server/providers/call.ts';
import type { NewPaymentSession, PaymentSession } from '#server/providers/ports.ts';
import { createRowDatabase, type RowsByText } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { openSession } from './open-session.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
const DAY = 86_400_000;
const START = new Date(+NOW + 10 * DAY);
// Casts: the operation reads only these fields.
const BOOKING = {
  id: 'b',
  reference: '7KQM-4TXR',
  userId: 'u',
  madeBy: null,
  studioName: 'Studio A',
  startTime: START,
  endTime: new Date(+START + 2 * 3_600_000),
  totalHours: 2,
  createdAt: NOW,
  holdExpiresAt: new Date(+NOW + 900_000),
  movesBooking: null,
  orderId: null,
  finalCostCents: 4_900,
} as BookingFacts;
const PAYMENT = {
  id: 'p',
  attempt: 1,
  kind: 'card',
  state: 'intent',
  key: 'create:b:1',
  url: null,
  amountCents: 4_900,
  createdAt: NOW,
  sessionExpiresAt: null,
} as PaymentFacts;
const json = (booking: object) => ({ facts: { ...BOOKING, ...booking } });
const session = { id: 'cs', url: 'https://pay.example/x' } as PaymentSession;

type Given = {
  readonly booking?: Partial<BookingFacts>;
  readonly payment?: Partial<PaymentFacts>;
  readonly rows?: RowsByText;
  readonly created?: () => Promise<PaymentSession>;
  readonly found?: PaymentSession | null;
  readonly now?: Date;
  readonly released?: boolean;
};

/** Opens a session. Returns the URL or refusal, the calls of the provider, and the statements that changed rows. */
async function open({ booking, payment, rows = {}, created, found = null, now = NOW, released = false }: Given = {}) {
  const calls: unknown[] = [];
  const inputs: NewPaymentSession[] = [];
  const { db, statements } = createRowDatabase(rows, {
    'from private.provider_customer': { id: 'cus', email: 'alex@example.com' },
  });
  const { query } = db;
  const services = servicesWith({
    db: {
      ...db,
      query: async (text: string, values?: readonly unknown[]) => ({
        ...(await query(text, values)),
        count: released && text.includes("set state = 'open'") ? 0 : 1,
      }),
    } as never,
    clock: () => now,
    siteUrl: 'https://studio.example',
    config: { sessionMinutes: 31 },
    payments: {
      provider: 'stripe',
      createSession: async (input) => {
        calls.push('create');
        inputs.push(input);
        return created === undefined ? session : created();
      },
      findSession: async (id, since) => (calls.push(['find', id, since]), found),
      expireSession: async (id) => (calls.push(['expire', id]), session),
      createCustomer: async ({ key }) => (calls.push(['customer', key]), 'cus_2'),
      setCustomerEmail: async () => undefined,
    },
  });
  const answer = await openSession(
    services,
    { ...BOOKING, ...booking },
    { ...PAYMENT, ...payment },
    { email: 'alex@example.com', hours: 2 },
  ).catch((error: unknown) => error);
  return { answer, calls, inputs, statements };
}
const result = 'https://studio.example/payment-success';
const closed = (code: string, message: string): unknown => expect.objectContaining({ name: 'Refusal', code, message });
const NO_LONGER = closed('slot_taken', 'This time is no longer held for you. Please choose again.');

test.each<[string, Given, unknown, unknown[]]>([
  ['free', { payment: { kind: 'free' } }, `${result}?session_id=free_b&booking_id=b`, []],
  ['open', { payment: { state: 'open', url: 'https://pay.example/open' } }, 'https://pay.example/open', []],
  [
    'processing',
    { payment: { state: 'processing' } },
    closed(
      'payment_processing',
      'Your payment for this booking is being processed. We’ll email you as soon as we know.',
    ),
    [],
  ],
  [
    'paid',
    { payment: { state: 'paid' } },
    closed('already_done', 'This booking has already been paid for or released.'),
    [],
  ],
  [
    'open without a page',
    { payment: { state: 'open' } },
    closed('already_done', 'This booking has already been paid for or released.'),
    [],
  ],
  ['new', {}, 'https://pay.example/x', ['create']],
  ['new, and its hold is released meanwhile', { released: true }, NO_LONGER, ['create', ['expire', 'cs']]],
  [
    'new, and its session has been paid',
    { created: () => Promise.resolve({ ...session, url: null }) },
    closed('already_done', 'This booking has already been paid for.'),
    ['create'],
  ],
  ['45 seconds old', { now: new Date(+NOW + 45_000) }, 'https://pay.example/x', ['create']],
  [
    'older, and has a session',
    { now: new Date(+NOW + 45_001), found: { ...session, url: 'https://pay.example/found' } },
    'https://pay.example/found',
    [['find', 'b', new Date(+NOW - 60_000)]],
  ],
  [
    'older, and its hold has ended',
    { now: new Date(+NOW + 45_001) },
    NO_LONGER,
    [['find', 'b', new Date(+NOW - 60_000)]],
  ],
])('the pay page of a payment that is %s', async (_what, given, expected, calls) => {
  const { answer, calls: performed } = await open(given);
  expect(answer).toEqual(expected);
  expect(performed).toEqual(calls);
});

test('a session is created with everything that the pay page shows', async () => {
  const { inputs, statements } = await open();
  expect(inputs).toEqual([
    {
      key: 'create:b:1',
      bookingId: 'b',
      items: [{ description: 'Studio A, Tuesday 11 March 2031, 11 am to 1 pm (2 h)', amountCents: 4_900 }],
      amountCents: 4_900,
      customerEmail: 'alex@example.com',
      customerId: 'cus',
      successUrl: `${result}?session_id={CHECKOUT_SESSION_ID}&booking_id=b`,
      cancelUrl: 'https://studio.example/checkout?released=b',
      expiresAt: new Date(+NOW + 31 * 60_000),
      allowDelayed: true,
      metadata: { booking_id: 'b', reference: '7KQM-4TXR', key: 'create:b:1' },
    },
  ]);
  expect(statements.at(-1)?.values).toEqual(['p', 'cs', 'https://pay.example/x']);
});

const mover = { 'where b.id = $1::uuid': json({ id: 'm', reference: 'MMMM-MMMM', userId: 'owner' }) };
const both = {
  'where b.order_id = $1::uuid': [
    json({ orderId: 'b' }),
    json({ id: 'b2', orderId: 'b', totalHours: 1, finalCostCents: 2_500 }),
  ],
};
test.each<[string, Given, object]>([
  [
    'that starts a moment too early for delayed payments',
    { booking: { startTime: new Date(+NOW + 7 * DAY - 1) } },
    { allowDelayed: false },
  ],
  [
    'that starts just in time for delayed payments',
    { booking: { startTime: new Date(+NOW + 7 * DAY) } },
    { allowDelayed: true },
  ],
  ['made by staff', { booking: { madeBy: 's' } }, { customerId: null, cancelUrl: 'https://studio.example/' }],
  ['of a guest', { booking: { userId: null } }, { customerId: null }],
  ['with its own end', { payment: { sessionExpiresAt: START } }, { expiresAt: START }],
  [
    'of new hours',
    { booking: { movesBooking: 'm', userId: null }, rows: mover },
    {
      customerId: 'cus',
      successUrl: `${result}?session_id={CHECKOUT_SESSION_ID}&booking_id=m`,
      cancelUrl: 'https://studio.example/bookings/m',
      allowDelayed: false,
      items: [{ description: 'Change to Studio A, Tuesday 11 March 2031, 11 am to 1 pm (2 h)', amountCents: 4_900 }],
      metadata: { booking_id: 'b', reference: 'MMMM-MMMM', key: 'create:b:1' },
    },
  ],
  ['of new hours of a booking that is gone', { booking: { movesBooking: 'm', userId: 'x' } }, { customerId: null }],
  [
    'of a series',
    { booking: { orderId: 'b' }, payment: { amountCents: 4_000 }, rows: both },
    {
      amountCents: 6_500,
      items: [
        { description: 'Studio A, Tuesday 11 March 2031, 11 am to 1 pm (2 h)', amountCents: 4_000 },
        { description: 'Studio A, Tuesday 11 March 2031, 11 am to 1 pm (1 h)', amountCents: 2_500 },
      ],
    },
  ],
])('the session of a booking %s', async (_what, given, expected) => {
  expect((await open(given)).inputs).toEqual([expect.objectContaining(expected)]);
});

const failing = (reason: string, more: object = {}) => ({
  created: () => Promise.reject(new ProviderError('stripe', reason, { retryable: true, ...more })),
});
const unreachable = closed(
  'provider_unavailable',
  'We can’t reach the payment service right now. Your time is held, so please try again in a moment.',
);
const search = ['find', 'b', new Date(+NOW - 60_000)];
test.each<[string, Given, unknown, unknown[]]>([
  ['whose circuit is open', failing(CIRCUIT_OPEN), null, ['create']],
  ['that refuses', failing('parameter_invalid'), unreachable, ['create']],
  ['whose answer is lost', failing('no_response', { ambiguous: true }), unreachable, ['create', search]],
  [
    'whose answer is lost, but which has the session',
    { ...failing('no_response', { ambiguous: true }), found: session },
    'https://pay.example/x',
    ['create', search],
  ],
  ['that has lost the customer', failing('resource_missing'), unreachable, ['create', ['customer', 'customer:u:cus']]],
  [
    'that has lost the customer of a guest',
    { ...failing('resource_missing'), booking: { userId: null } },
    unreachable,
    ['create'],
  ],
])('a provider %s', async (_what, given, expected, calls) => {
  const { answer, calls: performed } = await open(given);
  expect(answer).toEqual(expected);
  expect(performed).toEqual(calls);
});

test('the refusal of a provider names the booking, and another error is thrown on', async () => {
  expect((await open(failing('parameter_invalid'))).answer).toMatchObject({ details: { bookingId: 'b' } });
  expect((await open({ payment: { state: 'processing' } })).answer).toMatchObject({ details: { bookingId: 'b' } });
  const error = new Error('an error of our own');
  expect((await open({ created: () => Promise.reject(error) })).answer).toBe(error);
});
