import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderUser } from '#server/providers/ports.ts';
import { type Answer, type AuthApp, type AuthServer, createSsoProvider, openAuthApp, SITE } from './auth-app.ts';
import { readFragment, readLocation, readQuery } from './redirects.ts';
import { expectRefusal } from './expect-refusal.ts';

/** The return from an organisation's sign-in. Its answer is JSON here; `tests/api/auth-sso.test.ts` tests the XML form. */
const PROVIDER = 'sso:5a4d1000-0000-4000-8000-000000000001';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
let app: AuthApp;
let server: AuthServer;
let count = 0;
beforeAll(async () => {
  app = await openAuthApp();
  server = app.server({ dependencies: { ssoProviders: [createSsoProvider('work.example', [])] } });
});
afterAll(() => app.close());

/** Begins a sign-on. Returns its state, and its cookie in the form that the browser sends. */
async function begin(more: Record<string, unknown> = {}): Promise<{ state: string; cookie: string }> {
  const answer = await server.request('POST', '/sso', { domain: 'work.example', redirect_to: `${SITE}/back`, ...more });
  expect(answer.status).toBe(303);
  const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { state: readLocation(answer).searchParams.get('RelayState') ?? '', cookie: cookie.join('; ') };
}
/** Creates an answer of the organisation that is correct except for these values. */
function answerWith(user: Partial<ProviderUser> = {}, id = `answer ${(count += 1)}`): string {
  const subject = `subject ${(count += 1)}`;
  const email = `lee${count}@work.example`;
  const expiresAt = new Date(app.now().getTime() + 60_000);
  return JSON.stringify({ id, expiresAt, user: { subject, email, emailVerified: true, claims: {}, ...user } });
}
const post = (response: string | null, { state, cookie }: { state: string; cookie: string }): Promise<Answer> =>
  server.request(
    'POST',
    '/sso/saml/acs',
    new URLSearchParams({ RelayState: state, ...(response === null ? {} : { SAMLResponse: response }) }).toString(),
    { headers: { 'content-type': 'application/x-www-form-urlencoded', cookie } },
  );

test('a person comes back with a session, and with the same account each time', async () => {
  const user = { subject: 'lee', email: 'lee@work.example', claims: { name: 'Lee Employee' } };
  const ids = new Set<unknown>();
  for (let n = 0; n < 2; n += 1) {
    const back = await post(answerWith(user), await begin());
    expect(readLocation(back).pathname).toBe('/back');
    expect(readFragment(back)).not.toHaveProperty('provider_token');
    const token = readFragment(back)['access_token'] ?? '';
    const { body } = await server.request('GET', '/user', undefined, { token });
    expect(body).toMatchObject({
      email: 'lee@work.example',
      is_sso_user: true,
      app_metadata: { provider: PROVIDER, providers: [PROVIDER] },
      user_metadata: { full_name: 'Lee Employee' },
      identities: [{ provider: PROVIDER, id: 'lee', identity_data: { email_verified: true } }],
    });
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      amr: [{ method: 'sso/saml' }],
    });
    ids.add(body['id']);
  }
  expect(ids.size).toBe(1);
});

test('an app that began it with a challenge exchanges a code', async () => {
  const begun = await begin({ code_challenge: CHALLENGE, code_challenge_method: 's256' });
  expect(begun.cookie).toBe('');
  const { code } = readQuery(await post(answerWith(), begun));
  const body = { auth_code: code, code_verifier: VERIFIER };
  expect(await server.request('POST', '/token?grant_type=pkce', body)).toMatchObject({
    status: 200,
    body: { user: { is_sso_user: true } },
  });
});

const RELAY = ['saml_relay_state_not_found', 'SAML RelayState does not exist, try logging in again?'] as const;
const INVALID = ['validation_failed', 'SAML Assertion is not valid'] as const;
const DOMAIN = [
  'email_address_not_authorized',
  'The identity provider is not authorized for email addresses of this domain',
] as const;

test.each([
  ['without an answer', () => null, 'invalid_request', 'validation_failed', 'SAMLResponse is missing'],
  ['that cannot be read', () => '<xml>', 'invalid_request', ...INVALID],
  [
    'without a stable id',
    () => answerWith({ subject: '' }),
    'invalid_request',
    'saml_assertion_no_user_id',
    'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user',
  ],
  [
    'without an address',
    () => answerWith({ email: null }),
    'invalid_request',
    'saml_assertion_no_email',
    'SAML Assertion does not contain an email address',
  ],
  ['of another domain', () => answerWith({ email: 'lee@other.example' }), 'access_denied', ...DOMAIN],
  ['with two signs', () => answerWith({ email: 'a@work.example@other.example' }), 'access_denied', ...DOMAIN],
  ['with a blank', () => answerWith({ email: 'a b@work.example' }), 'access_denied', ...DOMAIN],
  ['with a blank first', () => answerWith({ email: ' a@work.example' }), 'access_denied', ...DOMAIN],
  ['with a blank last', () => answerWith({ email: 'a@work.example ' }), 'access_denied', ...DOMAIN],
])('a form %s leads back with the reason', async (_, response, error, error_code, error_description) => {
  const back = await post(response(), await begin());
  expect(readLocation(back).pathname).toBe('/back');
  expect(readQuery(back)).toEqual({ error, error_code, error_description });
  expect(readFragment(back)).toEqual(readQuery(back));
});

