import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { useLocation } from '#web/router/router.tsx';
import { toast } from '#web/ui/toast.tsx';
import { AcceptInvitation } from './accept-invitation.tsx';
import { openAuthDialog, waitForAccount, withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import type * as queries from './queries.ts';
import { Team } from './team.tsx';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
beforeEach(() => {
  vi.resetAllMocks();
  wire.answerRows('second_factor_rules', { permissions: ['money'], shown: true, due: null });
  wire.signIn(ME, { email: 'me@example.com' });
});

const ME = '11111111-1111-4111-8111-111111111111';
const LEE = '22222222-2222-4222-8222-222222222222';
const INVITATION = '33333333-3333-4333-8333-333333333333';
const TEAM: queries.Team = {
  staff: [
    {
      userId: ME,
      name: 'Ada Owner',
      email: 'me@example.com',
      permissions: ['owner'],
      lastSignInAt: new Date('2031-03-01T00:00:00Z'),
      secondFactor: true,
    },
    {
      userId: LEE,
      name: null,
      email: 'lee@example.com',
      permissions: ['bookings', 'money'],
      lastSignInAt: null,
      secondFactor: false,
    },
  ],
  invitations: [
    {
      id: INVITATION,
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
  wire.answerRows('staff_team', team);
  renderPart(withAccount(<Team />));
  await waitForAccount();
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
  await press('Invite person');
  await fill(dialog().getByLabelText('Email'), 'new@example.com');
  await user.click(dialog().getByLabelText(/^Bookings/));
  await user.click(dialog().getByRole('button', { name: 'Send invitation' }));
  expect(await dialog().findByText('Choose at least one permission.')).toBeTruthy();
  expect(wire.sent('staff-invite')).toEqual([]);
  await user.click(dialog().getByLabelText(/^Money/));
  await user.click(dialog().getByLabelText(/^ID checks/));
  await user.click(dialog().getByRole('button', { name: 'Send invitation' }));
  await wire.expectSent('staff-invite', { email: 'new@example.com', permissions: ['identity', 'money'] });
  await expect
    .poll(() => vi.mocked(toast).mock.calls)
    .toContainEqual([{ title: 'Invitation sent', description: 'new@example.com' }]);
  await wire.expectRequests('staff_team', 2);
});

test('a refused invitation says why in the form', async () => {
  wire.refuse('staff-invite', 'already_done');
  await show();
  await press('Invite person');
  await fill(dialog().getByLabelText('Email'), 'lee@example.com');
  await user.click(dialog().getByRole('button', { name: 'Send invitation' }));
  expect(await dialog().findByText(/^This person is already on the staff\./)).toBeTruthy();
});

test('an open invitation is sent again and revoked', async () => {
  await show();
  await press('Resend sam@example.com');
  await wire.expectSent('staff-resend-invitation', { invitationId: INVITATION });
  await wire.expectRequests('staff_team', 2);
  await press('Revoke sam@example.com');
  await wire.expectSent('staff-revoke-invitation', { invitationId: INVITATION });
  await wire.expectRequests('staff_team', 3);
});

test('permissions change in a form that begins with those of today', async () => {
  await show();
  await press('Change lee@example.com');
  await user.click(dialog().getByLabelText(/^Settings/));
  await user.click(dialog().getByLabelText(/^Money/));
  await user.click(dialog().getByRole('button', { name: 'Save permissions' }));
  await wire.expectSent('staff-set-permissions', { userId: LEE, permissions: ['bookings', 'settings'] });
  await wire.expectRequests('staff_team', 2);
});

test('somebody is removed only after a question, and a refusal says why', async () => {
  wire.refuse('staff-remove', 'last_owner', { message: 'Make someone else an owner first.' });
  await show();
  await press('Remove Ada Owner');
  await user.click(dialog().getByRole('button', { name: 'Keep on staff' }));
  expect(wire.sent('staff-remove')).toEqual([]);
  await press('Remove Ada Owner');
  await user.click(dialog().getByRole('button', { name: 'Remove from staff' }));
  await wire.expectSent('staff-remove', { userId: ME });
  await expect
    .poll(() => vi.mocked(toast).mock.calls)
    .toEqual([[{ title: 'Error', description: 'Make someone else an owner first.', tone: 'bad' }]]);
});

test('staff that could not be loaded offer another try', async () => {
  wire.fail('staff_team', 500);
  renderPart(withAccount(<Team />));
  const retry = await screen.findByRole('button', { name: 'Try again' });
  wire.answerRows('staff_team', TEAM);
  await user.click(retry);
  expect(await screen.findByRole('table', { name: 'Staff' })).toBeTruthy();
});

test('opening the link accepts nothing; the button does, and opens the back office', async () => {
  const Address = () => <output>{useLocation().pathname}</output>;
  const part = withAccount(<AcceptInvitation token="id.1.mark" />);
  renderPart(part, { path: '/staff-invitation', sibling: <Address /> });
  expect(await screen.findByText('You’re signed in as me@example.com.')).toBeTruthy();
  expect(wire.sent('accept-staff-invitation')).toEqual([]);
  wire.refuse('accept-staff-invitation', 'not_yours', { message: 'It is for another address.' });
  await press('Accept invitation');
  expect(await screen.findByText('It is for another address.')).toBeTruthy();
  wire.answer('accept-staff-invitation', wire.exampleFrom('accept-staff-invitation'));
  await press('Accept invitation');
  expect(await screen.findByText('/admin')).toBeTruthy();
  await wire.expectSent('accept-staff-invitation', { token: 'id.1.mark' }, { token: 'id.1.mark' });
});

test('a guest is asked to sign in or sign up, and a link without a token says so', async () => {
  localStorage.clear();
  const { rerender } = renderPart(withAccount(<AcceptInvitation token="id.1.mark" />));
  await user.click(await screen.findByRole('button', { name: 'Sign Up' }));
  expect(openAuthDialog()).toBe('sign-up');
  rerender(withAccount(<AcceptInvitation token="" />));
  expect(screen.getByText(/This link is incomplete/)).toBeTruthy();
});

test('what needs two-step sign-in is set as a whole; a refusal says what to do', async () => {
  wire.refuse('staff-set-second-factor', 'second_factor_required', { message: 'Add an authenticator app first.' });
  await show();
  const rules = within(screen.getByRole('group', { name: /after the password/ }));
  await user.click(rules.getByLabelText('Settings'));
  await press('Save rules');
  expect(await screen.findByText('Add an authenticator app first.')).toBeTruthy();
  await user.click(rules.getByLabelText('Money'));
  wire.answer('staff-set-second-factor', wire.exampleFrom('staff-set-second-factor'));
  await press('Save rules');
  await expect
    .poll(() => vi.mocked(toast).mock.calls)
    .toEqual([[{ title: 'Two-step sign-in', description: 'Required for: Settings' }]]);
  expect(wire.sent('staff-set-second-factor').at(-1)).toEqual({ permissions: ['settings'], graceDays: 7 });
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
  await user.selectOptions(screen.getByLabelText('Deadline'), '3 days');
  await press('Save rules');
  await wire.expectSent('staff-set-second-factor', { permissions: ['bookings'], graceDays: 3 });
});

test('owners see what former staff have seen: what still works with its end, what is being removed, and what was revoked', async () => {
  const secret = {
    studioName: 'Studio A',
    startsAt: new Date('2031-03-01T00:00:00Z'),
    endsAt: new Date('2031-03-01T05:00:00Z'),
  };
  wire.answerRows('staff_team', {
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
  renderPart(withAccount(<Team />));
  const list = within(await screen.findByRole('table', { name: 'Seen with a former permission' }));
  const [, works, ending, ended] = list.getAllByRole('row').map((row) => row.textContent);
  expect(works).toMatch(/Code for Plumber.*Studio A.*Lee Former.*Still works.*until Sat 1 Mar 2031, 4 pm/);
  expect(ending).toMatch(/Code for booking ABCD-2345.*Deleted account.*Being removed/);
  expect(ended).toMatch(/Calendar address.*Revoked.*Create a new address/);
  expect(screen.getByText(/One code still opens a door/)).toBeTruthy();
});

test('while former staff have seen nothing that counts, nothing is listed', async () => {
  wire.answerRows('staff_team', TEAM);
  renderPart(withAccount(<Team />));
  expect(await screen.findByRole('table', { name: 'Staff' })).toBeTruthy();
  expect(screen.queryByText('Seen with a former permission')).toBeNull();
});
