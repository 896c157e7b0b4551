import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type AuthApp, openAuthApp, PASSWORD, type SignedInUser, textIn } from './auth-app.ts';

let app: AuthApp;
beforeAll(async () => {
  app = await openAuthApp();
});
afterAll(() => app.close());
const refresh = (refresh_token: string): Promise<Answer> =>
  app.request('POST', '/token?grant_type=refresh_token', { refresh_token });
const parseClaims = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
const user = (token: string): Promise<Answer> => app.request('GET', '/user', undefined, { token });

describe('refresh tokens', () => {
  test('the newest is rotated, and a slow concurrent request with an older one gets the newest again', async () => {
    const { refresh: first } = await app.member();
    const second = textIn((await refresh(first)).body, 'refresh_token');
    const third = textIn((await refresh(second)).body, 'refresh_token');
    expect(new Set([first, second, third]).size).toBe(3);
    for (const token of [first, second])
      expect((await refresh(token)).body).toMatchObject({ refresh_token: third, token_type: 'bearer' });
  });

  test('an old one after the reuse time ends the session', async () => {
    const { refresh: first, token } = await app.member();
    const second = textIn((await refresh(first)).body, 'refresh_token');
    await refresh(second);
    app.advance(11_000);
    expect(await refresh(first)).toMatchObject({ status: 400, body: { code: 'refresh_token_already_used' } });
    expect((await refresh(second)).body).toMatchObject({ code: 'refresh_token_not_found' });
    expect((await user(token)).body).toMatchObject({ code: 'session_not_found' });
  });

  test('one of an expired session is refused with session_expired', async () => {
    const { refresh: token } = await app.member();
    const short = app.server({ config: { sessionSeconds: 60 } });
    app.advance(61_000);
    expect(await short.request('POST', '/token?grant_type=refresh_token', { refresh_token: token })).toMatchObject({
      status: 400,
      body: { code: 'session_expired', message: 'Invalid Refresh Token: Session Expired' },
    });
  });

  test('one of a session that was not used for too long is refused, however young; use keeps the session', async () => {
    const idle = app.server({ config: { inactivitySeconds: 60 } });
    const idleRefresh = (refresh_token: string): Promise<Answer> =>
      idle.request('POST', '/token?grant_type=refresh_token', { refresh_token });
    let { refresh: token } = await app.member();
    for (let n = 0; n < 3; n += 1) {
      app.advance(40_000);
      token = textIn((await idleRefresh(token)).body, 'refresh_token');
    }
    app.advance(61_000);
    expect(await idleRefresh(token)).toMatchObject({ status: 400, body: { code: 'session_expired' } });
  });

  test('at most 600 in five minutes from one address, texts that are no tokens too', async () => {
    const { refresh: token } = await app.member();
    const strict = app.server({ limitFactor: 1 });
    const from = (ip: string, refresh_token: string): Promise<Answer> =>
      strict.request('POST', '/token?grant_type=refresh_token', { refresh_token }, { ip });
    let refused: Answer | null = null;
    let admitted = 0;
    // The bucket refills by two calls per second while the test runs.
    for (; admitted < 900 && refused === null; admitted += 1) {
      const answer = await from('203.0.113.60', 'no token');
      if (answer.status !== 400) refused = answer;
    }
    expect(admitted).toBeGreaterThan(600);
    expect(refused).toMatchObject({ status: 429, body: { code: 'over_request_rate_limit' } });
    expect((await from('203.0.113.61', token)).status).toBe(200);
  });
});

describe('sessions', () => {
  const login = async (email: string, headers: Record<string, string>): Promise<string> =>
    textIn(
      (await app.request('POST', '/token?grant_type=password', { email, password: PASSWORD }, { headers })).body,
      'access_token',
    );
  async function twice(): Promise<{ person: SignedInUser; other: string }> {
    const person = await app.member();
    return { person, other: await login(person.email, { 'user-agent': 'A browser' }) };
  }
  const list = async (token: string): Promise<Record<string, unknown>[]> => {
    const { sessions } = (await app.request('GET', '/user/sessions', undefined, { token })).body;
    if (!Array.isArray(sessions)) throw new Error('no list of sessions');
    return sessions;
  };

  test('a token names the methods of its session', async () => {
    const { email, token } = await app.member();
    expect(parseClaims(token)).toMatchObject({ aal: 'aal1', amr: [{ method: 'password' }] });
    await app.request('POST', '/recover', { email });
    const { tokenHash } = await app.mailTo(email);
    const { body } = await app.request('POST', '/verify', { type: 'recovery', token_hash: tokenHash });
    expect(parseClaims(textIn(body, 'access_token'))).toMatchObject({ amr: [{ method: 'otp' }] });
  });

  test('a person lists their sessions, with the current one marked, and ends another', async () => {
    const { person, other } = await twice();
    const sessions = await list(person.token);
    expect(sessions.map(({ user_agent: agent, current }) => ({ agent, current }))).toEqual([
      { agent: 'A browser', current: false },
      { agent: null, current: true },
    ]);
    const id = String(sessions[0]?.['id']);
    const end = (of: string) => app.request('DELETE', `/user/sessions/${of}`, undefined, { token: person.token });
    for (const wrong of ['x', `x${id}`, `${id}x`])
      expect(await end(wrong)).toMatchObject({ status: 404, body: { code: 'session_not_found' } });
    expect((await end(id)).status).toBe(200);
    expect((await user(other)).body).toMatchObject({ code: 'session_not_found' });
    expect((await end(id)).status).toBe(404);
    expect(await list(person.token)).toHaveLength(1);
  });

  test.each([
    ['local', 403, 200],
    ['others', 200, 403],
    ['global', 403, 403],
    [null, 403, 403],
  ])('after signing out with scope %s, this session gets %i and the other %i', async (scope, own, others) => {
    const { person, other } = await twice();
    const path = scope === null ? '/logout' : `/logout?scope=${scope}`;
    expect((await app.request('POST', path, undefined, { token: person.token })).status).toBe(204);
    expect([(await user(person.token)).status, (await user(other)).status]).toEqual([own, others]);
  });

  test('an unknown scope is refused', async () => {
    const { token } = await app.member();
    expect((await app.request('POST', '/logout?scope=all', undefined, { token })).status).toBe(400);
    expect((await user(token)).status).toBe(200);
  });

  test('a token without session, without account or with another role is not signed in', async () => {
    const { id, token } = await app.member();
    const session = Object(parseClaims(token)).session_id;
    const sign = (claims: Record<string, unknown>) => app.keys.sign(claims, 600, app.now());
    for (const claims of [
      { role: 'authenticated', sub: id },
      { role: 'authenticated', session_id: session },
      { role: 'staff', sub: id, session_id: session },
      { role: 'anon', session_id: session },
    ])
      expect(await user(sign(claims)), JSON.stringify(Object.keys(claims))).toMatchObject({
        status: 401,
        body: { code: 'no_authorization' },
      });
    expect((await user(sign({ role: 'authenticated', sub: id, session_id: session }))).status).toBe(200);
    expect((await app.request('GET', '/user')).status).toBe(401);
  });

  test('concurrent requests each get their own account', async () => {
    const both = [await app.member(), await app.member()];
    const answers = await Promise.all([...both, ...both].map(({ token }) => user(token)));
    expect(answers.map(({ body }) => body['email'])).toEqual([...both, ...both].map(({ email }) => email));
    expect((await user(both[0]?.token ?? '')).body).toMatchObject({ email: both[0]?.email });
  });
});
