import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '#web/lib/errors.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { useLocation } from '#web/router/router.tsx';
import { toast } from '#web/ui/toast.tsx';
import { AcceptInvitation } from './accept-invitation.tsx';
import * as role from '#web/data/role.ts';
import * as queries from './queries.ts';
import { Team } from './team.tsx';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
const session = vi.hoisted(() => ({ status: 'in', user: { id: 'me', email: 'me@example.com' } as object | null }));
const open = vi.hoisted(() => vi.fn());
vi.mock('#web/data/session.tsx', () => ({ useSession: () => session, useAuthDialog: () => ({ open }) }));
vi.mock(import('./queries.ts'), async (original) => ({
  ...(await original()),
  readTeam: vi.fn(),
  invite: vi.fn(),
  resendInvitation: vi.fn(),
  revokeInvitation: vi.fn(),
  setPermissions: vi.fn(),
  removeMember: vi.fn(),
  acceptInvitation: vi.fn(),
  setFactorRules: vi.fn(),
}));
const calls = vi.mocked(queries);
vi.mock('#web/data/role.ts', () => ({ readFactorRules: vi.fn() }));
const { readFactorRules } = vi.mocked(role);
beforeEach(() => {
  vi.resetAllMocks();
  readFactorRules.mockResolvedValue({ permissions: ['money'], shown: true, due: null });
  Object.assign(session, { status: 'in', user: { id: 'me', email: 'me@example.com' } });
});

const TEAM: queries.Team = {
  staff: [
    {
      userId: 'me',
      name: 'Ada Owner',
      email: 'me@example.com',
      permissions: ['owner'],
      lastSignInAt: new Date('2031-03-01T00:00:00Z'),
      secondFactor: true,
    },
    {
      userId: 'lee',
      name: null,
      email: 'lee@example.com',
      permissions: ['bookings', 'money'],
      lastSignInAt: null,
      secondFactor: false,
    },
  ],
  invitations: [
    {
      id: 'i',
      email: 'sam@example.com',
      permissions: ['identity'],
      createdAt: new Date('2031-03-01T00:00:00Z'),
      expiresAt: new Date('2031-03-08T00:00:00Z'),
      expired: false,
      invitedBy: 'Ada Owner',
    },
  ],
  secrets: [],
};
const press = (name: string | RegExp) => user.click(screen.getByRole('button', { name }));
const dialog = () => within(screen.getByRole('dialog'));
async function show(team = TEAM) {
  calls.readTeam.mockResolvedValue(team);
  renderPart(<Team />);
  await screen.findByRole('table', { name: 'Staff' });
}

test('staff are listed with permissions, last sign-in in Sydney time and second step', async () => {
  await show();
  const [, mine, theirs] = within(screen.getByRole('table', { name: 'Staff' })).getAllByRole('row');
  expect(mine?.textContent).toMatch(/Ada Owner You.*Owner.*Sat 1 Mar 2031, 11 am.*On/);
  expect(theirs?.textContent).toMatch(/lee@example.com.*Bookings.*Money.*Never.*Off/);
});

test('an invitation has an address and exactly the ticked permissions, at least one', async () => {
  await show({ ...TEAM, invitations: [] });
  expect(screen.getByText('No open invitations.')).toBeTruthy();
  await press('Invite');
  await fill(dialog().getByLabelText('Email'), 'new@example.com');
  await user.click(dialog().getByLabelText(/^Bookings/));
  await user.click(dialog().getByRole('button', { name: 'Send the invitation' }));
  expect(await dialog().findByText('Choose at least one.')).toBeTruthy();
  expect(calls.invite).not.toHaveBeenCalled();
  await user.click(dialog().getByLabelText(/^Money/));
  await user.click(dialog().getByLabelText(/^ID checks/));
  await user.click(dialog().getByRole('button', { name: 'Send the invitation' }));
  expect(calls.invite).toHaveBeenCalledExactlyOnceWith({
    email: 'new@example.com',
    permissions: ['identity', 'money'],
  });
  expect(toast).toHaveBeenCalledWith({ title: 'Invitation sent', description: 'new@example.com' });
});

test('a refused invitation says why in the form', async () => {
  calls.invite.mockRejectedValue(new AppError('already_done', 'This person is staff already.', 409));
  await show();
  await press('Invite');
  await fill(dialog().getByLabelText('Email'), 'lee@example.com');
  await user.click(dialog().getByRole('button', { name: 'Send the invitation' }));
  expect(await dialog().findByText('This person is staff already.')).toBeTruthy();
});

test('an open invitation is sent again and revoked', async () => {
  await show();
  await press('Send again sam@example.com');
  expect(calls.resendInvitation).toHaveBeenCalledExactlyOnceWith('i');
  await press('Revoke sam@example.com');
  expect(calls.revokeInvitation).toHaveBeenCalledExactlyOnceWith('i');
});

test('permissions change in a form that begins with those of today', async () => {
  await show();
  await press('Change lee@example.com');
  await user.click(dialog().getByLabelText(/^Settings/));
  await user.click(dialog().getByLabelText(/^Money/));
  await user.click(dialog().getByRole('button', { name: 'Save' }));
  expect(calls.setPermissions).toHaveBeenCalledExactlyOnceWith('lee', ['bookings', 'settings']);
});