test('an answer counts once, in the browser where the sign-on began, and for its own state', async () => {
  const answer = answerWith();
  const begun = await begin();
  const refused = { error: 'server_error', error_code: RELAY[0], error_description: RELAY[1] };
  const oauth = await server.request('GET', '/authorize?provider=google');
  const oauthState = readLocation(oauth).searchParams.get('state') ?? '';
  const oauthCookie = oauth.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  for (const wrong of [
    { state: 'unknown', cookie: '' },
    { state: '', cookie: '' },
    { state: (await begin()).state, cookie: begun.cookie },
    { state: oauthState, cookie: oauthCookie },
  ])
    expect(readQuery(await post(answer, wrong))).toEqual(refused);
  expect(readFragment(await post(answer, begun))).toHaveProperty('access_token');
  expect(readQuery(await post(answer, begun))).toEqual(refused);
  expect(readQuery(await post(answer, await begin()))).toMatchObject({ error_code: INVALID[0] });
  // The state of a sign-on is not valid for a provider's sign-in.
  const { state, cookie } = await begin();
  const crossed = await app.request('GET', `/callback?state=${state}&code=x`, undefined, { headers: { cookie } });
  expect(readQuery(crossed)).toMatchObject({ error_code: 'bad_oauth_state' });
});

test('an answer for a provider that is no longer there is refused', async () => {
  const begun = await begin({ code_challenge: CHALLENGE, code_challenge_method: 's256' });
  await app.db.query(`update auth.flow_state set provider_type = 'sso:other' where request_id is not null`);
  expect(readQuery(await post(answerWith(), begun))).toMatchObject({ error_code: RELAY[0] });
});

test('only the organisation may sign in to its accounts', async () => {
  const email = 'managed@work.example';
  const back = await post(answerWith({ email }), await begin());
  const token = readFragment(back)['access_token'] ?? '';
  app.providerUser = { subject: 'other', email, emailVerified: true, claims: {} };
  await expectRefusal(app, [
    'POST /token?grant_type=id_token',
    { provider: 'google', id_token: '60' },
    422,
    'user_sso_managed',
    'This account is managed by its organisation. Sign in with single sign-on.',
  ]);
  const own = 'Updating email, phone, password of a SSO account only possible via SSO';
  for (const change of [{ password: 'another fine phrase' }, { email: 'x@example.com' }, { phone: '+61491570130' }])
    await expectRefusal(server, ['PUT /user', change, 422, 'user_sso_managed', own], token);
  await expectRefusal(
    server,
    ['POST /passkeys/registration/options', {}, 422, 'validation_failed', 'SSO users cannot register passkeys'],
    token,
  );
  for (const [path, body] of [
    ['/recover', { email }],
    ['/otp', { email }],
  ] as const)
    expect((await server.request('POST', path, body)).status).toBe(200);
  await app.queue.flush();
  expect(app.mails.filter(({ to }) => to === email)).toEqual([]);
});

test('a provider that does not respond is a fault of the server', async () => {
  const silent = { ...createSsoProvider('work.example', []), startUrl: () => Promise.reject(new Error('down')) };
  await expectRefusal(app.server({ dependencies: { ssoProviders: [silent] } }), [
    'POST /sso',
    { domain: 'work.example' },
    503,
    'unexpected_failure',
    'The identity provider is not responding. Please try again.',
  ]);
});

test('the metadata can be saved as a file', async () => {
  const { headers, body } = await server.request('GET', '/sso/saml/metadata?download=true');
  expect(headers.get('content-disposition')).toBe('attachment; filename="metadata.xml"');
  expect(headers.get('content-type')).toBe('application/samlmetadata+xml');
  expect(String(body['text'])).toContain(`entityID="${SITE}/auth/v1/sso/saml/metadata"`);
  expect(String(body['text'])).toContain(`Location="${SITE}/auth/v1/sso/saml/acs"`);
  expect(String(body['text'])).toContain('WantAssertionsSigned="true"');
  const shown = await server.request('GET', '/sso/saml/metadata');
  expect(shown.headers.get('content-disposition')).toBeNull();
});
