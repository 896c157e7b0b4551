import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuthConfig } from '#server/auth/core/config.ts';
import { type AuthApp, type AuthServer, createSsoProvider, openAuthApp, PASSWORD } from './auth-app.ts';
import { BAD_EMAIL, BAD_PHONE, expectRefusal, INVALID, NOBODY, type RefusalRow, WEAK } from './expect-refusal.ts';

let app: AuthApp;
let single: AuthServer;
let token: string;
beforeAll(async () => {
  app = await openAuthApp();
  single = app.server({ dependencies: { ssoProviders: [createSsoProvider('work.example', [])] } });
  token = (await app.member(TAKEN)).token;
});
afterAll(() => app.close());

const [EMAIL, UNKNOWN, TAKEN] = ['a@example.com', 'unknown@example.com', 'taken@example.com'];
const PHONE = '+61491570110';
const WEB3 = 'POST /token?grant_type=web3';
const NO_USER = [404, 'user_not_found', 'User not found'] as const;
const NO_BEARER = [401, 'no_authorization', 'This endpoint requires a valid Bearer token'] as const;
const CREDENTIALS = [400, 'invalid_credentials', 'Invalid login credentials'] as const;
const WRONG_CODE = [403, 'otp_expired', 'Token has expired or is invalid'] as const;
const NO_WEB3 = [422, 'web3_provider_disabled'] as const;

