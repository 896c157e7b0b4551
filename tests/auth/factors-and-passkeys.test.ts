import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import { type Answer, type AuthApp, openAuthApp, type SignedInUser, SITE, textIn } from './auth-app.ts';

let app: AuthApp;
let count = 0;
beforeAll(async () => {
  app = await openAuthApp();
});
afterAll(() => app.close());
const as = (person: Pick<SignedInUser, 'token'>, method: string, path: string, body?: unknown): Promise<Answer> =>
  app.request(method, path, body, { token: person.token, ip: '10.8.0.1' });
const phone = (): string => `+6149157${2000 + (count += 1)}`;
/** Returns the authenticator options of a response. */
const optionsIn = (body: Record<string, unknown>) => Object(body['options']);

describe('second factors', () => {
  const enrol = (person: SignedInUser, form: unknown) => as(person, 'POST', '/factors', form);
  const challenge = (person: SignedInUser, factor: string) => as(person, 'POST', `/factors/${factor}/challenge`, {});
  const answer = (person: SignedInUser, factor: string, body: unknown) =>
    as(person, 'POST', `/factors/${factor}/verify`, body);
  async function withPhone(person: SignedInUser): Promise<{ id: string; number: string }> {
    const number = phone();
    const { body } = await enrol(person, { factor_type: 'phone', friendly_name: number, phone: number });
    expect(body).toEqual({ id: expect.any(String), type: 'phone', friendly_name: number, phone: number.slice(1) });
    return { id: textIn(body, 'id'), number };
  }

  test('a phone gets a code by text; a wrong one is refused, the right one raises the session', async () => {
    const person = await app.member();
    const { id, number } = await withPhone(person);
    const challenged = await challenge(person, id);
    expect(challenged).toMatchObject({ status: 200, body: { type: 'phone', expires_at: expect.any(Number) } });
    const code = await app.textTo(number);
    expect(code).toMatch(/^\d{6}$/);
    const challenge_id = textIn(challenged.body, 'id');
    const wrong = code === '000000' ? '000001' : '000000';
    expect(await answer(person, id, { challenge_id, code: wrong })).toMatchObject({
      status: 422,
      body: { code: 'mfa_verification_failed', message: 'Invalid MFA Phone code entered' },
    });
    expect(await answer(person, id, { challenge_id, code })).toMatchObject({
      status: 200,
      body: { user: { factors: [{ id, status: 'verified', friendly_name: number }] } },
    });
    // A session without the second factor cannot add another, because the session could be stolen.
    const secondSession = await app.signIn(person.email);
    expect(await enrol(secondSession, { factor_type: 'totp', friendly_name: 'an app' })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_aal' },
    });
  });

  test('an answer to an unknown challenge is refused', async () => {
    const person = await app.member();
    const { id } = await withPhone(person);
    const challenge_id = '11111111-1111-4111-8111-111111111111';
    expect(await answer(person, id, { challenge_id, code: '000000' })).toMatchObject({
      status: 422,
      body: { code: 'mfa_factor_not_found', message: expect.stringContaining('challenge ID not found') },
    });
    const foreign = await challenge(await app.member(), id);
    expect(foreign).toMatchObject({ status: 404, body: { code: 'mfa_factor_not_found' } });
  });

  test('ten wrong answers block a factor for a quarter of an hour, and no other factor', async () => {
    const strict = app.server({ limitFactor: 1 });
    const people = [await app.member(), await app.member()];
    const attempts: number[][] = [[], []];
    for (const [index, person] of people.entries()) {
      const { body } = await enrol(person, { factor_type: 'totp', friendly_name: 'an app' });
      const id = textIn(body, 'id');
      for (let n = 0; n < (index === 0 ? 11 : 1); n += 1) {
        const { body: challenged } = await challenge(person, id);
        const sent = { challenge_id: textIn(challenged, 'id'), code: '000000' };
        const options = { token: person.token, ip: '10.8.0.1' };
        attempts[index]?.push((await strict.request('POST', `/factors/${id}/verify`, sent, options)).status);
      }
    }
    expect(attempts).toEqual([[...Array<number>(10).fill(422), 429], [422]]);
  });

  test('wrong answers from several sessions of a person count together', async () => {
    const strict = app.server({ limitFactor: 1 });
    const person = await app.member();
    const { body } = await enrol(person, { factor_type: 'totp', friendly_name: 'an app' });
    const id = textIn(body, 'id');
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) {
      const { token } = await app.signIn(person.email);
      const options = { token, ip: `10.8.1.${n}` };
      const { body: challenged } = await strict.request('POST', `/factors/${id}/challenge`, {}, options);
      const sent = { challenge_id: textIn(challenged, 'id'), code: '000000' };
      statuses.push((await strict.request('POST', `/factors/${id}/verify`, sent, options)).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(422), 429]);
  });

  test('an invalid enrolment is refused with the reason', async () => {
    const person = await app.member();
    const reason = async (form: unknown) => (await enrol(person, form)).body;
    expect(await reason({ factor_type: 'fax' })).toMatchObject({
      message: 'factor_type needs to be totp, phone, or webauthn',
    });
    expect(await reason({ factor_type: 'phone', phone: '12' })).toMatchObject({
      message: 'Invalid phone number format (E.164 required)',
    });
    expect((await enrol(person, { factor_type: 'totp', friendly_name: 'an app' })).body).toMatchObject({
      type: 'totp',
      friendly_name: 'an app',
      totp: { secret: expect.any(String), qr_code: expect.stringContaining('<svg') },
    });
    expect(await reason({ factor_type: 'totp', friendly_name: 'an app' })).toMatchObject({
      code: 'mfa_factor_name_conflict',
    });
    const few = app.server({
      config: { factors: { totp: true, phone: false, webauthn: true, max: 1, challengeSeconds: 60 } },
    });
    expect((await few.request('POST', '/factors', { factor_type: 'totp' }, { token: person.token })).body).toEqual({
      code: 'too_many_enrolled_mfa_factors',
      message: 'Maximum number of verified factors reached, unenroll to continue',
    });
    const form = { factor_type: 'phone', phone: phone() };
    expect((await few.request('POST', '/factors', form, { token: person.token })).body).toMatchObject({
      code: 'mfa_phone_enroll_not_enabled',
    });
  });

  test('a security key is registered and used; an answer signed by another key is refused', async () => {
    const person = await app.member();
    const id = textIn((await enrol(person, { factor_type: 'webauthn', friendly_name: 'a key' })).body, 'id');
    const key = createAuthenticator(SITE);
    const first = await challenge(person, id);
    const { webauthn } = Object(first.body);
    expect(webauthn).toMatchObject({
      type: 'create',
      credential_options: {
        publicKey: { authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' } },
      },
    });
    const credential = (type: string, response: unknown, of: Answer) => ({
      challenge_id: textIn(of.body, 'id'),
      webauthn: { type, credential_response: response },
    });
    const created = key.create(webauthn.credential_options.publicKey, { unverified: true });
    expect((await answer(person, id, credential('create', created, first))).status).toBe(200);
    const second = await challenge(person, id);
    const { publicKey } = Object(second.body['webauthn']).credential_options;
    const forged = key.get(publicKey, { challenge: 'AAAA' });
    const swapped = { ...createAuthenticator(SITE).get(publicKey), id: 'another' };
    for (const wrong of [forged, swapped, { ...key.get(publicKey), id: 'another', rawId: 'another' }, { id: 'x' }])
      expect(await answer(person, id, credential('request', wrong, second))).toMatchObject({
        status: 422,
        body: { code: 'mfa_verification_failed' },
      });
    expect((await answer(person, id, credential('request', key.get(publicKey), second))).status).toBe(200);
  });
});

