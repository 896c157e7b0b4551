import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { withAccount } from '#web/data/testing/account.tsx';
import { fetchClient } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import * as wire from '#web/data/testing/wire.ts';
import type { StaffRight } from '#rules/permissions.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
// Import the parts first, because a slow machine takes longer than the test waits.
import { toast } from '#web/ui/toast.tsx';
import '#web/staff/booking-panel/booking-dialog.tsx';
import '#web/staff/booking-panel/move-step.tsx';
import '#web/staff/bookings/search-form.tsx';
import '#web/staff/bookings/today.tsx';
import '#web/staff/calendar/calendar.tsx';
import AdminPage from './dashboard.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
/** Returns the id of a room with this letter. */
const idFrom = (letter: string): string => `00000000-0000-4000-8000-00000000000${letter.toLowerCase()}`;
const STUDIOS = ['A', 'B'].map((letter) => ({
  id: idFrom(letter),
  name: `Studio ${letter}`,
  current_price_lists: [],
  special_days: [],
}));
const BOOKING_ID = '66666666-6666-4666-8666-666666666666';
const ENTRY = {
  kind: 'booking',
  id: BOOKING_ID,
  studio_id: idFrom('A'),
  start_time: '2999-03-02T23:00:00Z',
  end_time: '2999-03-03T01:00:00Z',
  reason: null,
  customer_name: 'Sam Guest',
  customer_email: 'sam@example.com',
  reference: 'ABCD-2345',
  is_test: false,
  public: false,
  weeks: 1,
};
const setRights = (...rights: readonly StaffRight[]): void => wire.answerRows('staff_rights', rights);
const show = (path: string) => renderPart(withAccount(<AdminPage />), { path });
beforeEach(() => {
  vi.mocked(toast).mockClear();
  Element.prototype.scrollIntoView = vi.fn();
  wire.signIn('u');
  wire.answerRows('user_roles', [{ role: 'admin' }]);
  wire.answerRows('second_factor_rules', { permissions: [], shown: false, due: null });
  wire.answerRows('developer_pages_open', false);
  wire.answerRows('studios', STUDIOS);
  for (const list of ['bookings_of_day', 'closed_hours', 'staff_alerts', 'free_hours'] as const)
    wire.answerRows(list, []);
  wire.answerRows('staff_calendar', [ENTRY]);
  wire.answerRows('booking_details', null);
});

test.each([
  ['bookings', ['Today', 'Calendar', 'Bookings', 'Closed hours', 'Customers', 'Doors', 'Incidents']],
  ['identity', ['Today', 'ID review']],
  ['money', ['Today', 'Numbers', 'Export']],
  ['settings', ['Today', 'Prices', 'Rooms', 'Settings', 'Discount Codes', 'Mailing list']],
  [
    'owner',
    [
      'Today',
      'Calendar',
      'Bookings',
      'Closed hours',
      'Customers',
      'ID review',
      'Doors',
      'Incidents',
      'Prices',
      'Rooms',
      'Settings',
      'Discount Codes',
      'Audit Logs',
      'Mailing list',
      'Numbers',
      'Export',
      'Staff',
    ],
  ],
] as const)('staff with the permission %s have the tabs %j, and Today is open', async (permission, tabs) => {
  setRights(permission, ...(permission === 'owner' ? ['audit_log' as const] : []));
  show('/admin');
  const shown = await screen.findAllByRole('tab');
  expect(shown.map((tab) => tab.textContent)).toEqual(tabs);
  const says = permission === 'owner' ? /^Nothing needs attention\.$/ : /^Nothing you can see needs attention\. /;
  expect(await screen.findByText(says)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Next day' }) !== null).toBe(['bookings', 'owner'].includes(permission));
});

test('a tab of another permission in the address opens Today', async () => {
  setRights('identity');
  show('/admin?tab=audit-logs');
  expect((await screen.findByRole('tab', { selected: true })).textContent).toBe('Today');
  expect(wire.sentTo('staff_rights')).toHaveLength(1);
});

test('permissions that could not be loaded offer another try', async () => {
  wire.fail('staff_rights', 500);
  show('/admin');
  const retry = await screen.findByRole('button', { name: 'Try again' });
  setRights('bookings');
  await user.click(retry);
  expect(await screen.findByRole('tab', { name: 'Today' })).toBeTruthy();
});

test('whoever the server lets read the audit log sees its tab, and an owner whom it does not let has none', async () => {
  setRights('money', 'audit_log');
  const { unmount } = show('/admin');
  expect(await screen.findByRole('tab', { name: 'Audit Logs' })).toBeTruthy();
  unmount();
  setRights('owner');
  show('/admin');
  expect(await screen.findByRole('tab', { name: 'Staff' })).toBeTruthy();
  expect(screen.queryByRole('tab', { name: 'Audit Logs' })).toBeNull();
});

test('what staff have typed stays when the access token is renewed and when their permissions cannot be read again', async () => {
  setRights('bookings');
  const { client } = show('/admin');
  const field = await screen.findByRole('searchbox');
  await user.type(field, 'sam');
  wire.fail('staff_rights', 500);
  wire.answerPath('/auth/v1/token', { ...wire.sessionFor({ id: 'u' }), access_token: 'renewed' });
  const { auth } = await fetchClient();
  await act(async () => void (await auth.refreshSession()));
  await act(() => client.refetchQueries({ queryKey: queryKeys.staffRights.all }));
  expect(wire.sentTo('staff_rights').length).toBeGreaterThan(1);
  expect(screen.getByRole('searchbox')).toBe(field);
  expect(field).toHaveProperty('value', 'sam');
});

test('the booking of the address opens on top of a tab, for staff with the permission, and closing it keeps the tab', async () => {
  setRights('bookings');
  const { unmount } = show('/admin?tab=today&day=2031-03-04&booking=ABCD-2345');
  expect(await screen.findByText('There is no booking with this reference.')).toBeTruthy();
  expect(wire.sentTo('booking_details').map(({ body }) => body)).toEqual([{ reference: 'ABCD-2345' }]);
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByText('There is no booking with this reference.')).toBeNull();
  expect(screen.getByRole('heading', { name: 'Tuesday 4 March 2031' })).toBeTruthy();
  unmount();
  setRights('identity');
  show('/admin?booking=ABCD-2345');
  expect(await screen.findByText(/^Nothing you can see needs attention\. /)).toBeTruthy();
  expect(screen.queryByText('There is no booking with this reference.')).toBeNull();
  expect(wire.sentTo('booking_details')).toHaveLength(1);
});

