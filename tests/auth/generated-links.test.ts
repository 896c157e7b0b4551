import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type AuthApp, type AuthServer, openAuthApp, PASSWORD, SITE, textIn } from './auth-app.ts';

/** `generate_link`: the effect of each type on the account, and what the link that the caller mails can be used for. */
let app: AuthApp;
let both: AuthServer;
let count = 0;
beforeAll(async () => {
  app = await openAuthApp();
  both = app.server({ config: { doubleConfirm: true, redirects: ['https://app.example.com/**'] } });
});
afterAll(() => app.close());
const address = (): string => `link${(count += 1)}@example.com`;
const generate = (body: Record<string, unknown>, query = ''): Promise<Answer> =>
  both.request('POST', `/admin/generate_link${query}`, body, { token: app.keys.serviceRoleKey });
const verify = (body: Record<string, unknown>): Promise<Answer> => both.request('POST', '/verify', body);
/** Uses the code of a link, as a person who types it in. */
const useCode = ({ body }: Answer, type: string, email: string): Promise<Answer> =>
  verify({ type, email, token: body['email_otp'] });

test('a link for a sign-up creates an account, whose password and data count with its code', async () => {
  const email = address();
  const created = await generate({ type: 'signup', email, password: PASSWORD, data: { full_name: 'Ada' } });
  expect(created).toMatchObject({
    status: 200,
    body: {
      email,
      user_metadata: { full_name: 'Ada' },
      verification_type: 'signup',
      redirect_to: SITE,
      email_otp: expect.stringMatching(/^\d{6}$/),
      hashed_token: expect.stringMatching(/^[\w-]{43}$/),
    },
  });
  expect(created.body).not.toHaveProperty('invited_at');
  const link = new URL(textIn(created.body, 'action_link'));
  expect(`${link.origin}${link.pathname}`).toBe(`${SITE}/auth/v1/verify`);
  expect(Object.fromEntries(link.searchParams)).toEqual({
    token: created.body['hashed_token'],
    type: 'signup',
    redirect_to: SITE,
  });
  expect((await useCode(created, 'signup', email)).body).toMatchObject({
    user: { user_metadata: { full_name: 'Ada' } },
  });
  await app.signIn(email);
});

test('a second link for a sign-up without a password keeps the account unconfirmed and gives it none', async () => {
  const email = address();
  await generate({ type: 'signup', email, password: PASSWORD, data: { full_name: 'Ada' } });
  const repeated = await generate({ type: 'signup', email });
  expect(repeated).toMatchObject({ status: 200, body: { user_metadata: { full_name: 'Ada' } } });
  expect(repeated.body['email_confirmed_at'] ?? null).toBeNull();
  expect((await useCode(repeated, 'signup', email)).status).toBe(200);
  await expect(app.signIn(email)).rejects.toThrow('400');
});

test('a magic link for a new address confirms a new account, and one for an account signs in', async () => {
  const email = address();
  const created = await generate({ type: 'magiclink', email });
  expect(created.body).toMatchObject({ verification_type: 'signup', email });
  expect((await useCode(created, 'email', email)).status).toBe(200);
  const repeated = await generate({ type: 'magiclink', email });
  expect(repeated.body).toMatchObject({ id: created.body['id'], verification_type: 'magiclink' });
  expect(new URL(textIn(repeated.body, 'action_link')).searchParams.get('type')).toBe('magiclink');
  expect((await useCode(repeated, 'magiclink', email)).status).toBe(200);
});

test('a link for an invitation invites', async () => {
  const email = address();
  const created = await generate({ type: 'invite', email, data: { team: 'a' } });
  expect(created.body).toMatchObject({
    verification_type: 'invite',
    invited_at: expect.any(String),
    user_metadata: { team: 'a' },
  });
  expect((await verify({ type: 'invite', token_hash: created.body['hashed_token'] })).body).toMatchObject({
    user: { email, user_metadata: { team: 'a' } },
  });
});

