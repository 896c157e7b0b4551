import { screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import * as wire from '#web/data/testing/wire.ts';
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
const SINCE = '2026-05-01T06:05:00Z';
const answer = (...disturbed: readonly string[]): void => {
  const parts = ['bookings', 'payments', 'doors', 'mails'].map((name) => ({
    name,
    state: disturbed.includes(name) ? 'disturbed' : 'working',
    since: SINCE,
  }));
  wire.answerPath('/status.json', { parts });
};

test('when every part works the page says so in one sentence', async () => {
  answer();
  renderPart(<StatusPage />);
  expect(await screen.findByText('Everything is working.')).toBeDefined();
  expect(screen.getAllByText('Working')).toHaveLength(4);
});

test('a disturbed part has since when, in Sydney time, and what it means', async () => {
  answer('mails');
  renderPart(<StatusPage />);
  expect(await screen.findByText('One part has problems. We’re working on it.')).toBeDefined();
  const row = within(screen.getByRole('heading', { name: 'Emails' }).closest('li') ?? document.body);
  expect(row.getByText('Disturbed')).toBeDefined();
  expect(row.getByText(/Fri 1 May 2026, 4:05 pm \(Sydney time\)\. Emails arrive later\./)).toBeDefined();
});

test('without an answer it says so, and asks again', async () => {
  wire.fail('/status.json', 500);
  renderPart(<StatusPage />);
  expect(await screen.findByText('The server doesn’t answer.')).toBeDefined();
  answer();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Everything is working.')).toBeDefined();
});
