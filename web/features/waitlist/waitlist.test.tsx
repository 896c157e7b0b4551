import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { WaitlistEntry } from '#web/data/finding/waitlist.ts';
import * as wire from '#web/data/testing/wire.ts';
import { AuthDialogProvider } from '#web/data/session.tsx';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { HeldNote } from './held-note.tsx';
import { OwnEntries } from './own-entries.tsx';
import { useWaiting } from './use-waiting.tsx';
import { WaitDialog } from './wait-dialog.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
vi.mock('#web/lib/use-now.ts', () => ({ useNow: () => NOW }));
/** Answers with the wait-list entries of the account, as table rows. */
function answerWith(entries: readonly WaitlistEntry[]): void {
  const rows = entries.map(({ id, studioId, studioName, start, end, claimUntil }) => ({
    id,
    studio_id: studioId,
    start_time: start,
    end_time: end,
    state: claimUntil === null ? 'waiting' : 'asked',
    claim_until: claimUntil,
    user_id: 'me',
    studios: { name: studioName },
  }));
  wire.answerRows('waitlist_entries', rows);
}

/** Friday, 3 pm in Sydney. */
const NOW = new Date('2026-11-20T04:00:00Z');
const ROOM = '11111111-1111-4111-8111-111111111111';
const STUDIO = { id: ROOM, name: 'Studio A' };

beforeEach(() => answerWith([]));
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
  wire.answer('join-waitlist', { entryId: '22222222-2222-4222-8222-222222222222', ahead: 2 });
  show('me');
  await user.selectOptions(screen.getByLabelText('For'), '5');
  expect(screen.getByText('9 pm to 2 am tonight')).toBeTruthy();
  expect(within(screen.getByLabelText('From')).getAllByRole('option', { hidden: true })[0]?.textContent).toBe('4 PM');
  await user.click(named('Tell me when it’s free'));
  expect(await screen.findByText(/2 people are ahead of you/)).toBeTruthy();
  const span = { startTime: '2026-11-20T10:00:00.000Z', endTime: '2026-11-20T15:00:00.000Z' };
  expect(wire.sent('join-waitlist')).toEqual([{ studioId: ROOM, ...span }]);
});

test('the reason of a refusal is shown, and a guest is asked to sign in', async () => {
  wire.refuse('join-waitlist', 'slot_free');
  const { unmount } = show('me');
  await user.click(named('Tell me when it’s free'));
  expect(await screen.findByText('These hours are free right now: you can book them.')).toBeTruthy();
  unmount();
  show(null);
  expect(named('Sign in to join the wait list')).toBeTruthy();
});

test('hours that are held have a list of their own with a link that chooses them; either entry can be left', async () => {
  const entry = { studioId: ROOM, studioName: 'Studio A', claimUntil: null };
  const hours = (day: number) => ({
    start: new Date(`2026-11-${day}T08:00:00Z`),
    end: new Date(`2026-11-${day}T10:00:00Z`),
  });
  answerWith([
    { ...entry, ...hours(21), id: '22222222-2222-4222-8222-222222222222' },
    {
      ...entry,
      ...hours(22),
      id: '33333333-3333-4333-8333-333333333333',
      claimUntil: new Date('2026-11-20T04:10:00Z'),
    },
  ]);
  renderPart(
    <>
      <OwnEntries held userId="me" />
      <OwnEntries userId="me" />
    </>,
  );
  await screen.findByRole('region', { name: 'Held for you' });
  const inList = (name: string) => within(screen.getByRole('region', { name })).getByRole('listitem');
  const [held, waits] = [inList('Held for you'), inList('Wait list')];
  expect(held?.textContent).toContain('It’s free, and yours until 3:10 pm.');
  expect(screen.getByRole('link', { name: 'Book these hours' }).getAttribute('href')).toBe(
    `/booking?room=${ROOM}&from=2026-11-22T19&hours=2`,
  );
  expect(waits?.textContent).toContain('7 pm to 9 pm tomorrow');
  await user.click(screen.getByRole('button', { name: 'Leave the wait list' }));
  await wire.expectSent('leave-waitlist', { entryId: '22222222-2222-4222-8222-222222222222' });
  await wire.expectRequests('waitlist_entries', 2);
});

test('the selection says until when it is held, and nothing about other hours or after that', async () => {
  const entry = {
    id: 'held',
    studioId: ROOM,
    studioName: 'Studio A',
    start: new Date('2026-11-21T08:00:00Z'),
    end: new Date('2026-11-21T10:00:00Z'),
    claimUntil: new Date('2026-11-20T04:10:00Z'),
  };
  answerWith([entry]);
  const note = (hour: number, studioId = ROOM, now = NOW) => (
    <HeldNote userId="me" studioId={studioId} slots={[{ date: '2026-11-21', hour }]} now={now} />
  );
  const { rerender } = renderPart(note(20));
  expect((await screen.findByRole('status')).textContent).toBe('Held for you until 3:10 pm.');
  for (const other of [note(21), note(20, 'room-b'), note(20, ROOM, entry.claimUntil)]) {
    rerender(other);
    expect(screen.queryByRole('status')).toBeNull();
  }
});