describe('what anybody sends', () => {
  test.each<RefusalRow>([
    ['GET /nothing', undefined, 404, 'not_found', 'Not found'],
    ['POST /signup', '{', 400, 'bad_json', 'Could not parse request body as JSON'],
    ['POST /signup', { email: 7 }, ...INVALID, 'email: Invalid input: expected string, received number'],
    ['POST /signup', [], ...INVALID, 'body: Invalid input: expected object, received array'],
    ['POST /signup', { email: 'a\u0000@x.au' }, ...INVALID, 'The request contains values that cannot be stored'],
    ['POST /signup', { data: { 'a\u0000': 1 } }, ...INVALID, 'The request contains values that cannot be stored'],
    ['POST /signup', '{"email":"\\ud800"}', ...INVALID, 'The request contains values that cannot be stored'],
    ['POST /signup', { email: EMAIL }, ...INVALID, 'Signup requires a valid password'],
    ['POST /signup', { email: 'nobody', password: PASSWORD }, ...BAD_EMAIL],
    ['POST /signup', { phone: '12', password: PASSWORD }, ...BAD_PHONE],
    ['POST /signup', { phone: '1234567890123456', password: PASSWORD }, ...BAD_PHONE],
    ['POST /signup', { phone: '0491570110', password: PASSWORD }, ...BAD_PHONE],
    [
      'POST /signup',
      { email: EMAIL, phone: PHONE, password: PASSWORD },
      ...INVALID,
      'Only an email address or phone number should be provided on signup.',
    ],
    [
      'POST /signup',
      { phone: PHONE, password: PASSWORD, channel: 'whatsapp' },
      ...INVALID,
      'Unsupported channel: use sms',
    ],
    ['POST /signup', { email: EMAIL, password: 'kqzvw' }, ...WEAK],
    ['POST /token', {}, 400, 'unsupported_grant_type', 'unsupported_grant_type'],
    ['POST /token?grant_type=toString', {}, 400, 'unsupported_grant_type', 'unsupported_grant_type'],
    ['POST /token?grant_type=password', { email: UNKNOWN, password: 'x' }, ...CREDENTIALS],
    ['POST /token?grant_type=password', { phone: PHONE, password: 'x' }, ...CREDENTIALS],
    ['POST /token?grant_type=password', { password: 'x' }, ...BAD_PHONE],
    [
      'POST /token?grant_type=refresh_token',
      { refresh_token: 'x' },
      400,
      'refresh_token_not_found',
      'Invalid Refresh Token: Refresh Token Not Found',
    ],
    [
      'POST /token?grant_type=pkce',
      { auth_code: 'x', code_verifier: 'x' },
      404,
      'flow_state_not_found',
      'invalid flow state, no valid flow state found',
    ],
    [
      'POST /token?grant_type=id_token',
      { provider: 'apple', id_token: '60' },
      400,
      'provider_disabled',
      'Provider is not enabled',
    ],
    ['POST /token?grant_type=id_token', { provider: 'google', id_token: '60', link_identity: true }, ...NO_BEARER],
    ['POST /otp', {}, ...INVALID, 'One of email or phone must be set'],
    [
      'POST /otp',
      { email: EMAIL, phone: PHONE },
      ...INVALID,
      'Only an email address or phone number should be provided',
    ],
    ['POST /otp', { phone: PHONE, channel: 'whatsapp' }, ...INVALID, 'Unsupported channel: use sms'],
    ['POST /otp', { email: 'nobody' }, ...BAD_EMAIL],
    ['POST /magiclink', {}, ...INVALID, 'One of email or phone must be set'],
    [
      'POST /resend',
      { type: 'magiclink', email: EMAIL },
      ...INVALID,
      'Missing one of these types: signup, email_change, sms, phone_change',
    ],
    ['POST /resend', { type: 'signup', phone: PHONE }, ...INVALID, 'Type provided requires an email address'],
    ['POST /resend', { type: 'email_change' }, ...INVALID, 'Type provided requires an email address'],
    ['POST /resend', { type: 'sms', email: EMAIL }, ...INVALID, 'Type provided requires a phone number'],
    ['POST /resend', { type: 'phone_change' }, ...INVALID, 'Type provided requires a phone number'],
    ['POST /recover', { email: 'nobody' }, ...BAD_EMAIL],
    ['POST /recover', { email: UNKNOWN, dry_run: true }, ...NO_USER],
    ['POST /verify', { type: 'toString', email: EMAIL, token: '1' }, ...INVALID, 'Verify requires a verification type'],
    ['POST /verify', { type: 'sms', email: EMAIL, token: '123456' }, ...WRONG_CODE],
    ['POST /verify', { type: 'signup', phone: PHONE, token: '1' }, ...INVALID, 'Verify requires a verification type'],
    ['POST /verify', { type: 'sms', phone: '12', token: '123456' }, ...BAD_PHONE],
    ['POST /verify', { type: 'email', email: EMAIL }, ...INVALID, 'Verify requires a token or a token hash'],
    ['POST /verify', { type: 'email', token: '1' }, ...INVALID, 'Verify requires a token or a token hash'],
    ['POST /verify', { type: 'email', email: EMAIL, token: '123456' }, ...WRONG_CODE],
    ['POST /verify', { type: 'recovery', token_hash: 'x' }, ...WRONG_CODE],
    ['GET /authorize?provider=apple', undefined, ...INVALID, 'Unsupported provider: provider is not enabled'],
    ['GET /user', undefined, ...NO_BEARER],
    ['PUT /user', {}, ...NO_BEARER],
    ['GET /reauthenticate', undefined, ...NO_BEARER],
    ['GET /user/sessions', undefined, ...NO_BEARER],
    ['POST /logout', undefined, ...NO_BEARER],
    ['GET /user/identities/authorize?provider=google', undefined, ...NO_BEARER],
    [`DELETE /user/identities/${NOBODY}`, undefined, ...NO_BEARER],
    ['POST /factors', {}, ...NO_BEARER],
    [`POST /factors/${NOBODY}/challenge`, {}, ...NO_BEARER],
    [`POST /factors/${NOBODY}/verify`, { challenge_id: NOBODY, code: '1' }, ...NO_BEARER],
    [`DELETE /factors/${NOBODY}`, undefined, ...NO_BEARER],
    ['GET /passkeys', undefined, ...NO_BEARER],
    ['POST /passkeys/registration/options', {}, ...NO_BEARER],
    ['POST /passkeys/registration/verify', { challenge_id: NOBODY }, ...NO_BEARER],
    ['POST /passkeys/authentication/verify', { challenge_id: NOBODY }, ...INVALID, 'credential is required'],
    [
      'POST /passkeys/authentication/verify',
      { challenge_id: NOBODY, credential: {} },
      400,
      'webauthn_challenge_not_found',
      'Challenge not found or already used',
    ],
    ['POST /sso', { domain: 'work.example' }, 404, 'saml_provider_disabled', 'SAML 2.0 is disabled'],
    ['GET /sso/saml/metadata', undefined, 404, 'saml_provider_disabled', 'SAML 2.0 is disabled'],
    ['POST /email-undo', { token_hash: 'x' }, ...WRONG_CODE],
    ['POST /email-undo/challenge', { token_hash: 'x', factor_id: NOBODY }, ...WRONG_CODE],
    ['POST /email-undo/complete', { token_hash: 'x', password: PASSWORD }, ...WRONG_CODE],
    ['GET /oauth/authorizations/1', undefined, 404, 'feature_disabled', 'OAuth server is disabled'],
    ['GET /admin/users', undefined, 403, 'not_admin', 'User not allowed'],
  ])('%s with %j is refused as %i %s: %s', (...row) => expectRefusal(app, row));

  test.each<RefusalRow>([
    ['POST /sso', {}, ...INVALID, 'A provider_id or domain needs to be provided'],
    ['POST /sso', { domain: 'a.au', provider_id: 'b' }, ...INVALID, 'Only one of provider_id or domain supported'],
    ['POST /sso', { domain: 'a.au' }, 404, 'sso_provider_not_found', 'No SSO provider assigned for this domain'],
    ['POST /sso', { provider_id: NOBODY }, 404, 'sso_provider_not_found', 'No such SSO provider'],
  ])('with single sign-on, %s with %j is refused as %i %s: %s', (...row) => expectRefusal(single, row));

  const SHORT = [...INVALID, 'code challenge has to be between 43 and 128 characters'] as const;
  const BOTH = [...INVALID, 'PKCE flow requires code_challenge_method and code_challenge'] as const;
  const LETTERS = [
    ...INVALID,
    'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
  ] as const;
  test.each<readonly [string, number, string, string]>([
    [`code_challenge=${'c'.repeat(43)}`, ...BOTH],
    ['code_challenge_method=s256', ...BOTH],
    [`code_challenge=${'c'.repeat(42)}&code_challenge_method=s256`, ...SHORT],
    [`code_challenge=${'c'.repeat(129)}&code_challenge_method=s256`, ...SHORT],
    [`code_challenge=${'c'.repeat(42)}!&code_challenge_method=s256`, ...LETTERS],
    [`code_challenge=!${'c'.repeat(42)}&code_challenge_method=s256`, ...LETTERS],
  ])('a challenge %s is refused', (query, ...expected) =>
    expectRefusal(app, [`GET /authorize?provider=google&${query}`, undefined, ...expected]),
  );

  test.each([43, 128])('a challenge of %i letters, digits and -._~ begins a sign-in', async (length) => {
    const challenge = `aZ09-._~${'c'.repeat(length - 8)}`;
    const path = `/authorize?provider=google&code_challenge=${challenge}&code_challenge_method=S256`;
    expect((await app.request('GET', path)).status).toBe(302);
  });
});

