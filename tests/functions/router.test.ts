import { describe, expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import type { RefusalCode } from '#contracts/core/refusals.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { BOOKING, createFunctionsApp, type FunctionsApp, readResponse } from './test-app.ts';

/** The behaviour of the router for all functions: paths, bodies and the common format of refusals. */
const KIB = 1024;
const MIB = 1024 * KIB;
const body = { bookingId: BOOKING };

function createApp(options: Parameters<typeof createFunctionsApp>[0] = {}): FunctionsApp {
  const app = createFunctionsApp(options);
  Object.assign(app.answers, { cancelBooking: () => ({ refund: 'none', amountCents: 0 }) });
  return app;
}
/** An app in which cancel-booking fails. Contracts are not checked, because the contract of that call does not list most refusals. */
const failing = (error: unknown): FunctionsApp => {
  const app = createFunctionsApp({ checked: false });
  app.answers['cancelBooking'] = () => {
    throw error;
  };
  return app;
};
/** Builds a JSON body of exactly `size` bytes. */
const padded = (bytes: number): string => {
  const start = JSON.stringify({ ...body, padding: '' }).slice(0, -2);
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
};

test('an unknown function and a path below one are 404, with at most sixty characters of the name', async () => {
  const app = createApp();
  expect(await readResponse(await app.send('no-such-function', 'person'))).toEqual({
    status: 404,
    body: { error: { code: 'not_found', message: 'There is no function called no-such-function' } },
    retryAfter: null,
  });
  expect(await readResponse(await app.send('x'.repeat(80), 'person'))).toMatchObject({
    body: { error: { message: `There is no function called ${'x'.repeat(60)}` } },
  });
  expect(await readResponse(await app.send('cancel-booking/more', 'person'))).toEqual({
    status: 404,
    body: { error: { code: 'not_found', message: 'There is no such function.' } },
    retryAfter: null,
  });
  expect(app.calls).toEqual([]);
});

const STATUSES: Readonly<Record<RefusalCode, number>> = {
  invalid_request: 400,
  not_signed_in: 401,
  not_yours: 403,
  age_required: 403,
  id_required: 403,
  blocked: 403,
  terms_required: 403,
  mail_unconfirmed: 403,
  not_found: 404,
  slot_taken: 409,
  slot_closed: 409,
  slot_free: 409,
  waitlist_limit: 409,
  too_many_hours: 409,
  crew_full: 409,
  price_changed: 409,
  coupon_exhausted: 409,
  too_late: 409,
  not_confirmed: 409,
  code_held: 409,
  already_done: 409,
  payment_processing: 409,
  not_configured: 409,
  last_owner: 409,
  days_overlap: 409,
  invitation_ended: 410,
  second_factor_required: 403,
  current_password_required: 403,
  current_password_invalid: 403,
  reauthentication_needed: 403,
  reauthentication_not_valid: 422,
  bookings_ahead: 409,
  lights_in_use: 409,
  staff_account: 409,
  session_ended: 410,
  coupon_invalid: 422,
  image_refused: 422,
  too_early: 425,
  code_not_released: 425,
  too_many_holds: 429,
  too_many_requests: 429,
  code_limit: 429,
  code_wait: 429,
  provider_unavailable: 503,
};
test.each(Object.entries(STATUSES))('a refusal %s is answered with %i', async (code, status) => {
  const app = failing(new Refusal(code as RefusalCode, 'Why not.', { total: 12, code: 'x', message: 'y' }));
  expect(await readResponse(await app.send('cancel-booking', 'person', { body }))).toEqual({
    status,
    body: { error: { total: 12, code, message: 'Why not.' } },
    retryAfter: null,
  });
  expect(app.logged).toEqual([]);
  expect(app.reserved()).toEqual({ small: 0, large: 0 });
});

test('Retry-After is set from a number of seconds only', async () => {
  const refusal = (retryAfter: unknown) => new Refusal('too_many_holds', 'Later.', { retryAfter });
  const send = async (app: FunctionsApp) => readResponse(await app.send('cancel-booking', 'person', { body }));
  expect(await send(failing(refusal(30)))).toMatchObject({ status: 429, retryAfter: '30' });
  expect(await send(failing(refusal(0)))).toMatchObject({ status: 429, retryAfter: '0' });
  expect(await send(failing(refusal('soon')))).toMatchObject({ status: 429, retryAfter: null });
});

test('a provider that does not answer is 503 with Retry-After, and its reason is only logged', async () => {
  const app = failing(new ProviderError('stripe', 'secret_reason', { retryable: true }));
  const answer = await readResponse(await app.send('cancel-booking', 'person', { body }));
  expect(answer).toEqual({
    status: 503,
    body: {
      error: {
        code: 'provider_unavailable',
        message: 'We can’t reach a service we depend on right now. Please try again in a moment.',
      },
    },
    retryAfter: '5',
  });
  expect(app.logged).toEqual(['warn: a provider did not answer; the caller was asked to try again']);
  expect(app.logFields).toEqual([
    { path: '/functions/v1/cancel-booking', provider: 'stripe', reason: 'secret_reason' },
  ]);
});

test('an unexpected error is 500 with the id of the request, and its message is only logged', async () => {
  const app = failing(new Error('password=hunter2'));
  expect(await readResponse(await app.send('cancel-booking', 'person', { body }))).toEqual({
    status: 500,
    body: { error: { code: 'internal', message: 'Something went wrong on our side. Request request-1.' } },
    retryAfter: null,
  });
  expect(app.logged).toEqual(['error: a function failed']);
  expect(app.logFields).toEqual([{ path: '/functions/v1/cancel-booking', err: new Error('password=hunter2') }]);
});

describe('a body', () => {
  test.each([
    ['{', 400],
    ['not json', 400],
    ['"text"', 400],
    ['null', 400],
    ['[]', 400],
    ['  ', 400],
  ])('%s is refused with 400 when an object is required', async (text, status) => {
    const app = createApp();
    expect(await readResponse(await app.send('cancel-booking', 'person', { body: text }))).toMatchObject({
      status,
      body: { error: { code: 'invalid_request', message: expect.stringMatching(/\w/) } },
    });
    expect(app.reserved()).toEqual({ small: 0, large: 0 });
  });

  test('that is not JSON is refused; a missing one counts as an empty object', async () => {
    const app = createApp();
    expect(await readResponse(await app.send('cancel-booking', 'person', { body: '{' }))).toMatchObject({
      body: { error: { message: 'The body is not JSON.' } },
    });
    app.answers['readOwnBooking'] = () => ({});
    expect((await app.send('send-booking-confirmation', 'person')).status).toBe(202);
    expect((await app.send('send-booking-confirmation', 'person', { body: ' \n ' })).status).toBe(202);
  });

  test('of another content type is refused with 415 before it is counted', async () => {
    const app = createApp();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])
      expect(
        await readResponse(await app.send('cancel-booking', 'person', { body, headers: { 'content-type': type } })),
      ).toMatchObject({ status: 415, body: { error: { code: 'unsupported_media_type' } }, retryAfter: null });
    expect(app.taken).toEqual([]);
  });

  test('of 64 KiB is read and one byte more is refused with 413 before it is counted', async () => {
    const app = createApp();
    expect((await app.send('cancel-booking', 'person', { body: padded(64 * KIB) })).status).toBe(200);
    expect(app.taken).toHaveLength(1);
    expect(
      await readResponse(await app.send('cancel-booking', 'person', { body: padded(64 * KIB + 1) })),
    ).toMatchObject({
      status: 413,
      body: { error: { code: 'request_too_large' } },
      retryAfter: null,
    });
    expect(app.taken).toHaveLength(1);
  });

  test('without a length is refused with 413 once it exceeds 64 KiB', async () => {
    const app = createApp();
    const headers = { 'content-length': null, 'transfer-encoding': 'chunked' };
    const response = await app.send('cancel-booking', 'person', { body: padded(64 * KIB + 1), headers });
    expect(response.status).toBe(413);
    expect(app.reserved()).toEqual({ small: 0, large: 0 });
  });

  test('of a provider may have 1 MiB and any content type', async () => {
    const app = createFunctionsApp();
    Object.assign(app.answers, { 'payments.readEvent': () => ({ id: 'evt_1' }), acceptEvent: () => undefined });
    const headers = { 'content-type': 'text/plain' };
    expect((await app.send('stripe-webhook', 'none', { body: 'x'.repeat(MIB), headers })).status).toBe(200);
    expect((await app.send('stripe-webhook', 'none', { body: 'x'.repeat(MIB + 1), headers })).status).toBe(413);
    expect((await app.send('igloohome-webhook', 'none', { body: 'x'.repeat(MIB + 1), headers })).status).toBe(413);
  });

  test('reserves its bytes while it is handled: up to 1 MiB by IP address, a larger one by account', async () => {
    const app = createFunctionsApp();
    const seen: unknown[] = [];
    const look = (): never => {
      seen.push(app.reserved());
      throw new Refusal('not_found', 'No.');
    };
    Object.assign(app.answers, { cancelBooking: look, checkPhoto: look, acceptEvent: look });
    app.answers['payments.readEvent'] = () => ({ id: 'evt_1' });
    const idImage = `data:image/png;base64,${'A'.repeat(2 * MIB)}`;
    const small = JSON.stringify(body);
    await app.send('cancel-booking', 'person', { body: small });
    await app.send('stripe-webhook', 'none', { body: 'x'.repeat(MIB) });
    await app.send('verify-id', 'person', { body: { idImage } });
    expect(seen).toEqual([
      { small: small.length, large: 0 },
      { small: MIB, large: 0 },
      { small: 0, large: JSON.stringify({ idImage }).length },
    ]);
    expect(app.reserved()).toEqual({ small: 0, large: 0 });
  });

  test('of unknown length reserves the maximum', async () => {
    const app = createFunctionsApp();
    const seen: unknown[] = [];
    app.answers['cancelBooking'] = () => {
      seen.push(app.reserved());
      return { refund: 'none', amountCents: 0 };
    };
    const headers = { 'content-length': null, 'transfer-encoding': 'chunked' };
    const response = await app.send('cancel-booking', 'person', { body, headers });
    expect([response.status, seen]).toEqual([200, [{ small: 64 * KIB, large: 0 }]]);
  });

  test('without free memory is refused with Retry-After and is not counted', async () => {
    const app = createApp({ bodyBytes: 10 });
    expect(await readResponse(await app.send('cancel-booking', 'person', { body }))).toMatchObject({
      status: 429,
      body: { error: { code: 'too_many_requests', retryAfter: 2 } },
      retryAfter: '2',
    });
    expect(app.taken).toEqual([]);
  });
});

test('large bodies are parsed one after another, and invalid JSON does not stop the next', async () => {
  const app = createFunctionsApp();
  app.answers['checkPhoto'] = () => {
    throw new Refusal('image_refused', 'No.');
  };
  const idImage = `data:image/png;base64,${'A'.repeat(2 * MIB)}`;
  const sent = ['{'.padEnd(2 * MIB), JSON.stringify({ idImage })].map((body) =>
    app.send('verify-id', 'person', { body }),
  );
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([400, 422]);
  expect(app.reserved()).toEqual({ small: 0, large: 0 });
});
