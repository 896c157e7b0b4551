import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import {
  accessibleEverywhere,
  admin,
  DEVELOPER_PATHS,
  demo,
  fromMail,
  mails,
  sandbox,
  service,
  signIn,
} from '../steps.ts';

type Plug = { on: boolean };
type Door = { id: string };

/** Cancels all bookings of the next four hours, so that the rooms are free. */
async function freeRooms(): Promise<void> {
  const now = Date.now();
  const { data, error } = await service()
    .from('bookings')
    .select('id, notes')
    .in('status', ['pending', 'confirmed'])
    .gt('end_time', new Date(now).toISOString())
    .lt('start_time', new Date(now + 4 * 3_600_000).toISOString());
  expect(error).toBeNull();
  for (const { id, notes } of data ?? []) {
    const cancelled =
      notes === 'test'
        ? await service()
            .from('bookings')
            .update({ status: 'cancelled' })
            .eq('id', id ?? '')
        : await service().functions.invoke('staff-cancel-booking', {
            body: { bookingId: id, refund: 'none', reason: 'The rooms are needed.' },
          });
    expect(cancelled.error).toBeNull();
  }
}
const latest = (page: Page) => page.getByRole('region', { name: 'Results' }).getByRole('listitem').first();

// Leaves the rooms free for later tests.
test.afterAll(freeRooms);

test('developer pages are not found for guests and customers [spec 2.17]', async ({ page }) => {
  for (const path of ['/test-pin', '/primitives']) {
    await page.goto(path);
    await expect(page.getByText('Oops! Page not found')).toBeVisible();
  }
  await signIn(page, demo);
  for (const path of DEVELOPER_PATHS) {
    await page.goto(path);
    await expect(page.getByText('Oops! Page not found')).toBeVisible();
  }
});

test('test bookings 5, 30 and 120 minutes ahead can be made, get a code, and can be ended [spec 2.17, 2.62, 9.23]', async ({
  page,
}) => {
  await freeRooms();
  await signIn(page, admin);
  await page.goto('/admin');
  await page.getByRole('link', { name: 'Developer pages' }).click();
  await page.getByRole('link', { name: 'Test bookings' }).click();
  await expect(page.getByText('No test bookings.')).toBeVisible();
  for (const minutes of [5, 30, 120]) {
    await page.getByRole('button', { name: `In ${minutes} minutes` }).click();
    await expect(page.getByText(/^Booked Studio/)).toBeVisible();
  }
  await expect(page.getByRole('row')).toHaveCount(4);
  await accessibleEverywhere(page);
  // The mail of the first booking is due now, because the booking starts in less than 15 minutes. The mail waits for the code.
  const before = (await mails(admin.email, 'access code')).length;
  await page.getByRole('link', { name: 'Igloohome test' }).click();
  await page.getByRole('button', { name: 'Generate Access Code' }).click();
  await expect(latest(page)).toContainText(/PIN \d+, works from/);
  const pin = /PIN (\d+)/.exec((await latest(page).textContent()) ?? '')?.[1] ?? '';
  await expect
    .poll(async () => (await mails(admin.email, 'access code')).length, { timeout: 20_000 })
    .toBeGreaterThan(before);
  expect(await fromMail(admin.email, 'access code', /^PIN: (\d+)$/m)).toBe(pin);
  await page.getByRole('link', { name: 'Test bookings' }).click();
  const end = page.getByRole('button', { name: /^End / });
  for (let remaining = 3; remaining > 0; remaining -= 1) {
    await expect(end).toHaveCount(remaining);
    await end.first().click();
  }
  await expect(page.getByText('No test bookings.')).toBeVisible();
});

test('when every room is taken the page says what to do [spec 8.47]', async ({ page }) => {
  await freeRooms();
  await signIn(page, admin);
  await page.goto('/test-booking-system');
  for (let n = 0; n < 3; n += 1) {
    await page.getByRole('button', { name: 'In 5 minutes' }).click();
    await expect(page.getByRole('row')).toHaveCount(n + 2);
  }
  await page.getByRole('button', { name: 'In 30 minutes' }).click();
  await expect(page.getByText('All studios are booked at that time. End a test booking first.')).toBeVisible();
});

test('the lock and mail tools each show a result, and the results can be cleared [spec 2.17, 2.59, 7.43, 8.47, 9.29]', async ({
  page,
}) => {
  await freeRooms();
  await signIn(page, admin);
  await page.goto('/igloohome-test');
  await expect(page.getByText('These tools need a test booking.')).toBeVisible();
  await accessibleEverywhere(page);
  await page.goto('/test-booking-system');
  await page.getByRole('button', { name: 'In 5 minutes' }).click();
  await expect(page.getByText(/^Booked Studio/)).toBeVisible();
  await page.goto('/igloohome-test');
  const results: [string, string | RegExp][] = [
    ['Config Test', 'Mode bridge, 3 locks set.'],
    ['OAuth Test', /Signed in; \d+ devices\./],
    ['PIN Generation Test', 'PIN created.'],
    ['Generate Access Code', /PIN \d+, works from/],
    ['Schedule Email', /The access code email to admin@example\.com is due at/],
    ['Send Test Email', 'The access code email to admin@example.com is on its way.'],
    ['Process Emails', /\d+ jobs? processed\./],
    ['View Access Codes', /The latest \d+ access codes\./],
  ];
  for (const [name, words] of results) {
    await page.getByRole('button', { name, exact: true }).click();
    await expect(latest(page)).toContainText(name);
    await expect(latest(page)).toContainText(words);
    await expect(latest(page)).toContainText('Success');
  }
  // The list shows no digits and at most ten rows.
  const shown: unknown[] = JSON.parse((await latest(page).locator('pre').textContent()) ?? '[]');
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.length).toBeLessThanOrEqual(10);
  expect(JSON.stringify(shown)).not.toMatch(/pin/i);
  await accessibleEverywhere(page);
  await sandbox('/api/faults', { provider: 'igloohome', kind: 'status', count: 20 });
  await page.getByRole('button', { name: 'OAuth Test' }).click();
  await expect(latest(page)).toContainText('Failed');
  await fetch(`${process.env['E2E_SANDBOX_URL'] ?? ''}/api/faults`, { method: 'DELETE' });
  await page.getByRole('button', { name: 'Clear Results' }).click();
  await expect(page.getByText('No results yet.')).toBeVisible();
});

