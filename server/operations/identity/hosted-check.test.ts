import { expect, test } from 'vitest';
import { readHostedCheck, startHostedCheck } from './hosted-check.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

test('without a hosted check, starting and reading one are refused with not_configured and advice to use a photo', async () => {
  const row = { count: 0, decision: null, reasons: null };
  const context = servicesWith({
    db: {
      // No earlier check found the customer to be under 18.
      queryRow: <R>(text: string) =>
        // Cast: the row has only the columns that this test's statements read.
        Promise.resolve(text.includes('any(v.failure_reasons)') ? null : (row as R)),
    },
    hostedChecks: null,
    clock: () => new Date(),
    siteUrl: 'https://example.com',
  });
  const refusal = {
    code: 'not_configured',
    message: 'The online identity check isn’t available. Please use a photo of your licence.',
  };
  await expect(startHostedCheck(context, 'u', 'a@example.com')).rejects.toMatchObject(refusal);
  await expect(readHostedCheck(context, 'u', 'vs_1')).rejects.toMatchObject(refusal);
});

test.each([
  ['verified', [], { verified: true, status: 'verified', error: null }],
  [
    'review',
    ['A person looks at it.', 'Second'],
    { verified: false, status: 'review', error: 'A person looks at it.' },
  ],
  ['failed', [], { verified: false, status: 'failed', error: 'We couldn’t verify your ID.' }],
  ['superseded', null, { verified: false, status: 'failed', error: 'We couldn’t verify your ID.' }],
])('a stored decision “%s” is read without a call of the provider', async (decision, reasons, status) => {
  const context = servicesWith({
    // Cast: the row has what the statement reads.
    db: { queryRow: <R>() => Promise.resolve({ decision, reasons, born: null } as R) },
  });
  expect(await readHostedCheck(context, 'u', 'vs_1')).toEqual(status);
});
