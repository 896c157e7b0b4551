import { screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { readStatus } from '#web/features/status/queries.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import StatusPage from './status.tsx';

vi.mock('#web/features/landing/public-frame.tsx', () => ({
  PublicFrame: ({ lead, children }: { lead: ReactNode; children: ReactNode }) => (
    <main>
      {lead}
      {children}
    </main>
  ),
}));
vi.mock('#web/features/status/queries.ts', () => ({ readStatus: vi.fn() }));
const read = vi.mocked(readStatus);
const SINCE = '2026-05-01T06:05:00Z';
const parts = (...disturbed: readonly string[]) =>
  ['bookings', 'payments', 'doors', 'mails'].map((name) => ({
    name,
    state: disturbed.includes(name) ? ('disturbed' as const) : ('working' as const),
    since: SINCE,
  }));
beforeEach(() => read.mockReset());

test('when every part works the page says so in one sentence', async () => {
  read.mockResolvedValue(parts());
  renderPart(<StatusPage />);
  expect(await screen.findByText('Everything is working.')).toBeDefined();
  expect(screen.getAllByText('Working')).toHaveLength(4);
});

test('a disturbed part has since when, in Sydney time, and what it means', async () => {
  read.mockResolvedValue(parts('mails'));
  renderPart(<StatusPage />);
  expect(await screen.findByText('One part has problems. We’re working on it.')).toBeDefined();
  const row = within(screen.getByRole('heading', { name: 'Emails' }).closest('li') ?? document.body);
  expect(row.getByText('Disturbed')).toBeDefined();
  expect(row.getByText(/Fri 1 May 2026, 4:05 pm \(Sydney time\)\. Emails arrive later\./)).toBeDefined();
});

test('without an answer it says so, and asks again', async () => {
  read.mockRejectedValueOnce(new Error('down')).mockResolvedValue(parts());
  renderPart(<StatusPage />);
  expect(await screen.findByText('The server doesn’t answer.')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Everything is working.')).toBeDefined();
});
