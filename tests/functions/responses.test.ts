import { beforeEach, describe, expect, test } from 'vitest';
import { WebhookRefused } from '#server/providers/call.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import {
  access,
  BOOKING,
  booking,
  createFunctionsApp,
  type FunctionsApp,
  IP,
  payment,
  PERSON,
  readResponse,
  STAFF,
  STUDIO,
} from './test-app.ts';

/** The arguments that each function passes to its operation, and the exact shape of its answer. */
let app: FunctionsApp;
beforeEach(() => {
  app = createFunctionsApp();
});
const operationCalls = (): FunctionsApp['calls'] => app.calls.filter(([name]) => name !== 'readCaller');
const ok = (body: unknown, status = 200) => ({ status, body, retryAfter: null });
const NOBODY = '00000000-0000-0000-0000-000000000000';

describe('create-payment', () => {
  const held = { bookingId: BOOKING, reference: 'HC-ABC123', url: 'https://pay.example/x', totalCents: 8255 };
  const request = {
    userId: PERSON,
    ip: IP,
    email: 'person@example.com',
    studioId: STUDIO,
    startTime: new Date('2031-05-02T00:00:00Z'),
    endTime: new Date('2031-05-02T02:00:00Z'),
    couponCode: null,
    details: { contactPhone: null },
    termsAccepted: false,
    termsVersion: null,
    series: null,
    shownTotalCents: null,
  };
  const span = { studio_id: STUDIO, start_time: '2031-05-02T10:00:00+10:00', end_time: '2031-05-02T02:00:00Z' };
  const metadata = { studioId: STUDIO, startTime: '2031-05-02T10:00:00+10:00', endTime: '2031-05-02T02:00:00Z' };
  beforeEach(() => {
    app.answers['holdBooking'] = () => held;
  });

  test.each([
    ['the least the booking page sends', { bookingData: span }, {}],
    [
      'all the booking page sends',
      {
        bookingData: { ...span, final_cost: 82.55, coupon_code: ' WELCOME ' },
        customerData: { phone: ' 0412 345 678 ', termsAccepted: true, termsVersion: '2026-11-01' },
      },
      {
        shownTotalCents: 8255,
        couponCode: 'WELCOME',
        details: { contactPhone: '+61412345678' },
        termsAccepted: true,
        termsVersion: '2026-11-01',
      },
    ],
    [
      'a booking page where nothing was typed',
      {
        bookingData: { ...span, final_cost: null, coupon_code: '' },
        customerData: { phone: '  ', termsAccepted: false },
      },
      { couponCode: '' },
    ],
    [
      'a booking page without a customer',
      { bookingData: { ...span, final_cost: 0 }, customerData: null },
      { shownTotalCents: 0 },
    ],
    ['the least the checkout sends', { metadata }, {}],
    [
      'all the checkout sends',
      {
        amount: 82.55,
        customerPhone: '0412 345 678',
        metadata: { ...metadata, couponCode: ' WELCOME ', termsAccepted: true, userId: STAFF },
      },
      { shownTotalCents: 8255, couponCode: 'WELCOME', details: { contactPhone: '+61412345678' }, termsAccepted: true },
    ],
    [
      'a checkout where nothing was typed',
      { amount: null, customerPhone: '', metadata: { ...metadata, couponCode: null, termsAccepted: false } },
      {},
    ],
  ])('passes on %s', async (_what, body, more) => {
    expect(await readResponse(await app.send('create-payment', 'person', { body }))).toEqual(
      ok({ url: 'https://pay.example/x', bookingId: BOOKING, reference: 'HC-ABC123', total: 82.55 }),
    );
    expect(operationCalls()).toEqual([['holdBooking', { ...request, ...more }]]);
  });

  test('answers 202 while the payment provider has not answered', async () => {
    app.answers['holdBooking'] = () => ({ ...held, url: null });
    expect(await readResponse(await app.send('create-payment', 'person', { body: { bookingData: span } }))).toEqual(
      ok({ url: null, pending: true, bookingId: BOOKING, reference: 'HC-ABC123', total: 82.55 }, 202),
    );
  });

  const page = (bookingData: object, customerData: unknown = null) => ({
    bookingData: { ...span, ...bookingData },
    customerData,
  });
  const checkout = (more: object, rest: object = {}) => ({ metadata: { ...metadata, ...more }, ...rest });
  test.each([
    ['no body', {}, 'bookingData'],
    ['no studio', page({ studio_id: undefined }), 'bookingData.studio_id'],
    ['a studio that is no id', page({ studio_id: '1' }), 'bookingData.studio_id'],
    ['no start', page({ start_time: undefined }), 'bookingData.start_time'],
    ['a start without a time zone', page({ start_time: '2031-05-02T10:00:00' }), 'bookingData.start_time'],
    ['no end', page({ end_time: undefined }), 'bookingData.end_time'],
    ['an end that is no time', page({ end_time: 'noon' }), 'bookingData.end_time'],
    ['a price below nothing', page({ final_cost: -1 }), 'bookingData.final_cost'],
    ['a price with three decimals', page({ final_cost: 1.005 }), 'bookingData.final_cost'],
    ['a price that is text', page({ final_cost: '69' }), 'bookingData.final_cost'],
    ['a price above 100 000', page({ final_cost: 100_000.01 }), 'bookingData.final_cost'],
    ['a code of 51 characters', page({ coupon_code: 'x'.repeat(51) }), 'bookingData.coupon_code'],
    ['a code that is a number', page({ coupon_code: 5 }), 'bookingData.coupon_code'],
    ['a phone that is none', page({}, { phone: 'abc' }), 'customerData.phone'],
    ['terms that are text', page({}, { termsAccepted: 'true' }), 'customerData.termsAccepted'],
    ['a checkout without a studio', checkout({ studioId: null }), 'metadata.studioId'],
    ['a checkout without a start', checkout({ startTime: null }), 'metadata.startTime'],
    ['a checkout without an end', checkout({ endTime: null }), 'metadata.endTime'],
    ['a checkout with a wrong code', checkout({ couponCode: 1 }), 'metadata.couponCode'],
    ['a checkout whose terms are text', checkout({ termsAccepted: 'yes' }), 'metadata.termsAccepted'],
    ['a checkout with a wrong amount', checkout({}, { amount: 1.005 }), 'amount'],
    ['a checkout with a wrong phone', checkout({}, { customerPhone: '1' }), 'customerPhone'],
    ['a checkout without its metadata', { metadata: null }, 'metadata'],
  ])('refuses %s', async (_what, body, field) => {
    const answer = await readResponse(await app.send('create-payment', 'person', { body }));
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', field } } });
    expect(answer).toMatchObject({ body: { error: { message: expect.stringContaining(`${field}: `) } } });
    expect(operationCalls()).toEqual([]);
  });

  test('explains an amount with three decimals, and names the body itself "body"', async () => {
    const wrong = await readResponse(await app.send('create-payment', 'person', { body: page({ final_cost: 1.005 }) }));
    expect(wrong).toMatchObject({ body: { error: { message: 'bookingData.final_cost: at most two decimals' } } });
    const whole = await readResponse(await app.send('create-payment', 'person', { body: 'null' }));
    expect(whole).toMatchObject({ status: 400, body: { error: { message: expect.stringMatching(/^body: /) } } });
    expect(whole).not.toHaveProperty('body.error.field');
  });
});

