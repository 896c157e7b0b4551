import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import {
  accessibleEverywhere,
  expectToast,
  fromMail,
  insertBooking,
  newPerson,
  signInByDialog,
  signIn,
  expectErrorInPlace,
} from '../steps.ts';

test('the profile asks a guest to sign in, shows every error at its field, and saves valid data [spec 2.47, 2.48, 5.14, 5.16, 8.29]', async ({
  page,
}) => {
  const who = await newPerson(true);
  await page.goto('/profile');
  await expect(page.getByRole('dialog')).toBeVisible();
  await signInByDialog(page, who);
  await expect(page.getByText(/^Verified until/)).toBeVisible();
  await accessibleEverywhere(page);
  const save = page.getByRole('button', { name: 'Save profile' });
  for (const [field, bad, message] of [
    ['Full Name', 'R', 'Full name must be at least 2 characters'],
    ['Email', 'nowhere', 'Please enter a valid email address'],
    ['Phone Number', '0400', 'Phone number must be at least 10 digits'],
  ] as const) {
    const input = page.getByRole('textbox', { name: field });
    const good = await input.inputValue();
    await input.fill(bad);
    await save.click();
    await expectErrorInPlace(page, 'Validation Error', message);
    await expect(page.getByRole('alert')).toHaveText(message);
    await input.fill(good);
  }
  await page.getByLabel('Year').fill('2015');
  await save.click();
  await expectErrorInPlace(page, 'Age Requirement', 'You must be 18 years or older.');
  await page.getByLabel('Year').fill('1998');
  await page.context().setOffline(true);
  await page.getByLabel('DJ Name (optional)').fill('Needle');
  await save.click();
  await expectErrorInPlace(page, 'Error', 'Failed to update profile. Please try again.');
  await page.context().setOffline(false);
  await page.getByRole('textbox', { name: 'Email' }).fill(`new-${who.email}`);
  await save.click();
  await expectToast(page, 'Profile updated');
  await expect(page.getByText('We sent a confirmation email to')).toBeVisible();
  expect(await fromMail(`new-${who.email}`, '', /(token_hash=)/)).not.toBe('');
  await page.reload();
  await expect(page.getByLabel('DJ Name (optional)')).toHaveValue('Needle');
});

test('a new password must match and be long enough, and then works [spec 2.48, 2.49, 5.18, 5.19, 8.26, 8.29]', async ({
  page,
}) => {
  const who = await newPerson(false);
  await signIn(page, who);
  await page.goto('/profile');
  await expect(page.getByText('Not verified yet.')).toBeVisible();
  const [next, confirm] = [page.getByLabel('New password', { exact: true }), page.getByLabel('Confirm new password')];
  const change = page.getByRole('button', { name: 'Change password' });
  await next.fill('another-night-1');
  await confirm.fill('another-night-2');
  await change.click();
  await expectErrorInPlace(page, 'Password mismatch', "New password and confirmation don't match.");
  await next.fill('12345');
  await confirm.fill('12345');
  await change.click();
  await expectErrorInPlace(page, 'Password too short', 'Password must be at least 6 characters long.');
  await page.context().setOffline(true);
  await next.fill('another-night-1');
  await confirm.fill('another-night-1');
  await change.click();
  await expectErrorInPlace(page, 'Error', 'Failed to update password. Please try again.');
  await page.context().setOffline(false);
  await change.click();
  await expectToast(page, 'Password updated');
  await page.getByRole('button', { name: 'Sign Out' }).click();
  await expect(page).toHaveURL(/:\d+\/$/);
  await signIn(page, { ...who, password: 'another-night-1' });
});

test('an upcoming booking links to its access code, and cancelling asks first [spec 2.48]', async ({ page }) => {
  const who = await newPerson(true);
  const hour = 3_600_000;
  const base = Math.floor(Date.now() / hour) * hour + Math.floor(Math.random() * 500) * 24 * hour;
  await insertBooking({
    userId: who.id,
    studio: 'Studio B',
    start: new Date(base + 600 * 24 * hour),
    end: new Date(base + 600 * 24 * hour + hour),
    status: 'confirmed',
  });
  await signIn(page, who);
  await page.goto('/profile');
  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Bookings' }).click();
  const booking = page.getByRole('article').filter({ hasText: 'Studio B' });
  await expect(booking.getByRole('link', { name: 'Access code' })).toBeVisible();
  await booking.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { name: 'Cancel this booking?' })).toBeVisible();
  await accessibleEverywhere(page);
  await page.getByRole('button', { name: 'Keep it' }).click();
  await expect(booking).toBeVisible();
});

test('/bookings asks a guest to sign in, then shows no bookings, some, or a loading error [spec 2.9]', async ({
  page,
}) => {
  const who = await newPerson(false);
  await page.goto('/bookings');
  await expect(page.getByRole('dialog')).toBeVisible();
  await signInByDialog(page, who);
  await expect(page).toHaveURL(/\/bookings$/);
  await expect(page.getByText('No bookings yet')).toBeVisible();
  await accessibleEverywhere(page);
  await page.getByRole('link', { name: 'Book Now' }).click();
  await expect(page).toHaveURL(/\/booking$/);
  const day = 86_400_000;
  const start = Math.floor(Date.now() / day) * day + (700 + Math.floor(Math.random() * 500)) * day;
  await insertBooking({
    userId: who.id,
    studio: 'Studio A',
    start: new Date(start),
    end: new Date(start + 3_600_000),
    status: 'confirmed',
  });
  // The ACCOUNT menu links to the profile from every page.
  await page.getByRole('button', { name: 'ACCOUNT', exact: true }).click();
  await page.getByRole('link', { name: 'Your Bookings' }).click();
  await expect(page.getByRole('article').filter({ hasText: 'Studio A' })).toBeVisible();
  await expect(page.getByText('No bookings yet')).toBeHidden();
  await accessibleEverywhere(page);
  let reads = 0;
  await page.route('**/rpc/own_bookings*', (route) => {
    reads += 1;
    return route.fulfill({ status: 400, json: { message: 'no' } });
  });
  let connect = (): void => {};
  const mayConnect = new Promise<void>((done) => (connect = done));
  await page.routeWebSocket(/\/realtime\//, async (socket) => {
    await mayConnect;
    socket.connectToServer();
  });
  await page.reload();
  await expect(page.getByText('Your bookings could not be loaded.')).toBeVisible();
  expect(reads).toBe(1);
  // The page reloads its data when its live connection opens.
  connect();
  await expect.poll(() => reads).toBeGreaterThan(1);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('article').filter({ hasText: 'Studio A' })).toBeVisible();
});
