import { createHash, generateKeyPairSync } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWalker, readForm, type Step } from '#tests/support/browser-walk.ts';
import { type AuthTestServer, startAuthTestServer, engines, oneEngine } from './auth-test-server.ts';

const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const fragment = (url: string | null): URLSearchParams => new URLSearchParams(new URL(url ?? '').hash.slice(1));
const query = (url: string | null): URLSearchParams => new URL(url ?? '').searchParams;

describe.each(engines)('single sign-on with supabase-js (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  let count = 0;
  beforeAll(async () => {
    server = await startAuthTestServer({ postgres, env: { AUTH_SAML: 'true', AUTH_PROVIDERS: 'google' } });
  });
  afterAll(() => server.close());
  const someone = (): string => `employee${(count += 1)}@example.com`;
  const acs = (): string => `${server.url}/auth/v1/sso/saml/acs`;

  /** The cookies of each sign-on that was begun, by its relay state. */
  const cookies = new Map<string, string[]>();
  /** Begins a sign-on as the client does. Returns the provider's URL, the id of our request and its relay state. */
  async function begin(more: Record<string, unknown> = {}) {
    const { status, body, headers } = await server.request('POST', '/sso', {
      domain: 'example.com',
      skip_http_redirect: true,
      ...more,
    });
    expect(status).toBe(200);
    const url = String(body['url']);
    const xml = inflateRawSync(Buffer.from(query(url).get('SAMLRequest') ?? '', 'base64')).toString();
    const relayState = query(url).get('RelayState') ?? '';
    cookies.set(relayState, headers.getSetCookie());
    return { url, relayState, requestId: / ID="([^"]+)"/.exec(xml)?.[1] ?? '' };
  }
  /** Posts an answer from the browser that began the sign-on, or from another one. */
  const post = (SAMLResponse: string, RelayState: string, lines = cookies.get(RelayState) ?? []): Promise<Step> =>
    createWalker('10.4.0.1', { origin: server.url, lines }).go(acs(), {
      method: 'POST',
      form: { SAMLResponse, RelayState },
    });
  /** Completes the whole flow through the provider's page. */
  async function signOn(email: string, more: Record<string, unknown> = {}): Promise<Step> {
    const { url, relayState } = await begin(more);
    const walk = createWalker('10.4.0.2', { origin: server.url, lines: cookies.get(relayState) ?? [] });
    expect((await walk.go(url)).page).toContain('Single sign-on');
    const page = await walk.go(url, { method: 'POST', form: { email, name: 'Lee Employee' } });
    const { action, fields } = readForm(page.page);
    expect(action).toBe(acs());
    return walk.go(action, { method: 'POST', form: fields });
  }
  /** Creates an answer that is signed with the provider's key and correct except for these values. */
  const answer = async (of: Record<string, unknown>): Promise<string> =>
    String(((await server.sandbox('/api/saml-response', of)) as { SAMLResponse?: unknown }).SAMLResponse);
  const isRefused = (step: Step, code = 'validation_failed'): boolean =>
    query(step.location).get('error_code') === code && !fragment(step.location).has('access_token');

  test('sign-on starts by domain or by provider id, and returns from the organisation with a session [spec 7.4]', async () => {
    const email = someone();
    const client = server.visitor();
    for (const call of [{ domain: 'example.com' }, { providerId: '5a4d1000-0000-4000-8000-000000000001' }]) {
      const { data, error } = await client.auth.signInWithSSO({
        ...call,
        options: { redirectTo: `${server.url}/auth` },
      });
      expect(error).toBeNull();
      expect(data?.url).toContain('/saml/sso?SAMLRequest=');
    }
    const landed = await signOn(email, { redirect_to: `${server.url}/auth` });
    expect(landed.location).toMatch(`${server.url}/auth#`);
    const token = fragment(landed.location).get('access_token');
    const { body: user } = await server.request('GET', '/user', undefined, { authorization: `Bearer ${token}` });
    expect(user).toMatchObject({
      email,
      is_sso_user: true,
      app_metadata: { provider: 'sso:5a4d1000-0000-4000-8000-000000000001' },
      user_metadata: { full_name: 'Lee Employee' },
    });
    const claims = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.amr).toMatchObject([{ method: 'sso/saml' }]);
    const secondToken = fragment((await signOn(email)).location).get('access_token');
    const { body: same } = await server.request('GET', '/user', undefined, { authorization: `Bearer ${secondToken}` });
    expect(same['id']).toBe(user['id']);
    expect(
      await server.request('POST', '/passkeys/registration/options', {}, { authorization: `Bearer ${secondToken}` }),
    ).toMatchObject({ status: 422, body: { message: 'SSO users cannot register passkeys' } });
  });

  test('an account of an SSO provider cannot sign in by another provider, a mailed link or a password', async () => {
    const email = someone();
    const landed = await signOn(email);
    const headers = { authorization: `Bearer ${fragment(landed.location).get('access_token')}` };
    await server.sandbox('/api/people', { email, name: 'Lee Employee' });
    const { id_token: token } = (await server.sandbox('/api/id-token', { email })) as { id_token: string };
    expect((await server.visitor().auth.signInWithIdToken({ provider: 'google', token })).error).toMatchObject({
      status: 422,
      code: 'user_sso_managed',
    });
    expect(await server.request('PUT', '/user', { password: 'another fine phrase' }, headers)).toMatchObject({
      status: 422,
      body: { code: 'user_sso_managed' },
    });
    expect((await server.request('POST', '/recover', { email })).status).toBe(200);
    server.advance(61_000);
    expect((await server.request('POST', '/otp', { email, create_user: false })).status).toBe(200);
    await server.app.flushMail();
    expect(await server.readMails(email)).toEqual([]);
  });

  test('an account of an SSO provider is deleted after a young sign-on, and is told to sign in again after an older one', async () => {
    const email = someone();
    const remove = async (landed: Step) => {
      const authorization = `Bearer ${fragment(landed.location).get('access_token')}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const url = `${server.url}/functions/v1/delete-account`;
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ confirm: 'DELETE' }) });
      return { status: answer.status, body: (await answer.json()) as unknown };
    };
    const old = await signOn(email);
    server.advance(601_000);
    expect(await remove(old)).toMatchObject({
      status: 403,
      body: {
        error: { code: 'reauthentication_needed', message: expect.stringMatching(/Please sign in again first/) },
      },
    });
    expect(await remove(await signOn(email))).toMatchObject({ status: 200, body: { deleted: true } });
  });

  test('an answer that another browser posts is refused, with no cookie or with that of another sign-on', async () => {
    const email = someone();
    for (const foreign of [[], cookies.get((await begin()).relayState)]) {
      const { relayState, requestId } = await begin();
      const right = await answer({ email, in_response_to: requestId });
      const step = await post(right, relayState, foreign);
      expect(isRefused(step, 'saml_relay_state_not_found'), String(step.location)).toBe(true);
      expect(isRefused(await post(right, relayState), 'saml_relay_state_not_found')).toBe(true);
    }
    expect(await server.app.db.queryRow('select 1 from auth.users where email = $1', [email])).toBeNull();
  });

  test('the cookie that binds a sign-on is sent only to the address for answers, and scripts cannot read it', async () => {
    const { relayState } = await begin();
    expect(cookies.get(relayState)).toEqual([
      expect.stringMatching(
        /^sign-in-[\w-]{12}=[\w-]+; Max-Age=600; Path=\/auth\/v1\/sso\/saml\/acs; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const withVerifier = await begin({ code_challenge: CHALLENGE, code_challenge_method: 's256' });
    expect(cookies.get(withVerifier.relayState)).toEqual([]);
  });

  test('with a verifier it ends in a code', async () => {
    const landed = await signOn(someone(), { code_challenge: CHALLENGE, code_challenge_method: 's256' });
    const code = query(landed.location).get('code');
    const traded = await server.request('POST', '/token?grant_type=pkce', { auth_code: code, code_verifier: VERIFIER });
    expect(traded).toMatchObject({ status: 200, body: { token_type: 'bearer', user: { is_sso_user: true } } });
  });

  test('metadata describes us to an identity provider', async () => {
    const response = await fetch(`${server.url}/auth/v1/sso/saml/metadata`);
    expect(response.headers.get('content-type')).toContain('application/samlmetadata+xml');
    const xml = await response.text();
    expect(xml).toContain(`entityID="${server.url}/auth/v1/sso/saml/metadata"`);
    expect(xml).toContain(`Location="${acs()}"`);
    expect(xml).toContain('WantAssertionsSigned="true"');
  });

  test('an answer counts once, for its request, in its time, for our audience and from the right issuer', async () => {
    const email = someone();
    const good = await begin();
    const right = await answer({ email, in_response_to: good.requestId });
    expect(fragment((await post(right, good.relayState)).location).get('access_token')).toBeTruthy();
    expect(isRefused(await post(right, good.relayState), 'saml_relay_state_not_found')).toBe(true);
    const other = await begin();
    expect(isRefused(await post(right, other.relayState))).toBe(true);
    // Simulates a sign-on that was restored from a backup: only the record of the used answer refuses it.
    const restored = await begin();
    const back = await server.app.db.query('update auth.flow_state set request_id = $1 where request_id = $2', [
      good.requestId,
      restored.requestId,
    ]);
    expect(back.count).toBe(1);
    expect(isRefused(await post(right, restored.relayState))).toBe(true);

    const wrong: Record<string, Record<string, unknown>> = {
      unsolicited: { in_response_to: null },
      'another request': { in_response_to: '_0000' },
      'another audience': { audience: 'https://other.example/metadata' },
      'another recipient': { acs: 'https://other.example/acs' },
      'another issuer': { issuer: 'https://evil.example/metadata' },
      expired: { age_seconds: 3_600 },
      'from the future': { age_seconds: -3_600 },
    };
    for (const [name, more] of Object.entries(wrong)) {
      const { requestId, relayState } = await begin();
      const step = await post(await answer({ email, in_response_to: requestId, ...more }), relayState);
      expect(isRefused(step), `${name}: ${step.location}`).toBe(true);
    }
    const foreign = await begin();
    const otherUser = await answer({ email: 'boss@other.example', in_response_to: foreign.requestId });
    expect(isRefused(await post(otherUser, foreign.relayState), 'email_address_not_authorized')).toBe(true);
    const nameless = await begin();
    expect(
      isRefused(
        await post(await answer({ sub: 'x', in_response_to: nameless.requestId }), nameless.relayState),
        'saml_assertion_no_email',
      ),
    ).toBe(true);
    for (const [response, relay] of [
      ['', (await begin()).relayState],
      ['%%%', (await begin()).relayState],
      [Buffer.from('<a/>').toString('base64'), (await begin()).relayState],
    ] as const)
      expect(isRefused(await post(response, relay))).toBe(true);
    expect(isRefused(await post(right, ''), 'saml_relay_state_not_found')).toBe(true);
  });

  describe('attacks on the signature', () => {
    const victim = 'victim@example.com';
    const mallory = 'mallory@example.com';
    /** Changes a valid answer for mallory (the text of its XML) and sends it. */
    async function attempt(change: (xml: string) => string): Promise<Step> {
      const { requestId, relayState } = await begin();
      const good = Buffer.from(await answer({ email: mallory, in_response_to: requestId }), 'base64').toString();
      return post(Buffer.from(change(good)).toString('base64'), relayState);
    }
    const whoIs = async (step: Step): Promise<unknown> => {
      const token = fragment(step.location).get('access_token');
      if (!token) return null;
      return (await server.request('GET', '/user', undefined, { authorization: `Bearer ${token}` })).body['email'];
    };
    const getAssertion = (xml: string): string => /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? '';
    const forge = (assertion: string): string =>
      assertion
        .replaceAll(mallory, victim)
        .replace(/<ds:Signature.*<\/ds:Signature>/s, '')
        .replace(/ ID="[^"]+"/, ' ID="_forged"');
    const getSignature = (xml: string): string => /<ds:Signature.*<\/ds:Signature>/s.exec(xml)?.[0] ?? '';

    test('the unchanged answer is accepted: what follows is refused because of its change', async () => {
      expect(await whoIs(await attempt((xml) => xml))).toBe(mallory);
    });

    const wraps: Record<string, (xml: string) => string> = {
      'a changed address': (xml) => xml.replaceAll(mallory, victim),
      'no signature': (xml) => xml.replace(getSignature(xml), '').replaceAll(mallory, victim),
      'an empty signature': (xml) =>
        xml.replace(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>').replaceAll(mallory, victim),
      'a forged assertion before the signed one': (xml) =>
        xml.replace(getAssertion(xml), forge(getAssertion(xml)) + getAssertion(xml)),
      'a forged assertion after the signed one': (xml) =>
        xml.replace(getAssertion(xml), getAssertion(xml) + forge(getAssertion(xml))),
      'the signed assertion inside a forged one': (xml) =>
        xml.replace(
          getAssertion(xml),
          forge(getAssertion(xml)).replace(
            '</saml:Subject>',
            `</saml:Subject><saml:Advice>${getAssertion(xml)}</saml:Advice>`,
          ),
        ),
      'the signed assertion inside the signature of a forged one': (xml) => {
        const signed = getAssertion(xml);
        const carrier = getSignature(xml).replace('</ds:Signature>', `<ds:Object>${signed}</ds:Object></ds:Signature>`);
        return xml.replace(signed, forge(signed).replace('</saml:Issuer>', `</saml:Issuer>${carrier}`));
      },
      'the signed assertion in extensions, a forged one with its signature in place': (xml) => {
        const signed = getAssertion(xml);
        const forged = forge(signed).replace('</saml:Issuer>', `</saml:Issuer>${getSignature(xml)}`);
        return xml.replace(
          signed,
          `<samlp:Extensions>${signed.replace(getSignature(xml), '')}</samlp:Extensions>${forged}`,
        );
      },
      'a forged assertion of the same id': (xml) => {
        const signed = getAssertion(xml);
        const id = / ID="([^"]+)"/.exec(signed)?.[1] ?? '';
        return xml.replace(signed, forge(signed).replace('_forged', id) + signed);
      },
      'a whole answer inside a forged one': (xml) =>
        xml
          .replace(getAssertion(xml), forge(getAssertion(xml)))
          .replace('<samlp:Status>', `<samlp:Extensions>${xml}</samlp:Extensions><samlp:Status>`),
      'a document type': (xml) => `<!DOCTYPE r [<!ENTITY v "${victim}">]>${xml}`,
      'an entity that grows': (xml) => `<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${xml}`,
      'a weak hash': (xml) => xml.replace('xmldsig-more#rsa-sha256', 'xmldsig#rsa-sha1'),
      'a key of its own beside it': (xml) => {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const stripped = xml.replace(getSignature(xml), '').replaceAll(mallory, victim);
        const signature = new SignedXml({
          privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
          signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
          canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
        });
        signature.addReference({
          xpath: `//*[local-name(.)='Assertion']`,
          transforms: [
            'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
            'http://www.w3.org/2001/10/xml-exc-c14n#',
          ],
          digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
        });
        signature.computeSignature(stripped, {
          location: { reference: `//*[local-name(.)='Assertion']/*[local-name(.)='Issuer']`, action: 'after' },
        });
        return signature.getSignedXml();
      },
    };
    test.each(Object.entries(wraps))('%s is refused', async (_name, change) => {
      const step = await attempt(change);
      expect(await whoIs(step)).toBeNull();
      expect(isRefused(step), String(step.location)).toBe(true);
    });

    test('a comment inside an address does not cut it: the whole text counts, or nothing', async () => {
      const { requestId, relayState } = await begin();
      const email = `${victim}.evil.example.com`;
      const good = Buffer.from(await answer({ email, in_response_to: requestId }), 'base64').toString();
      const cut = good.replaceAll(`${victim}.evil`, `${victim}<!-- -->.evil`);
      expect(cut).not.toBe(good);
      const step = await post(Buffer.from(cut).toString('base64'), relayState);
      expect(await whoIs(step)).toBeNull();
    });

    test('none of these attacks created an account for the victim', async () => {
      expect(
        await server.app.db.queryRow(`select count(*)::int as n from auth.users where email like $1`, ['victim%']),
      ).toEqual({ n: 0 });
    });
  });

  test('invalid requests are refused in the words of the protocol', async () => {
    for (const [body, status, code] of [
      [{}, 400, 'validation_failed'],
      [{ domain: 'example.com', provider_id: 'x' }, 400, 'validation_failed'],
      [{ domain: 'nowhere.example' }, 404, 'sso_provider_not_found'],
      [{ provider_id: '5a4d1000-0000-4000-8000-000000000002' }, 404, 'sso_provider_not_found'],
      [{ domain: 'example.com', code_challenge: 'x' }, 400, 'validation_failed'],
    ] as const)
      expect(await server.request('POST', '/sso', body)).toMatchObject({ status, body: { code } });
    expect((await server.request('GET', '/settings')).body['saml_enabled']).toBe(true);
  });
});

test.each(oneEngine)(
  'switched off, single sign-on and identity providers are refused in the words of the protocol (PostgreSQL: %s)',
  async (postgres) => {
    const server = await startAuthTestServer({ postgres });
    for (const [method, path] of [
      ['POST', '/sso'],
      ['GET', '/sso/saml/metadata'],
      ['POST', '/sso/saml/acs'],
    ] as const)
      expect(await server.request(method, path, method === 'GET' ? undefined : {})).toMatchObject({
        status: 404,
        body: { code: 'saml_provider_disabled', message: 'SAML 2.0 is disabled' },
      });
    expect((await server.visitor().auth.signInWithSSO({ domain: 'example.com' })).error?.code).toBe(
      'saml_provider_disabled',
    );
    expect((await server.visitor().auth.signInWithIdToken({ provider: 'google', token: 'x' })).error).toMatchObject({
      status: 400,
      code: 'provider_disabled',
    });
    await server.close();
  },
  60_000,
);