describe.each(['cancel-booking', 'release-hold', 'generate-access-code'])('%s', (name) => {
  test.each([{}, { bookingId: null }, { bookingId: 'x' }, { bookingId: [BOOKING] }])(
    'refuses the body %j and asks nothing',
    async (body) => {
      expect(await readResponse(await app.send(name, 'person', { body }))).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request', field: 'bookingId' } },
      });
      expect(operationCalls()).toEqual([]);
    },
  );
});

test.each([
  ['full', 8255, 82.55],
  ['part', 1255, 12.55],
  ['none', 0, 0],
] as const)('cancel-booking cancels for the caller and tells the refund: %s', async (refund, amountCents, amount) => {
  app.answers['cancelBooking'] = () => ({ refund, amountCents });
  const body = { bookingId: BOOKING, userId: STAFF };
  expect(await readResponse(await app.send('cancel-booking', 'person', { body }))).toEqual(
    ok({ cancelled: true, refund, amount }),
  );
  expect(operationCalls()).toEqual([['cancelBooking', BOOKING, PERSON]]);
});

test.each([
  ['cancelled', true, 'WELCOME'],
  ['confirmed', false, null],
  ['pending', false, null],
])("release-hold releases the caller's hold and returns its state: %s", async (status, released, couponCode) => {
  app.answers['releaseOwnHold'] = () => ({ booking: { ...booking, status }, couponCode });
  expect(await readResponse(await app.send('release-hold', 'person', { body: { bookingId: BOOKING } }))).toEqual(
    ok({ released, status, couponCode }),
  );
  expect(operationCalls()).toEqual([['releaseOwnHold', BOOKING, PERSON]]);
});

