import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { watchSavedFiles } from '#web/ui/testing/saved-files.ts';
import { Disputes } from './disputes.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
beforeEach(() => vi.resetAllMocks());

const BOOKING = '66666666-6666-4666-8666-666666666666';
const OPEN: queries.Dispute = {
  id: 'du_1',
  status: 'open',
  providerStatus: 'needs_response',
  needsResponse: true,
  reason: 'product_not_received',
  amountCents: 5900,
  dueAt: new Date('2031-03-20T06:00:00Z'),
  openedAt: new Date('2031-03-01T00:00:00Z'),
};
const answer = (...disputes: queries.Dispute[]) => wire.answer('staff-disputes', { disputes, held: false });
const show = () => renderPart(<Disputes bookingId={BOOKING} reference="ABCD-2345" />);

test('each dispute has its amount, state, reason and the time by which the bank wants an answer', async () => {
  const later = { ...OPEN, needsResponse: false };
  answer(
    OPEN,
    { ...later, id: '2' },
    { ...later, id: '3', status: 'won', reason: null },
    { ...later, id: '4', status: 'lost' },
  );
  show();
  const items = await screen.findAllByRole('listitem');
  expect(items.map((item) => item.textContent)).toEqual([
    '$59 Response neededOpened Sat 1 Mar 2031, 11 am. Reason: product not received. Respond by Thu 20 Mar 2031, 5 pm.',
    '$59 Under review by the bankOpened Sat 1 Mar 2031, 11 am. Reason: product not received.',
    '$59 Won: we keep the moneyOpened Sat 1 Mar 2031, 11 am.',
    '$59 Lost: the money was returnedOpened Sat 1 Mar 2031, 11 am. Reason: product not received.',
  ]);
});

test('the evidence is saved as a file', async () => {
  answer(OPEN);
  wire.answerFile('staff-dispute-evidence', '<p>', 'text/html; charset=utf-8');
  const savedFiles = watchSavedFiles();
  show();
  await user.click(await screen.findByRole('button', { name: 'Download evidence' }));
  await expect.poll(savedFiles).toEqual([{ name: 'dispute-evidence-ABCD-2345.html', type: 'text/html', text: '<p>' }]);
  expect(wire.sent('staff-dispute-evidence')).toEqual([{ bookingId: BOOKING }]);
});

test('a booking without disputes shows nothing, and disputes that could not be loaded can be read again', async () => {
  wire.fail('staff-disputes', 500, 'No connection.');
  show();
  const retry = await screen.findByRole('button', { name: 'Try again' });
  answer();
  await user.click(retry);
  await waitFor(() => expect(screen.queryByText('No connection.')).toBeNull());
  expect(screen.queryByRole('heading')).toBeNull();
});