describe('passkeys', () => {
  async function register(person: SignedInUser, key = createAuthenticator(SITE), tricks = {}) {
    const begun = await as(person, 'POST', '/passkeys/registration/options', {});
    const answered = await as(person, 'POST', '/passkeys/registration/verify', {
      challenge_id: begun.body['challenge_id'],
      credential: key.create(optionsIn(begun.body), tricks),
    });
    return { key, begun, answered };
  }
  async function signIn(respond: (options: { challenge: string }) => unknown, waitMs = 0): Promise<Answer> {
    const begun = await app.request('POST', '/passkeys/authentication/options', {});
    const credential = respond(optionsIn(begun.body));
    app.advance(waitMs);
    const { challenge_id } = begun.body;
    return app.request('POST', '/passkeys/authentication/verify', { challenge_id, credential });
  }

  test('a passkey signs in by itself', async () => {
    const person = await app.member();
    const { key, begun, answered } = await register(person);
    expect(optionsIn(begun.body)).toMatchObject({
      user: { name: person.email },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(answered).toMatchObject({ status: 200, body: { id: expect.any(String), transports: ['internal'] } });
    expect(await signIn((options) => key.get(options))).toMatchObject({
      status: 200,
      body: { token_type: 'bearer', user: { id: person.id } },
    });
    expect((await as(person, 'GET', '/passkeys')).body).toMatchObject([{ last_used_at: expect.any(String) }]);
  });

  test('a passkey without user verification is not registered, and cannot sign in', async () => {
    const person = await app.member();
    const { answered } = await register(person, createAuthenticator(SITE), { unverified: true });
    expect(answered).toMatchObject({ status: 400, body: { code: 'webauthn_verification_failed' } });
    const { key } = await register(person);
    expect((await signIn((options) => key.get(options, { unverified: true }))).status).toBe(400);
  });

  test('an answer is refused from an unknown key, for another account, signed by another key, or malformed', async () => {
    const person = await app.member();
    const { key } = await register(person);
    const { id } = key.get({ challenge: 'AAAA' });
    const other = createAuthenticator(SITE);
    const userHandle = Buffer.from(person.id).toString('base64url');
    for (const respond of [
      (options: { challenge: string }) => other.get(options, { userHandle }),
      (options: { challenge: string }) =>
        key.get(options, { userHandle: Buffer.from((count += 1).toString()).toString('base64url') }),
      (options: { challenge: string }) => ({ ...other.get(options, { userHandle }), id, rawId: id }),
      () => ({ id: 'x' }),
    ])
      expect(await signIn(respond)).toMatchObject({ status: 400, body: { code: 'webauthn_verification_failed' } });
  });

  test('an answer after five minutes is refused', async () => {
    const { key } = await register(await app.member());
    expect((await signIn((options) => key.get(options), 301_000)).body).toEqual({
      code: 'webauthn_challenge_expired',
      message: 'Challenge has expired',
    });
  });

  test('only its owner can rename and remove a passkey', async () => {
    const [person, other] = [await app.member(), await app.member()];
    const { key, answered } = await register(person);
    const path = `/passkeys/${textIn(answered.body, 'id')}`;
    for (const body of [{ friendly_name: 'My phone' }, undefined]) {
      const method = body ? 'PATCH' : 'DELETE';
      for (const [asker, at] of [
        [other, path],
        [person, '/passkeys/x'],
      ] as const)
        expect((await as(asker, method, at, body)).body).toMatchObject({ code: 'passkey_not_found' });
      expect((await as(person, method, path, body)).status).toBe(200);
      const remaining = body ? [{ friendly_name: 'My phone' }] : [];
      expect((await as(person, 'GET', '/passkeys')).body).toMatchObject(remaining);
    }
    expect((await signIn((options) => key.get(options))).status).toBe(400);
  });

  test('the service key lists the passkeys of a person and removes one', async () => {
    const person = await app.member();
    const { answered } = await register(person);
    const service = (method: string, path: string) =>
      app.request(method, `/admin/users/${person.id}/passkeys${path}`, undefined, { token: app.keys.serviceRoleKey });
    const { id } = answered.body;
    expect((await service('GET', '')).body).toMatchObject([{ id }]);
    expect((await service('DELETE', `/${String(id)}`)).status).toBe(200);
    expect((await as(person, 'GET', '/passkeys')).body).toEqual([]);
  });
});