test('links for a change of address: each is for one of both, and the change needs both', async () => {
  const { id, email } = await app.member();
  const next = address();
  const ofNew = await generate({ type: 'email_change_new', email, new_email: next });
  expect(ofNew).toMatchObject({
    status: 200,
    body: {
      id,
      email,
      new_email: next,
      email_change_sent_at: expect.any(String),
      verification_type: 'email_change_new',
    },
  });
  expect(new URL(textIn(ofNew.body, 'action_link')).searchParams.get('type')).toBe('email_change');
  const ofCurrent = await generate({ type: 'email_change_current', email, new_email: next });
  expect(ofCurrent.body).toMatchObject({ verification_type: 'email_change_current' });
  expect((await useCode(ofNew, 'email_change', email)).status).toBe(403);
  const half = { code: 200, msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email' };
  expect(await useCode(ofNew, 'email_change', next)).toMatchObject({ status: 200, body: half });
  const done = await verify({ type: 'email_change', token_hash: ofCurrent.body['hashed_token'] });
  expect(done.body).toMatchObject({ user: { id, email: next } });
});

test('one of both addresses cannot confirm twice, and a change to another address begins again', async () => {
  const { email } = await app.member();
  const next = address();
  for (let n = 0; n < 2; n += 1) {
    const link = await generate({ type: 'email_change_new', email, new_email: next });
    expect((await useCode(link, 'email_change', next)).body).toMatchObject({ code: 200 });
  }
  const other = address();
  await generate({ type: 'email_change_new', email, new_email: other });
  const ofCurrent = await generate({ type: 'email_change_current', email, new_email: other });
  expect((await useCode(ofCurrent, 'email_change', email)).body).toMatchObject({ code: 200 });
});

test('a link leads to the first allowed page of the request, else to the site', async () => {
  const { email } = await app.member();
  const [a, b] = ['https://app.example.com/a', 'https://app.example.com/b'];
  const evil = 'https://evil.example/';
  for (const [fields, query, expected] of [
    [{ redirect_to: a, redirectTo: b }, '', a],
    [{ redirect_to: evil, redirectTo: b }, '', b],
    [{ redirect_to: evil }, `?redirect_to=${encodeURIComponent(a)}`, a],
    [{ redirect_to: evil }, `?redirect_to=${encodeURIComponent(evil)}`, SITE],
  ] as const) {
    const { body } = await generate({ type: 'recovery', email, ...fields }, query);
    expect(body).toMatchObject({ verification_type: 'recovery', redirect_to: expected });
    expect(new URL(textIn(body, 'action_link')).searchParams.get('redirect_to')).toBe(expected);
  }
});

test('each link is in the audit log with its kind', async () => {
  const { id, email } = await app.member();
  for (const type of ['magiclink', 'recovery']) await generate({ type, email });
  const { rows } = await app.db.query(
    `select payload ->> 'kind' as kind from auth.audit_log_entries
     where payload ->> 'actor_id' = $1 and payload ->> 'action' = 'generate_link_requested' order by created_at`,
    [id],
  );
  expect(rows).toEqual([{ kind: 'magiclink' }, { kind: 'recovery' }]);
});

test.each([
  ['signup', '/email-verified?token_hash=a%26b&type=signup'],
  ['fax', '/email-verified?token_hash=a%26b&type=signup'],
  ['invite', '/auth?reset=true&token_hash=a%26b&type=invite'],
  ['recovery', '/auth?reset=true&token_hash=a%26b&type=recovery'],
  ['magiclink', '/email-verified?token_hash=a%26b&type=magiclink'],
  ['email_change', '/email-verified?token_hash=a%26b&type=email_change'],
  ['email', '/email-verified?token_hash=a%26b&type=email'],
])('opening a link of type %s verifies nothing and leads to the page %s', async (type, page) => {
  for (const name of ['token', 'token_hash']) {
    const answer = await both.request('GET', `/verify?type=${type}&${name}=a%26b&redirect_to=https://evil.example`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${SITE}${page}`]);
  }
  const app2 = await both.request('GET', `/verify?type=${type}&token=a%26b&redirect_to=https://app.example.com/x?y=1`);
  expect(Object.fromEntries(new URL(app2.headers.get('location') ?? '').searchParams)).toEqual({
    y: '1',
    token_hash: 'a&b',
    type: type === 'fax' ? 'signup' : type,
  });
});
