import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTrial, type Trial } from '../testing.ts';

const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

describe('the pretended identity provider', () => {
  let trial: Trial;
  let base = '';
  let redirect = '';
  beforeAll(async () => {
    trial = await openTrial();
    base = `http://127.0.0.1:${trial.sandbox.ports.oidc}`;
    redirect = `${trial.target}/auth/v1/callback`;
  });
  afterAll(() => trial.close());

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
    const answer = await trial.submit(address(params), { email: 'sam@example.com', name: 'Sam', verified: 'yes' });
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

  test('shows a page, and gives a code that is traded once for a token of the person', async () => {
    expect((await fetch(address(right()))).status).toBe(200);
    const code = await codeFor();
    const traded = await trade({ code });
    const tokens = (await traded.json()) as { id_token: string; access_token: string };
    const claims = JSON.parse(Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ aud: 'sandbox-google', nonce: 'n', email: 'sam@example.com', email_verified: true });
    const userinfo = (): Promise<Response> =>
      fetch(`${base}/oidc/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    expect(await (await userinfo()).json()).toMatchObject({ sub: claims.sub, name: 'Sam' });
    // A second trade means the code was stolen: what the first one gave ends too (RFC 6749, 4.1.2).
    expect((await trade({ code })).status).toBe(400);
    expect((await userinfo()).status).toBe(401);
  });

  test('leads nobody to an address that is not registered, letter by letter', async () => {
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
    'asks for %s and leads back with the fault',
    async (name) => {
      const { [name]: _left, ...others } = right();
      const answer = await fetch(address(others), { redirect: 'manual' });
      expect(answer.status).toBe(303);
      expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toMatch(
        /^(invalid|unsupported)_/,
      );
    },
  );

  test('gives nothing for a wrong secret, verifier, address or client, and not after a minute', async () => {
    expect((await trade({ code: await codeFor() }, 'wrong')).status).toBe(401);
    for (const wrong of [
      { code_verifier: 'w'.repeat(64) },
      { redirect_uri: `${redirect}/` },
      { client_id: 'sandbox-oidc' },
      { grant_type: 'client_credentials' },
    ])
      expect((await trade({ code: await codeFor(), ...wrong })).status, JSON.stringify(wrong)).toBe(400);
    const late = await codeFor();
    await trial.control('POST', '/api/clock', { advance_seconds: 61 });
    expect((await trade({ code: late })).status).toBe(400);
  });
});
