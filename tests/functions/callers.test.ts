import { describe, expect, test } from 'vitest';
import { type Permission, PERMISSIONS } from '#rules/permissions.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { type Row, ROWS } from './rows.ts';
import {
  BOOKING,
  createFunctionsApp,
  type FunctionsApp,
  IP,
  PERSON,
  readResponse,
  type Sender,
  STAFF,
} from './test-app.ts';

const ADMITS_ALL = { none: null, guest: null, person: null, staff: null, low: null, service: null, suspended: null };

/** The refusal that each kind of function returns to each sender; null if the call succeeds. */
const REFUSED: Readonly<
  Record<Row['callers'], Readonly<Record<Exclude<Sender, 'colleague'>, readonly [number, string] | null>>>
> = {
  everyone: {
    none: [401, 'no_api_key'],
    guest: null,
    person: null,
    staff: null,
    low: null,
    service: null,
    suspended: [429, 'too_many_requests'],
  },
  'signed-in': {
    none: [401, 'no_api_key'],
    guest: [401, 'not_signed_in'],
    person: null,
    staff: null,
    low: null,
    service: [401, 'not_signed_in'],
    suspended: [429, 'too_many_requests'],
  },
  staff: {
    none: [401, 'no_api_key'],
    guest: [401, 'not_signed_in'],
    person: [403, 'not_yours'],
    staff: null,
    low: [403, 'second_factor_required'],
    service: null,
    suspended: [429, 'too_many_requests'],
  },
  developers: {
    none: [401, 'no_api_key'],
    guest: [401, 'not_signed_in'],
    person: [403, 'not_yours'],
    staff: null,
    low: [403, 'second_factor_required'],
    service: null,
    suspended: [429, 'too_many_requests'],
  },
  provider: ADMITS_ALL,
  link: ADMITS_ALL,
};
const SENDERS = ['none', 'guest', 'person', 'staff', 'low', 'service', 'suspended'] as const;
const KEYS = { guest: 'anon', person: PERSON, staff: STAFF, service: 'service_role' } as const;
const JSON_TYPE = 'application/json; charset=utf-8';
const answered = (app: FunctionsApp): string[] =>
  app.calls.map(([name]) => name).filter((name) => name !== 'readCaller');

describe.each(ROWS)('$name', ({ name, callers, limit, body, answers, succeeds = 200, type = JSON_TYPE }) => {
  test.each(SENDERS)('admits or refuses the right callers: %s', async (by) => {
    const app = createFunctionsApp();
    Object.assign(app.answers, answers);
    const refused = REFUSED[callers][by];
    const response = await app.send(name, by, { body });
    expect(response.headers.get('x-relay-error')).toBe(by === 'none' && refused ? 'true' : null);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toBe(refused ? JSON_TYPE : type);
    const { status, body: answer, retryAfter } = await readResponse(response);
    expect(status).toBe(refused?.[0] ?? succeeds);
    expect(retryAfter).toBe(by === 'suspended' && refused ? '7' : null);
    if (refused === null) return;
    expect(answer).toMatchObject({ error: { code: refused[1], message: expect.stringMatching(/\w/) } });
    expect(app.taken).toEqual([]);
    expect(answered(app)).toEqual([]);
  });

  test('counts one call, for the account or the IP address', async () => {
    const app = createFunctionsApp();
    Object.assign(app.answers, answers);
    const by = callers === 'signed-in' ? 'person' : callers === 'everyone' ? 'guest' : 'staff';
    await app.send(name, by, { body });
    if (limit === null) return expect(app.taken).toEqual([]);
    const key = callers === 'everyone' ? `ip:${IP}` : `user:${KEYS[by]}`;
    expect(app.taken).toEqual([[limit, key]]);
    return undefined;
  });

  test('answers 429 with the seconds to wait once its limit is used up, and calls no operation', async () => {
    const app = createFunctionsApp({ wait: 17 });
    Object.assign(app.answers, answers);
    const by = callers === 'signed-in' ? 'person' : 'staff';
    const response = await readResponse(await app.send(name, by, { body }));
    if (limit === null) return expect(response.status).toBe(succeeds);
    expect(response).toEqual({
      status: 429,
      body: {
        error: {
          code: 'too_many_requests',
          message: 'Too many requests. Please try again in a moment.',
          retryAfter: 17,
        },
      },
      retryAfter: '17',
    });
    expect(answered(app)).toEqual([]);
    expect(app.reserved()).toEqual({ small: 0, large: 0 });
    return undefined;
  });

  test('allows only POST, and says so', async () => {
    const app = createFunctionsApp();
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const response = await app.send(name, 'staff', { method });
      expect(response.headers.get('allow')).toBe('POST');
      expect(await readResponse(response)).toEqual({
        status: 405,
        body: { error: { code: 'method_not_allowed', message: 'Use POST.' } },
        retryAfter: null,
      });
    }
    expect(app.calls).toEqual([]);
  });
});

test.each(ROWS.filter(({ permission }) => permission !== null))(
  '$name needs the permission $permission and no other',
  async ({ name, permission, body, answers, succeeds = 200 }) => {
    const send = async (permissions: readonly Permission[]) => {
      const app = createFunctionsApp({ permissions });
      Object.assign(app.answers, answers);
      return { app, answer: await readResponse(await app.send(name, 'colleague', { body })) };
    };
    const refused = await send(PERMISSIONS.filter((other) => other !== permission));
    expect(refused.answer).toMatchObject({ status: 403, body: { error: { code: 'not_yours', permission } } });
    expect(refused.app.taken).toEqual([]);
    expect(answered(refused.app)).toEqual([]);
    expect((await send(PERMISSIONS.filter((other) => other === permission))).answer.status).toBe(succeeds);
  },
);