describe('generate-access-code', () => {
  test("returns the code of the caller's own booking", async () => {
    Object.assign(app.answers, {
      readOwnBooking: () => booking,
      ensureCode: () => access,
      recordView: () => undefined,
    });
    expect(
      await readResponse(await app.send('generate-access-code', 'person', { body: { bookingId: BOOKING } })),
    ).toEqual(
      ok({
        pinCode: '482913',
        pinId: 'code-1',
        held: false,
        releaseAt: '2031-05-01T23:00:00.000Z',
        worksFrom: '2031-05-01T23:45:00.000Z',
        worksUntil: '2031-05-02T02:15:00.000Z',
      }),
    );
    expect(operationCalls()).toEqual([
      ['readOwnBooking', PERSON, BOOKING],
      ['ensureCode', BOOKING],
      ['recordView', access, null],
    ]);
  });

  test("does not request a code for another account's booking", async () => {
    app.answers['readOwnBooking'] = () => {
      throw new Refusal('not_found', 'Booking not found');
    };
    const response = await app.send('generate-access-code', 'staff', { body: { bookingId: BOOKING } });
    expect(response.status).toBe(404);
    expect(operationCalls()).toEqual([['readOwnBooking', STAFF, BOOKING]]);
  });
});

describe.each(['send-booking-confirmation', 'send-access-code-email'])('%s', (name) => {
  test.each([
    [{ bookingId: BOOKING, to: 'thief@example.com' }, BOOKING],
    [{ bookingId: null }, null],
    [{}, null],
  ])('given %j it asks for a booking of the caller and answers 202', async (body, bookingId) => {
    app.answers['readOwnBooking'] = () => booking;
    expect(await readResponse(await app.send(name, 'person', { body }))).toEqual(ok({ queued: true }, 202));
    expect(operationCalls()).toEqual([['readOwnBooking', PERSON, bookingId]]);
  });

  test('refuses an invalid booking id', async () => {
    expect(await readResponse(await app.send(name, 'person', { body: { bookingId: 7 } }))).toMatchObject({
      status: 400,
    });
    expect(operationCalls()).toEqual([]);
  });
});

describe('verify-payment', () => {
  const ask = (state: string, more: object = {}) => {
    app.answers['readPaymentStatus'] = () => ({
      booking,
      payment: { ...payment, state },
      paid: true,
      waiting: false,
      order: [],
      changed: null,
      ...more,
    });
  };
  const standing = { paid: true, status: 'confirmed', payment: 'paid', bookingId: BOOKING, reference: 'HC-ABC123' };
  const body = { sessionId: 'cs_test_1' };

  test('shows the owner the booking and its prices in dollars', async () => {
    ask('paid');
    expect(await readResponse(await app.send('verify-payment', 'person', { body }))).toEqual(
      ok({
        ...standing,
        booking: {
          studio_id: booking.studioId,
          studio_name: 'Studio A',
          start_time: booking.startTime.toISOString(),
          end_time: booking.endTime.toISOString(),
          total_hours: 2,
          base_cost: 98,
          discount_amount: 15.5,
          coupon_discount: 5.5,
          final_cost: 82.5,
        },
      }),
    );
    expect(operationCalls()).toEqual([['readPaymentStatus', 'cs_test_1']]);
  });

  test('names the booking that a payment changes, and shows its amount to the owner only', async () => {
    const changed = { ...booking, id: '5b000000-0000-4000-8000-0000000000c9', reference: 'HC-CHANGED' };
    ask('paid', { changed });
    const named = { ...standing, bookingId: changed.id, reference: 'HC-CHANGED' };
    const seen = (by: 'guest' | 'person') => app.send('verify-payment', by, { body }).then(readResponse);
    expect(await seen('guest')).toEqual(ok({ ...named, change: null }));
    expect(await seen('person')).toMatchObject(ok({ ...named, change: 82.5 }));
  });

  test.each(['guest', 'staff', 'service'] as const)('shows %s nothing private', async (by) => {
    ask('paid');
    expect(await readResponse(await app.send('verify-payment', by, { body }))).toEqual(ok(standing));
  });

  test('shows a guest nothing private of a booking whose account was deleted', async () => {
    ask('paid', { booking: { ...booking, userId: null } });
    expect(await readResponse(await app.send('verify-payment', 'guest', { body }))).toEqual(ok(standing));
  });

  test('answers state asking while the provider has not answered', async () => {
    ask('open', { paid: false, waiting: true });
    expect(await readResponse(await app.send('verify-payment', 'guest', { body }))).toEqual(
      ok({ ...standing, paid: false, payment: 'open', state: 'asking' }),
    );
  });

  test.each([
    ['intent', 'open'],
    ['open', 'open'],
    ['processing', 'processing'],
    ['failed', 'failed'],
    ['expired', 'expired'],
    ['paid', 'paid'],
    ['disputed', 'paid'],
    ['refund_pending', 'returning'],
    ['refund_failed', 'returning'],
    ['refunded', 'returned'],
    ['refund_manual', 'returned'],
    ['dispute_lost', 'returned'],
  ])('calls a payment that is %s %s', async (state, word) => {
    ask(state);
    expect(await readResponse(await app.send('verify-payment', 'guest', { body }))).toMatchObject({
      body: { payment: word },
    });
  });

  test('accepts the session of a free booking', async () => {
    ask('paid');
    const sessionId = `free_${BOOKING}`;
    expect((await app.send('verify-payment', 'guest', { body: { sessionId } })).status).toBe(200);
    expect(operationCalls()).toEqual([['readPaymentStatus', sessionId]]);
  });

  test.each([
    undefined,
    7,
    '',
    'cs_',
    'xcs_test_1',
    'cs_a b',
    `cs_${'x'.repeat(201)}`,
    'free_1',
    `free_${BOOKING}1`,
    `x free_${BOOKING}`,
  ])('refuses %j as a session', async (sessionId) => {
    expect(await readResponse(await app.send('verify-payment', 'guest', { body: { sessionId } }))).toMatchObject({
      status: 400,
      body: { error: { field: 'sessionId' } },
    });
    expect(operationCalls()).toEqual([]);
  });
  test('explains an invalid session id', async () => {
    expect(await readResponse(await app.send('verify-payment', 'guest', { body: { sessionId: 'x' } }))).toMatchObject({
      body: { error: { message: 'sessionId: not a payment session' } },
    });
  });
});

