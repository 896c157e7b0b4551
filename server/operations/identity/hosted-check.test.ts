import { expect, test } from 'vitest';
import type { IdentityContext } from './context.ts';
import { readHostedCheck, startHostedCheck } from './hosted-check.ts';

test('without a hosted check, starting and reading one are refused with not_configured and advice to use a photo', async () => {
  const row = { count: 0, decision: null, reasons: null };
  const context = {
    db: {
      // No earlier check said under 18.
      one: (text: string) => Promise.resolve(text.includes('any(v.failure_reasons)') ? null : row),
    },
    checks: null,
    clock: () => new Date(),
    siteUrl: 'https://example.com',
    // Cast: the operations refuse before they use anything else.
  } as unknown as IdentityContext;
  const refusal = { code: 'not_configured', message: expect.stringContaining('photo of your licence') };
  await expect(startHostedCheck(context, 'u', 'a@example.com')).rejects.toMatchObject(refusal);
  await expect(readHostedCheck(context, 'u', 'vs_1')).rejects.toMatchObject(refusal);
});
