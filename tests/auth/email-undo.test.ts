import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import {
  type Answer,
  type AuthApp,
  NEW_PASSWORD,
  newProviderUser,
  openAuthApp,
  PASSWORD,
  type SignedInUser,
  SITE,
  textIn,
} from './auth-app.ts';
import { EMAIL_EXISTS, expectRefusal } from './expect-refusal.ts';

/**
 * Undoing a change of email address from the old address. `tests/api/auth-email-undo.test.ts` covers the ways in which an address changes.
 */
const HOUR = 3_600_000;
const REPLACED = 'The email address of your account was changed';
let app: AuthApp;
let count = 0;
beforeAll(async () => {
  app = await openAuthApp();
});
afterAll(() => app.close());

const service = (method: string, path: string, body?: unknown): Promise<Answer> =>
  app.request(method, path, body, { token: app.keys.serviceRoleKey });
const undo = (path: string, body: Record<string, unknown>): Promise<Answer> =>
  app.request('POST', `/email-undo${path}`, body, { ip: '10.9.9.9' });
const account = async ({ id }: Pick<SignedInUser, 'id'>) => (await service('GET', `/admin/users/${id}`)).body;
const actions = async ({ id }: Pick<SignedInUser, 'id'>): Promise<string[]> =>
  (
    await app.db.query<{ action: string }>(
      `select payload ->> 'action' as action from auth.audit_log_entries where payload ->> 'actor_id' = $1
         and payload ->> 'action' like 'user_email_und%' order by created_at`,
      [id],
    )
  ).rows.map(({ action }) => action);

/** Changes the address of an account with the service key. Returns the token that was mailed to the old address. */
async function replace({ id }: Pick<SignedInUser, 'id'>, email: string, next = `thief-${email}`): Promise<string> {
  await app.queue.flush();
  expect((await service('PUT', `/admin/users/${id}`, { email: next, email_confirm: true })).status).toBe(200);
  const mail = await app.mailTo(email);
  expect(mail.subject).toBe(REPLACED);
  return mail.tokenHash;
}

/**
 * Adds an authenticator app to an account. Returns its id and a function that generates its codes; each code belongs to a later time step
 * than the last.
 */
async function enrol(person: Pick<SignedInUser, 'token'>): Promise<{ id: string; code: () => string }> {
  const as = (path: string, body: unknown) => app.request('POST', path, body, { token: person.token, ip: '10.9.9.9' });
  const { body } = await as('/factors', { factor_type: 'totp', friendly_name: `App ${(count += 1)}` });
  const [id, secret] = [textIn(body, 'id'), Secret.fromBase32(textIn(body, 'totp', 'secret'))];
  const code = (): string => {
    app.advance(60_000);
    return new TOTP({ secret }).generate({ timestamp: app.now().getTime() });
  };
  const challenge = await as(`/factors/${id}/challenge`, {});
  const answer = { challenge_id: challenge.body['id'], code: code() };
  expect((await as(`/factors/${id}/verify`, answer)).status).toBe(200);
  return { id, code };
}

test('the link of the old address names it, and gives it back with a new password, once', async () => {
  const person = await app.member();
  const { email } = person;
  const token = await replace(person, email);
  const expires = Math.floor(app.now().getTime() / 1000) + 72 * 3_600;
  for (let n = 0; n < 2; n += 1) {
    const begun = await undo('', { token_hash: token });
    expect(begun).toMatchObject({ status: 200, body: { email, expires_at: expect.any(Number), factors: [] } });
    expect(Math.abs(Number(begun.body['expires_at']) - expires)).toBeLessThan(60);
  }
  expect(await actions(person)).toEqual(['user_email_undo_begun']);
  expect(await account(person)).toMatchObject({ email: `thief-${email}` });

  await app.request('POST', '/recover', { email: `thief-${email}` });
  const { tokenHash: recovery } = await app.mailTo(`thief-${email}`);
  await app.request('PUT', '/user', { email: `later-${email}`, phone: '+61491570140' }, { token: person.token });
  const weak = await undo('/complete', { token_hash: token, password: '123' });
  expect(weak).toMatchObject({ status: 422, body: { code: 'weak_password' } });
  expect(await undo('/complete', { token_hash: token, password: NEW_PASSWORD })).toMatchObject({
    status: 200,
    body: {},
  });
  const restored = await account(person);
  expect(restored).toMatchObject({
    email,
    app_metadata: { provider: 'email', providers: ['email'] },
    identities: [{ provider: 'email', identity_data: { email } }],
  });
  expect(restored).not.toHaveProperty('new_email');
  expect(restored).not.toHaveProperty('new_phone');
  expect((await app.request('GET', '/user', undefined, { token: person.token })).status).toBe(403);
  expect((await app.request('POST', '/verify', { type: 'recovery', token_hash: recovery })).status).toBe(403);
  await expect(app.signIn(email, PASSWORD)).rejects.toThrow('400');
  await app.signIn(email, NEW_PASSWORD);
  expect(await actions(person)).toEqual(['user_email_undo_begun', 'user_email_undone']);
  for (const path of ['', '/complete'])
    expect(await undo(path, { token_hash: token, password: NEW_PASSWORD })).toMatchObject({
      status: 403,
      body: { code: 'otp_expired' },
    });
  expect(await app.mailTo(`thief-${email}`)).toMatchObject({
    subject: 'The change of your email address was undone',
    tokenHash: '',
  });
});

