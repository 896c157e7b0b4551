import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderPart } from '#web/ui/component-tests.ts';
// Fetched before the test: a slow machine takes longer than it waits.
import '#web/data/client.ts';
import VerifyReturnPage from './return.tsx';

vi.mock('#web/data/session.tsx', () => ({
  useSession: () => ({ status: 'in', user: { id: 'u' } }),
  useAuthDialog: () => ({ open: vi.fn() }),
}));
// These answer nothing: the page reads rows and follows changes too.
vi.mock('#web/data/rest.ts', () => ({ rest: { from: vi.fn() } }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
afterEach(() => vi.unstubAllGlobals());

test('the return from a hosted check shows its own message when the service gives none', async () => {
  sessionStorage.setItem('verificationSession', JSON.stringify({ id: 'vs_1', url: 'https://id.example.com' }));
  for (const [answer, message] of [
    // As the service answers for a check that was cancelled there.
    [
      () => Response.json({ verified: false, status: 'canceled', checkoutUrl: null }),
      'Identity verification was not completed successfully',
    ],
    [
      () => Response.json({ error: { code: 'x', message: '[{"no": "words"}]' } }, { status: 500 }),
      'Failed to process verification',
    ],
  ] as const) {
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      const { pathname } = new URL(url);
      if (pathname === '/rest/v1/studios') return Promise.resolve(Response.json([]));
      asked.push(pathname);
      return Promise.resolve(answer());
    });
    const { unmount } = renderPart(<VerifyReturnPage />);
    // The page asks a second time before it reports a failure.
    expect((await screen.findByRole('alert', {}, { timeout: 5_000 })).textContent).toBe(message);
    expect(new Set(asked)).toEqual(new Set(['/functions/v1/check-verification-and-checkout']));
    unmount();
  }
});
