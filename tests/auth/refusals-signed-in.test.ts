import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthApp, openAuthApp, PASSWORD, type SignedInUser, textIn } from './auth-app.ts';
import {
  BAD_EMAIL,
  BAD_PHONE,
  EMAIL_EXISTS,
  expectRefusal,
  INVALID,
  NOBODY,
  type RefusalRow,
  WEAK,
} from './expect-refusal.ts';

let app: AuthApp;
let member: SignedInUser;
beforeAll(async () => {
  app = await openAuthApp();
  member = await app.member(TAKEN);
});
afterAll(() => app.close());

const [EMAIL, UNKNOWN, TAKEN] = ['a@example.com', 'unknown@example.com', 'taken@example.com'];
const LINK = 'POST /admin/generate_link';
const NO_USER = [404, 'user_not_found', 'User not found'] as const;
const NO_PASSKEY = [404, 'passkey_not_found', 'Passkey not found'] as const;
const NO_SESSION = [404, 'session_not_found', 'Session not found'] as const;
/** Metadata that the database stores in 16,384 bytes, the maximum. */
const LARGEST = { text: 'x'.repeat(16_384 - '{"text": ""}'.length) };
const TOO_LARGE = { text: `${LARGEST.text}xx` };
const HIDDEN = { text: 'a\u202eb' };

describe('what a signed-in person sends', () => {
  test.each<RefusalRow>([
    ['PUT /user', { email: 'nobody' }, ...BAD_EMAIL],
    ['PUT /user', { phone: '12' }, ...BAD_PHONE],
    [
      'PUT /user',
      { password: PASSWORD },
      422,
      'same_password',
      'New password should be different from the old password.',
    ],
    ['PUT /user', { password: 'kqzvw' }, ...WEAK],
    [
      'PUT /user',
      { password: 'x', nonce: '000000' },
      422,
      'reauthentication_not_valid',
      'Nonce has expired or is invalid',
    ],
    ['POST /logout?scope=all', undefined, ...INVALID, 'Unsupported logout scope "all"'],
    ['DELETE /user/sessions/x', undefined, ...NO_SESSION],
    [`DELETE /user/sessions/${NOBODY}`, undefined, ...NO_SESSION],
    ['DELETE /user/identities/x', undefined, 404, 'validation_failed', 'identity_id must be an UUID'],
    [
      `DELETE /user/identities/${NOBODY}`,
      undefined,
      422,
      'single_identity_not_deletable',
      'User must have at least 1 identity after unlinking',
    ],
    ['POST /factors', {}, ...INVALID, 'factor_type needs to be totp, phone, or webauthn'],
    ['POST /factors', { factor_type: 'phone' }, ...INVALID, 'Phone number required to enroll Phone factor'],
    ['POST /factors', { factor_type: 'phone', phone: '0491570110' }, ...BAD_PHONE],
    ['POST /factors', { factor_type: 'phone', phone: '+61491570110x' }, ...BAD_PHONE],
    ['POST /factors/x/challenge', {}, 404, 'validation_failed', 'factor_id must be an UUID'],
    [`POST /factors/${NOBODY}/challenge`, {}, 404, 'mfa_factor_not_found', 'Factor not found'],
    ['DELETE /factors/x', undefined, 404, 'validation_failed', 'factor_id must be an UUID'],
    ['PATCH /passkeys/x', { friendly_name: 'My phone' }, ...NO_PASSKEY],
    [`DELETE /passkeys/${NOBODY}`, undefined, ...NO_PASSKEY],
    ['POST /passkeys/registration/verify', { challenge_id: NOBODY }, ...INVALID, 'credential is required'],
    [
      'POST /passkeys/registration/verify',
      { challenge_id: NOBODY, credential: {} },
      400,
      'webauthn_challenge_not_found',
      'Challenge not found or already used',
    ],
    [LINK, { type: 'recovery', email: EMAIL }, 403, 'not_admin', 'User not allowed'],
    ['GET /admin/nothing', undefined, 403, 'not_admin', 'User not allowed'],
  ])('%s with %j is refused as %i %s: %s', (...row) => expectRefusal(app, row, member.token));

  test('an anonymous person needs an address before a password, and for a code', async () => {
    const { body } = await app.request('POST', '/signup', { data: { full_name: 'Ada' } });
    expect(body).toMatchObject({
      user: { is_anonymous: true, email: '', phone: '', app_metadata: {}, user_metadata: { full_name: 'Ada' } },
    });
    const token = textIn(body, 'access_token');
    await expectRefusal(
      app,
      [
        'PUT /user',
        { password: PASSWORD },
        422,
        'validation_failed',
        'Updating password of an anonymous user without an email or phone is not allowed',
      ],
      token,
    );
    await expectRefusal(
      app,
      [
        'GET /reauthenticate',
        undefined,
        ...INVALID,
        'Reauthentication requires the user to have an email or a phone number',
      ],
      token,
    );
  });
});

