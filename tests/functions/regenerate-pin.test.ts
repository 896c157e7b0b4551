import { beforeEach, describe, expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import type { RefusalCode } from '#contracts/core/refusals.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import {
  access,
  booking,
  BOOKING,
  createFunctionsApp,
  type FunctionsApp,
  IP,
  NOW,
  OTHER_BOOKING,
  PERSON,
  readResponse,
  STAFF,
} from './test-app.ts';

const SERVICE = '00000000-0000-0000-0000-000000000000';
const END = booking.endTime;
let app: FunctionsApp;
beforeEach(() => {
  app = prepare(createFunctionsApp());
});
function prepare(prepared: FunctionsApp): FunctionsApp {
  Object.assign(prepared.answers, {
    ensureCode: () => access,
    renewCode: () => access,
    recordView: () => undefined,
    readOwnBooking: (userId: string) => {
      if (userId !== PERSON) throw new Refusal('not_found', 'Booking not found');
      return booking;
    },
  });
  return prepared;
}
const shown = {
  success: true,
  pin: '482913',
  pinId: 'code-1',
  held: false,
  booking: {
    id: BOOKING,
    reference: 'HC-ABC123',
    studio_name: 'Studio A',
    start_time: booking.startTime.toISOString(),
    end_time: booking.endTime.toISOString(),
  },
  releaseAt: '2031-05-01T23:00:00.000Z',
  worksFrom: '2031-05-01T23:45:00.000Z',
  worksUntil: '2031-05-02T02:15:00.000Z',
  openedAt: null,
  nextCodeAt: null,
  codesLeft: 4,
  codesPerBooking: 5,
  mode: 'bridge',
  singleUse: false,
};
const operationCalls = (): FunctionsApp['calls'] => app.calls.filter(([name]) => name !== 'readCaller');
const link = (bookingId: string, expires = END, purpose = 'pin-page'): string =>
  app.links.sign(purpose, bookingId, expires);
const get = (query: Record<string, string>, by: 'guest' | 'person' | 'staff' | 'service' | 'none' = 'guest') =>
  app.send('regenerate-pin', by, { method: 'GET', query: `?${new URLSearchParams(query).toString()}` });

describe('with the link of a code mail', () => {
  test('shows the code of its booking to a guest', async () => {
    const response = await get({ booking_id: BOOKING, token: link(BOOKING) });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await readResponse(response)).toEqual({ status: 200, body: shown, retryAfter: null });
    expect(operationCalls()).toEqual([
      ['ensureCode', BOOKING],
      ['recordView', access, null],
    ]);
  });

  test('makes a new code of its booking, with the token in the body or in the address', async () => {
    const inBody = { booking_id: BOOKING, token: link(BOOKING) };
    expect((await app.send('regenerate-pin', 'guest', { body: inBody })).status).toBe(200);
    const query = `?token=${link(BOOKING)}`;
    expect((await app.send('regenerate-pin', 'guest', { body: { booking_id: BOOKING }, query })).status).toBe(200);
    const inAddress = `?booking_id=${BOOKING}&token=${link(BOOKING)}`;
    expect((await app.send('regenerate-pin', 'guest', { query: inAddress })).status).toBe(200);
    expect((await app.send('regenerate-pin', 'guest', { body: '[]', query: inAddress })).status).toBe(200);
    expect((await app.send('regenerate-pin', 'guest', { body: 'null', query: inAddress })).status).toBe(200);
    const renewed = [
      ['renewCode', BOOKING, null],
      ['recordView', access, null],
    ];
    expect(operationCalls()).toEqual(Array.from({ length: 5 }, () => renewed).flat());
  });

  test.each([
    ['of another booking', () => link(OTHER_BOOKING)],
    ['that is over', () => link(BOOKING, NOW)],
    ['made for another purpose', () => link(BOOKING, END, 'unsubscribe')],
    ['with a changed signature', () => `${link(BOOKING)}x`],
    ['that is empty', () => ''],
  ])('gives no access %s', async (_what, token) => {
    for (const method of ['GET', 'POST'] as const) {
      const query = `?${new URLSearchParams({ booking_id: BOOKING, token: token() }).toString()}`;
      expect(await readResponse(await app.send('regenerate-pin', 'guest', { method, query }))).toEqual({
        status: 401,
        body: {
          success: false,
          error: 'Please sign in to see your access code.',
          code: 'not_signed_in',
          expired: false,
        },
        retryAfter: null,
      });
    }
    expect(operationCalls()).toEqual([]);
  });

  test('of another booking does not help a signed-in account', async () => {
    app.answers['readOwnBooking'] = () => {
      throw new Refusal('not_found', 'Booking not found');
    };
    expect(await readResponse(await get({ booking_id: BOOKING, token: link(OTHER_BOOKING) }, 'person'))).toEqual({
      status: 404,
      body: { success: false, error: 'Booking not found', code: 'not_found', expired: false },
      retryAfter: null,
    });
    expect(operationCalls()).toEqual([['readOwnBooking', PERSON, BOOKING]]);
  });
});

