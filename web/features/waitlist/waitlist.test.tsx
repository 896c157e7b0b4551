import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import * as waitlist from '#web/data/finding/waitlist.ts';
import { AppError } from '#web/lib/errors.ts';
import { AuthDialogProvider } from '#web/data/session.tsx';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { HeldNote } from './held-note.tsx';
import { OwnEntries } from './own-entries.tsx';
import { useWaiting } from './use-waiting.tsx';
import { WaitDialog } from './wait-dialog.tsx';

vi.mock('#web/data/finding/waitlist.ts', () => ({
  useWaitlist: vi.fn(),
  joinWaitlist: vi.fn(),
  leaveWaitlist: vi.fn(),
}));
vi.mock('#web/lib/use-now.ts', () => ({ useNow: () => NOW }));
const { joinWaitlist, leaveWaitlist } = vi.mocked(waitlist);
const useWaitlist = vi.mocked(waitlist.useWaitlist, { partial: true });

/** What the account waits for. A whole answer of TanStack Query has twenty more fields, which nobody reads here. */
function answerWith(data: ReturnType<typeof useWaitlist>['data']): void {
  useWaitlist.mockReturnValue(data === undefined ? { isError: false } : { isError: false, data });
}

/** Friday, 3 pm in Sydney. */
const NOW = new Date('2026-11-20T04:00:00Z');
const STUDIO = { id: 'room-a', name: 'Studio A' };

beforeEach(() => {
  vi.clearAllMocks();
});
const show = (userId: string | null, count = 1) =>
  renderPart(
    <AuthDialogProvider>
      <WaitDialog
        studio={STUDIO}
        count={count}
        first={{ date: '2026-11-20', hour: 21 }}
        userId={userId}
        now={NOW}
        onClose={vi.fn()}
      />
    </AuthDialogProvider>,
  );
const named = (name: string) => screen.getByRole('button', { name, hidden: true });

function Lost() {
  const lost = [21, 22, 23].map((hour) => ({ date: '2026-11-20', hour }));
  const { dialog, waitFor } = useWaiting({ date: '2026-11-20', lost, userId: 'me', now: NOW });
  return (
    <>
      <button type="button" onClick={() => waitFor(STUDIO, null)}>
        Wait
      </button>
      {dialog}
    </>
  );
}
test('the dialog proposes the hours that the customer has just lost', async () => {
  renderPart(
    <AuthDialogProvider>
      <Lost />
    </AuthDialogProvider>,
  );
  await user.click(screen.getByRole('button', { name: 'Wait' }));
  expect(await screen.findByText('9 pm to midnight tonight')).toBeTruthy();
});

test('hours that were lost are proposed with their number', () => {
  show('me', 3);
  expect(screen.getByText('9 pm to midnight tonight')).toBeTruthy();
});

test('a customer chooses the hours to wait for, over midnight too, joins, and reads how many are ahead', async () => {
  joinWaitlist.mockResolvedValue({ entryId: 'one', ahead: 2 });
  show('me');
  await user.selectOptions(screen.getByLabelText('For'), '5');
  expect(screen.getByText('9 pm to 2 am tonight')).toBeTruthy();
  expect(within(screen.getByLabelText('From')).getAllByRole('option', { hidden: true })[0]?.textContent).toBe('4 PM');
  await user.click(named('Tell me when it’s free'));
  expect(joinWaitlist).toHaveBeenCalledWith({
    studioId: 'room-a',
    startTime: '2026-11-20T10:00:00.000Z',
    endTime: '2026-11-20T15:00:00.000Z',
  });
  expect(screen.getByText(/2 people are ahead of you/)).toBeTruthy();
});

test('the reason of a refusal is shown, and a guest is asked to sign in', async () => {
  joinWaitlist.mockRejectedValue(new AppError('slot_free', 'These hours are free right now: you can book them.', 409));
  const { unmount } = show('me');
  await user.click(named('Tell me when it’s free'));
  expect(await screen.findByText('These hours are free right now: you can book them.')).toBeTruthy();
  unmount();
  show(null);
  expect(named('Sign in to join the wait list')).toBeTruthy();
});

test('hours that are held have a list of their own with a link that chooses them; either entry can be left', async () => {
  const entry = { studioId: 'room-a', studioName: 'Studio A', claimUntil: null };
  const hours = (day: number) => ({
    start: new Date(`2026-11-${day}T08:00:00Z`),
    end: new Date(`2026-11-${day}T10:00:00Z`),
  });
  answerWith([
    { ...entry, ...hours(21), id: 'waits' },
    { ...entry, ...hours(22), id: 'held', claimUntil: new Date('2026-11-20T04:10:00Z') },
  ]);
  leaveWaitlist.mockResolvedValue({ left: true });
  renderPart(
    <>
      <OwnEntries held userId="me" />
      <OwnEntries userId="me" />
    </>,
  );
  const inList = (name: string) => within(screen.getByRole('region', { name })).getByRole('listitem');
  const [held, waits] = [inList('Held for you'), inList('Wait list')];
  expect(held?.textContent).toContain('It’s free, and yours until 3:10 pm.');
  expect(screen.getByRole('link', { name: 'Book these hours' }).getAttribute('href')).toBe(
    '/booking?room=room-a&from=2026-11-22T19&hours=2',
  );
  expect(waits?.textContent).toContain('7 pm to 9 pm tomorrow');
  await user.click(screen.getByRole('button', { name: 'Leave the wait list' }));
  expect(leaveWaitlist).toHaveBeenCalledWith('waits');
});

test('the selection says until when it is held, and nothing about other hours or after that', () => {
  const entry = {
    id: 'held',
    studioId: 'room-a',
    studioName: 'Studio A',
    start: new Date('2026-11-21T08:00:00Z'),
    end: new Date('2026-11-21T10:00:00Z'),
    claimUntil: new Date('2026-11-20T04:10:00Z'),
  };
  answerWith([entry]);
  const note = (hour: number, studioId = 'room-a', now = NOW) => (
    <HeldNote userId="me" studioId={studioId} slots={[{ date: '2026-11-21', hour }]} now={now} />
  );
  const { rerender } = renderPart(note(20));
  expect(screen.getByRole('status').textContent).toBe('Held for you until 3:10 pm.');
  for (const other of [note(21), note(20, 'room-b'), note(20, 'room-a', entry.claimUntil)]) {
    rerender(other);
    expect(screen.queryByRole('status')).toBeNull();
  }
});
