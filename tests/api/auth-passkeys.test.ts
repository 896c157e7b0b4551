import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import { type AuthTestServer, startAuthTestServer, serviceClient, engines, oneEngine } from './auth-test-server.ts';

type Client = ReturnType<AuthTestServer['visitor']>;

describe.each(engines)('passkeys with supabase-js (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  let count = 0;
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres });
  });
  afterAll(() => server.close());
  const someone = (): string => `passkey${(count += 1)}@example.com`;

  async function register(client: Client, key = createAuthenticator(server.url)) {
    const { data, error } = await client.auth.passkey.startRegistration();
    if (error) throw error;
    // Cast: the client's type is the browser's JSON, which the authenticator reads.
    const credential = key.create(data.options);
    const verified = await client.auth.passkey.verifyRegistration({
      challengeId: data.challenge_id,
      credential: credential as never,
    });
    if (verified.error) throw verified.error;
    return { key, passkey: verified.data };
  }
  const start = async (client: Client) => {
    const { data, error } = await client.auth.passkey.startAuthentication();
    if (error) throw error;
    return { id: data.challenge_id, options: data.options as { challenge: string } };
  };
  const finish = (client: Client, challengeId: string, credential: unknown) =>
    client.auth.passkey.verifyAuthentication({ challengeId, credential: credential as never });

  test('a passkey is registered, signs in by itself, is renamed with characters that can be seen, and removed', async () => {
    const email = someone();
    const client = await server.member(email);
    const begun = await client.auth.passkey.startRegistration();
    expect(begun.data).toMatchObject({
      challenge_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expires_at: expect.any(Number),
      options: {
        rp: { id: 'localhost', name: '24/7 DJ Studios' },
        user: { name: email },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      },
    });
    const { key, passkey } = await register(client);
    expect(passkey).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), friendly_name: '' });

    const visitor = server.visitor();
    const { id, options } = await start(visitor);
    expect(options).not.toHaveProperty('allowCredentials');
    const done = await finish(visitor, id, key.get(options));
    expect(done.error).toBeNull();
    expect(done.data).toMatchObject({ session: { token_type: 'bearer' }, user: { email } });
    const claims = (await visitor.auth.getClaims()).data?.claims;
    expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'passkey' }] });

    const passkeyId = passkey?.id ?? '';
    const hidden = await visitor.auth.passkey.update({ passkeyId, friendlyName: 'Blue\u202e phone' });
    expect(hidden.error).toMatchObject({ status: 400, code: 'validation_failed' });
    const renamed = await visitor.auth.passkey.update({ passkeyId, friendlyName: 'Blue phone' });
    expect(renamed.data).toMatchObject({ id: passkeyId, friendly_name: 'Blue phone' });
    expect((await visitor.auth.passkey.list()).data).toMatchObject([
      { id: passkeyId, friendly_name: 'Blue phone', last_used_at: expect.any(String) },
    ]);
    expect((await visitor.auth.passkey.delete({ passkeyId })).error).toBeNull();
    expect((await visitor.auth.passkey.delete({ passkeyId })).error).toMatchObject({ status: 404 });
    const gone = await start(server.visitor());
    expect((await finish(server.visitor(), gone.id, key.get(gone.options))).error).toMatchObject({
      status: 400,
      code: 'webauthn_verification_failed',
    });
  });

  test('a challenge is valid for one answer, for its kind and person, and for five minutes', async () => {
    const client = await server.member(someone());
    const otherUser = await server.member(someone());
    const { key } = await register(client);
    const visitor = server.visitor();
    const first = await start(visitor);
    const answer = key.get(first.options);
    expect((await finish(visitor, first.id, answer)).error).toBeNull();
    expect((await finish(server.visitor(), first.id, answer)).error).toMatchObject({
      status: 400,
      code: 'webauthn_challenge_not_found',
    });
    // A wrong answer also uses up the challenge.
    const second = await start(visitor);
    expect((await finish(visitor, second.id, { ...answer })).error?.code).toBe('webauthn_verification_failed');
    expect((await finish(visitor, second.id, key.get(second.options))).error?.code).toBe(
      'webauthn_challenge_not_found',
    );
    const late = await start(visitor);
    server.advance(301_000);
    expect((await finish(visitor, late.id, key.get(late.options))).error?.code).toBe('webauthn_challenge_expired');
    const theirs = await client.auth.passkey.startRegistration();
    const options = theirs.data?.options as never;
    const stolen = await otherUser.auth.passkey.verifyRegistration({
      challengeId: theirs.data?.challenge_id ?? '',
      credential: createAuthenticator(server.url).create(options) as never,
    });
    expect(stolen.error?.code).toBe('webauthn_challenge_not_found');
    const both = await start(visitor);
    const twice = await Promise.all([1, 2, 3].map(() => finish(server.visitor(), both.id, key.get(both.options))));
    expect(twice.filter((result) => result.error === null)).toHaveLength(1);
  });

  test('answers that an honest authenticator would not give are refused', async () => {
    const client = await server.member(someone());
    const victim = await server.member(someone());
    const { key } = await register(client);
    const { id: victimId } = (await victim.auth.getUser()).data.user ?? { id: '' };
    const { privateKey: foreignKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const tricks = {
      'another site': { origin: 'https://evil.example' },
      'another site of our port': { origin: 'http://localhost:1' },
      'another relying party': { rpId: 'evil.example' },
      'another challenge': { challenge: Buffer.from('0123456789abcdef').toString('base64url') },
      'an answer of a registration': { type: 'webauthn.create' },
      'no user verification': { unverified: true },
      'a foreign key': { foreignKey },
      'a counter gone back': { counter: 1 },
      "another person's handle": { userHandle: Buffer.from(victimId).toString('base64url') },
      'no handle': { userHandle: '' },
    };
    for (const [name, trick] of Object.entries(tricks)) {
      const visitor = server.visitor();
      const { id, options } = await start(visitor);
      const { data, error } = await finish(visitor, id, key.get(options, trick));
      expect(error, name).toMatchObject({ status: 400, code: 'webauthn_verification_failed' });
      expect(data, name).toBeNull();
    }
    const begun = await client.auth.passkey.startRegistration();
    const unverified = createAuthenticator(server.url).create(begun.data?.options as never, { unverified: true });
    expect(
      (
        await client.auth.passkey.verifyRegistration({
          challengeId: begun.data?.challenge_id ?? '',
          credential: unverified as never,
        })
      ).error?.code,
    ).toBe('webauthn_verification_failed');
    const refused = await server.app.db.queryRow<{ n: number }>(
      `select count(*)::int as n from auth.audit_log_entries where payload ->> 'action' = 'passkey_refused'`,
    );
    expect(refused?.n).toBeGreaterThanOrEqual(Object.keys(tricks).length);
  });

  test('a key belongs to one account, ten keys are the limit, and banned accounts stay out', async () => {
    const client = await server.member(someone());
    const other = await server.member(someone());
    const { key } = await register(client);
    const { data } = await other.auth.passkey.startRegistration();
    const repeated = await other.auth.passkey.verifyRegistration({
      challengeId: data?.challenge_id ?? '',
      credential: key.create(data?.options as never) as never,
    });
    expect(repeated.error).toMatchObject({ status: 422, code: 'webauthn_credential_exists' });
    for (let n = 1; n < 10; n += 1) await register(client);
    expect((await client.auth.passkey.startRegistration()).error).toMatchObject({
      status: 422,
      code: 'too_many_passkeys',
    });
    const userId = (await other.auth.getUser()).data.user?.id ?? '';
    const { key: theirs } = await register(other);
    await server.app.db.query(`update auth.users set banned_until = 'infinity' where id = $1::uuid`, [userId]);
    const visitor = server.visitor();
    const { id, options } = await start(visitor);
    expect((await finish(visitor, id, theirs.get(options))).error).toMatchObject({ status: 403, code: 'user_banned' });
  });

  test('only their owner and the service see and remove them', async () => {
    const client = await server.member(someone());
    const otherUser = await server.member(someone());
    const { passkey } = await register(client);
    const userId = (await client.auth.getUser()).data.user?.id ?? '';
    const passkeyId = passkey?.id ?? '';
    expect((await otherUser.auth.passkey.list()).data).toEqual([]);
    expect((await otherUser.auth.passkey.delete({ passkeyId })).error).toMatchObject({ status: 404 });
    expect((await otherUser.auth.passkey.update({ passkeyId, friendlyName: 'Mine' })).error).toMatchObject({
      status: 404,
    });
    expect((await server.request('GET', '/passkeys')).status).toBe(401);
    const { admin } = serviceClient(server).auth;
    expect((await otherUser.auth.admin.passkey.listPasskeys({ userId })).error).toMatchObject({ status: 403 });
    expect((await admin.passkey.listPasskeys({ userId })).data).toMatchObject([{ id: passkeyId }]);
    expect((await admin.passkey.deletePasskey({ userId, passkeyId })).error).toBeNull();
    expect((await client.auth.passkey.list()).data).toEqual([]);
  });
});

test.each(oneEngine)(
  'switched off, passkeys are refused in the words of the protocol (PostgreSQL: %s)',
  async (postgres) => {
    const server = await startAuthTestServer({ postgres, env: { AUTH_PASSKEYS: 'false', AUTH_MFA_TOTP: 'false' } });
    for (const [method, path] of [
      ['POST', '/passkeys/authentication/options'],
      ['GET', '/passkeys'],
    ] as const)
      expect(await server.request(method, path, method === 'GET' ? undefined : {})).toMatchObject({
        status: 404,
        body: { code: 'passkey_disabled', message: 'Passkeys are disabled' },
      });
    const client = await server.member('off@example.com');
    expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({
      status: 422,
      code: 'mfa_totp_enroll_not_enabled',
      message: 'MFA enroll is disabled for TOTP',
    });
    expect((await client.auth.mfa.enroll({ factorType: 'phone', phone: '+61400000000' })).error).toMatchObject({
      status: 422,
      code: 'mfa_phone_enroll_not_enabled',
      message: 'MFA enroll is disabled for Phone',
    });
    await server.close();
  },
  60_000,
);
