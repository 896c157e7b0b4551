/**
 * Simulates captchas with the test keys that both providers publish. Turnstile: secret `1x…AA` always passes, `2x…AA` always fails, `3x…AA`
 * reports every token as used. hCaptcha: secret `0x000…` passes only the published token. Any other secret passes each token that begins
 * with `pass-` once.
 */
const TURNSTILE = {
  passes: '1x0000000000000000000000000000000AA',
  fails: '2x0000000000000000000000000000000AA',
  spent: '3x0000000000000000000000000000000AA',
} as const;
const HCAPTCHA = {
  secret: '0x0000000000000000000000000000000000000000',
  answer: '10000000-aaaa-bbbb-cccc-000000000001',
} as const;

export function createCaptcha(): { handle(request: Request, path: string): Promise<Response>; reset(): void } {
  const spent = new Set<string>();
  const fail = (code: string): Response => Response.json({ success: false, 'error-codes': [code] });
  const pass = (): Response =>
    Response.json({ success: true, challenge_ts: new Date().toISOString(), hostname: 'localhost' });

  function judge(path: string, secret: string, token: string): Response {
    if (secret === '') return fail('missing-input-secret');
    if (token === '') return fail('missing-input-response');
    if (path === '/hcaptcha/siteverify' && secret === HCAPTCHA.secret)
      return token === HCAPTCHA.answer ? pass() : fail('invalid-input-response');
    if (secret === TURNSTILE.passes) return pass();
    if (secret === TURNSTILE.fails) return fail('invalid-input-response');
    if (secret === TURNSTILE.spent || spent.has(token)) return fail('timeout-or-duplicate');
    if (!token.startsWith('pass-')) return fail('invalid-input-response');
    spent.add(token);
    return pass();
  }

  return {
    async handle(request, path) {
      if (request.method !== 'POST')
        return Response.json({ success: false, 'error-codes': ['bad-request'] }, { status: 405 });
      const form = new URLSearchParams(await request.text());
      return judge(path, form.get('secret') ?? '', form.get('response') ?? '');
    },
    reset: () => spent.clear(),
  };
}