describe('what the operator has disabled', () => {
  const ANONYMOUS = [422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled'] as const;
  const LINKING = [404, 'manual_linking_disabled', 'Manual linking is disabled'] as const;
  const NO_PHONE = [400, 'phone_provider_disabled'] as const;
  const FACTORS = { totp: false, phone: false, webauthn: false, max: 10, challengeSeconds: 300 };
  test.each<readonly [Partial<AuthConfig>, ...RefusalRow]>([
    [{ anonymousEnabled: false }, 'POST /signup', {}, ...ANONYMOUS],
    [{ signupEnabled: false }, 'POST /signup', {}, ...ANONYMOUS],
    [
      { signupEnabled: false },
      'POST /signup',
      { email: EMAIL, password: PASSWORD },
      422,
      'signup_disabled',
      'Signups not allowed for this instance',
    ],
    [
      { autoconfirm: true },
      'POST /signup',
      { email: TAKEN, password: PASSWORD },
      422,
      'user_already_exists',
      'User already registered',
    ],
    [
      { phoneEnabled: false },
      'POST /signup',
      { phone: PHONE, password: PASSWORD },
      ...NO_PHONE,
      'Phone signups are disabled',
    ],
    [
      { phoneEnabled: false },
      'POST /token?grant_type=password',
      { phone: PHONE, password: PASSWORD },
      ...NO_PHONE,
      'Phone logins are disabled',
    ],
    [{ phoneEnabled: false }, 'PUT /user', { phone: PHONE }, ...NO_PHONE, 'Phone logins are disabled'],
    [{ phoneEnabled: false }, 'POST /otp', { phone: PHONE }, ...NO_PHONE, 'Unsupported phone provider'],
    [
      { phoneEnabled: false },
      'POST /resend',
      { phone: PHONE, type: 'phone_change' },
      ...NO_PHONE,
      'Unsupported phone provider',
    ],
    [{ manualLinking: false }, 'GET /user/identities/authorize?provider=google', undefined, ...LINKING],
    [{ manualLinking: false }, `DELETE /user/identities/${NOBODY}`, undefined, ...LINKING],
    [
      { manualLinking: false },
      'POST /token?grant_type=id_token',
      { provider: 'google', id_token: '60', link_identity: true },
      ...LINKING,
    ],
    [
      { passkeys: { enabled: false, max: 10 } },
      'GET /passkeys',
      undefined,
      404,
      'passkey_disabled',
      'Passkeys are disabled',
    ],
    [
      { passkeys: { enabled: false, max: 10 } },
      'POST /passkeys/authentication/options',
      {},
      404,
      'passkey_disabled',
      'Passkeys are disabled',
    ],
    [
      { passkeys: { enabled: true, max: 0 } },
      'POST /passkeys/registration/options',
      {},
      422,
      'too_many_passkeys',
      'Maximum number of passkeys reached',
    ],
    [
      { factors: FACTORS },
      'POST /factors',
      { factor_type: 'totp' },
      422,
      'mfa_totp_enroll_not_enabled',
      'MFA enroll is disabled for TOTP',
    ],
    [
      { factors: FACTORS },
      'POST /factors',
      { factor_type: 'phone' },
      422,
      'mfa_phone_enroll_not_enabled',
      'MFA enroll is disabled for Phone',
    ],
    [
      { factors: FACTORS },
      'POST /factors',
      { factor_type: 'webauthn' },
      422,
      'mfa_webauthn_enroll_not_enabled',
      'MFA enroll is disabled for WebAuthn',
    ],
    [{ chains: [] }, WEB3, { chain: 'solana' }, ...NO_WEB3, 'Web3 provider is disabled'],
    [{ chains: ['ethereum'] }, WEB3, { chain: 'solana' }, ...NO_WEB3, 'Solana Web3 provider is disabled'],
    [{ chains: ['solana'] }, WEB3, { chain: 'ethereum' }, ...NO_WEB3, 'Ethereum Web3 provider is disabled'],
  ])('with %j, %s with %j is refused as %i %s: %s', (config, ...row) =>
    expectRefusal(app.server({ config }), row, token),
  );
});
