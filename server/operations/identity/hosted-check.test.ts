import { expect, test } from 'vitest';
import { readHostedCheck, startHostedCheck } from './hosted-check.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

test('without a hosted check, starting and reading one are refused with not_configured and advice to use a photo', async () => {
  const row = { count: 0, decision: null, reasons: null };
  const context = servicesWith({
    db: {
      // No earlier check found the customer to be under 18.
      queryRow: <R>(text: string) =>
        // Cast: the row has what the statements of this test read.
        Promise.resolve(text.includes('any(v.failure_reasons)') ? null : (row as R)),
    },
    hostedChecks: null,
    clock: () => new Date(),
    siteUrl: 'https://example.com',
  });
  const refusal = { code: 'not_configured', message: expect.stringContaining('photo of your licence') };
  await expect(startHostedCheck(context, 'u', 'a@example.com')).rejects.toMatchObject(refusal);
  await expect(readHostedCheck(context, 'u', 'vs_1')).rejects.toMatchObject(refusal);
});