test('somebody is removed only after a question, and a refusal says why', async () => {
  calls.removeMember.mockRejectedValueOnce(new AppError('last_owner', 'Make somebody else an owner first.', 409));
  await show();
  await press('Remove Ada Owner');
  await user.click(dialog().getByRole('button', { name: 'Keep' }));
  expect(calls.removeMember).not.toHaveBeenCalled();
  await press('Remove Ada Owner');
  await user.click(dialog().getByRole('button', { name: 'Remove' }));
  expect(toast).toHaveBeenCalledWith({
    title: 'Error',
    description: 'Make somebody else an owner first.',
    tone: 'bad',
  });
  expect(calls.removeMember).toHaveBeenCalledExactlyOnceWith('me');
});

test('staff that could not be loaded offer another try', async () => {
  calls.readTeam.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0)).mockResolvedValue(TEAM);
  renderPart(<Team />);
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('table', { name: 'Staff' })).toBeTruthy();
});

test('opening the link accepts nothing; the button does, and opens the back office', async () => {
  const Address = () => <output>{useLocation().pathname}</output>;
  renderPart(<AcceptInvitation token="id.1.mark" />, { path: '/staff-invitation', beside: <Address /> });
  expect(screen.getByText('You’re signed in as me@example.com.')).toBeTruthy();
  expect(calls.acceptInvitation).not.toHaveBeenCalled();
  calls.acceptInvitation.mockRejectedValueOnce(new AppError('not_yours', 'It is for another address.', 403));
  await press('Accept the invitation');
  expect(await screen.findByText('It is for another address.')).toBeTruthy();
  calls.acceptInvitation.mockResolvedValue({});
  await press('Accept the invitation');
  expect(calls.acceptInvitation).toHaveBeenLastCalledWith('id.1.mark');
  expect(await screen.findByText('/admin')).toBeTruthy();
});

test('a guest is asked to sign in or sign up, and a link without a token says so', async () => {
  Object.assign(session, { status: 'out', user: null });
  const { rerender } = renderPart(<AcceptInvitation token="id.1.mark" />);
  await press('Sign Up');
  expect(open).toHaveBeenCalledWith('sign-up');
  rerender(<AcceptInvitation token="" />);
  expect(screen.getByText(/This link is incomplete/)).toBeTruthy();
});

test('what needs two-step sign-in is set as a whole; a refusal says what to do', async () => {
  calls.setFactorRules.mockRejectedValueOnce(
    new AppError('second_factor_required', 'Add an authenticator app first.', 403),
  );
  await show();
  const rules = within(screen.getByRole('group', { name: /after the password/ }));
  await user.click(rules.getByLabelText('Settings'));
  await press('Save');
  expect(await screen.findByText('Add an authenticator app first.')).toBeTruthy();
  await user.click(rules.getByLabelText('Money'));
  await press('Save');
  expect(calls.setFactorRules).toHaveBeenLastCalledWith({ permissions: ['settings'], graceDays: 7 });
  expect(toast).toHaveBeenCalledWith({ title: 'Two-step sign-in', description: 'Needed for: Settings' });
});

test('owners see who has no two-step sign-in, before they require it, and choose how long those people can go on', async () => {
  await show();
  const rules = within(screen.getByRole('group', { name: /after the password/ }));
  const lacking = () => screen.queryByText(/no two-step sign-in yet/)?.textContent ?? null;
  await user.click(rules.getByLabelText('Money'));
  await user.click(rules.getByLabelText('Settings'));
  expect(lacking()).toBeNull();
  await user.click(rules.getByLabelText('Settings'));
  await user.click(rules.getByLabelText('Bookings'));
  expect(lacking()).toMatch(/^One person has no two-step sign-in yet: lee@example\.com\./);
  await user.selectOptions(screen.getByLabelText('Time to add it'), '3 days');
  await press('Save');
  expect(calls.setFactorRules).toHaveBeenLastCalledWith({ permissions: ['bookings'], graceDays: 3 });
});

test('owners see what former staff have seen: what still works with its end, what is being removed, and what was revoked', async () => {
  const secret = {
    studioName: 'Studio A',
    startsAt: new Date('2031-03-01T00:00:00Z'),
    endsAt: new Date('2031-03-01T05:00:00Z'),
  };
  calls.readTeam.mockResolvedValue({
    ...TEAM,
    secrets: [
      { ...secret, id: '1', kind: 'staff-code', person: 'Lee Former', about: 'Plumber', state: 'stays' },
      { ...secret, id: '2', kind: 'booking-code', person: null, about: 'ABCD-2345', state: 'ending' },
      {
        ...secret,
        id: '3',
        kind: 'calendar-feed',
        person: 'Lee Former',
        about: null,
        startsAt: null,
        endsAt: null,
        state: 'ended',
      },
    ],
  });
  renderPart(<Team />);
  const list = within(await screen.findByRole('table', { name: 'Seen under a lost permission' }));
  const [, works, ending, ended] = list.getAllByRole('row').map((row) => row.textContent);
  expect(works).toMatch(/Code for Plumber.*Studio A.*Lee Former.*Still works.*until Sat 1 Mar 2031, 4 pm/);
  expect(ending).toMatch(/Code of booking ABCD-2345.*A deleted account.*Being removed/);
  expect(ended).toMatch(/Calendar address.*Revoked.*Make a new address/);
  expect(screen.getByText(/One code still opens a door/)).toBeTruthy();
});

test('while former staff have seen nothing that counts, nothing is listed', async () => {
  calls.readTeam.mockResolvedValue(TEAM);
  renderPart(<Team />);
  expect(await screen.findByRole('table', { name: 'Staff' })).toBeTruthy();
  expect(screen.queryByText('Seen under a lost permission')).toBeNull();
});
