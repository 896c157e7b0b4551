import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { saveFile } from '#web/data/fetch-client.ts';
import { AppError } from '#web/lib/errors.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { Disputes } from './disputes.tsx';
import * as queries from './queries.ts';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock(import('#web/data/fetch-client.ts'), async (original) => ({ ...(await original()), saveFile: vi.fn() }));
vi.mock('./queries.ts', () => ({ readDisputes: vi.fn(), readEvidence: vi.fn() }));
const calls = vi.mocked(queries);
beforeEach(() => vi.resetAllMocks());

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
const show = () => renderPart(<Disputes bookingId="b1" reference="ABCD-2345" />);

test('each dispute has its amount, state, reason and the time by which the bank wants an answer', async () => {
  const later = { ...OPEN, needsResponse: false };
  calls.readDisputes.mockResolvedValue([
    OPEN,
    { ...later, id: '2' },
    { ...later, id: '3', status: 'won', reason: null },
    { ...later, id: '4', status: 'lost' },
  ]);
  show();
  const items = await screen.findAllByRole('listitem');
  expect(items.map((item) => item.textContent)).toEqual([
    '$59 The bank waits for our answerOpened Sat 1 Mar 2031, 11 am. Reason: product not received. Answer by Thu 20 Mar 2031, 5 pm.',
    '$59 Answered, the bank decidesOpened Sat 1 Mar 2031, 11 am. Reason: product not received.',
    '$59 Won, we keep the moneyOpened Sat 1 Mar 2031, 11 am.',
    '$59 Lost, the money went backOpened Sat 1 Mar 2031, 11 am. Reason: product not received.',
  ]);
});

test('the evidence is saved as a file', async () => {
  calls.readDisputes.mockResolvedValue([OPEN]);
  calls.readEvidence.mockResolvedValue('<p>');
  show();
  await user.click(await screen.findByRole('button', { name: 'Download the evidence' }));
  expect(calls.readEvidence).toHaveBeenCalledExactlyOnceWith('b1');
  expect(saveFile).toHaveBeenCalledExactlyOnceWith('<p>', 'dispute-evidence-ABCD-2345.html', 'text/html');
});

test('a booking without disputes shows nothing, and disputes that could not be loaded can be read again', async () => {
  calls.readDisputes.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0)).mockResolvedValue([]);
  show();
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  await vi.waitFor(() => expect(screen.queryByText('No connection.')).toBeNull());
  expect(screen.queryByRole('heading')).toBeNull();
});