describe('without a link', () => {
  test('the owner sees and renews the code, as themselves', async () => {
    expect((await get({ booking_id: BOOKING }, 'person')).status).toBe(200);
    const body = { booking_id: BOOKING, token: null };
    expect((await app.send('regenerate-pin', 'person', { body })).status).toBe(200);
    expect(operationCalls()).toEqual([
      ['readOwnBooking', PERSON, BOOKING],
      ['ensureCode', BOOKING],
      ['recordView', access, null],
      ['readOwnBooking', PERSON, BOOKING],
      ['renewCode', BOOKING, PERSON],
      ['recordView', access, null],
    ]);
  });

  test('staff and the service key see any code without owning the booking', async () => {
    expect((await get({ booking_id: OTHER_BOOKING }, 'staff')).status).toBe(200);
    expect((await get({ booking_id: OTHER_BOOKING }, 'service')).status).toBe(200);
    expect((await app.send('regenerate-pin', 'staff', { body: { booking_id: OTHER_BOOKING } })).status).toBe(200);
    expect(operationCalls()).toEqual([
      ['ensureCode', OTHER_BOOKING],
      ['recordView', access, STAFF],
      ['ensureCode', OTHER_BOOKING],
      ['recordView', access, SERVICE],
      ['renewCode', OTHER_BOOKING, STAFF],
      ['recordView', access, STAFF],
    ]);
  });

  test('a guest has to sign in, and a request without a key gets 401 in the common shape', async () => {
    expect(await readResponse(await get({ booking_id: BOOKING }))).toMatchObject({
      status: 401,
      body: { success: false },
    });
    const response = await get({ booking_id: BOOKING }, 'none');
    expect(response.headers.get('x-relay-error')).toBe('true');
    expect(await readResponse(response)).toMatchObject({ status: 401, body: { error: { code: 'no_api_key' } } });
    expect(operationCalls()).toEqual([]);
  });
});

test.each([
  ['no booking', {}],
  ['a booking that is no id', { booking_id: '7' }],
  ['a token of 301 characters', { booking_id: BOOKING, token: 'x'.repeat(301) }],
])('%s is refused with 400', async (_what, query) => {
  for (const response of [
    await get(query as Record<string, string>, 'staff'),
    await app.send('regenerate-pin', 'staff', { body: query }),
  ]) {
    const { status, body } = await readResponse(response);
    expect({ status, body }).toMatchObject({ status: 400, body: { success: false, code: 'invalid_request' } });
    expect(body).toHaveProperty('field', 'token' in query ? 'token' : 'booking_id');
  }
  expect(operationCalls()).toEqual([]);
});

test('a token of 300 characters is read', async () => {
  expect((await get({ booking_id: BOOKING, token: 'x'.repeat(300) }, 'staff')).status).toBe(200);
});

