import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import {
  type Answer,
  type AuthApp,
  type AuthServer,
  openAuthApp,
  type SignedInUser,
  SITE,
  textIn,
} from './auth-app.ts';
import { expectRefusal, INVALID, NOBODY, type RefusalRow } from './expect-refusal.ts';

let app: AuthApp;
let count = 0;
beforeAll(async () => {
  app = await openAuthApp();
});
afterAll(() => app.close());

type Person = Pick<SignedInUser, 'token'>;
const IP = '10.8.0.1';
const as = (person: Person, method: string, path: string, body?: unknown, ip = IP): Promise<Answer> =>
  app.request(method, path, body, { token: person.token, ip });
const readClaims = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const service = (method: string, path: string): Promise<Answer> =>
  app.request(method, path, undefined, { token: app.keys.serviceRoleKey });

/** Moves the clock to the start of the next time step, and returns the code of the step that is `steps` away. */
function nextCode(secret: string, steps = 0): string {
  app.advance(30_000 - (app.now().getTime() % 30_000));
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: app.now().getTime() + steps * 30_000 });
}
async function enrol(person: Person): Promise<{ id: string; secret: string; body: Record<string, unknown> }> {
  const form = { factor_type: 'totp', friendly_name: `App ${(count += 1)}`, issuer: 'Our studios' };
  const { body } = await as(person, 'POST', '/factors', form);
  return { id: textIn(body, 'id'), secret: textIn(body, 'totp', 'secret'), body };
}
const challenge = async (person: Person, id: string): Promise<string> =>
  textIn((await as(person, 'POST', `/factors/${id}/challenge`, {})).body, 'id');
const answer = async (person: Person, id: string, code: string, ip = IP): Promise<Answer> =>
  as(person, 'POST', `/factors/${id}/verify`, { challenge_id: await challenge(person, id), code }, ip);

test('the first right code raises the session, ends the others, and names the method in the token', async () => {
  const person = await app.member();
  const other = await app.signIn(person.email);
  const { id, secret, body } = await enrol(person);
  expect(textIn(body, 'totp', 'uri')).toMatch(
    new RegExp(
      `^otpauth://totp/Our%20studios:${encodeURIComponent(person.email)}\\?issuer=Our%20studios&secret=${secret}`,
    ),
  );
  const raised = await answer(person, id, nextCode(secret));
  expect(raised).toMatchObject({ status: 200, body: { user: { factors: [{ id, status: 'verified' }] } } });
  const claims = readClaims(textIn(raised.body, 'access_token'));
  expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'totp' }, { method: 'password' }] });
  expect((await as(other, 'GET', '/user')).body).toMatchObject({ code: 'session_not_found' });
  const token = textIn(raised.body, 'access_token');
  expect((await as({ token }, 'GET', '/user/sessions')).body).toMatchObject({
    sessions: [{ id: readClaims(person.token)['session_id'], aal: 'aal2', current: true }],
  });
});

test('a code counts once, and from the step before to the step after', async () => {
  const person = await app.member();
  const { id, secret } = await enrol(person);
  const WRONG = { status: 422, body: { code: 'mfa_verification_failed', message: 'Invalid TOTP code entered' } };
  for (const steps of [-2, 2])
    expect(await answer(person, id, nextCode(secret, steps)), String(steps)).toMatchObject(WRONG);
  for (const text of ['12345', '1234567', 'x23456', '12345x'])
    expect(await answer(person, id, text)).toMatchObject(WRONG);
  expect((await answer(person, id, nextCode(secret, -1))).status).toBe(200);
  const code = nextCode(secret);
  expect((await answer(person, id, code)).status).toBe(200);
  expect(await answer(person, id, code)).toMatchObject(WRONG);
  expect((await answer(person, id, nextCode(secret, 1))).status).toBe(200);
});

test('an authenticator app without an issuer shows the name of the site', async () => {
  const person = await app.member();
  for (const more of [{}, { issuer: '' }]) {
    const { body } = await as(person, 'POST', '/factors', {
      factor_type: 'totp',
      friendly_name: `${(count += 1)}`,
      ...more,
    });
    expect(textIn(body, 'totp', 'uri')).toContain('otpauth://totp/localhost%3A4000:');
  }
});