test('one of the second factors that the account had then is needed, and those that came later are removed', async () => {
  const person = await app.member();
  const own = await enrol(person);
  await app.request('POST', '/factors', { factor_type: 'totp', friendly_name: 'unfinished' }, { token: person.token });
  const token = await replace(person, person.email);
  const later = await enrol(person);
  const begun = await undo('', { token_hash: token });
  expect(begun.body['factors']).toEqual([
    { id: own.id, factor_type: 'totp', friendly_name: expect.stringMatching(/^App \d+$/) },
  ]);
  const challenge = (factor: string) => undo('/challenge', { token_hash: token, factor_id: factor });
  expect(await challenge(later.id)).toMatchObject({
    status: 404,
    body: { code: 'mfa_factor_not_found', message: 'Factor not found' },
  });
  const challenged = await challenge(own.id);
  expect(challenged).toMatchObject({ status: 200, body: { type: 'totp' } });
  const answer = {
    token_hash: token,
    password: NEW_PASSWORD,
    factor_id: own.id,
    challenge_id: challenged.body['id'],
  };
  const missing = {
    status: 401,
    body: {
      code: 'insufficient_aal',
      message: 'Undoing this change needs the second step of the account.',
    },
  };
  for (const fields of [{ factor_id: undefined }, { challenge_id: undefined }, { factor_id: later.id }])
    expect(await undo('/complete', { ...answer, code: own.code(), ...fields })).toMatchObject(missing);
  for (let n = 0; n < 4; n += 1)
    expect(await undo('/complete', { ...answer, code: '000000' })).toMatchObject({
      status: 422,
      body: { code: 'mfa_verification_failed', message: 'Invalid TOTP code entered' },
    });
  expect(await account(person)).toMatchObject({ email: `thief-${person.email}` });
  expect((await undo('/complete', { ...answer, code: '000000' })).status).toBe(422);
  expect(await undo('/complete', { ...answer, code: own.code() })).toMatchObject({
    status: 422,
    body: { code: 'mfa_challenge_expired', message: 'Ask for a new code and try again.' },
  });
  const retried = { ...answer, challenge_id: (await challenge(own.id)).body['id'], code: own.code() };
  expect((await undo('/complete', retried)).status).toBe(200);
  expect(await account(person)).toMatchObject({ email: person.email, factors: [{ id: own.id, status: 'verified' }] });
});

test('answers with a second factor are limited for the factor, from all addresses together', async () => {
  const person = await app.member();
  const own = await enrol(person);
  const token = await replace(person, person.email);
  const strict = app.server({ limitFactor: 1 });
  const body = { token_hash: token, password: NEW_PASSWORD, factor_id: own.id, challenge_id: own.id, code: '000000' };
  const statuses: number[] = [];
  for (let n = 0; n < 11; n += 1)
    statuses.push((await strict.request('POST', '/email-undo/complete', body, { ip: `10.9.8.${n}` })).status);
  expect(statuses).toEqual([...Array<number>(10).fill(422), 429]);
});