test('a body that is not an object does not replace the query', async () => {
  const { status } = await readResponse(await app.send('regenerate-pin', 'staff', { body: '"booking_id"' }));
  expect(status).toBe(400);
});

test('showing and renewing have separate limits, counted by IP address', async () => {
  await get({ booking_id: BOOKING }, 'person');
  await app.send('regenerate-pin', 'person', { body: { booking_id: BOOKING } });
  expect(app.taken).toEqual([
    [{ name: 'regenerate-pin-show', max: 120, seconds: 60 }, `ip:${IP}`],
    [{ name: 'regenerate-pin', max: 20, seconds: 60 }, `ip:${IP}`],
  ]);
});

test("a used-up limit is answered in this function's shape", async () => {
  app = prepare(createFunctionsApp({ wait: 9 }));
  for (const response of [await get({ booking_id: BOOKING }, 'person'), await app.send('regenerate-pin', 'person')])
    expect(await readResponse(response)).toMatchObject({
      status: 429,
      body: {
        success: false,
        error: 'Too many requests. Please try again in a moment.',
        code: 'too_many_requests',
        expired: false,
        retryAfter: 9,
      },
    });
  expect(operationCalls()).toEqual([]);
});

test('the code is shown until the session ends and never after', async () => {
  const token = link(BOOKING, new Date(END.getTime() + 60_000));
  app = prepare(createFunctionsApp({ now: new Date(END.getTime() - 1) }));
  expect((await get({ booking_id: BOOKING, token })).status).toBe(200);
  app = prepare(createFunctionsApp({ now: END }));
  expect(await readResponse(await get({ booking_id: BOOKING, token }))).toEqual({
    status: 410,
    body: { success: false, error: 'Session has ended', code: 'session_ended', expired: true },
    retryAfter: null,
  });
});

test.each([
  ['session_ended', 410, true],
  ['code_not_released', 425, false],
  ['code_wait', 429, false],
  ['code_held', 409, false],
  ['not_confirmed', 409, false],
  ['provider_unavailable', 503, false],
] as const)('a refusal %s is answered with %i and its details', async (code: RefusalCode, status, expired) => {
  app.answers['renewCode'] = () => {
    throw new Refusal(code, 'No.', { seconds: 3, success: true });
  };
  expect(
    await readResponse(await app.send('regenerate-pin', 'staff', { body: { booking_id: BOOKING } })),
  ).toMatchObject({
    status,
    body: { seconds: 3, success: false, error: 'No.', code, expired },
  });
});

test.each([
  ['staff', 'The lock has no codes left for these hours.'],
  ['person', 'Please contact us.'],
] as const)('a code that the lock has no room for is refused for %s with words for them', async (by, words) => {
  app.answers['renewCode'] = () => {
    throw new Refusal('code_limit', 'Please contact us.');
  };
  const { status, body } = await readResponse(await app.send('regenerate-pin', by, { body: { booking_id: BOOKING } }));
  expect([status, body]).toMatchObject([
    429,
    { success: false, code: 'code_limit', error: expect.stringContaining(words) as unknown },
  ]);
});

test('a provider that does not answer gives 503 in the common shape', async () => {
  app.answers['ensureCode'] = () => {
    throw new ProviderError('igloohome', 'no_response', { retryable: true });
  };
  expect(await readResponse(await get({ booking_id: BOOKING }, 'staff'))).toMatchObject({
    status: 503,
    body: { error: { code: 'provider_unavailable' } },
    retryAfter: '5',
  });
});

test('only GET and POST are allowed', async () => {
  const response = await app.send('regenerate-pin', 'staff', { method: 'PUT' });
  expect(response.headers.get('allow')).toBe('GET, POST');
  expect(await readResponse(response)).toMatchObject({ status: 405, body: { error: { message: 'Use GET or POST.' } } });
});
