import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import * as data from '#web/data/bookings/crew.ts';
import { AppError } from '#web/lib/errors.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { CrewPart } from './crew-part.tsx';
import * as queries from './queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
vi.mock('#web/data/bookings/crew.ts', () => ({ readCrew: vi.fn() }));
vi.mock(import('./queries.ts'), async (original) => ({
  ...(await original()),
  inviteGuest: vi.fn(),
  renewLink: vi.fn(),
  takeBack: vi.fn(),
  makeNewPin: vi.fn(),
}));
const calls = vi.mocked(queries);
const readCrew = vi.mocked(data.readCrew);

const guest = (id: string, name: string | null): data.CrewMember => ({
  id,
  bookingId: 'b1',
  state: name === null ? 'invited' : 'joined',
  name,
  invitedAt: new Date(0),
  sawShared: false,
});
const show = (crew: readonly data.CrewMember[]): void => {
  readCrew.mockResolvedValue([...crew]);
  renderPart(<CrewPart bookingId="b1" userId="u" />);
};
const press = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }));
beforeEach(() => void vi.resetAllMocks());

test('an invitation shows its link once, with a button that copies it, and the same call again after a lost answer', async () => {
  show([]);
  calls.inviteGuest.mockRejectedValueOnce(new AppError('offline', 'We can’t reach the studio right now.', 0));
  await press('Invite somebody');
  expect((await screen.findByRole('alert')).textContent).toContain('We can’t reach the studio right now.');
  calls.inviteGuest.mockResolvedValue({ url: 'https://site.example/crew#abc', inviteId: '1' });
  readCrew.mockResolvedValue([guest('1', null)]);
  await press('Invite somebody');
  const panel = await screen.findByRole('group', { name: 'New link' });
  expect(within(panel).getByLabelText<HTMLInputElement>('A link for one person').value).toBe(
    'https://site.example/crew#abc',
  );
  const [first, second] = calls.inviteGuest.mock.calls;
  expect(second).toEqual(first);
  await press('Copy');
  expect(await navigator.clipboard.readText()).toBe('https://site.example/crew#abc');
  expect(within(panel).getByRole('status').textContent).toContain('Copied.');
  await press('Done');
  expect(screen.queryByText(/abc/)).toBeNull();
  await press('Invite somebody');
  expect(calls.inviteGuest.mock.calls[2]?.[1]).not.toBe(first?.[1]);
});

test('the list says who has joined, makes new links, and invites nobody above four', async () => {
  show([guest('1', 'Sam'), guest('2', null), { ...guest('3', 'Gone'), state: 'revoked' }]);
  const list = await screen.findByRole('list', { name: 'Who comes' });
  expect(
    within(list)
      .getAllByRole('listitem')
      .map((one) => one.textContent),
  ).toEqual(['SamJoinedNew linkCancel invite', 'Guest 2InvitedNew linkCancel invite']);
  calls.renewLink.mockResolvedValue({ url: 'https://site.example/crew#new', inviteId: '1' });
  await press('New link for Sam');
  expect(await screen.findByLabelText('The new link of Sam')).toBeTruthy();
  expect(calls.renewLink).toHaveBeenCalledWith('b1', '1');
});

test('four guests are the most', async () => {
  show(['1', '2', '3', '4'].map((id) => guest(id, null)));
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Invite somebody' });
  expect(button.disabled).toBe(true);
  expect(screen.getByText('You’ve invited all 4. Take one back to invite somebody else.')).toBeTruthy();
});

test('a guest is taken back after a question, and who saw the shared PIN leads to a new one for everybody', async () => {
  show([guest('1', 'Sam')]);
  await press('Cancel invite of Sam');
  await press('Keep');
  expect(calls.takeBack).not.toHaveBeenCalled();
  await press('Cancel invite of Sam');
  calls.takeBack.mockResolvedValue({ revoked: true, sawShared: true });
  await press('Cancel invite');
  expect(await screen.findByText(/Sam has seen your PIN/)).toBeTruthy();
  calls.makeNewPin.mockResolvedValue({});
  await press('New PIN for everybody');
  expect(calls.makeNewPin).toHaveBeenCalledWith('b1');
  expect(toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'New PIN for everybody' }));
  calls.takeBack.mockResolvedValue({ revoked: true, sawShared: false });
  await press('Cancel invite of Sam');
  await press('Cancel invite');
  expect(toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'Taken back' }));
});

test('a crew that cannot be loaded offers another try', async () => {
  readCrew.mockRejectedValueOnce(new Error('no'));
  renderPart(<CrewPart bookingId="b1" userId="u" />);
  expect(await screen.findByText('Your crew could not be loaded.')).toBeTruthy();
  readCrew.mockResolvedValue([guest('1', 'Sam')]);
  await press('Try again');
  expect(await screen.findByText('Sam')).toBeTruthy();
});