test.each(ROWS.filter(({ callers }) => callers === 'developers'))(
  '$name is not there while the developer pages are off',
  async ({ name, answers }) => {
    const app = createFunctionsApp({ developerPages: false });
    Object.assign(app.answers, answers);
    for (const by of ['staff', 'service'] as const)
      expect(await readResponse(await app.send(name, by))).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    expect(await readResponse(await app.send(name, 'person'))).toMatchObject({ status: 403 });
    expect(answered(app)).toEqual([]);
  },
);

test('unsubscribe needs no key: a POST of a mail program ends the subscription, and a person who opens it gets the page', async () => {
  const app = createFunctionsApp();
  app.answers['leaveMailingList'] = () => undefined;
  const opened = await app.send(`unsubscribe?id=${BOOKING}`, 'none', { method: 'GET' });
  expect([opened.status, opened.headers.get('location')]).toEqual([303, `/unsubscribe?id=${BOOKING}`]);
  expect(answered(app)).toEqual([]);
  expect((await app.send('unsubscribe?id=x', 'none', { body: 'List-Unsubscribe=One-Click' })).status).toBe(400);
  expect(answered(app)).toEqual([]);
  const unsubscribed = await readResponse(
    await app.send(`unsubscribe?id=${BOOKING}`, 'none', { body: 'List-Unsubscribe=One-Click' }),
  );
  expect(unsubscribed).toEqual({ status: 200, body: { unsubscribed: true }, retryAfter: null });
  expect(app.calls.at(-1)).toEqual(['leaveMailingList', BOOKING]);
});

test('wallet-file needs no key, is counted for the IP address, and answers the file of its link', async () => {
  const app = createFunctionsApp();
  app.answers['readPassFile'] = (token: string) => ({ file: Buffer.from(token), name: 'HC-ABC123.pkpass' });
  const answer = await app.send('wallet-file', 'none', { method: 'GET', query: '?token=t1' });
  expect([answer.status, await answer.text()]).toEqual([200, 't1']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/vnd.apple.pkpass',
    'content-disposition': 'attachment; filename="HC-ABC123.pkpass"',
    'cache-control': 'no-store',
  });
  expect(app.taken).toEqual([[{ name: 'wallet-file', max: 30, seconds: 60 }, `ip:${IP}`]]);
  expect((await app.send('wallet-file', 'none', { method: 'POST', body: {} })).status).toBe(405);
});

test('wallet-service counts phones for the IP address, passes on what they show, and logs nothing that names one', async () => {
  const app = createFunctionsApp();
  const [device, pushToken] = ['d0'.repeat(16), 'AB'.repeat(32)];
  const place = `devices/${device}/registrations/pass.example/${BOOKING}`;
  const headers = { authorization: 'ApplePass token-1' };
  const send = (method: string, path: string, body?: unknown) =>
    app.send(`wallet-service/v1/${path}`, 'none', { method, headers, ...(body === undefined ? {} : { body }) });
  const request = { typeId: 'pass.example', serial: BOOKING, token: 'token-1' };
  app.answers['addPhone'] = () => true;
  expect((await send('POST', place, { pushToken })).status).toBe(201);
  expect(app.calls.at(-1)).toEqual(['addPhone', { ...request, device, pushToken: pushToken.toLowerCase() }]);
  app.answers['readNewPass'] = () => {
    throw new Refusal('not_configured', 'The certificate has ended');
  };
  const later = await send('GET', `passes/pass.example/${BOOKING}`);
  expect([later.status, later.headers.get('retry-after')]).toEqual([503, '3600']);
  app.answers['removePhone'] = () => {
    throw new Error('broken');
  };
  expect((await send('DELETE', place)).status).toBe(500);
  expect((await send('POST', 'log', { logs: [`device ${device}: fault`] })).status).toBe(200);
  expect(app.logged).toEqual(['error: the wallet service failed', 'warn: a phone reported faults of a pass']);
  expect(JSON.stringify(app.logFields)).not.toContain(device);
  expect(app.taken.map(([limit, key]) => [limit.name, key])).toEqual(
    ['wallet-service', 'wallet-service', 'wallet-service', 'wallet-log'].map((name) => [name, `ip:${IP}`]),
  );
});

test('calendar-feed needs no key, is counted for the IP address, and answers 304 to who has the file', async () => {
  const app = createFunctionsApp();
  const files: string[] = [];
  app.answers['readFeed'] = (token: string) => {
    files.push(token);
    return 'BEGIN:VCALENDAR';
  };
  const read = (headers: Record<string, string> = {}) =>
    app.send('calendar-feed', 'none', { method: 'GET', query: '?token=t1', headers });
  const first = await read();
  expect([first.status, await first.text()]).toEqual([200, 'BEGIN:VCALENDAR']);
  expect(first.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  expect(first.headers.get('cache-control')).toBe('private, no-cache');
  expect(app.taken).toEqual([[{ name: 'calendar-feed', max: 60, seconds: 60 }, `ip:${IP}`]]);
  const tag = first.headers.get('etag') ?? '';
  for (const etag of [tag, `W/${tag}`, `"other", ${tag}`]) {
    const repeated = await read({ 'if-none-match': etag });
    expect([repeated.status, await repeated.text(), repeated.headers.get('etag')]).toEqual([304, '', tag]);
  }
  expect((await read({ 'if-none-match': '"other"' })).status).toBe(200);
  expect(new Set(files)).toEqual(new Set(['t1']));
  expect((await app.send('calendar-feed', 'none', { method: 'POST', body: {} })).status).toBe(405);
});
