import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '#web/lib/errors.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import * as queries from '#web/staff/permissions/queries.ts';
// Fetched before the test: a slow machine takes longer than it waits.
import { toast } from '#web/ui/toast.tsx';
import '#web/staff/booking-panel/booking-dialog.tsx';
import '#web/staff/booking-panel/move-step.tsx';
import '#web/staff/bookings/search-form.tsx';
import '#web/staff/bookings/today.tsx';
import '#web/staff/calendar/calendar.tsx';
import AdminPage from './dashboard.tsx';

const session = { status: 'in', user: { id: 'u' }, session: { access_token: 't' } };
vi.mock('#web/data/session.tsx', () => ({ useSession: () => session, useAuthDialog: () => ({ open: vi.fn() }) }));
vi.mock('#web/data/role.ts', () => ({
  readRole: () => Promise.resolve('admin'),
  readFactorRules: () => Promise.resolve({ permissions: [], shown: false, due: null }),
}));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock('#web/features/studios/queries.ts', () => ({
  useStudios: () => ({ data: ['A', 'B'].map((id) => ({ id, name: `Studio ${id}` })) }),
}));
vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock(import('#web/data/fetch-client.ts'), async (original) => ({ ...(await original()), callFunction: vi.fn() }));
vi.mock(import('#web/staff/bookings/queries.ts'), async (original) => ({
  ...(await original()),
  readDay: () => Promise.resolve({ bookings: [], closures: [] }),
  readAlerts: () => Promise.resolve([]),
}));
const ENTRY = {
  kind: 'booking',
  id: 'b',
  studioId: 'A',
  start: new Date('2999-03-02T23:00:00Z'),
  end: new Date('2999-03-03T01:00:00Z'),
  label: 'Sam Guest',
  reference: 'ABCD-2345',
  email: 'sam@example.com',
  isTest: false,
  isPublic: false,
  weeks: 1,
} as const;
vi.mock(import('#web/staff/calendar/queries.ts'), async (original) => ({
  ...(await original()),
  readCalendar: () => Promise.resolve([ENTRY]),
  readFreeDays: () => Promise.resolve([]),
}));
vi.mock(import('#web/staff/booking-panel/queries.ts'), async (original) => ({
  ...(await original()),
  readBooking: () => Promise.resolve(null),
}));
vi.mock(import('#web/staff/permissions/queries.ts'), async (original) => ({
  ...(await original()),
  readStaffRights: vi.fn(),
  readDeveloperPagesOpen: () => Promise.resolve(false),
  readPermissions: vi.fn(),
}));
const { readPermissions, readStaffRights } = vi.mocked(queries);
const call = vi.mocked(callFunction);
beforeEach(() => {
  call.mockReset();
  Element.prototype.scrollIntoView = vi.fn();
  readStaffRights.mockResolvedValue(true);
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
  readPermissions.mockResolvedValue(new Set([permission]));
  renderPart(<AdminPage />, { path: '/admin' });
  const shown = await screen.findAllByRole('tab');
  expect(shown.map((tab) => tab.textContent)).toEqual(tabs);
  const says = permission === 'owner' ? /^Nothing needs you now\.$/ : /^Nothing that you may see needs you now\. /;
  expect(await screen.findByText(says)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Next day' }) !== null).toBe(['bookings', 'owner'].includes(permission));
});

test('a tab of another permission in the address opens Today', async () => {
  readPermissions.mockResolvedValue(new Set(['identity']));
  renderPart(<AdminPage />, { path: '/admin?tab=audit-logs' });
  expect((await screen.findByRole('tab', { selected: true })).textContent).toBe('Today');
});

test('permissions that could not be loaded offer another try', async () => {
  // The page asks while it reads the role, and once more.
  readPermissions.mockRejectedValue(new AppError('offline', 'No connection.', 0));
  renderPart(<AdminPage />, { path: '/admin' });
  await screen.findByRole('button', { name: 'Try again' });
  readPermissions.mockResolvedValue(new Set());
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('tab', { name: 'Today' })).toBeTruthy();
});