test('a session without the second step that its account needs opens no part, and reads how to add the step', async () => {
  setRights();
  show('/admin?tab=export');
  expect(await screen.findByText('Two-step sign-in required')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Account Settings' })).toBeTruthy();
  expect(screen.queryByRole('tab')).toBeNull();
});

const HOURS = {
  bookingId: BOOKING_ID,
  studioId: idFrom('B'),
  startTime: '2999-03-02T23:00:00.000Z',
  endTime: '2999-03-03T01:00:00.000Z',
};
const DEARER = { differenceCents: 500, refundCents: 0 };
const LINK_UNTIL = '2999-03-02T00:00:00Z';
const QUOTE = { ...DEARER, owedCents: 500, needsMoney: false, linkUntil: LINK_UNTIL };
/** From now on, the hours of Studio B cost more, and a move there gets this answer. */
const answerMove = (moved: object): void =>
  wire.answerWith('staff-move-booking', ({ preview = false }) => (preview ? QUOTE : { ...DEARER, ...moved }));
/** The bodies of the requests that moved the booking, without requests for the price. */
const moves = () => wire.sent('staff-move-booking').filter(({ preview }) => preview !== true);
const dialog = () => within(screen.getByRole('dialog', { name: 'Move booking?' }));
const press = async (name: string) => user.click(await dialog().findByRole('button', { name }));

/** Picks the booking up with the keyboard and drops it at the same hours in Studio B. */
async function dropInStudioB(held: 'money' | null): Promise<void> {
  setRights('bookings', ...(held === null ? [] : [held]));
  show('/admin?tab=calendar&day=2999-03-03');
  await screen.findByText('Sam Guest');
  (await screen.findByRole('grid')).focus();
  await user.keyboard('{ArrowDown}{Enter}{ArrowRight}{Enter}');
}

test('a booking dropped on dearer hours moves there with a mailed link, and the hours stay chosen until then', async () => {
  answerMove({ waitsUntil: LINK_UNTIL });
  await dropInStudioB('money');
  expect(await dialog().findByText('The new hours cost $5 more.')).toBeTruthy();
  expect(dialog().getByText(/^to Studio B, Sunday 3 March 2999, 10 am to 12 pm/)).toBeTruthy();
  expect(dialog().getByText('Sam Guest, ABCD-2345')).toBeTruthy();
  await press('Email payment link for $5');
  await waitFor(() =>
    expect(toast).toHaveBeenLastCalledWith({
      title: 'ABCD-2345 is awaiting payment',
      description: 'The payment link was emailed. The new hours are held until Sat 2 Mar 2999, 11 am.',
    }),
  );
  expect(moves()).toEqual([{ ...HOURS, waive: false, undoable: true }]);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('staff with money move a dropped booking to dearer hours without charging, and undo it with the button of the message', async () => {
  const undo = { id: '77777777-7777-4777-8777-777777777777', until: '2031-03-01T00:00:10.000Z' };
  answerMove({ differenceCents: 0, undo });
  await dropInStudioB('money');
  await press('Move without charging $5');
  await waitFor(() => expect(toast).toHaveBeenCalled());
  expect(moves()).toEqual([{ ...HOURS, waive: true, undoable: true }]);
  const message = vi.mocked(toast).mock.lastCall?.[0];
  expect(message).toMatchObject({ title: 'ABCD-2345 has moved', ms: 10_000, action: { label: 'Undo' } });
  message?.action?.onPress();
  await wire.expectSent('staff-undo', { undoId: undo.id });
});

test('staff without money send the link or leave a dropped booking where it is', async () => {
  answerMove({});
  await dropInStudioB(null);
  expect(await dialog().findByText(/^Moving it without charging needs the “Money” permission/)).toBeTruthy();
  const confirm = within(dialog().getByRole('group', { name: 'Confirm' }));
  expect(confirm.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    'Email payment link for $5',
    'Keep current time',
  ]);
  await press('Keep current time');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(wire.sent('staff-move-booking')).toEqual([{ ...HOURS, waive: false, preview: true }]);
});
