import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthTestServer, engines, PASSWORD, startAuthTestServer } from './auth-test-server.ts';

type Client = ReturnType<AuthTestServer['visitor']>;
const STEP_MS = 30_000;
const HOUR_MS = 3_600_000;
const REPLACED = 'The email address of your account was changed';
/** The bcrypt hash of `PASSWORD`, as a hosted project stores it. */
const BCRYPT = '$2b$06$t8V8PuXQl7HwjGgN10PGv.mDt75QRe1DSj7smSfvbnh8bsjkwRovG';
const NEW_PASSWORD = 'a wholly new password 7';

describe.each(engines)('a replaced email address (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  let count = 0;
  beforeAll(async () => {
    server = await startAuthTestServer({
      postgres,
      env: { AUTH_PROVIDERS: 'google', AUTH_MANUAL_LINKING: 'true' },
    });
  });
  afterAll(() => server.close());
  const someone = (): string => `undo${(count += 1)}@example.com`;
  const readId = async (client: Client): Promise<string> => (await client.auth.getUser()).data.user?.id ?? '';
  const signIn = (email: string, password: string) => server.visitor().auth.signInWithPassword({ email, password });
  const codeFor = (secret: string): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.now().getTime() });
  const nextStep = (): void => server.advance(2 * STEP_MS - (server.now().getTime() % STEP_MS));
  const undo = (path: string, body: Record<string, unknown>) =>
    server.request('POST', `/email-undo${path}`, body, { 'x-forwarded-for': '10.9.9.9' });
  const readEmail = async (id: string): Promise<string | undefined> =>
    (await server.service().auth.admin.getUserById(id)).data.user?.email;

  async function enrolled(client: Client): Promise<{ id: string; secret: string }> {
    const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: `App ${(count += 1)}` });
    if (error) throw error;
    nextStep();
    const done = await client.auth.mfa.challengeAndVerify({ factorId: data.id, code: codeFor(data.totp.secret) });
    if (done.error) throw done.error;
    return { id: data.id, secret: data.totp.secret };
  }
  /** Waits for the mail to a replaced address and returns the token of its link. */
  async function undoToken(email: string): Promise<string> {
    for (let nth = 1; ; nth += 1) {
      const mail = await server.mail(email, nth);
      if (mail.subject === REPLACED) return mail.tokenHash;
    }
  }
  /** Creates an account whose address was changed with the service key. */
  async function replaced(email = someone()) {
    const client = await server.member(email);
    const id = await readId(client);
    const thief = `thief-${email}`;
    const { error } = await server.service().auth.admin.updateUserById(id, { email: thief, email_confirm: true });
    expect(error).toBeNull();
    return { client, id, email, thief, token: await undoToken(email) };
  }

  describe('each way to change it mails the replaced address with its undo', () => {
    const ways: Readonly<Record<string, (client: Client, email: string, next: string) => Promise<unknown>>> = {
      'the account page': async (client, _email, next) => {
        expect((await client.auth.updateUser({ email: next })).error).toBeNull();
        const { code } = await server.mail(next);
        return client.auth.verifyOtp({ email: next, token: code, type: 'email_change' });
      },
      'the service key': async (client, _email, next) =>
        server.service().auth.admin.updateUserById(await readId(client), { email: next }),
      'unlinking the identity by email': async (client, _email, next) => {
        const id = await readId(client);
        // Simulates an account at another provider that has a different address and was linked on the account page.
        await server.app.db.query(
          `insert into auth.identities (user_id, provider, provider_id, identity_data) values ($1::uuid, 'google', $2, $3::jsonb)`,
          [id, next, { email: next, email_verified: true }],
        );
        const identities = (await client.auth.getUserIdentities()).data?.identities ?? [];
        const mine = identities.find((identity) => identity.provider === 'email');
        return mine && client.auth.unlinkIdentity(mine);
      },
    };
    test.each(Object.keys(ways))('%s', async (name) => {
      const email = someone();
      const next = `next-${email}`;
      const client = await server.member(email);
      const id = await readId(client);
      expect(await ways[name]?.(client, email, next)).toMatchObject({ error: null });
      expect(await readEmail(id)).toBe(next);
      const token = await undoToken(email);
      const begun = await undo('', { token_hash: token });
      expect(begun).toMatchObject({ status: 200, body: { email, factors: [] } });
      expect((await undo('/complete', { token_hash: token, password: NEW_PASSWORD })).status).toBe(200);
      expect(await readEmail(id)).toBe(email);
    });
  });

  test('a change that both addresses must confirm mails the replaced one too', async () => {
    const strict = await startAuthTestServer({ postgres, env: { AUTH_DOUBLE_CONFIRM: 'true' } });
    try {
      const email = someone();
      const client = await strict.member(email);
      expect((await client.auth.updateUser({ email: `next-${email}` })).error).toBeNull();
      const old = await strict.mail(email, 2);
      await strict.visitor().auth.verifyOtp({ token_hash: old.tokenHash, type: 'email_change' });
      const fresh = await strict.mail(`next-${email}`);
      await strict.visitor().auth.verifyOtp({ token_hash: fresh.tokenHash, type: 'email_change' });
      expect((await strict.mail(email, 3)).subject).toBe(REPLACED);
    } finally {
      await strict.close();
    }
  });

  test('the link changes nothing until its page sends a POST, and works once', async () => {
    const { id, email, thief, token, client } = await replaced();
    expect((await server.request('GET', `/email-undo?token_hash=${token}`)).status).toBe(404);
    expect(await readEmail(id)).toBe(thief);
    expect((await undo('', { token_hash: 'wrong' })).body).toMatchObject({ code: 'otp_expired' });
    expect((await undo('/complete', { token_hash: 'wrong', password: NEW_PASSWORD })).status).toBe(403);
    expect((await undo('', { token_hash: token })).status).toBe(200);
    expect(await readEmail(id)).toBe(thief);
    const short = await undo('/complete', { token_hash: token, password: '123' });
    expect(short).toMatchObject({ status: 422, body: { code: 'weak_password' } });
    expect((await undo('/complete', { token_hash: token, password: NEW_PASSWORD })).status).toBe(200);
    expect(await readEmail(id)).toBe(email);
    expect((await client.auth.getUser()).error).not.toBeNull();
    expect((await signIn(email, PASSWORD)).error).not.toBeNull();
    expect((await signIn(email, NEW_PASSWORD)).error).toBeNull();
    expect((await undo('', { token_hash: token })).status).toBe(403);
    const notice = await server.mail(thief, 1);
    expect(notice.subject).toBe('The change of your email address was undone');
    expect(notice.tokenHash).toBe('');
  });

  test('the link ends after 72 hours, and the address is free then', async () => {
    const { email, token } = await replaced();
    await server.app.db.query(`update auth.replaced_emails set expires_at = replaced_at where email = $1`, [email]);
    expect((await undo('', { token_hash: token })).status).toBe(403);
    const { error } = await server.service().auth.admin.createUser({ email, password: PASSWORD, email_confirm: true });
    expect(error).toBeNull();
  });

  test('the address is refused to others meanwhile, with the answers of a taken one, and its owner is mailed the link again', async () => {
    const { email, token } = await replaced();
    const visitor = server.visitor();
    const signedUp = await visitor.auth.signUp({ email, password: PASSWORD });
    expect(signedUp.error).toBeNull();
    expect(signedUp.data.session).toBeNull();
    expect(await server.mail(email, 3)).toMatchObject({ subject: REPLACED, tokenHash: token });
    const created = await server.service().auth.admin.createUser({ email, email_confirm: true });
    expect(created.error?.code).toBe('email_exists');
    const invited = await server.service().auth.admin.inviteUserByEmail(email);
    expect(invited.error?.code).toBe('email_exists');
    expect(await server.app.db.queryRow('select 1 from auth.users where email = $1', [email])).toBeNull();

    const other = await server.member(someone());
    expect((await other.auth.updateUser({ email })).error).toBeNull();
    const changed = await server.service().auth.admin.updateUserById(await readId(other), { email });
    expect(changed.error?.code).toBe('email_exists');
    server.advance(61_000);
    expect((await server.visitor().auth.signInWithOtp({ email })).error).toBeNull();
    expect((await server.visitor().auth.resetPasswordForEmail(email)).error).toBeNull();
    await server.sandbox('/api/people', { email, name: 'Pat Person' });
    const { id_token: idToken } = (await server.sandbox('/api/id-token', { email })) as { id_token: string };
    const google = await server.visitor().auth.signInWithIdToken({ provider: 'google', token: idToken });
    expect(google.error?.code).toBe('email_exists');
    expect(await server.app.db.queryRow('select 1 from auth.users where email = $1', [email])).toBeNull();
    expect(await server.mail(email, 5)).toMatchObject({ subject: REPLACED, tokenHash: token });
  });

  test('an account with a second factor gives it, and one that came after the change neither counts nor stays', async () => {
    const email = someone();
    const client = await server.member(email);
    const id = await readId(client);
    const own = await enrolled(client);
    await server.service().auth.admin.updateUserById(id, { email: `thief-${email}`, email_confirm: true });
    const token = await undoToken(email);
    const thiefs = await enrolled(client);

    const begun = await undo('', { token_hash: token });
    expect(begun.body).toMatchObject({ factors: [{ id: own.id, factor_type: 'totp' }] });
    expect((await undo('/complete', { token_hash: token, password: NEW_PASSWORD })).body).toMatchObject({
      code: 'insufficient_aal',
    });
    expect((await undo('/challenge', { token_hash: token, factor_id: thiefs.id })).status).toBe(404);
    const challenge = await undo('/challenge', { token_hash: token, factor_id: own.id });
    expect(challenge.status).toBe(200);
    const answer = { token_hash: token, password: NEW_PASSWORD, factor_id: own.id, challenge_id: challenge.body['id'] };
    expect((await undo('/complete', { ...answer, code: '000000' })).body).toMatchObject({
      code: 'mfa_verification_failed',
    });
    expect(await readEmail(id)).toBe(`thief-${email}`);
    nextStep();
    const code = codeFor(own.secret);
    expect((await undo('/complete', { ...answer, factor_id: thiefs.id, code })).status).toBe(401);
    expect((await undo('/complete', { ...answer, code })).status).toBe(200);
    const factors = (await server.service().auth.admin.mfa.listFactors({ userId: id })).data?.factors ?? [];
    expect(factors.map((factor) => factor.id)).toEqual([own.id]);
  });

  test('five wrong answers end a challenge of the undo', async () => {
    const email = someone();
    const client = await server.member(email);
    const own = await enrolled(client);
    await server.service().auth.admin.updateUserById(await readId(client), { email: `thief-${email}` });
    const token = await undoToken(email);
    const challenge = await undo('/challenge', { token_hash: token, factor_id: own.id });
    const answer = { token_hash: token, password: NEW_PASSWORD, factor_id: own.id, challenge_id: challenge.body['id'] };
    for (let tries = 0; tries < 5; tries += 1)
      expect((await undo('/complete', { ...answer, code: '000000' })).body).toMatchObject({
        code: 'mfa_verification_failed',
      });
    nextStep();
    expect((await undo('/complete', { ...answer, code: codeFor(own.secret) })).body).toMatchObject({
      code: 'mfa_challenge_expired',
    });
  });

  test('an undo removes passkeys, identities and a phone that came with the change, and ends the links to later addresses', async () => {
    const email = someone();
    const client = await server.member(email);
    const id = await readId(client);
    await server.app.db.query(
      `insert into auth.webauthn_credentials (user_id, credential_id, public_key, aaguid, backup_eligible, backed_up, created_at, updated_at)
       values ($1::uuid, $2, '\\x00', 'a', false, false, now(), now())`,
      [id, email],
    );
    await server.service().auth.admin.updateUserById(id, { email: `b-${email}`, phone: '+61400111222' });
    const token = await undoToken(email);
    await server.app.db.query(
      `insert into auth.identities (user_id, provider, provider_id) values ($1::uuid, 'google', $2)`,
      [id, email],
    );
    await server.service().auth.admin.updateUserById(id, { email: `c-${email}` });
    const later = await undoToken(`b-${email}`);
    expect((await undo('/complete', { token_hash: token, password: NEW_PASSWORD })).status).toBe(200);
    expect((await undo('', { token_hash: later })).status).toBe(403);
    const { data } = await server.service().auth.admin.getUserById(id);
    expect(data.user).toMatchObject({ email, phone: '' });
    expect(data.user?.identities?.map((identity) => identity.provider)).toEqual(['email']);
    expect(
      await server.app.db.queryRow('select 1 from auth.webauthn_credentials where user_id = $1::uuid', [id]),
    ).toBeNull();
  });

  test('changes of the password, the second factor and the phone are mailed to the present address', async () => {
    const email = someone();
    const client = await server.member(email);
    const id = await readId(client);
    const subjects = async (): Promise<string[]> => (await server.readMails(email)).map((mail) => mail.subject);
    await enrolled(client);
    expect((await client.auth.updateUser({ password: NEW_PASSWORD })).error).toBeNull();
    await server.service().auth.admin.updateUserById(id, { phone: '+61400333444', phone_confirm: true });
    await server.service().auth.admin.updateUserById(id, { password: PASSWORD });
    await server.mail(email, 5);
    expect((await subjects()).slice(1).toSorted()).toEqual([
      'A phone number was added to your account',
      'Two-step sign-in was added to your account',
      'Your password was changed',
      'Your password was changed',
    ]);
  });

  test('an imported password that is hashed anew at a sign-in is not mailed as a change', async () => {
    const email = someone();
    await server.app.db.query(
      `insert into auth.users (email, encrypted_password, email_confirmed_at) values ($1, $2, now())`,
      [email, BCRYPT],
    );
    expect((await signIn(email, PASSWORD)).error).toBeNull();
    const stored = await server.app.db.queryRow<{ hash: string }>(
      'select encrypted_password as hash from auth.users where email = $1',
      [email],
    );
    expect(stored?.hash).toMatch(/^\$argon2id/);
    server.advance(HOUR_MS);
    expect(await server.readMails(email)).toEqual([]);
    expect(await server.app.db.queryRow('select 1 from private.outbox where recipient = $1', [email])).toBeNull();
  });
});