describe('what the service key sends', () => {
  test.each<RefusalRow>([
    ['POST /admin/users', {}, ...INVALID, 'Cannot create a user without either an email or phone'],
    [
      'POST /admin/users',
      { email: EMAIL, role: 'service_role' },
      ...INVALID,
      'role must be authenticated: tokens give no further rights',
    ],
    [
      'POST /admin/users',
      { email: EMAIL, password: PASSWORD, password_hash: 'x' },
      ...INVALID,
      'Only a password or a password hash should be provided',
    ],
    [
      'POST /admin/users',
      { email: EMAIL, ban_duration: '1 day' },
      ...INVALID,
      'invalid format for ban duration: 1 day',
    ],
    ['POST /admin/users', { email: EMAIL, password: 'kqzvw' }, ...WEAK],
    ['POST /admin/users', { email: TAKEN }, ...EMAIL_EXISTS],
    ['GET /admin/users/x', undefined, 404, 'validation_failed', 'user_id must be an UUID'],
    [`GET /admin/users/${NOBODY}`, undefined, ...NO_USER],
    [`PUT /admin/users/${NOBODY}`, {}, ...NO_USER],
    [`DELETE /admin/users/${NOBODY}`, undefined, ...NO_USER],
    [`GET /admin/users/${NOBODY}/factors`, undefined, ...NO_USER],
    [`GET /admin/users/${NOBODY}/passkeys`, undefined, ...NO_USER],
    ['GET /admin/users?per_page=0', undefined, ...INVALID, 'Bad Pagination Parameters: per_page'],
    ['GET /admin/audit?page=0', undefined, ...INVALID, 'Bad Pagination Parameters: page'],
    ['GET /admin/audit?query=login', undefined, ...INVALID, 'query must be action:{name} or author:{id}'],
    ['GET /admin/audit?query=xaction:login', undefined, ...INVALID, 'query must be action:{name} or author:{id}'],
    ['GET /admin/nothing', undefined, 404, 'feature_disabled', 'This admin call is not supported'],
    ['POST /invite', { email: TAKEN }, ...EMAIL_EXISTS],
    [LINK, { type: 'recovery' }, ...INVALID, 'An email address is required'],
    [LINK, { type: 'fax', email: EMAIL }, ...INVALID, 'Invalid email action link type requested: fax'],
    [LINK, { type: 'recovery', email: UNKNOWN }, 404, 'user_not_found', 'User with this email not found'],
    [LINK, { type: 'signup', email: TAKEN, password: PASSWORD }, ...EMAIL_EXISTS],
    [LINK, { type: 'signup', email: UNKNOWN }, ...INVALID, 'Signup requires a valid password'],
    [LINK, { type: 'signup', email: UNKNOWN, password: 'kqzvw' }, ...WEAK],
    [LINK, { type: 'email_change_new', email: TAKEN }, ...INVALID, 'An email address is required'],
    [LINK, { type: 'email_change_new', email: TAKEN, new_email: TAKEN }, ...EMAIL_EXISTS],
    [
      LINK,
      { type: 'email_change_current', email: TAKEN, new_email: EMAIL },
      ...INVALID,
      'Enable secure email change to generate link for current email',
    ],
  ])('%s with %j is refused as %i %s: %s', (...row) => expectRefusal(app, row, app.keys.serviceRoleKey));
});

describe('metadata', () => {
  test('of a person may have as many bytes as the database stores, together with what is there', async () => {
    const { token } = await app.member();
    const put = (data: unknown) => app.request('PUT', '/user', { data }, { token });
    expect(await put(LARGEST)).toMatchObject({ status: 200, body: { user_metadata: LARGEST } });
    expect((await put({ b: 1 })).body).toMatchObject({ message: 'User metadata is too large' });
    expect((await put({ text: 'short', b: 1 })).status).toBe(200);
  });

  test.each([
    ['POST /signup', { email: EMAIL, password: PASSWORD }, 'data'],
    ['POST /signup', {}, 'data'],
    ['POST /otp', { email: EMAIL }, 'data'],
    ['PUT /user', {}, 'data'],
    ['POST /admin/users', { email: EMAIL }, 'user_metadata'],
    ['POST /invite', { email: EMAIL }, 'data'],
    [LINK, { type: 'magiclink', email: EMAIL }, 'data'],
  ])('that is too large or hidden is refused by %s with %j', async (call, sent, field) => {
    const token = call === 'PUT /user' ? member.token : app.keys.serviceRoleKey;
    const refused = (data: unknown, message: string) =>
      expectRefusal(app, [call, { ...sent, [field]: data }, ...INVALID, message], token);
    await refused(TOO_LARGE, 'User metadata is too large');
    await refused(HIDDEN, 'User metadata has characters that cannot be seen');
  });

  test('of the app may have 16,384 bytes in JSON', async () => {
    const create = (text: string) =>
      app.request(
        'POST',
        '/admin/users',
        { email: `${text.length}@example.com`, app_metadata: { text } },
        { token: app.keys.serviceRoleKey },
      );
    const most = 16_384 - '{"text":""}'.length;
    expect((await create('x'.repeat(most))).status).toBe(200);
    expect((await create('x'.repeat(most + 1))).body).toMatchObject({ message: 'App metadata is too large' });
  });
});
