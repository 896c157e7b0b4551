import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import { type AuthTestServer, startAuthTestServer, PASSWORD, serviceClient, engines } from './auth-test-server.ts';

type Client = ReturnType<AuthTestServer['visitor']>;
const STEP_MS = 30_000;

describe.each(engines)('second factors with supabase-js (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  let count = 0;
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres, env: { AUTH_MFA_PHONE: 'true', ADMIN_REQUIRES_MFA: 'true' } });
  });
  afterAll(() => server.close());
  const someone = (): string => `factor${(count += 1)}@example.com`;
  const codeFor = (secret: string, steps = 0): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.now().getTime() + steps * STEP_MS });
  const readToken = async (client: Client): Promise<string> =>
    (await client.auth.getSession()).data.session?.access_token ?? '';
  const readClaims = async (client: Client): Promise<Record<string, unknown>> =>
    JSON.parse(Buffer.from((await readToken(client)).split('.')[1] ?? '', 'base64url').toString());
  /** Moves to the start of the next time step: each code is valid once, and no step ends within a test. */
  const nextStep = (): void => server.advance(2 * STEP_MS - (server.now().getTime() % STEP_MS));
  async function enrolled(client: Client, friendlyName = 'App'): Promise<{ id: string; secret: string }> {
    const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName });
    if (error) throw error;
    nextStep();
    const done = await client.auth.mfa.challengeAndVerify({ factorId: data.id, code: codeFor(data.totp.secret) });
    if (done.error) throw done.error;
    return { id: data.id, secret: data.totp.secret };
  }
  const signedIn = async (email: string): Promise<Client> => {
    const client = server.visitor();
    const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD });
    if (error) throw error;
    return client;
  };

  test('an authenticator app is enrolled by QR code or secret, and its code raises the session to aal2 [spec 7.7]', async () => {
    const email = someone();
    const client = await server.member(email);
    const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'My phone' });
    expect(error).toBeNull();
    expect(data).toMatchObject({ type: 'totp', friendly_name: 'My phone' });
    expect(data?.totp.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(data?.totp.uri).toMatch(/^otpauth:\/\/totp\/.*secret=/);
    expect(data?.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg .*<\/svg>$/s);
    expect(data?.totp.qr_code.slice(10)).not.toContain('#');
    const factorId = data?.id ?? '';
    const secret = data?.totp.secret ?? '';

    const stored = await server.app.db.queryRow<{ secret: string }>(
      'select secret from auth.mfa_factors where id = $1::uuid',
      [factorId],
    );
    expect(stored?.secret).not.toContain(secret);
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal1',
    });

    const challenged = await client.auth.mfa.challenge({ factorId });
    expect(challenged.data).toMatchObject({ type: 'totp' });
    const life = (challenged.data?.expires_at ?? 0) - server.now().getTime() / 1000;
    expect(life).toBeGreaterThan(240);
    expect(life).toBeLessThanOrEqual(300);
    const verified = await client.auth.mfa.verify({
      factorId,
      challengeId: challenged.data?.id ?? '',
      code: codeFor(secret),
    });
    expect(verified.error).toBeNull();
    expect(verified.data).toMatchObject({ token_type: 'bearer', user: { email } });
    const claims = await readClaims(client);
    expect(claims['aal']).toBe('aal2');
    expect(claims['amr']).toEqual([
      { method: 'totp', timestamp: expect.any(Number) },
      { method: 'otp', timestamp: expect.any(Number) },
    ]);
    expect((await client.auth.mfa.listFactors()).data).toMatchObject({
      totp: [{ id: factorId, status: 'verified', friendly_name: 'My phone', factor_type: 'totp' }],
    });
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal2',
      nextLevel: 'aal2',
    });
    const refreshed = await client.auth.refreshSession();
    expect(refreshed.error).toBeNull();
    expect((await readClaims(client))['aal']).toBe('aal2');

    const next = await signedIn(email);
    expect((await next.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal2',
    });
    nextStep();
    const second = await next.auth.mfa.challengeAndVerify({ factorId, code: codeFor(secret) });
    expect(second.error).toBeNull();
    expect((await readClaims(next))['amr']).toMatchObject([{ method: 'totp' }, { method: 'password' }]);
  });

  test('a code works once, one step early or late; a wrong one is refused in the words of the protocol', async () => {
    const email = someone();
    const client = await server.member(email);
    const { id: factorId, secret } = await enrolled(client);
    const repeated = await client.auth.mfa.challengeAndVerify({ factorId, code: codeFor(secret) });
    expect(repeated.error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
      message: 'Invalid TOTP code entered',
    });
    expect((await client.auth.mfa.challengeAndVerify({ factorId, code: codeFor(secret, -1) })).error?.code).toBe(
      'mfa_verification_failed',
    );
    expect((await client.auth.mfa.challengeAndVerify({ factorId, code: codeFor(secret, 2) })).error?.code).toBe(
      'mfa_verification_failed',
    );
    expect((await client.auth.mfa.challengeAndVerify({ factorId, code: codeFor(secret, 1) })).error).toBeNull();
    for (const code of ['', 'abcdef', '12345', '1234567', '000000\n'])
      expect((await client.auth.mfa.challengeAndVerify({ factorId, code })).error?.status).toBeGreaterThanOrEqual(400);
  });

  test('of a thousand simultaneous guesses at most five are checked, and the right code after them is refused', async () => {
    const client = await server.member(someone());
    const { id: factorId, secret } = await enrolled(client);
    const token = await readToken(client);
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '10.9.9.9' };
    const challenged = await server.request('POST', `/factors/${factorId}/challenge`, {}, headers);
    const challenge = challenged.body['id'];
    const right = codeFor(secret, 1);
    const guesses = Array.from({ length: process.env['TEST_LONG'] ? 1_000 : 100 }, (_, n) =>
      String(n).padStart(6, '0'),
    );
    const answers = await Promise.all(
      guesses
        .filter((code) => code !== right && code !== codeFor(secret))
        .map((code) =>
          server.request('POST', `/factors/${factorId}/verify`, { challenge_id: challenge, code }, headers),
        ),
    );
    const looked = answers.filter((answer) => answer.body['code'] === 'mfa_verification_failed');
    expect(looked.length).toBeLessThanOrEqual(5);
    expect(answers.filter((answer) => answer.status === 200)).toEqual([]);
    const late = await server.request(
      'POST',
      `/factors/${factorId}/verify`,
      { challenge_id: challenge, code: right },
      headers,
    );
    expect(late).toMatchObject({ status: 422, body: { code: 'mfa_challenge_expired' } });
    const events = await server.app.db.query(
      `select 1 from auth.audit_log_entries where payload ->> 'action' = 'verification_attempted' and payload ->> 'challenge_id' = $1`,
      [challenge],
    );
    expect(events.count).toBe(looked.length);
  });

  test('a challenge is bound to its factor and IP address, lasts five minutes and works once', async () => {
    const email = someone();
    const client = await server.member(email);
    const { id: factorId, secret } = await enrolled(client);
    const headers = { authorization: `Bearer ${await readToken(client)}`, 'x-forwarded-for': '10.9.9.8' };
    const verify = (challengeId: unknown, code: string, from = '10.9.9.8') =>
      server.request(
        'POST',
        `/factors/${factorId}/verify`,
        { challenge_id: challengeId, code },
        { ...headers, 'x-forwarded-for': from },
      );
    const call = async (): Promise<unknown> =>
      (await server.request('POST', `/factors/${factorId}/challenge`, {}, headers)).body['id'];

    nextStep();
    const elsewhere = await call();
    expect(await verify(elsewhere, codeFor(secret), '10.9.9.7')).toMatchObject({
      status: 422,
      body: { code: 'mfa_ip_address_mismatch', message: 'Challenge and verify IP addresses mismatch.' },
    });
    expect(await verify('5a000000-0000-4000-8000-000000000001', codeFor(secret))).toMatchObject({
      status: 422,
      body: { code: 'mfa_factor_not_found' },
    });
    const used = await call();
    expect((await verify(used, codeFor(secret))).status).toBe(200);
    nextStep();
    expect(await verify(used, codeFor(secret))).toMatchObject({
      status: 422,
      body: { code: 'mfa_ip_address_mismatch' },
    });
    const old = await call();
    server.advance(301_000);
    expect(await verify(old, codeFor(secret))).toMatchObject({ status: 422, body: { code: 'mfa_challenge_expired' } });
  });

  test('with a verified factor, sessions without it end, and only an aal2 session may add or remove factors', async () => {
    const email = someone();
    const first = await server.member(email);
    const other = await signedIn(email);
    const { id } = await enrolled(first);
    expect((await other.auth.getUser()).error?.name).toBe('AuthSessionMissingError');

    const low = await signedIn(email);
    expect((await low.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Thief' })).error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
      message: 'AAL2 required to enroll a new factor',
    });
    expect((await low.auth.mfa.unenroll({ factorId: id })).error).toMatchObject({
      status: 422,
      code: 'insufficient_aal',
      message: 'AAL2 required to unenroll verified factor',
    });
    expect((await first.auth.mfa.unenroll({ factorId: id })).data).toEqual({ id });
    expect((await first.auth.mfa.unenroll({ factorId: id })).error).toMatchObject({ status: 404 });
    await first.auth.refreshSession();
    expect((await readClaims(first))['aal']).toBe('aal1');
    expect((await readClaims(first))['amr']).toMatchObject([{ method: 'otp' }]);
  });

  test('a person has unique factor names that can be seen and at most ten factors, and cannot use those of another person', async () => {
    const client = await server.member(someone());
    const otherUser = await server.member(someone());
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App\u202e' })).error).toMatchObject({
      status: 400,
      code: 'validation_failed',
    });
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Same' });
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Same' })).error).toMatchObject({
      status: 422,
      code: 'mfa_factor_name_conflict',
      message: 'A factor with the friendly name "Same" for this user already exists',
    });
    for (let n = 1; n < 10; n += 1)
      expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: `Nr ${n}` })).error).toBeNull();
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Eleven' })).error).toMatchObject({
      status: 422,
      code: 'too_many_enrolled_mfa_factors',
    });
    const factorId = data?.id ?? '';
    for (const error of [
      (await otherUser.auth.mfa.challenge({ factorId })).error,
      (await otherUser.auth.mfa.unenroll({ factorId })).error,
      (await otherUser.auth.mfa.challengeAndVerify({ factorId, code: '000000' })).error,
    ])
      expect(error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' });
    // The enrolment is not completed, so the names are free again after five minutes.
    server.advance(301_000);
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Same' })).error).toBeNull();
  });

  test('a security key is a factor: registered by its first answer, required by the next', async () => {
    const email = someone();
    const client = await server.member(email);
    const key = createAuthenticator(server.url);
    const enrol = await client.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'Key' });
    expect(enrol.error).toBeNull();
    const factorId = enrol.data?.id ?? '';
    const bearer = async () => ({ authorization: `Bearer ${await readToken(client)}`, 'x-forwarded-for': '10.9.9.6' });
    const call = async () => {
      const { status, body } = await server.request(
        'POST',
        `/factors/${factorId}/challenge`,
        { factorId, webauthn: { rpId: 'localhost', rpOrigins: [server.url] } },
        await bearer(),
      );
      expect(status).toBe(200);
      return body as { id: string; webauthn: { type: string; credential_options: { publicKey: never } } };
    };
    const verify = async (id: string, type: string, response: unknown) =>
      server.request(
        'POST',
        `/factors/${factorId}/verify`,
        {
          challenge_id: id,
          webauthn: { type, rpId: 'localhost', rpOrigins: [server.url], credential_response: response },
        },
        await bearer(),
      );

    const create = await call();
    expect(create.webauthn.type).toBe('create');
    const options = create.webauthn.credential_options.publicKey;
    expect(await verify(create.id, 'create', key.create(options, { origin: 'https://evil.example' }))).toMatchObject({
      status: 422,
      body: { code: 'mfa_verification_failed' },
    });
    expect((await verify(create.id, 'request', key.get(options))).status).toBe(400);
    const created = await verify(create.id, 'create', key.create(options));
    expect(created.status).toBe(200);
    const claims = JSON.parse(
      Buffer.from(String(created.body['access_token']).split('.')[1] ?? '', 'base64url').toString(),
    );
    expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/webauthn' }, { method: 'otp' }] });

    const request = await call();
    expect(request.webauthn.type).toBe('request');
    const publicKey = request.webauthn.credential_options.publicKey;
    expect((await verify(request.id, 'request', createAuthenticator(server.url).get(publicKey))).status).toBe(422);
    expect((await verify(request.id, 'request', key.get(publicKey, { counter: 0 }))).status).toBe(422);
    expect((await verify(request.id, 'request', key.get(publicKey))).status).toBe(200);
  });

  test('a phone is a factor: a code comes by text message, once a minute, and is valid for its challenge only', async () => {
    const client = await server.member(someone());
    const phone = `+6140000${String(1_000 + count)}`;
    const { data, error } = await client.auth.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'My phone' });
    expect(error).toBeNull();
    expect(data).toMatchObject({ type: 'phone', friendly_name: 'My phone' });
    const factorId = data?.id ?? '';
    const readCode = async (): Promise<string> => {
      const texts = (await server.sandbox(`/api/texts?to=${encodeURIComponent(phone)}`)) as { text: string }[];
      return /\d{6}/.exec(texts[0]?.text ?? '')?.[0] ?? '';
    };
    const challenged = await client.auth.mfa.challenge({ factorId });
    expect(challenged.data).toMatchObject({ type: 'phone' });
    const challengeId = challenged.data?.id ?? '';
    const code = await readCode();
    expect(code).toMatch(/^\d{6}$/);
    const wrong = await client.auth.mfa.verify({
      factorId,
      challengeId,
      code: code === '000000' ? '111111' : '000000',
    });
    expect(wrong.error).toMatchObject({ code: 'mfa_verification_failed', message: 'Invalid MFA Phone code entered' });
    expect((await client.auth.mfa.verify({ factorId, challengeId, code })).error).toBeNull();
    expect(await readClaims(client)).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/phone' }, { method: 'otp' }] });
    expect((await client.auth.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'Again' })).error?.code).toBe(
      'mfa_verified_factor_exists',
    );
    server.advance(61_000);
    const next = await client.auth.mfa.challenge({ factorId });
    expect((await client.auth.mfa.verify({ factorId, challengeId: next.data?.id ?? '', code })).error?.code).toBe(
      'mfa_verification_failed',
    );
    await server.sandbox('/api/faults', { provider: 'twilio', kind: 'status', status: 503, count: 5 });
    server.advance(61_000);
    expect((await client.auth.mfa.challenge({ factorId })).error).toMatchObject({ code: 'sms_send_failed' });
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    for (const [number, message] of [
      ['abc', 'Invalid phone number format (E.164 required)'],
      ['', 'Phone number required to enroll Phone factor'],
    ] as const)
      expect(
        (await client.auth.mfa.enroll({ factorType: 'phone', phone: number, friendlyName: 'x' })).error,
      ).toMatchObject({
        status: 400,
        message,
      });
  });

  test('with a verified factor, only an aal2 session changes the password', async () => {
    const email = someone();
    const client = await server.member(email);
    await enrolled(client);
    const low = await signedIn(email);
    expect((await low.auth.updateUser({ password: 'another fine phrase' })).error).toMatchObject({
      status: 401,
      code: 'insufficient_aal',
      message: 'AAL2 session is required to update email or password when MFA is enabled.',
    });
    expect((await client.auth.updateUser({ password: 'another fine phrase' })).error).toBeNull();
  });

  test('where staff need a second factor, their rights begin and end with it', async () => {
    const email = someone();
    const client = await server.member(email);
    const id = (await client.auth.getUser()).data.user?.id;
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [id]);
    const rights = async (): Promise<unknown[]> => {
      const people = await client
        .from('customer_contacts')
        .select('user_id')
        .neq('user_id', id ?? '');
      const call = await server.call('test-igloohome-config', {}, await readToken(client));
      return [(await client.rpc('is_staff')).data, (people.data ?? []).length > 0, call.status !== 403];
    };
    expect(await rights()).toEqual([false, false, false]);
    const factor = await enrolled(client);
    expect(await rights()).toEqual([true, true, true]);
    expect((await client.auth.mfa.unenroll({ factorId: factor.id })).error).toBeNull();
    // The token still contains aal2, but the level of the session decides.
    expect((await readClaims(client))['aal']).toBe('aal2');
    expect(await rights()).toEqual([false, false, false]);
  });

  test('invalid factors are refused in the words of the protocol; without a session nothing is revealed', async () => {
    const client = await server.member(someone());
    const headers = { authorization: `Bearer ${await readToken(client)}` };
    expect(await server.request('POST', '/factors', { factor_type: 'constructor' }, headers)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: 'factor_type needs to be totp, phone, or webauthn' },
    });
    expect(await server.request('POST', '/factors', { factor_type: 'totp' })).toMatchObject({
      status: 401,
      body: { code: 'no_authorization', message: 'This endpoint requires a valid Bearer token' },
    });
    expect(await server.request('POST', '/factors/x/challenge', {}, headers)).toMatchObject({ status: 404 });
  });

  test('the service key lists and removes a lost factor [spec 7.9]', async () => {
    const client = await server.member(someone());
    const { id } = await enrolled(client);
    const userId = (await client.auth.getUser()).data.user?.id ?? '';
    const service = serviceClient(server).auth.admin;
    expect((await service.mfa.listFactors({ userId })).data?.factors).toMatchObject([{ id, status: 'verified' }]);
    expect((await client.auth.admin.mfa.listFactors({ userId })).error).toMatchObject({
      code: 'not_admin',
      status: 403,
    });
    // The client wraps this answer twice.
    expect((await service.mfa.deleteFactor({ userId, id })).data).toMatchObject({ data: { id } });
    expect((await client.auth.mfa.listFactors()).data?.all).toEqual([]);
  });
});
