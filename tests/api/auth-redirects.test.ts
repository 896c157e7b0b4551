import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthTestServer, startAuthTestServer, PASSWORD, engines } from './auth-test-server.ts';

const ALLOWED = 'https://app.example.com/welcome?from=mail';
const FOREIGN = 'https://evil.example.com/welcome';

describe.each(engines)('redirects of links, and the order of checks (PostgreSQL: %s)', (postgres) => {
  let server: AuthTestServer;
  let count = 0;
  const someone = (): string => `redirect${(count += 1)}@example.com`;
  beforeAll(async () => {
    const env = { AUTH_REDIRECTS: 'https://app.example.com/**', AUTH_BREACHED_CHECK: 'false' };
    server = await startAuthTestServer({ postgres, env });
  }, 120_000);
  afterAll(() => server.close());
  const service = (): Record<string, string> => ({ authorization: `Bearer ${server.app.keys.serviceRoleKey}` });
  const generate = (body: Record<string, unknown>, query = '') =>
    server.request('POST', `/admin/generate_link${query}`, body, service());

  test.each([
    ['an allowed address', ALLOWED, ALLOWED],
    ['a foreign address', FOREIGN, null],
    ['no address', undefined, null],
  ])('a generated link redirects to %s', async (_, redirectTo, expected) => {
    const email = someone();
    const { data } = await server.service().auth.admin.generateLink({
      type: 'signup',
      email,
      password: PASSWORD,
      options: redirectTo === undefined ? {} : { redirectTo },
    });
    expect(data.properties?.redirect_to).toBe(expected ?? server.url);
    const link = new URL(data.properties?.action_link ?? '');
    expect(link.searchParams.get('redirect_to')).toBe(expected ?? server.url);
    const opened = await server.request('GET', `/verify${link.search}`);
    const page = new URL(opened.headers.get('location') ?? '');
    expect(page.origin).toBe(expected === null ? server.url : 'https://app.example.com');
    expect(page.searchParams.get('token_hash')).toBe(data.properties?.hashed_token);
    expect(page.searchParams.get('from')).toBe(expected === null ? null : 'mail');
  });

  test('mailed links lead to an allowed address with the token, otherwise to our own page', async () => {
    for (const [redirectTo, origin] of [
      [ALLOWED, 'https://app.example.com'],
      [FOREIGN, server.url],
    ] as const) {
      const email = someone();
      await server.visitor().auth.signUp({ email, password: PASSWORD, options: { emailRedirectTo: redirectTo } });
      const { text } = await server.mail(email);
      const href = /https?:\S*token_hash=\S*/.exec(text)?.[0] ?? '';
      expect(new URL(href).origin).toBe(origin);
      const token_hash = new URL(href).searchParams.get('token_hash') ?? '';
      expect((await server.visitor().auth.verifyOtp({ token_hash, type: 'signup' })).error).toBeNull();
    }
  });

  test('generate_link checks address, account, type and password in this order', async () => {
    const existing = someone();
    await server.member(existing);
    const cases: [Record<string, unknown>, number, string][] = [
      [{ type: 'nonsense', password: 'x' }, 400, 'An email address is required'],
      [{ type: 'nonsense', email: 'nonsense', password: 'x' }, 400, 'Unable to validate email address: invalid format'],
      [{ type: 'nonsense', email: someone() }, 400, 'Invalid email action link type requested: nonsense'],
      [{ type: 'recovery', email: someone(), password: 'x' }, 404, 'User with this email not found'],
      [{ type: 'email_change_new', email: someone() }, 404, 'User with this email not found'],
      [
        { type: 'email_change_current', email: existing },
        400,
        'Enable secure email change to generate link for current email',
      ],
      [{ type: 'email_change_new', email: existing }, 400, 'An email address is required'],
      [
        { type: 'signup', email: existing, password: 'x' },
        422,
        'A user with this email address has already been registered',
      ],
      [{ type: 'signup', email: someone() }, 400, 'Signup requires a valid password'],
      [{ type: 'signup', email: someone(), password: 'x' }, 422, 'Password should be at least 6 characters'],
    ];
    for (const [body, status, message] of cases)
      expect([body, await generate(body)]).toMatchObject([body, { status, body: { message } }]);
  });

  test('every sign-in with a wallet is refused in the same way while no chain is enabled', async () => {
    const expected = { status: 422, body: { code: 'web3_provider_disabled', message: 'Web3 provider is disabled' } };
    for (const body of [{}, { chain: 7 }, { chain: 'kaspa', message: 'x', signature: 'y'.repeat(500) }])
      expect(await server.request('POST', '/token?grant_type=web3', body)).toMatchObject(expected);
  });

  test('with the check for breached passwords off, a common one is accepted and the length still counts', async () => {
    const sign = (password: string) => server.request('POST', '/signup', { email: someone(), password });
    expect((await sign('password123')).status).toBe(200);
    expect(await sign('pass')).toMatchObject({ status: 422, body: { code: 'weak_password' } });
  });
});