test('passkeys, identities and a phone that came with the change are removed, and older ones stay', async () => {
  const person = await app.member();
  const { email, token } = person;
  const as = (method: string, path: string, body?: unknown) => app.request(method, path, body, { token });
  const register = async (): Promise<string> => {
    const begun = await as('POST', '/passkeys/registration/options', {});
    const credential = createAuthenticator(SITE).create(Object(begun.body['options']));
    const answer = { challenge_id: begun.body['challenge_id'], credential };
    return textIn((await as('POST', '/passkeys/registration/verify', answer)).body, 'id');
  };
  const link = async (): Promise<string> => {
    app.providerUser = newProviderUser();
    const body = { provider: 'google', id_token: String(40_000 + (count += 1)), link_identity: true };
    expect((await as('POST', '/token?grant_type=id_token', body)).status).toBe(200);
    return app.providerUser.subject;
  };
  const oldKey = await register();
  const oldSubject = await link();
  for (const table of ['webauthn_credentials', 'identities'])
    await app.db.query(
      `update auth.${table} set created_at = created_at - interval '73 hours' where user_id = $1::uuid`,
      [person.id],
    );
  await register();
  await link();
  const undoToken = await replace(person, email);
  await link();
  await service('PUT', `/admin/users/${person.id}`, { phone: '+61491570141', phone_confirm: true });
  const laterToken = await replace(person, `thief-${email}`);
  expect((await undo('/complete', { token_hash: undoToken, password: NEW_PASSWORD })).status).toBe(200);
  expect((await undo('', { token_hash: laterToken })).status).toBe(403);
  const restored = await account(person);
  expect(restored).toMatchObject({ email, phone: '', app_metadata: { providers: ['email', 'google'] } });
  expect(restored).not.toHaveProperty('phone_confirmed_at');
  expect(
    Object.values(Object(restored['identities']))
      .map((identity) => textIn(identity, 'id'))
      .toSorted(),
  ).toEqual([person.id, oldSubject].toSorted());
  expect((await service('GET', `/admin/users/${person.id}/passkeys`)).body).toMatchObject([{ id: oldKey }]);
  expect(Object.keys((await service('GET', `/admin/users/${person.id}/passkeys`)).body)).toHaveLength(1);
});

test('the account gets the phone back that it had then, unless another account has it by now', async () => {
  const people = [await app.member(), await app.member()];
  const phones = ['61491570142', '61491570143'];
  const tokens: string[] = [];
  for (const [index, person] of people.entries()) {
    await service('PUT', `/admin/users/${person.id}`, { phone: phones[index], phone_confirm: true });
    tokens.push(await replace(person, person.email));
    await service('PUT', `/admin/users/${person.id}`, { phone: `6149157015${index}` });
  }
  await service('POST', '/admin/users', { phone: phones[1], phone_confirm: true });
  for (const token of tokens)
    expect((await undo('/complete', { token_hash: token, password: NEW_PASSWORD })).status).toBe(200);
  const [first, second] = [await account(people[0] ?? { id: '' }), await account(people[1] ?? { id: '' })];
  expect(first).toMatchObject({ phone: phones[0], phone_confirmed_at: expect.any(String) });
  expect(second).toMatchObject({ phone: '' });
  expect(second).not.toHaveProperty('phone_confirmed_at');
});

test('a replaced address is taken for everybody else, and each try mails its owner the link again', async () => {
  const person = await app.member();
  const { email } = person;
  const token = await replace(person, email);
  const mailedAgain = async (call: () => Promise<Answer>): Promise<number> => {
    const before = app.mails.length;
    const { status } = await call();
    expect(await app.mailTo(email)).toMatchObject({ subject: REPLACED, tokenHash: token });
    expect(app.mails.slice(before).map(({ to }) => to)).toEqual([email]);
    return status;
  };
  const other = await app.member();
  for (const call of [
    () => app.request('POST', '/signup', { email, password: PASSWORD }),
    () => app.request('POST', '/otp', { email }),
    () => app.request('POST', '/recover', { email }),
    () => app.request('PUT', '/user', { email }, { token: other.token }),
  ])
    expect(await mailedAgain(call)).toBe(200);
  for (const [path, body] of [
    ['/admin/users', { email }],
    ['/invite', { email }],
    ['/admin/generate_link', { type: 'magiclink', email }],
  ] as const)
    await expectRefusal(app, [`POST ${path}`, body, ...EMAIL_EXISTS], app.keys.serviceRoleKey);
  await expectRefusal(app, [`PUT /admin/users/${other.id}`, { email }, ...EMAIL_EXISTS], app.keys.serviceRoleKey);
  const autoconfirm = app.server({ config: { autoconfirm: true } });
  expect((await autoconfirm.request('POST', '/signup', { email, password: PASSWORD })).body).toMatchObject({
    code: 'user_already_exists',
  });
  app.providerUser = newProviderUser({ email });
  await expectRefusal(app, [
    'POST /token?grant_type=id_token',
    { provider: 'google', id_token: '39000' },
    ...EMAIL_EXISTS,
  ]);
  expect(await app.db.queryRow('select 1 from auth.users where email = $1', [email])).toBeNull();
  // The account whose address this was may use it again.
  expect((await app.request('PUT', '/user', { email }, { token: person.token })).status).toBe(200);
  expect((await app.mailTo(email)).code).toMatch(/^\d{6}$/);
});

// This test is last: the database sets the times of changes, and its clock does not follow the server's.
test('the link ends after 72 hours', async () => {
  const person = await app.member();
  const token = await replace(person, person.email);
  app.advance(71 * HOUR);
  expect((await undo('', { token_hash: token })).status).toBe(200);
  app.advance(HOUR);
  expect((await undo('', { token_hash: token })).status).toBe(403);
  expect((await undo('/complete', { token_hash: token, password: NEW_PASSWORD })).status).toBe(403);
});