test('a challenge that is closed says why', async () => {
  const person = await app.member();
  const { id, secret } = await enrol(person);
  const { id: another } = await enrol(person);
  const verify = (challenge_id: string, code: string, factor = id, ip = IP) =>
    as(person, 'POST', `/factors/${factor}/verify`, { challenge_id, code }, ip);
  const mismatch = { code: 'mfa_ip_address_mismatch', message: 'Challenge and verify IP addresses mismatch.' };
  const first = await challenge(person, id);
  expect((await verify(first, nextCode(secret), id, '10.8.0.2')).body).toEqual(mismatch);
  expect((await verify(first, nextCode(secret), another)).body).toMatchObject({
    code: 'mfa_factor_not_found',
    message: 'MFA factor with the provided challenge ID not found',
  });
  const closed = (challengeId: string, reason: string) => ({
    code: 'mfa_challenge_expired',
    message: `MFA challenge ${challengeId} ${reason}, verify against another challenge or create a new challenge.`,
  });
  app.advance(301_000);
  expect((await verify(first, nextCode(secret))).body).toEqual(closed(first, 'has expired'));
  const second = await challenge(person, id);
  for (let n = 0; n < 5; n += 1) expect((await verify(second, '000000')).status).toBe(422);
  expect((await verify(second, nextCode(secret))).body).toEqual(closed(second, 'has had too many attempts'));
  const third = await challenge(person, id);
  expect((await verify(third, nextCode(secret))).status).toBe(200);
  expect((await verify(third, nextCode(secret))).body).toEqual(mismatch);
});

test('an answer needs the parts of its factor', async () => {
  const person = await app.member();
  const { id } = await enrol(person);
  const key = textIn(
    (await as(person, 'POST', '/factors', { factor_type: 'webauthn', friendly_name: 'Key' })).body,
    'id',
  );
  const row = (factor: string, more: Record<string, unknown>, message: string): RefusalRow => [
    `POST /factors/${factor}/verify`,
    { challenge_id: NOBODY, ...more },
    ...INVALID,
    message,
  ];
  const response = { id: 'x' };
  for (const refused of [
    row(id, {}, 'Code needs to be non-empty'),
    row(id, { code: '' }, 'Code needs to be non-empty'),
    row(key, { code: '123456' }, 'WebAuthn config required'),
    row(key, { webauthn: { type: 'get', credential_response: response } }, 'WebAuthn type must be create or request'),
    row(key, { webauthn: { type: 'create' } }, 'credential_response required'),
    row(key, { webauthn: { type: 'create', credential_response: null } }, 'credential_response required'),
    row(
      key,
      { webauthn: { type: 'request', credential_response: response } },
      'WebAuthn type does not match the status of the factor',
    ),
  ])
    await expectRefusal(app, refused, person.token);
});

test('a type that the operator disables is neither challenged nor answered', async () => {
  const person = await app.member();
  const { id } = await enrol(person);
  const off = app.server({
    config: { factors: { totp: false, phone: true, webauthn: true, max: 10, challengeSeconds: 300 } },
  });
  const refusal = [422, 'mfa_totp_verify_not_enabled', 'MFA verification is disabled for TOTP'] as const;
  await expectRefusal(off, [`POST /factors/${id}/challenge`, {}, ...refusal], person.token);
  await expectRefusal(
    off,
    [`POST /factors/${id}/verify`, { challenge_id: NOBODY, code: '1' }, ...refusal],
    person.token,
  );
});

test('a verified factor is removed only with a second step, and lowers the sessions that it raised', async () => {
  const person = await app.member();
  const { id, secret } = await enrol(person);
  const raised = await answer(person, id, nextCode(secret));
  const low = await app.signIn(person.email);
  await expectRefusal(
    app,
    [`DELETE /factors/${id}`, undefined, 422, 'insufficient_aal', 'AAL2 required to unenroll verified factor'],
    low.token,
  );
  await expectRefusal(
    app,
    [
      'PUT /user',
      { password: 'x' },
      401,
      'insufficient_aal',
      'AAL2 session is required to update email or password when MFA is enabled.',
    ],
    low.token,
  );
  const high = { token: textIn(raised.body, 'access_token') };
  expect(await as(high, 'DELETE', `/factors/${id}`)).toMatchObject({ status: 200, body: { id } });
  const { body } = await app.request('POST', '/token?grant_type=refresh_token', {
    refresh_token: raised.body['refresh_token'],
  });
  expect(readClaims(textIn(body, 'access_token'))).toMatchObject({ aal: 'aal1', amr: [{ method: 'password' }] });
});

test('the service key lists the factors of a person and removes one', async () => {
  const [person, other] = [await app.member(), await app.member()];
  const { id, secret } = await enrol(person);
  await answer(person, id, nextCode(secret));
  const path = `/admin/users/${person.id}/factors`;
  expect((await service('GET', path)).body).toMatchObject([{ id, factor_type: 'totp', status: 'verified' }]);
  expect((await service('DELETE', `/admin/users/${other.id}/factors/${id}`)).body).toMatchObject({
    code: 'mfa_factor_not_found',
  });
  expect(await service('DELETE', `${path}/${id}`)).toMatchObject({ status: 200, body: { id } });
  expect((await service('GET', path)).body).toEqual([]);
});

