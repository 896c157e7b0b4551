import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AuthApp, type AuthServer, NEW_PASSWORD, openAuthApp, PASSWORD, SITE, textIn } from './auth-app.ts';

const UUID4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const MINUTE = 60_000;
let app: AuthApp;
let strict: AuthServer;
let count = 0;
const address = (): string => `account${(count += 1)}@example.com`;
const phone = (): string => `+6149157${1000 + (count += 1)}`;
beforeAll(async () => {
  app = await openAuthApp();
  strict = app.server({ limitFactor: 1, config: { mailIntervalSeconds: 60 } });
});
afterAll(() => app.close());

const entries = async (action: string): Promise<Record<string, unknown>[]> =>
  (
    await app.db.query<{ payload: Record<string, unknown> }>(
      `select payload from auth.audit_log_entries where payload ->> 'action' = $1 order by created_at`,
      [action],
    )
  ).rows.map(({ payload }) => payload);

describe('signing up', () => {
  test('a sign-up mails a six-digit code that confirms the account, and the password of the sign-up is then valid', async () => {
    const email = address();
    expect(
      await app.request('POST', '/signup', { email, password: PASSWORD, data: { full_name: 'Ada' } }),
    ).toMatchObject({
      status: 200,
      body: { email, identities: [{ identity_data: { email, full_name: 'Ada', email_verified: false } }] },
    });
    const mail = await app.mailTo(email);
    expect(mail.text).toContain('Confirm your email');
    expect(mail.code).toMatch(/^\d{6}$/);
    expect(await app.request('POST', '/verify', { email, type: 'signup', token: mail.code })).toMatchObject({
      status: 200,
      body: { user: { email, user_metadata: { full_name: 'Ada' } } },
    });
    await app.signIn(email);
  });

  test('a taken address is answered like a free one, with ids of the same form that stay the same', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { email } = await app.member();
      const answers = [1, 2].map(() => app.request('POST', '/signup', { email, password: PASSWORD }));
      const [first, second] = await Promise.all(answers);
      expect(textIn(second?.body, 'id')).toBe(textIn(first?.body, 'id'));
      expect(textIn(first?.body, 'identities', 0, 'email')).toBe(email);
      ids.push(textIn(first?.body, 'id'), textIn(first?.body, 'identities', 0, 'identity_id'));
      expect((await app.mailTo(email)).subject).toMatch(/already/i);
    }
    expect(ids.filter((id) => !UUID4.test(id))).toEqual([]);
  });

  test('a sign-up needs a valid captcha token', async () => {
    const checked: string[] = [];
    const captcha = { check: (token: string) => Promise.resolve(checked.push(token) > 0 && token === 'good') };
    const guarded = app.server({ dependencies: { captcha } });
    const signUp = (security?: unknown) =>
      guarded.request('POST', '/signup', { email: address(), password: PASSWORD, gotrue_meta_security: security });
    for (const nothing of [undefined, null, 'good', {}, { captcha_token: '' }, { captcha_token: 7 }])
      expect((await signUp(nothing)).body).toMatchObject({ code: 'captcha_failed' });
    expect(checked).toEqual([]);
    expect((await signUp({ captcha_token: 'bad' })).status).toBe(400);
    expect((await signUp({ captcha_token: 'good' })).status).toBe(200);
    expect(checked).toEqual(['bad', 'good']);
  });
});