test('a test PIN until 7 pm opens the door [spec 2.17, 2.60]', async ({ page }) => {
  await signIn(page, admin);
  await page.goto('/test-pin');
  await page.getByRole('button', { name: 'Generate Test PIN' }).click();
  const board = page.getByRole('region', { name: 'Test PIN' });
  await expect(board).toContainText(/to 7 pm( on .*)? Sydney time/);
  const pin = (await board.locator('p').first().textContent()) ?? '';
  const [door] = await sandbox<Door[]>('/api/doors');
  expect(await sandbox(`/api/doors/${door?.id}/keypad`, { pin })).toMatchObject({ opened: true });
  await accessibleEverywhere(page);
});

test('Sydney time is the same in our rules, the browser and a stored booking [spec 2.17, 2.61, 7.25]', async ({
  page,
}) => {
  await freeRooms();
  await signIn(page, admin);
  await page.goto('/test-booking-system');
  await page.getByRole('button', { name: 'In 120 minutes' }).click();
  await expect(page.getByText(/^Booked Studio/)).toBeVisible();
  const booking = (await page.getByText(/^Booked Studio/).textContent()) ?? '';
  await page.goto('/test-timezone');
  await page.getByRole('button', { name: 'Run Timezone Test' }).click();
  await expect(page.getByText('Our rules and this browser agree on all 8784 hours.')).toBeVisible();
  const stored = page.getByRole('region', { name: 'A stored booking' });
  await expect(stored).toContainText(/Booked (.*)\. Its/.exec(booking)?.[1] ?? 'no booking');
  await accessibleEverywhere(page);
  await page.getByLabel('Booking ID').fill('not an id');
  await page.getByRole('button', { name: 'Read' }).click();
  await expect(page.getByText('This isn’t a booking ID.')).toBeVisible();
  await page.goto('/test-timezone?booking_id=00000000-0000-4000-8000-000000000000');
  await expect(page.getByText('No booking has this ID.')).toBeVisible();
});

test('the plug test switches on and off after two seconds; the lights stay as switched [spec 2.17, 2.63, 2.64, 7.44, 7.45, 9.21]', async ({
  page,
}) => {
  const lit = async (): Promise<boolean | undefined> => (await sandbox<Plug[]>('/api/plugs'))[0]?.on;
  await signIn(page, admin);
  await page.goto('/power-control');
  await page.getByRole('button', { name: 'Turn On' }).click();
  await expect(page.getByText('Power turned on')).toBeVisible();
  expect(await lit()).toBe(true);
  await accessibleEverywhere(page);
  await page.getByRole('button', { name: 'Turn Off' }).click();
  await expect(page.getByText('Power turned off')).toBeVisible();
  expect(await lit()).toBe(false);
  await page.goto('/test-smart-plug');
  await page.getByRole('button', { name: 'Run Plug Test' }).click();
  await expect(page.getByText('It switches off after 2 seconds.')).toBeVisible();
  await accessibleEverywhere(page);
  await expect.poll(lit).toBe(false);
  await sandbox('/api/faults', { provider: 'plug', kind: 'status', count: 20 });
  await page.getByRole('button', { name: 'Run Plug Test' }).click();
  await expect(page.getByText('We can’t reach the smart plug.')).toBeVisible();
  await fetch(`${process.env['E2E_SANDBOX_URL'] ?? ''}/api/faults`, { method: 'DELETE' });
});

test('the primitives page shows every component and its crash screen', async ({ page }) => {
  await signIn(page, admin);
  await page.goto('/primitives');
  await expect(page.getByRole('heading', { name: 'Fields' })).toBeVisible();
  await accessibleEverywhere(page);
  // A form first shows errors at a field, then a refusal that does not belong to a field.
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Please enter a name.' })).toBeVisible();
  await expect(page.getByLabel('A text field of a form')).toBeFocused();
  await page.getByLabel('A text field of a form').fill('Alex');
  await page.getByLabel('A code field').fill('123 456');
  await page.getByLabel('A box of a form').check();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'The server refused this.' })).toBeVisible();
  await accessibleEverywhere(page);
  await page.getByRole('button', { name: 'Open a dialog' }).click();
  await accessibleEverywhere(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show an error' }).click();
  await expect(page.getByText('Your changes are not saved.')).toBeVisible();
  await page.getByRole('button', { name: 'Break a part of the page' }).click();
  await expect(page.getByText('The needle jumped')).toBeVisible();
});
