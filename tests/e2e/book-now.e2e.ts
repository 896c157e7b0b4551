import { expect, type Page } from '@playwright/test';
import { test } from './journey.ts';
import {
  accessible,
  accessibleEverywhere,
  bookWithPhoto,
  chooseHours,
  expectToast,
  newPerson,
  openDay,
  signInByDialog,
  signIn,
} from './steps.ts';

/** Covers Book Now without a verified ID, and how the booking is handed to the checkout. */

const stored = (page: Page, key: string): Promise<unknown> =>
  page.evaluate(`JSON.parse(sessionStorage.getItem('${key}'))`);

test('Book Now without a verified ID creates a verification session, stores its ids and leads to /verify-complete [spec 4.22]', async ({
  page,
}) => {
  await signIn(page, await newPerson(false));
  await openDay(page, 'Studio A', 58);
  await chooseHours(page, [9]);
  const [answer] = await Promise.all([
    page.waitForResponse('**/functions/v1/create-verification-session'),
    page.getByRole('button', { name: 'Book Now' }).click(),
  ]);
  const created: { verificationSessionId: string; verificationUrl: string } = await answer.json();
  await expect(page).toHaveURL(/\/verify-complete$/);
  expect(await stored(page, 'verificationSession')).toEqual({
    id: created.verificationSessionId,
    url: created.verificationUrl,
  });
  // Any input stops the countdown.
  await expect(page.locator('p[role="timer"]')).toContainText('The check opens automatically in');
  await page.getByRole('heading', { name: 'Verify your ID' }).click();
  await expect(page.locator('p[role="timer"]')).toBeEmpty();
  await accessibleEverywhere(page);
  await page.getByRole('link', { name: 'Use a photo of my licence here' }).click();
  await expect(page).toHaveURL(/\/checkout$/);
  // The photo dialog opens automatically, but not again after a reload.
  await expect(page.getByRole('dialog', { name: 'ID Verification' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Verify ID' })).toBeVisible();
  // Pressing Book Now again reuses the check that has not been opened yet.
  await page.getByRole('link', { name: 'Back to booking' }).click();
  await page.getByRole('button', { name: 'Book Now' }).click();
  await expect(page).toHaveURL(/\/verify-complete$/);
  expect(await stored(page, 'verificationSession')).toMatchObject({ id: created.verificationSessionId });
  // Without input the check opens automatically, after 20 seconds.
  await page.waitForURL(/\/verify\/vs_/, { timeout: 40_000 });
  expect(page.url()).toContain(created.verificationSessionId);
});

test('without a hosted check Book Now leads to the checkout; when the check cannot start, the page says so and offers a photo [spec 4.22, 8.17]', async ({
  page,
}) => {
  await signIn(page, await newPerson(false));
  await openDay(page, 'Studio A', 59);
  await chooseHours(page, [9]);
  const refuse = (status: number, code: string, message: string): Promise<unknown> =>
    page.route(
      '**/functions/v1/create-verification-session',
      (route) => route.fulfill({ status, json: { error: { code, message } } }),
      { times: 1 },
    );
  await refuse(500, 'x', '{"no": "words"}');
  await page.getByRole('button', { name: 'Book Now' }).click();
  await expectToast(page, 'Failed to start verification. Please try again.');
  await accessible(page);
  await page.getByRole('link', { name: 'Use a photo of my licence' }).click();
  await expect(page).toHaveURL(/\/checkout$/);
  await page.getByRole('link', { name: 'Back to booking' }).click();
  await refuse(409, 'not_configured', 'The online identity check isn’t available.');
  await page.getByRole('button', { name: 'Book Now' }).click();
  await expect(page).toHaveURL(/\/checkout$/);
  await expect(page.getByRole('button', { name: 'Verify ID' })).toBeVisible();
});

test('the checkout prefers the booking in navigation state to the one stored in the tab [spec 2.42]', async ({
  page,
}) => {
  await signIn(page, await newPerson(false));
  await openDay(page, 'Studio A', 60);
  await chooseHours(page, [9]);
  await bookWithPhoto(page);
  await expect(page.getByLabel('Price')).toContainText('Studio A');
  // Simulates another booking stored in this tab.
  await page.evaluate(
    "sessionStorage.setItem('checkoutBookingData', sessionStorage.getItem('checkoutBookingData').replaceAll('Studio A', 'Studio Z'))",
  );
  await page.reload();
  await expect(page.getByLabel('Price')).toContainText('Studio A');
  // The page is opened directly, without navigation state.
  await page.goto('/profile');
  await page.goto('/checkout');
  await expect(page.getByLabel('Price')).toContainText('Studio Z');
});

for (const size of [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]) {
  test(`after signing in the kept hours and Book Now are in view, ${size.width} px wide`, async ({ page }) => {
    await page.setViewportSize(size);
    const who = await newPerson(false);
    await openDay(page, 'Studio B', 61);
    // The test of the other screen size holds the other hours.
    const hour = size.width === 390 ? 18 : 20;
    await chooseHours(page, [hour, hour + 1]);
    // Book Now continues after sign-in, and then fails.
    await page.route('**/functions/v1/create-verification-session', (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'x', message: '' } } }),
    );
    await page.getByRole('button', { name: 'Book Now' }).click();
    await signInByDialog(page, who);
    await expectToast(page, 'Failed to start verification. Please try again.');
    await expect(page.locator(`[data-hour="${hour}"]`)).toBeFocused();
    await expect(page.locator(`[data-hour="${hour}"]`)).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('button', { name: 'Book Now' })).toBeInViewport({ ratio: 1 });
  });
}

test('a Book Now that was given up does not continue after a later sign-in, which only restores the hours', async ({
  page,
}) => {
  const who = await newPerson(true);
  await openDay(page, 'Studio B', 62);
  await chooseHours(page, [18]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  await signInByDialog(page, who);
  await expectToast(page, 'Selections Restored');
  await expect(page.locator('[data-hour="18"]')).toHaveAttribute('data-state', 'selected');
  await page.waitForTimeout(2_000);
  await expect(page).toHaveURL(/\/booking$/);
  await expect(page.getByRole('button', { name: 'Book Now' })).toBeEnabled();
});