describe('signing in', () => {
  test('by code: a new address gets a confirmation mail, an existing account a sign-in mail', async () => {
    const email = address();
    expect((await app.request('POST', '/otp', { email })).status).toBe(200);
    const first = await app.mailTo(email);
    expect((await app.request('POST', '/verify', { email, type: 'email', token: first.code })).status).toBe(200);
    await app.request('POST', '/otp', { email });
    const second = await app.mailTo(email);
    expect(first.subject).toMatch(/is your code$/);
    expect(second.subject).toMatch(/is your sign-in code$/);
    expect((await app.request('POST', '/verify', { type: 'magiclink', token_hash: second.tokenHash })).status).toBe(
      200,
    );
  });

  test('a code that still waits is not sent after the one before it was used', async () => {
    const { email } = await app.member();
    await app.request('POST', '/otp', { email });
    const { code } = await app.mailTo(email);
    await app.request('POST', '/otp', { email });
    expect((await app.request('POST', '/verify', { email, type: 'email', token: code })).status).toBe(200);
    const sent = app.mails.length;
    await app.queue.flush();
    expect(app.mails.slice(sent)).toEqual([]);
  });

  test('a verification without a token is refused', async () => {
    for (const body of [
      { type: 'email', email: address() },
      { type: 'email', token: '123456' },
    ])
      expect(await app.request('POST', '/verify', body)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
  });

  test('by phone: a code can be sent again, it confirms the phone, and then the password signs in', async () => {
    const number = phone();
    expect((await app.request('POST', '/signup', { phone: number, password: PASSWORD })).status).toBe(200);
    const first = await app.textTo(number);
    expect((await app.request('POST', '/resend', { type: 'sms' })).body).toMatchObject({ code: 'validation_failed' });
    expect((await app.request('POST', '/resend', { type: 'sms', phone: number })).body).toEqual({
      message_id: expect.stringMatching(UUID4),
    });
    const code = await app.textTo(number);
    expect([first, code]).toEqual([expect.stringMatching(/^\d{6}$/), expect.stringMatching(/^\d{6}$/)]);
    expect((await app.request('POST', '/verify', { phone: number, type: 'sms', token: code })).status).toBe(200);
    const password = (typed: string) =>
      app.request('POST', '/token?grant_type=password', { phone: number, password: typed });
    expect(await password(PASSWORD)).toMatchObject({ status: 200, body: { user: { phone: number.slice(1) } } });
    expect((await password(NEW_PASSWORD)).body).toMatchObject({ code: 'invalid_credentials' });
  });

  test('with phones disabled, a request for a code by phone is refused', async () => {
    const server = app.server({ config: { phoneEnabled: false } });
    for (const path of ['/otp', '/resend'])
      expect((await server.request('POST', path, { type: 'sms', phone: phone() })).body).toEqual({
        code: 'phone_provider_disabled',
        message: 'Unsupported phone provider',
      });
  });

  test('a wrong password is logged with the account', async () => {
    const { id, email } = await app.member();
    expect((await app.request('POST', '/token?grant_type=password', { email, password: 'wrong phrase' })).body).toEqual(
      {
        code: 'invalid_credentials',
        message: 'Invalid login credentials',
      },
    );
    expect(await entries('login_failed')).toContainEqual({ action: 'login_failed', actor_id: id });
  });
});

describe('the check whether an address is taken', () => {
  test('is answered thirty times a minute per client address', async () => {
    const { email } = await app.member();
    const call = (of: string) => strict.request('POST', '/recover', { email: of, dry_run: true }, { ip: '10.9.0.1' });
    expect(await call(email)).toMatchObject({ status: 200, body: {} });
    for (let n = 0; n < 29; n += 1) expect((await call(address())).status).toBe(404);
    // The bucket refills by one call every two seconds while the test runs.
    const statuses: number[] = [];
    while (!statuses.includes(429) && statuses.length < 30) statuses.push((await call(email)).status);
    expect(statuses).toContain(429);
  });
});

describe("changing one's own account", () => {
  const put = (token: string, body: unknown) => app.request('PUT', '/user', body, { token });

  test('metadata is merged, and null removes a key', async () => {
    const { token } = await app.member();
    await put(token, { data: { a: 1, b: 2 } });
    expect((await put(token, { data: { b: null, c: 3 } })).body).toMatchObject({ user_metadata: { a: 1, c: 3 } });
    const { body } = await app.request('GET', '/user', undefined, { token });
    expect(body['user_metadata']).toEqual({ a: 1, c: 3 });
  });

  test('a new email needs the code sent to it together with the new address', async () => {
    const { id, email, token } = await app.member();
    const next = address();
    expect((await put(token, { email: next })).body).toMatchObject({ email, new_email: next });
    expect(await entries('user_email_change_requested')).toContainEqual({
      action: 'user_email_change_requested',
      actor_id: id,
    });
    const { code } = await app.mailTo(next);
    const verify = (of: string) => app.request('POST', '/verify', { email: of, type: 'email_change', token: code });
    expect((await verify(email)).status).toBe(403);
    expect(await verify(next)).toMatchObject({ status: 200, body: { user: { email: next } } });
  });

  test('with double confirmation, each address gets its own code, and both are needed', async () => {
    const both = app.server({ config: { doubleConfirm: true } });
    const { email, token } = await app.member();
    const next = address();
    expect((await both.request('PUT', '/user', { email: next }, { token })).status).toBe(200);
    await both.queue.flush();
    const verify = async (of: string) => {
      const { code } = await app.mailTo(of);
      return both.request('POST', '/verify', { email: of, type: 'email_change', token: code });
    };
    expect((await verify(email)).body).toMatchObject({ code: 200 });
    expect((await verify(next)).body).toMatchObject({ user: { email: next } });
  });

  test('a new phone needs the code texted to it', async () => {
    const { token } = await app.member();
    const number = phone();
    expect((await put(token, { phone: number })).body).toMatchObject({ new_phone: number.slice(1) });
    const body = { phone: number, type: 'phone_change', token: await app.textTo(number) };
    expect(await app.request('POST', '/verify', body)).toMatchObject({ body: { user: { phone: number.slice(1) } } });
  });

  test('a reauthentication code is mailed and replaces the current password', async () => {
    const { email, token } = await app.member();
    expect((await app.request('GET', '/reauthenticate', undefined, { token })).status).toBe(200);
    const { code } = await app.mailTo(email);
    expect((await put(token, { password: NEW_PASSWORD, nonce: code })).status).toBe(200);
    await app.signIn(email, NEW_PASSWORD);
  });

  test('the current password may be tried ten times in a quarter of an hour, from all client addresses together', async () => {
    const { email, token } = await app.member();
    app.advance(11 * MINUTE);
    const guess = (current_password: string) =>
      strict.request('PUT', '/user', { password: NEW_PASSWORD, current_password }, { token });
    for (let n = 0; n < 10; n += 1)
      expect((await guess(`wrong phrase ${n}`)).body).toMatchObject({ code: 'current_password_invalid' });
    expect((await guess(PASSWORD)).status).toBe(429);
    await app.signIn(email, PASSWORD);
    app.advance(16 * MINUTE);
    expect((await guess(PASSWORD)).status).toBe(200);
  });
});

describe('a new password', () => {
  const recover = (email: string) => app.request('POST', '/recover', { email });
  const useLink = (token_hash: string) => app.request('POST', '/verify', { type: 'recovery', token_hash });

  test('ends the links that were mailed before', async () => {
    const { email, token } = await app.member();
    await recover(email);
    const { tokenHash } = await app.mailTo(email);
    expect((await app.request('PUT', '/user', { password: NEW_PASSWORD }, { token })).status).toBe(200);
    expect((await useLink(tokenHash)).body).toMatchObject({ code: 'otp_expired' });
  });

  test('ends the links of mails that are still queued', async () => {
    const { email, token } = await app.member();
    await recover(email);
    await app.request('PUT', '/user', { password: NEW_PASSWORD }, { token });
    await app.queue.flush();
    expect(app.mails.filter((mail) => mail.to === email).map((mail) => mail.subject)).toEqual([
      expect.stringMatching(/password.*changed/i),
    ]);
  });

  test('ends the link of a mail that is being sent, which is then not mailed', async () => {
    const { email, token } = await app.member();
    await recover(email);
    // The change happens after the sender has read the account and before it activates the code.
    const { transaction } = app.db;
    const held = { changed: false };
    const db: { transaction: typeof transaction } = app.db;
    db.transaction = async (work) => {
      db.transaction = transaction;
      held.changed = (await app.request('PUT', '/user', { password: NEW_PASSWORD }, { token })).status === 200;
      return transaction(work);
    };
    await app.queue.flush();
    expect(held.changed).toBe(true);
    await app.queue.flush();
    const tokens = 'select 1 from auth.one_time_tokens t join auth.users u on u.id = t.user_id where u.email = $1';
    expect(await app.db.queryRow(tokens, [email])).toBeNull();
    expect(app.mails.filter((mail) => mail.to === email).map((mail) => mail.subject)).toEqual([
      expect.stringMatching(/password.*changed/i),
    ]);
  });

  test('ends the link of a mail that was handed over but not yet recorded as sent', async () => {
    const { email, token } = await app.member();
    await recover(email);
    const { beforeMail } = app;
    app.beforeMail = async () => {
      app.beforeMail = beforeMail;
      expect((await app.request('PUT', '/user', { password: NEW_PASSWORD }, { token })).status).toBe(200);
    };
    await app.queue.flush();
    const handedOver = app.mails.find((mail) => mail.to === email);
    const tokenHash = /token_hash=([\w-]+)/.exec(handedOver?.text ?? '')?.[1] ?? '';
    expect(tokenHash).not.toBe('');
    expect((await useLink(tokenHash)).body).toMatchObject({ code: 'otp_expired' });
  });

  test('a new address ends the links mailed to the old one, which only gets the notice about the change', async () => {
    const { email, token } = await app.member();
    const next = address();
    await app.request('POST', '/otp', { email });
    const { tokenHash } = await app.mailTo(email);
    await app.request('PUT', '/user', { email: next }, { token });
    const { code } = await app.mailTo(next);
    await app.request('GET', '/reauthenticate', undefined, { token });
    expect((await app.request('POST', '/verify', { email: next, type: 'email_change', token: code })).status).toBe(200);
    expect((await app.request('POST', '/verify', { type: 'magiclink', token_hash: tokenHash })).status).toBe(403);
    const { rows } = await app.db.query('select kind from private.outbox where recipient = $1', [email]);
    expect(rows).toEqual([{ kind: 'account-mail.email_replaced' }]);
  });
});

test(`a link that was mailed leads to ${SITE} and nowhere else`, async () => {
  const { email } = await app.member();
  await app.request('POST', '/recover?redirect_to=https%3A%2F%2Fevil.example', { email });
  const { text, tokenHash } = await app.mailTo(email);
  expect(text).toContain(`${SITE}/auth?reset=true&token_hash=${tokenHash}&type=recovery`);
  expect(text).not.toContain('evil.example');
});

describe('a mail server that is down', () => {
  const readJob = (email: string) =>
    app.db.queryRow<{ tries: number; error: string | null }>(
      'select tries, last_error as error from private.outbox where recipient = $1',
      [email],
    );
  const alertsAbout = async (kind: string): Promise<unknown[]> =>
    (
      await app.db.query<{ details: unknown }>(
        `select details from public.audit_logs where resource_type = 'outbox' and details ->> 'kind' = $1 order by created_at`,
        [kind],
      )
    ).rows.map(({ details }) => details);
  /** Advances the clock minute by minute and tries due mails in each step. */
  async function passMinutes(count: number): Promise<void> {
    for (let gone = 0; gone < count; gone += 1) {
      app.advance(MINUTE);
      await app.queue.flush();
    }
  }
  let beforeMail: AuthApp['beforeMail'];
  beforeEach(() => {
    beforeMail = app.beforeMail;
    app.beforeMail = () => Promise.reject(new Error('the mail server is down'));
  });
  afterEach(() => {
    app.beforeMail = beforeMail;
  });

  test('gets a code mail as soon as it is back, while the code could still be valid', async () => {
    const { email } = await app.member();
    await app.request('POST', '/recover', { email });
    await app.queue.flush();
    await passMinutes(8);
    expect((await readJob(email))?.tries).toBeGreaterThan(5);
    app.beforeMail = beforeMail;
    await passMinutes(1);
    expect(app.mails.filter((mail) => mail.to === email)).toHaveLength(1);
    expect(await readJob(email)).toBeNull();
  });

  test('never gets a code mail that is older than its code: it is dropped, and the audit log says so', async () => {
    const { email } = await app.member();
    await app.request('POST', '/otp', { email });
    await app.queue.flush();
    await passMinutes(59);
    expect(await readJob(email)).toMatchObject({ error: 'the mail server is down' });
    await passMinutes(2);
    expect(await readJob(email)).toBeNull();
    expect(await alertsAbout('account-mail.otp')).toMatchObject([
      { tries: 3, reason: 'the mail server is down' },
      { dropped: true, reason: 'the mail server is down' },
    ]);
    app.beforeMail = beforeMail;
    await passMinutes(2);
    expect(app.mails.filter((mail) => mail.to === email)).toEqual([]);
  });

  test('gets the news of a changed password however late it is back', async () => {
    const { email, token } = await app.member();
    expect((await app.request('PUT', '/user', { password: NEW_PASSWORD }, { token })).status).toBe(200);
    await app.queue.flush();
    await passMinutes(120);
    app.beforeMail = beforeMail;
    await passMinutes(1);
    expect(app.mails.filter((mail) => mail.to === email).map((mail) => mail.subject)).toEqual([
      expect.stringMatching(/password.*changed/i),
    ]);
  });
});

describe('mails that are not sent', () => {
  const sentTo = async (to: string): Promise<number> => {
    await app.queue.flush();
    return [...app.mails, ...app.texts].filter((message) => message.to === to).length;
  };
  const service = (method: string, path: string, body?: unknown) =>
    app.request(method, path, body, { token: app.keys.serviceRoleKey });

  test('a confirmation code: when nobody has signed up with the address, or it is confirmed', async () => {
    const { email } = await app.member();
    for (const of of [email, address()]) {
      expect((await app.request('POST', '/resend', { type: 'signup', email: of })).body).toEqual({});
      expect(await sentTo(of)).toBe(0);
    }
  });

  test('an invitation: when the account was deleted or confirmed before the mail was sent', async () => {
    const [removed, confirmed, pending] = [address(), address(), address()];
    const ids: string[] = [];
    for (const email of [removed, confirmed, pending])
      ids.push(textIn((await service('POST', '/invite', { email })).body, 'id'));
    await service('DELETE', `/admin/users/${ids[0]}`);
    await service('PUT', `/admin/users/${ids[1]}`, { email_confirm: true });
    expect([await sentTo(removed), await sentTo(confirmed), await sentTo(pending)]).toEqual([0, 0, 1]);
    expect((await app.mailTo(pending)).text).toContain(`${SITE}/auth?reset=true&token_hash=`);
  });

  test('a code for a taken address or phone: the owner of the address gets a notice, and the requester sees no difference', async () => {
    const [owner, asker] = [await app.member(), await app.member()];
    const { token } = asker;
    const taken = phone();
    await service('PUT', `/admin/users/${owner.id}`, { phone: taken, phone_confirm: true });
    for (const change of [{ email: owner.email }, { phone: taken }])
      expect((await app.request('PUT', '/user', change, { token })).status).toBe(200);
    expect((await app.mailTo(owner.email)).text).toContain(`${SITE}/auth`);
    expect((await app.mailTo(owner.email)).code).toBe('');
    expect(await sentTo(taken)).toBe(0);
  });
});

test('a person who signs in through an organisation gets no code by mail, which would outlast the organisation’s account', async () => {
  const { id, email } = await app.member();
  await app.db.query('update auth.users set is_sso_user = true where id = $1::uuid', [id]);
  await app.queue.flush();
  const before = app.mails.filter(({ to }) => to === email).length;
  expect((await app.request('POST', '/otp', { email })).status).toBe(200);
  await app.queue.flush();
  expect(app.mails.filter(({ to }) => to === email)).toHaveLength(before);
  await app.db.query('update auth.users set is_sso_user = false where id = $1::uuid', [id]);
  expect((await app.request('POST', '/otp', { email })).status).toBe(200);
  await app.queue.flush();
  expect(app.mails.filter(({ to }) => to === email)).toHaveLength(before + 1);
});