describe('stripe-webhook', () => {
  test('passes the raw text and its signature to the provider and stores the event', async () => {
    const event = { id: 'evt_1', type: 'checkout.session.completed' };
    Object.assign(app.answers, { 'payments.readEvent': () => event, acceptEvent: () => undefined });
    const headers = { 'stripe-signature': 't=1,v1=2' };
    expect(await readResponse(await app.send('stripe-webhook', 'none', { body: '{ "raw": 1}', headers }))).toEqual(
      ok({ received: true }),
    );
    expect(operationCalls()).toEqual([
      ['payments.readEvent', '{ "raw": 1}', 't=1,v1=2'],
      ['acceptEvent', event],
    ]);
  });

  test('passes on every character that people have written, also those that cannot be seen', async () => {
    Object.assign(app.answers, { 'payments.readEvent': () => ({ id: 'evt_1' }), acceptEvent: () => undefined });
    const body = '{ "name": "Sam\u200b\u00adSmith"}';
    expect((await app.send('stripe-webhook', 'none', { body })).status).toBe(200);
    expect(operationCalls()[0]).toEqual(['payments.readEvent', body, '']);
  });

  test('refuses a wrong signature with 400 and stores nothing', async () => {
    app.answers['payments.readEvent'] = () => {
      throw new WebhookRefused('wrong signature');
    };
    expect(await readResponse(await app.send('stripe-webhook', 'none', { body: '{}' }))).toEqual(
      ok({ error: { code: 'invalid_request', message: 'Refused: wrong signature.' } }, 400),
    );
    expect(operationCalls()).toEqual([['payments.readEvent', '{}', '']]);
  });

  test('does not answer 2xx for an event that could not be stored', async () => {
    app.answers['payments.readEvent'] = () => ({ id: 'evt_1' });
    app.answers['acceptEvent'] = () => {
      throw new Error('database gone');
    };
    expect((await app.send('stripe-webhook', 'none', { body: '{}' })).status).toBe(500);
  });
});

describe('staff', () => {
  test.each([
    ['turn_on', true, 'Power turned on'],
    ['turn_off', false, 'Power turned off'],
  ])('manual-power-control switches by %s', async (action, on, message) => {
    app.answers['switchPower'] = () => undefined;
    const answer = ok({ success: true, message });
    expect(await readResponse(await app.send('manual-power-control', 'staff', { body: { action } }))).toEqual(answer);
    expect(await readResponse(await app.send('manual-power-control', 'service', { body: { action } }))).toEqual(answer);
    expect(operationCalls()).toEqual([
      ['switchPower', { on, studioId: null }, STAFF],
      ['switchPower', { on, studioId: null }, NOBODY],
    ]);
  });

  test.each([{}, { action: 'toggle' }, { action: true }])('manual-power-control refuses %j', async (body) => {
    expect(await readResponse(await app.send('manual-power-control', 'staff', { body }))).toMatchObject({
      status: 400,
      body: { error: { field: 'action' } },
    });
    expect(operationCalls()).toEqual([]);
  });

  test('test-smart-plug switches for the caller', async () => {
    app.answers['testPower'] = () => undefined;
    expect(await readResponse(await app.send('test-smart-plug', 'staff'))).toEqual(ok({ success: true }));
    expect(await readResponse(await app.send('test-smart-plug', 'service'))).toEqual(ok({ success: true }));
    expect(operationCalls()).toEqual([
      ['testPower', STAFF],
      ['testPower', NOBODY],
    ]);
  });

  test('process-scheduled-emails returns how many jobs it ran', async () => {
    app.answers['drain'] = () => 3;
    expect(await readResponse(await app.send('process-scheduled-emails', 'service'))).toEqual(ok({ processed: 3 }));
  });
});
