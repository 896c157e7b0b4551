import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '#web/lib/errors.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import * as queries from '#web/staff/permissions/queries.ts';
// Fetched before the test: a slow machine takes longer than it waits.
import '#web/staff/booking-panel/booking-dialog.tsx';
import '#web/staff/bookings/search-form.tsx';
import '#web/staff/bookings/today.tsx';
import AdminPage from './admin.tsx';

const session = { status: 'in', user: { id: 'u' }, session: { access_token: 't' } };
vi.mock('#web/data/session.tsx', () => ({ useSession: () => session, useAuthDialog: () => ({ open: vi.fn() }) }));
vi.mock('#web/data/role.ts', () => ({ readRole: () => Promise.resolve('admin') }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock('#web/features/studios/queries.ts', () => ({ useStudios: () => ({ data: [] }) }));
vi.mock(import('#web/staff/bookings/queries.ts'), async (original) => ({
  ...(await original()),
  readDay: () => Promise.resolve({ bookings: [], closures: [] }),
  readAlerts: () => Promise.resolve([]),
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
beforeEach(() => {
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
  expect(await screen.findByText('Nothing needs you now.')).toBeTruthy();
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
  expect(await screen.findByText('Nothing needs you now.')).toBeTruthy();
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
