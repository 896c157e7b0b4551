import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart } from '#web/ui/component-tests.ts';
// Import the client first, because a slow machine takes longer than the test waits.
import '#web/data/client.ts';
import VerifyReturnPage from './return.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));

test('the return from a hosted check shows its own message when the service gives none [spec 8.34, 8.35]', async () => {
  wire.signIn('u');
  wire.answerRows('studios', []);
  sessionStorage.setItem('verificationSession', JSON.stringify({ id: 'vs_1', url: 'https://id.example.com' }));
  for (const [answer, message] of [
    // The service answers like this for a check that was cancelled there.
    [
      () => wire.answer('check-verification-and-checkout', { verified: false, status: 'canceled', checkoutUrl: null }),
      'Identity verification was not completed successfully',
    ],
    [() => wire.fail('check-verification-and-checkout', 500, '[{"no": "words"}]'), 'Failed to process verification'],
  ] as const) {
    answer();
    const { unmount } = renderPart(withAccount(<VerifyReturnPage />));
    // The page tries a second time before it reports a failure.
    expect((await screen.findByRole('alert', {}, { timeout: 5_000 })).textContent).toBe(message);
    expect(wire.sent('check-verification-and-checkout').at(-1)).toEqual({ verificationSessionId: 'vs_1' });
    unmount();
  }
});