test('an unfinished factor is abandoned after five minutes, and one with the same phone at once', async () => {
  const person = await app.member();
  const form = { factor_type: 'totp', friendly_name: 'an app' };
  await as(person, 'POST', '/factors', form);
  const taken = await as(person, 'POST', '/factors', form);
  expect(taken.body).toEqual({
    code: 'mfa_factor_name_conflict',
    message: 'A factor with the friendly name "an app" for this user already exists',
  });
  app.advance(301_000);
  expect((await as(person, 'POST', '/factors', form)).status).toBe(200);
  const phone = (name: string) =>
    as(person, 'POST', '/factors', { factor_type: 'phone', friendly_name: name, phone: '+61 (491) 570-190' });
  expect((await phone('a')).body).toMatchObject({ phone: '61491570190' });
  const { body } = await phone('b');
  expect((await as(person, 'GET', '/user')).body['factors']).toMatchObject([
    { friendly_name: 'an app' },
    { id: body['id'] },
  ]);
});

test('a phone gets one code a minute, and a text that cannot be sent is told', async () => {
  const person = await app.member();
  const form = { factor_type: 'phone', friendly_name: 'phone', phone: '+61491570191' };
  const id = textIn((await as(person, 'POST', '/factors', form)).body, 'id');
  const strict = app.server({ limitFactor: 1 });
  const call = (server: AuthServer) =>
    server.request('POST', `/factors/${id}/challenge`, {}, { token: person.token, ip: IP });
  expect((await call(strict)).status).toBe(200);
  expect((await call(strict)).body).toMatchObject({ code: 'over_sms_send_rate_limit' });
  const { push } = app.texts;
  app.texts.push = () => {
    throw new Error('down');
  };
  const failed = await call(app).finally(() => (app.texts.push = push));
  expect(failed).toMatchObject({ status: 422, body: { code: 'sms_send_failed', message: 'Error sending message' } });
});

test('a passkey is registered once, by the person whose challenge it answers, and each challenge is answered once', async () => {
  const [person, other] = [await app.member(), await app.member()];
  const key = createAuthenticator(SITE);
  const options = async (who: Person) => (await as(who, 'POST', '/passkeys/registration/options', {})).body;
  const verify = (who: Person, { challenge_id }: Record<string, unknown>, credential: unknown) =>
    as(who, 'POST', '/passkeys/registration/verify', { challenge_id, credential_response: credential });
  const begun = await options(person);
  expect(begun).toMatchObject({ options: { excludeCredentials: [] } });
  expect(Number(begun['expires_at']) - Math.floor(app.now().getTime() / 1000)).toBeGreaterThan(290);
  const credential = key.create(Object(begun['options']));
  expect((await verify(other, begun, credential)).body).toMatchObject({ code: 'webauthn_challenge_not_found' });
  expect(await verify(person, begun, credential)).toMatchObject({ status: 200, body: { backed_up: false } });
  expect((await verify(person, begun, credential)).body).toMatchObject({ code: 'webauthn_challenge_not_found' });
  const second = await options(person);
  expect(second).toMatchObject({ options: { excludeCredentials: [{ id: credential.id, transports: ['internal'] }] } });
  const foreign = await options(other);
  for (const [who, of] of [
    [person, second],
    [other, foreign],
  ] as const)
    expect(await verify(who, of, key.create(Object(of['options'])))).toMatchObject({
      status: 422,
      body: { code: 'webauthn_credential_exists', message: 'This credential is already registered' },
    });
  const late = await options(person);
  app.advance(301_000);
  expect((await verify(person, late, createAuthenticator(SITE).create(Object(late['options'])))).body).toMatchObject({
    code: 'webauthn_challenge_expired',
  });
});

test('a passkey whose counter goes back, or whose owner is banned, signs nobody in', async () => {
  const person = await app.member();
  const key = createAuthenticator(SITE);
  const begun = (await as(person, 'POST', '/passkeys/registration/options', {})).body;
  const credential = key.create(Object(begun['options']));
  await as(person, 'POST', '/passkeys/registration/verify', { challenge_id: begun['challenge_id'], credential });
  const signIn = async (tricks = {}): Promise<Answer> => {
    const { body } = await app.request('POST', '/passkeys/authentication/options', {});
    expect(body).toMatchObject({ options: { userVerification: 'required', rpId: 'localhost' } });
    const { challenge_id } = body;
    const sent = { challenge_id, credential: key.get(Object(body['options']), tricks) };
    return app.request('POST', '/passkeys/authentication/verify', sent);
  };
  expect((await signIn({ counter: 50 })).status).toBe(200);
  expect((await signIn({ counter: 50 })).body).toMatchObject({ code: 'webauthn_verification_failed' });
  expect((await signIn({ counter: 51 })).status).toBe(200);
  await app.request('PUT', `/admin/users/${person.id}`, { ban_duration: '1h' }, { token: app.keys.serviceRoleKey });
  expect(await signIn({ counter: 52 })).toMatchObject({ status: 403, body: { code: 'user_banned' } });
});
