import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '#tests/support/test-server.ts';
import { type Answer, type AuthTestServer, startAuthTestServer, PASSWORD, engines } from './auth-test-server.ts';

describe.each(engines)('rate limits of accounts (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  beforeAll(async () => {
    server = await startAuthTestServer({
      postgres,
      env: { RATE_LIMIT_FACTOR: '1', AUTH_PHONE: 'true', AUTH_PHONE_AUTOCONFIRM: 'true' },
    });
  });
  afterAll(() => server.close());
  const from = (ip: string): Record<string, string> => ({ 'x-forwarded-for': ip });
  const signIn = (email: string, password: string, ip?: string): Promise<Answer> =>
    server.request('POST', '/token?grant_type=password', { email, password }, ip === undefined ? {} : from(ip));

  test('ten wrong passwords for an account, from any address, then a wait; a device that is signed in may still sign in', async () => {
    const email = 'guessed@example.com';
    await server.request('POST', '/signup', { email, password: PASSWORD }, from('10.5.0.1'));
    const { code } = await server.mail(email);
    await server.request('POST', '/verify', { email, token: code, type: 'email' }, from('10.5.0.1'));
    const answers: Answer[] = [];
    for (let n = 0; n < 12; n += 1) answers.push(await signIn(email, `wrong phrase ${n}`));
    expect(answers.map((answer) => answer.status)).toEqual([...Array<number>(10).fill(400), 429, 429]);
    expect(answers[11]).toMatchObject({ body: { code: 'over_request_rate_limit' } });
    expect(Number(answers[11]?.headers.get('retry-after'))).toBeGreaterThan(60);
    expect((await signIn(email, PASSWORD)).status).toBe(429);
    expect((await signIn(email, PASSWORD, '10.5.0.1')).status).toBe(200);
    server.advance(91_000);
    expect((await signIn(email, PASSWORD)).status).toBe(200);
    for (let n = 0; n < 9; n += 1) expect((await signIn(email, 'a wrong phrase')).status).toBe(400);
  });

  test('ten guesses of the current password, or of a code instead of it, then a wait, also with the right one', async () => {
    const email = 'reproved@example.com';
    await server.request('POST', '/signup', { email, password: PASSWORD }, from('10.5.1.1'));
    const { code } = await server.mail(email);
    const session = await server.request('POST', '/verify', { email, token: code, type: 'email' }, from('10.5.1.1'));
    server.advance(601_000);
    const update = (proof: Record<string, string>, n: number): Promise<Answer> =>
      server.request(
        'PUT',
        '/user',
        { password: 'another fine phrase', ...proof },
        {
          authorization: `Bearer ${String(session.body['access_token'])}`,
          ...from(`10.5.2.${n}`),
        },
      );
    const answers: Answer[] = [];
    for (let n = 0; n < 12; n += 1)
      answers.push(await update(n % 2 === 0 ? { current_password: `wrong phrase ${n}` } : { nonce: '000000' }, n));
    expect(answers.map((answer) => answer.status)).toEqual([
      400, 422, 400, 422, 400, 422, 400, 422, 400, 422, 429, 429,
    ]);
    expect(Number(answers[11]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await update({ current_password: PASSWORD }, 13)).status).toBe(429);
    expect((await signIn(email, PASSWORD, '10.5.1.1')).status).toBe(200);
  });

  test('an unknown account has the same limit as a known one', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await signIn('nobody@example.com', 'a wrong phrase')).status);
    expect(statuses).toEqual([...Array<number>(10).fill(400), 429]);
  });

  test('twenty sign-ins in five minutes from one address, whatever x-forwarded-for says', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 21; n += 1)
      statuses.push((await signIn(`spray${n}@example.com`, 'a phrase', `10.66.${n}.1, 10.6.0.1`)).status);
    expect(statuses).toEqual([...Array<number>(20).fill(400), 429]);
  });

  describe('the attempts of an account', () => {
    type Name = { email: string } | { phone: string };
    const attempt = (name: Name, password: string, ip?: string): Promise<Answer> =>
      server.request('POST', '/token?grant_type=password', { ...name, password }, ip === undefined ? {} : from(ip));
    const wrongAttempts = async (name: Name, attempts: number): Promise<number[]> => {
      const statuses: number[] = [];
      for (let n = 0; n < attempts; n += 1) statuses.push((await attempt(name, `wrong phrase ${n}`)).status);
      return statuses;
    };
    const nine = Array<number>(9).fill(400);
    const all = [...Array<number>(10).fill(400), 429];
    const signUp = (name: Name): Promise<Answer> => server.request('POST', '/signup', { ...name, password: PASSWORD });
    const confirmed = async (email: string): Promise<{ email: string }> => {
      await server.member(email);
      return { email };
    };

    test.each([
      ['an e-mail address', () => confirmed('spared@example.com')],
      [
        'a phone',
        async () => {
          expect((await signUp({ phone: '+61400555111' })).status).toBe(200);
          return { phone: '+61400555111' };
        },
      ],
    ])('by %s are all returned by a successful sign-in', async (_, make) => {
      const name = await make();
      expect(await wrongAttempts(name, 9)).toEqual(nine);
      expect((await attempt(name, PASSWORD)).status).toBe(200);
      expect(await wrongAttempts(name, 11)).toEqual(all);
      expect((await attempt(name, PASSWORD)).status).toBe(429);
    });

    test('are returned for the right password of an unconfirmed account', async () => {
      const name = { email: 'waiting@example.com' };
      await signUp(name);
      expect(await wrongAttempts(name, 9)).toEqual(nine);
      expect(await attempt(name, PASSWORD)).toMatchObject({ status: 400, body: { code: 'email_not_confirmed' } });
      expect(await wrongAttempts(name, 11)).toEqual(all);
    });

    test('are returned for the right password of a banned account, and no session begins', async () => {
      const name = await confirmed('outcast@example.com');
      await server.app.db.query(
        `with gone as (delete from auth.sessions s using auth.users u where u.id = s.user_id and u.email = $1)
         update auth.users set banned_until = 'infinity' where email = $1`,
        [name.email],
      );
      expect(await wrongAttempts(name, 9)).toEqual(nine);
      expect(await attempt(name, PASSWORD)).toMatchObject({ status: 400, body: { code: 'user_banned' } });
      expect(await wrongAttempts(name, 11)).toEqual(all);
      const sessions = 'select from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1';
      expect((await server.app.db.query(sessions, [name.email])).rows).toEqual([]);
    });

    test('of other devices are not returned by a device that is signed in', async () => {
      const name = { email: 'athome@example.com' };
      await signUp(name);
      const { code } = await server.mail(name.email);
      await server.request('POST', '/verify', { ...name, token: code, type: 'email' }, from('10.8.0.1'));
      expect(await wrongAttempts(name, 9)).toEqual(nine);
      expect((await attempt(name, PASSWORD, '10.8.0.1')).status).toBe(200);
      expect(await wrongAttempts(name, 2)).toEqual([400, 429]);
    });

    test('are not used by an address that is over its own limit', async () => {
      const name = await confirmed('untouched@example.com');
      for (let n = 0; n < 20; n += 1) await attempt({ email: `other${n}@example.com` }, 'a phrase', '10.9.0.1');
      for (let n = 0; n < 12; n += 1) expect((await attempt(name, `wrong ${n}`, '10.9.0.1')).status).toBe(429);
      expect((await attempt(name, PASSWORD, '10.9.0.1')).status).toBe(429);
      expect(await wrongAttempts(name, 11)).toEqual(all);
    });
  });

  test('recover with dry_run answers 404 or 200, sends no mail, and is limited to thirty a minute [spec 5.11, 8.11]', async () => {
    const email = 'probed@example.com';
    const probe = (of: string, ip?: string): Promise<Answer> =>
      server.request('POST', '/recover', { email: of, dry_run: true }, ip === undefined ? {} : from(ip));
    expect(await probe(email)).toMatchObject({
      status: 404,
      body: { code: 'user_not_found', message: 'User not found' },
    });
    await server.request('POST', '/signup', { email, password: PASSWORD });
    const { code } = await server.mail(email);
    expect((await probe(email)).status).toBe(404);
    await server.request('POST', '/verify', { email, token: code, type: 'email' });
    expect(await probe(` ${email.toUpperCase()}`)).toMatchObject({ status: 200, body: {} });
    expect((await probe('nonsense')).status).toBe(400);
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) statuses.push((await probe(`p${n}@example.com`, '10.7.0.1')).status);
    expect(statuses).toEqual([...Array<number>(30).fill(404), 429]);
    const late = await probe(email, '10.7.0.1');
    expect(late.body).toMatchObject({
      message: expect.stringMatching(/^For security purposes, you can only request this after \d+ seconds\.$/),
    });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await server.readMails(email)).toHaveLength(1);
  });

  test('one mail of a kind per minute and five mails per hour to an address, with the same answer for known and unknown addresses', async () => {
    const email = 'mailed@example.com';
    await server.request('POST', '/signup', { email, password: PASSWORD });
    await server.mail(email);
    server.advance(61_000);
    const call = (of: string): Promise<Answer> => server.request('POST', '/recover', { email: of });
    for (const of of [email, 'unmailed@example.com']) {
      expect(await call(of)).toMatchObject({ status: 200, body: {} });
      expect(await call(of)).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } });
      const resend = (): Promise<Answer> => server.request('POST', '/resend', { email: of, type: 'signup' });
      expect((await resend()).status).toBe(200);
      expect((await resend()).status).toBe(429);
    }
    // The test waits first: moving the clock while a mail is being sent would end its lease and send it twice.
    const mails = [await server.mail(email, 2), await server.mail(email, 3)];
    expect(mails.map((mail) => mail.subject)).toContain('Reset your password');
    server.advance(61_000);
    expect((await server.request('POST', '/resend', { email, type: 'signup' })).status).toBe(200);
    expect((await server.mail(email, 4)).code).toMatch(/^\d{6}$/);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      server.advance(61_000);
      statuses.push((await call('hourly@example.com')).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await server.readMails('hourly@example.com')).toEqual([]);
    expect(await server.readMails('unmailed@example.com')).toEqual([]);
  });

  test('a mail that could not be sent goes out later, once, with the same code', async () => {
    const email = 'patient@example.com';
    await server.sandbox('/api/faults', { provider: 'mail', kind: 'status', status: 451, count: 2 });
    await server.request('POST', '/signup', { email, password: PASSWORD });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await server.readMails(email)).toEqual([]);
    await until(async () => {
      server.advance(5_000);
      return (await server.readMails(email)).length > 0;
    });
    const { code } = await server.mail(email);
    expect(await server.readMails(email)).toHaveLength(1);
    expect((await server.request('POST', '/verify', { email, token: code, type: 'email' })).status).toBe(200);
  });
});
