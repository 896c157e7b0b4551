import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contracts from '#contracts/calls.ts';
import type { Call } from '#contracts/core/define-call.ts';
import { engines } from '#tests/support/engines.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

/**
 * The calls of customers and of the specification; tests/functions/bad-bodies.test.ts sends bad bodies to the calls of the staff pages too.
 */
const CALLS = Object.values<Call>(contracts).filter(
  ({ name, methods }) => methods.includes('POST') && !name.startsWith('staff-'),
);
const HOSTILE: readonly unknown[] = [
  '',
  'null',
  '[]',
  '"text"',
  '42',
  '{',
  '\u0000',
  {},
  { bookingId: 7 },
  { bookingId: "'; drop table private.booking; --" },
  { booking_id: '../../etc/passwd' },
  { sessionId: { $ne: null } },
  { sessionId: 'x'.repeat(5_000) },
  { idImage: 'data:text/html;base64,PHNjcmlwdD4=' },
  { idImage: `data:image/png;base64,${'A'.repeat(200)}` },
  { metadata: null },
  { metadata: { studioId: 'x', startTime: 'yesterday', endTime: 1 } },
  { bookingData: [] },
  {
    metadata: {
      studioId: '5a000000-0000-4000-8000-00000000000a',
      startTime: '2026-12-01T10:30:00Z',
      endTime: '2026-12-01T09:00:00Z',
    },
  },
  { amount: -1, metadata: {} },
  { action: '__proto__' },
  { ['__proto__']: { admin: true } },
  { verificationSessionId: 'vs_nobody' },
];

/** Whether a call accepts such a body, which is then not a bad one. Without a body, a call receives an empty object. */
function accepts({ body: schema, callers }: Call, body: unknown): boolean {
  if (callers === 'provider') return false;
  if (typeof body !== 'string') return schema.safeParse(body).success;
  if (body === '') return schema.safeParse({}).success;
  try {
    return schema.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

/** Bad input is refused in the format of the API, writes nothing and reveals no internals. */
describe.each(engines)('bad input on $name', (engine) => {
  let server: TestServer;
  let customer: Customer;
  beforeAll(async () => {
    server = await engine.open();
    customer = await server.addCustomer();
  }, 60_000);
  afterAll(() => server.close());

  const rows = async (): Promise<unknown> =>
    server.app.db.queryRow(
      `select (select count(*) from private.booking) as bookings, (select count(*) from private.payment) as payments, (select count(*) from private.outbox) as jobs, (select count(*) from public.id_verifications) as checks`,
    );
  const leaks = (text: string): boolean => /\bat .*\.ts:|node_modules|select |PGlite|stack/i.test(text);

  it.each(CALLS)('is refused by $name', { timeout: 60_000 }, async (call) => {
    const { name } = call;
    const before = await rows();
    for (const body of HOSTILE.filter((value) => !accepts(call, value))) {
      for (const token of [customer.token, undefined, 'not.a.token']) {
        const response = await fetch(`${server.url}/functions/v1/${name}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token ?? server.app.keys.anonKey}`, 'content-type': 'application/json' },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        });
        const text = await response.text();
        const status = [name, JSON.stringify(body)?.slice(0, 60), response.status];
        expect(status, text.slice(0, 200)).toEqual([
          status[0],
          status[1],
          expect.toSatisfy((code) => code >= 400 && code < 500),
        ]);
        expect(leaks(text), text.slice(0, 300)).toBe(false);
        if (response.status >= 400)
          expect(JSON.parse(text)).toMatchObject(
            name === 'regenerate-pin' && 'success' in JSON.parse(text)
              ? { success: false }
              : { error: { code: expect.any(String), message: expect.any(String) } },
          );
        if (token === 'not.a.token' && call.callers !== 'provider' && call.callers !== 'link')
          expect([response.status, response.headers.get('x-relay-error')]).toEqual([401, 'true']);
      }
    }
    expect(await rows()).toEqual(before);
  });

  it('is refused by the other APIs in their own formats [spec 7.13, 8.46]', async () => {
    const key = server.app.keys.anonKey;
    const ask = async (
      method: string,
      path: string,
      body?: string,
      headers: Record<string, string> = {},
    ): Promise<[number, Record<string, unknown>]> => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { apikey: key, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body }),
      });
      const answer: unknown = await response.json();
      return [response.status, Object.fromEntries(Object.entries(answer ?? {}))];
    };
    for (const [path, body] of [
      ['signup', '{'],
      ['signup', '{"email":"x","password":"blue-monday-83"}'],
      ['token?grant_type=password', '{"email":1}'],
      ['token?grant_type=nothing', '{}'],
      ['token?grant_type=refresh_token', '{"refresh_token":"x"}'],
      ['verify', '{"type":"signup"}'],
      ['verify', '{"type":"signup","email":"a@b.co","token":"123456"}'],
      ['recover', '{}'],
      ['nowhere', '{}'],
      ['otp', '{}'],
      ['admin/users', '{}'],
    ] as const) {
      const [status, answer] = await ask('POST', `/auth/v1/${path}`, body);
      expect([path, status >= 400 && status < 500, typeof answer['code'], typeof answer['message']]).toEqual([
        path,
        true,
        'string',
        'string',
      ]);
    }
    for (const path of [
      'studios?select=nothing',
      'studios?id=eq.not-a-uuid',
      'studios?select=(',
      'studios?or=(',
      'nothing',
      'studios?limit=x',
      "studios?name=like.'",
      'studios?select=bookings!wrong(id)',
      'rpc/nothing',
    ]) {
      const [status, answer] = await ask('GET', `/rest/v1/${path}`);
      if (path.includes('like')) expect(status).toBe(200);
      else
        expect([path, status >= 400 && status < 500, typeof answer['code'], 'hint' in answer]).toEqual([
          path,
          true,
          'string',
          true,
        ]);
    }
    for (const path of [
      'object/id-verifications/../../x',
      'object/nowhere/x',
      'object/sign/id-verifications/x?token=1.x',
      'bucket/nowhere',
      'render/image/x',
    ]) {
      const [status, answer] = await ask('GET', `/storage/v1/${path}`);
      expect([path, status >= 400 && status < 500, typeof answer['message']]).toEqual([path, true, 'string']);
    }
    expect((await ask('GET', '/realtime/v1/websocket'))[0]).toBe(426);
    const large = JSON.stringify({ bookingId: 'x'.repeat(2_000_000) });
    expect(
      (await ask('POST', '/functions/v1/cancel-booking', large, { authorization: `Bearer ${customer.token}` }))[0],
    ).toBe(413);
    expect((await ask('POST', '/rest/v1/mailing_list', large))[0]).toBe(413);
  });
});
