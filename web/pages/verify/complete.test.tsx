import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
// Import the client first, because a slow machine takes longer than the test waits.
import '#web/data/client.ts';
import VerifyCompletePage from './complete.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
afterEach(() => vi.unstubAllGlobals());

/** Renders the page with a booking stored in this tab. */
function renderWithDraft(): void {
  wire.signIn('u');
  for (const table of ['studios', 'closed_hours', 'bookings'] as const) wire.answerRows(table, []);
  // The test DOM does not record navigations.
  vi.stubGlobal('PerformanceNavigationTiming', class {});
  const times = { start_time: '2027-01-19T22:00:00Z', end_time: '2027-01-19T23:00:00Z' };
  const slot = { hour: 9, label: '9 AM', date: '2027-01-20', price: 59 };
  sessionStorage.setItem('checkoutBookingData', JSON.stringify({ studio_id: 's', ...times, slots: [slot] }));
  renderPart(withAccount(<VerifyCompletePage />));
}

test('a hosted check that cannot start shows its own message when the service gives none [spec 8.31, 8.32]', async () => {
  wire.answer('create-verification-session', { verificationSessionId: 'vs_1', verificationUrl: '' });
  renderWithDraft();
  for (const message of ['No verification URL received', 'Failed to start verification']) {
    await user.click(await screen.findByRole('button', { name: 'Start the check' }));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toBe(message));
    wire.fail('create-verification-session', 500, '{"no": "words"}');
  }
  expect(wire.sent('create-verification-session')).toHaveLength(2);
});

test('the countdown continues when the site scrolls the new page to its top, and stops when the visitor scrolls', async () => {
  renderWithDraft();
  const timer = await screen.findByRole('timer');
  await waitFor(() => expect(timer.textContent).toContain('The check opens automatically in'));
  act(() => void window.dispatchEvent(new Event('scroll')));
  expect(timer.textContent).toContain('The check opens automatically in');
  vi.stubGlobal('scrollY', 40);
  act(() => void window.dispatchEvent(new Event('scroll')));
  expect(timer.textContent).toBe('');
});