test('the booking of the address opens on top of a tab, for staff with the permission, and closing it keeps the tab', async () => {
  readPermissions.mockResolvedValue(new Set(['bookings']));
  const { unmount } = renderPart(<AdminPage />, { path: '/admin?tab=today&day=2031-03-04&booking=ABCD-2345' });
  expect(await screen.findByText('There is no booking with this reference.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByText('There is no booking with this reference.')).toBeNull();
  expect(screen.getByRole('heading', { name: 'Tuesday 4 March 2031' })).toBeTruthy();
  unmount();
  readPermissions.mockResolvedValue(new Set(['identity']));
  renderPart(<AdminPage />, { path: '/admin?booking=ABCD-2345' });
  expect(await screen.findByText(/^Nothing that you may see needs you now\. /)).toBeTruthy();
  expect(screen.queryByText('There is no booking with this reference.')).toBeNull();
});

test('a session without the second step that its account needs opens no part, and reads how to add the step', async () => {
  readPermissions.mockResolvedValue(new Set(['owner']));
  readStaffRights.mockResolvedValue(false);
  renderPart(<AdminPage />, { path: '/admin?tab=export' });
  expect(await screen.findByText('Staff need two-step sign-in here')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Account Settings' })).toBeTruthy();
  expect(screen.queryByRole('tab')).toBeNull();
});

const HOURS = {
  bookingId: 'b',
  studioId: 'B',
  startTime: '2999-03-02T23:00:00.000Z',
  endTime: '2999-03-03T01:00:00.000Z',
};
const DEARER = { differenceCents: 500, refundCents: 0, linkUntil: '2999-03-02T00:00:00Z' };
const dialog = () => within(screen.getByRole('dialog', { name: 'Move the booking?' }));
const press = async (name: string) => user.click(await dialog().findByRole('button', { name }));

/** Picks the booking up with the keyboard and drops it in the same hours of Studio B. */
async function dropInStudioB(held: 'money' | null): Promise<void> {
  readPermissions.mockResolvedValue(new Set(held === null ? ['bookings'] : ['bookings', held]));
  renderPart(<AdminPage />, { path: '/admin?tab=calendar&day=2999-03-03' });
  (await screen.findByRole('grid')).focus();
  await user.keyboard('{ArrowDown}{Enter}{ArrowRight}{Enter}');
}

test('a booking dropped on dearer hours moves there with a mailed link, and the hours stay chosen until then', async () => {
  call.mockResolvedValueOnce(DEARER).mockResolvedValueOnce({ ...DEARER, waitsUntil: DEARER.linkUntil });
  await dropInStudioB('money');
  expect(await dialog().findByText('The new hours cost $5 more.')).toBeTruthy();
  expect(dialog().getByText(/^to Studio B, Sunday 3 March 2999, 10 am to 12 pm/)).toBeTruthy();
  expect(dialog().getByText('Sam Guest, ABCD-2345')).toBeTruthy();
  await press('Mail a link for $5');
  expect(call).toHaveBeenLastCalledWith('staff-move-booking', { ...HOURS, waive: false, undoable: true });
  expect(toast).toHaveBeenLastCalledWith({
    title: 'ABCD-2345 waits for the payment',
    description: 'The link is mailed. The new hours are held until Sat 2 Mar 2999, 11 am.',
  });
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('staff with money move a dropped booking to dearer hours without charging, and undo it with the button of the message', async () => {
  const undo = { id: 'u', until: '2031-03-01T00:00:10.000Z' };
  call.mockResolvedValueOnce(DEARER).mockResolvedValueOnce({ differenceCents: 0, refundCents: 0, undo });
  await dropInStudioB('money');
  await press('Move without charging $5');
  expect(call).toHaveBeenLastCalledWith('staff-move-booking', { ...HOURS, waive: true, undoable: true });
  const message = vi.mocked(toast).mock.lastCall?.[0];
  expect(message).toMatchObject({ title: 'ABCD-2345 is moved', ms: 10_000, action: { label: 'Undo' } });
  call.mockResolvedValueOnce({ bookingId: 'b', reference: 'ABCD-2345', kind: 'move' });
  message?.action?.onPress();
  await vi.waitFor(() => expect(call).toHaveBeenLastCalledWith('staff-undo', { undoId: 'u' }));
});

test('staff without money send the link or leave a dropped booking where it is', async () => {
  call.mockResolvedValueOnce(DEARER);
  await dropInStudioB(null);
  expect(await dialog().findByText(/^To move it without charging needs the permission for money/)).toBeTruthy();
  const confirm = within(dialog().getByRole('group', { name: 'Confirm' }));
  expect(confirm.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    'Mail a link for $5',
    'Leave it',
  ]);
  await press('Leave it');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(call).toHaveBeenCalledTimes(1);
});
