import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFixture, type Fixture } from '../testing.ts';

const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

describe('the simulated identity provider', () => {
  let fixture: Fixture;
  let base = '';
  let redirect = '';
  beforeAll(async () => {
    fixture = await openFixture();
    base = `http://127.0.0.1:${fixture.sandbox.ports.oidc}`;
    redirect = `${fixture.target}/auth/v1/callback`;
  });
  afterAll(() => fixture.close());

  const right = (): Record<string, string> => ({
    client_id: 'sandbox-google',
    redirect_uri: redirect,
    response_type: 'code',
    scope: 'openid email',
    state: 's',
    nonce: 'n',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  });
  const address = (params: Record<string, string>): string =>
    `${base}/oidc/authorize?${new URLSearchParams(params).toString()}`;
  async function codeFor(params = right()): Promise<string> {
    const answer = await fixture.submit(address(params), { email: 'sam@example.com', name: 'Sam', verified: 'yes' });
    expect(answer.status).toBe(303);
    return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
  }
  const trade = (form: Record<string, string>, secret = 'sandbox-secret'): Promise<Response> =>
    fetch(`${base}/oidc/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'sandbox-google',
        client_secret: secret,
        redirect_uri: redirect,
        code_verifier: VERIFIER,
        ...form,
      }),
    });

  test('shows a page and returns a code that can be exchanged once for a token of the person', async () => {
    expect((await fetch(address(right()))).status).toBe(200);
    const code = await codeFor();
    const traded = await trade({ code });
    const tokens = (await traded.json()) as { id_token: string; access_token: string };
    const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ aud: 'sandbox-google', nonce: 'n', email: 'sam@example.com', email_verified: true });
    const userinfo = (): Promise<Response> =>
      fetch(`${base}/oidc/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    expect(await (await userinfo()).json()).toMatchObject({ sub: claims.sub, name: 'Sam' });
    // A second exchange means that the code was stolen, so the tokens of the first exchange end too (RFC 6749, 4.1.2).
    expect((await trade({ code })).status).toBe(400);
    expect((await userinfo()).status).toBe(401);
  });

  test('redirects only to an address that matches a registered one exactly', async () => {
    for (const wrong of [
      `${redirect}/`,
      `${redirect}?a=1`,
      redirect.replace('/auth/', '/AUTH/'),
      'https://evil.example/',
      '',
    ])
      expect((await fetch(address({ ...right(), redirect_uri: wrong }), { redirect: 'manual' })).status).toBe(400);
    expect((await fetch(address({ ...right(), client_id: 'unknown' }), { redirect: 'manual' })).status).toBe(400);
    expect((await fetch(`${address(right())}&redirect_uri=https://evil.example/`, { redirect: 'manual' })).status).toBe(
      400,
    );
  });

  test.each(['state', 'nonce', 'code_challenge', 'code_challenge_method', 'scope', 'response_type'])(
    'requires %s and redirects back with an error',
    async (name) => {
      const { [name]: _left, ...others } = right();
      const answer = await fetch(address(others), { redirect: 'manual' });
      expect(answer.status).toBe(303);
      expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toMatch(
        /^(invalid|unsupported)_/,
      );
    },
  );

  test('issues no token for a wrong secret, verifier, address or client, or after a minute', async () => {
    expect((await trade({ code: await codeFor() }, 'wrong')).status).toBe(401);
    for (const wrong of [
      { code_verifier: 'w'.repeat(64) },
      { redirect_uri: `${redirect}/` },
      { client_id: 'sandbox-oidc' },
      { grant_type: 'client_credentials' },
    ])
      expect((await trade({ code: await codeFor(), ...wrong })).status, JSON.stringify(wrong)).toBe(400);
    const late = await codeFor();
    await fixture.control('POST', '/api/clock', { advance_seconds: 61 });
    expect((await trade({ code: late })).status).toBe(400);
  });
});
