import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { CrewPart } from './crew-part.tsx';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
const BOOKING = '55555555-5555-4555-8555-555555555555';
/** Returns an invitation id that ends with this digit. */
const idFrom = (digit: string): string => `00000000-0000-4000-8000-00000000000${digit}`;
const guest = (digit: string, name: string | null) => ({
  id: idFrom(digit),
  booking_id: BOOKING,
  state: name === null ? 'invited' : 'joined',
  name,
  invited_at: new Date(0),
  saw_shared_code: false,
});
const show = (crew: readonly ReturnType<typeof guest>[]): void => {
  wire.answerRows('booking_crew', crew);
  renderPart(<CrewPart bookingId={BOOKING} userId="u" />);
};
const press = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }));
beforeEach(() => void vi.resetAllMocks());

test('an invitation shows its link once, with a button that copies it, and the same call again after a lost answer', async () => {
  show([]);
  wire.fail('crew-invite', 0);
  await press('Invite someone');
  expect((await screen.findByRole('alert')).textContent).toContain('We can’t reach the studio right now.');
  wire.answer('crew-invite', { url: 'https://site.example/crew#abc', inviteId: idFrom('1') });
  wire.answerRows('booking_crew', [guest('1', null)]);
  await press('Invite someone');
  const panel = await screen.findByRole('group', { name: 'New link' });
  expect(within(panel).getByLabelText<HTMLInputElement>('A link for one person').value).toBe(
    'https://site.example/crew#abc',
  );
  expect(await screen.findByText('Guest 1')).toBeTruthy();
  const [first, second] = wire.sent('crew-invite');
  expect(second).toEqual(first);
  await press('Copy');
  expect(await navigator.clipboard.readText()).toBe('https://site.example/crew#abc');
  expect(within(panel).getByRole('status').textContent).toContain('Copied.');
  await press('Done');
  expect(screen.queryByText(/abc/)).toBeNull();
  await press('Invite someone');
  await wire.expectRequests('crew-invite', 3);
  expect(wire.sent('crew-invite')[2]?.requestId).not.toBe(first?.requestId);
});

test('the list says who has joined, makes new links, and invites nobody above four', async () => {
  show([guest('1', 'Sam'), guest('2', null), { ...guest('3', 'Gone'), state: 'revoked' }]);
  const list = await screen.findByRole('list', { name: 'Who comes' });
  expect(
    within(list)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(['SamJoinedNew linkCancel invite', 'Guest 2InvitedNew linkCancel invite']);
  wire.answer('crew-invite', { url: 'https://site.example/crew#new', inviteId: idFrom('1') });
  await press('New link for Sam');
  expect(await screen.findByLabelText('The new link of Sam')).toBeTruthy();
  expect(wire.sent('crew-invite')).toEqual([{ bookingId: BOOKING, inviteId: idFrom('1') }]);
});

test('four guests are the most', async () => {
  show(['1', '2', '3', '4'].map((id) => guest(id, null)));
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Invite someone' });
  expect(button.disabled).toBe(true);
  expect(screen.getByText('You’ve invited all 4. Take one back to invite someone else.')).toBeTruthy();
});

test('a guest is taken back after a question, and who saw the shared PIN leads to a new one for everybody', async () => {
  show([guest('1', 'Sam')]);
  await press('Cancel invite of Sam');
  await press('Keep');
  expect(wire.sent('crew-revoke')).toEqual([]);
  await press('Cancel invite of Sam');
  wire.answer('crew-revoke', { revoked: true, sawShared: true });
  await press('Cancel invite');
  expect(await screen.findByText(/Sam has seen your PIN/)).toBeTruthy();
  await press('New PIN for everyone');
  await waitFor(() => expect(toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'New PIN for everyone' })));
  expect(wire.sent('regenerate-pin')).toEqual([{ booking_id: BOOKING }]);
  wire.answer('crew-revoke', { revoked: true, sawShared: false });
  await press('Cancel invite of Sam');
  await press('Cancel invite');
  await waitFor(() => expect(toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'Taken back' })));
  expect(wire.sent('crew-revoke')).toEqual([{ inviteId: idFrom('1') }, { inviteId: idFrom('1') }]);
  await wire.expectRequests('booking_crew', 3);
});

test('a crew that cannot be loaded offers another try', async () => {
  wire.fail('booking_crew', 500);
  renderPart(<CrewPart bookingId={BOOKING} userId="u" />);
  expect(await screen.findByText('Your crew could not be loaded.')).toBeTruthy();
  wire.answerRows('booking_crew', [guest('1', 'Sam')]);
  await press('Try again');
  expect(await screen.findByText('Sam')).toBeTruthy();
});
