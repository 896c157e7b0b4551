import { expect } from '@playwright/test';
import { test } from './journey.ts';
import { accessibleEverywhere, expectToast, insertBooking, newPerson, signIn } from './steps.ts';

const HOUR = 3_600_000;
/** Returns a one-hour span that starts `offset` hours after the current full hour. */
const span = (offset: number): { start: Date; end: Date } => {
  const start = Math.floor(Date.now() / HOUR) * HOUR + offset * HOUR;
  return { start: new Date(start), end: new Date(start + HOUR) };
};

test('the PIN page needs a booking id, and asks a guest to sign in [spec 2.15, 2.16, 5.34, 8.42]', async ({ page }) => {
  await page.goto('/access-code');
  await expect(page).toHaveURL(/\/regenerate-pin$/);
  await expect(page.getByRole('heading', { name: 'Invalid Request' })).toBeVisible();
  await expect(
    page.getByText('No booking ID provided. Please use the link from your booking confirmation email.'),
  ).toBeVisible();
  await accessibleEverywhere(page);
  await page.goto('/access-code?booking_id=5a000000-0000-4000-8000-0000000000ff');
  await expect(page).toHaveURL(/\/regenerate-pin\?booking_id=5a/);
  await expect(page.getByRole('alert')).toContainText('Please sign in to see your access code.');
  await accessibleEverywhere(page);
});

test('an ended session shows no PIN and cannot make one [spec 4.31, 8.41]', async ({ page }) => {
  const who = await newPerson(false);
  const id = await insertBooking({ userId: who.id, studio: 'Studio A', ...span(-40 * 24), status: 'confirmed' });
  await signIn(page, who);
  await page.goto(`/regenerate-pin?booking_id=${id}`);
  await expect(page.getByRole('button', { name: 'Session Ended' })).toBeDisabled();
  await expect(page.getByText('Your booking session has ended. You can no longer generate new PINs.')).toBeVisible();
  await accessibleEverywhere(page);
});

test('before its release the PIN page counts down every second and shows no PIN [spec 2.16, 2.58, 9.27]', async ({
  page,
}) => {
  const who = await newPerson(false);
  // The booking is more than a year ahead, where no other journey chooses hours.
  const id = await insertBooking({ userId: who.id, studio: 'Studio C', ...span(400 * 24), status: 'confirmed' });
  await signIn(page, who);
  // Without an id the page leads to the customer's next booking.
  await page.goto('/access-code');
  await expect(page).toHaveURL(new RegExp(`booking_id=${id}`));
  await expect(page.getByText('Your code will appear here at')).toBeVisible();
  // One sentence explains, with the time, why to arrive before the code works.
  await expect(
    page.getByText(/^Arrive 10 minutes early\. Your code opens the door from \d.* so the people before you/),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Generate New PIN' })).toBeDisabled();
  const timer = page.getByRole('timer');
  const first = await timer.textContent();
  await expect(timer).not.toHaveText(first ?? '');
  await accessibleEverywhere(page);
});

test('during the session the PIN can be copied and replaced after a confirmation; errors are shown [spec 2.58, 4.31]', async ({
  page,
}) => {
  test.setTimeout(120_000);
  const who = await newPerson(false);
  const id = await insertBooking({ userId: who.id, studio: 'Studio C', ...span(0), status: 'confirmed' });
  await signIn(page, who);
  await page.goto(`/regenerate-pin?booking_id=${id}`);
  const pin = page.getByTestId('pin');
  await expect(pin).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('Each PIN is single-use')).toBeVisible();
  const renew = page.getByRole('button', { name: 'Generate New PIN' });
  const before = await pin.textContent();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy PIN' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(before);
  await accessibleEverywhere(page);
  // A new PIN is possible at most every 30 seconds, and the page counts down.
  await expect(renew).toBeEnabled({ timeout: 40_000 });
  // Replacing a PIN that works must be confirmed, and Copy PIN is the primary button.
  const question = page.getByRole('dialog', { name: 'Replace your PIN?' });
  await expect(page.getByRole('button', { name: 'Copied' })).toHaveCSS('background-color', 'rgb(255, 90, 44)');
  await expect(renew).not.toHaveCSS('background-color', 'rgb(255, 90, 44)');
  await renew.click();
  await expect(question).toContainText('still works');
  await accessibleEverywhere(page);
  await question.getByRole('button', { name: 'Keep this PIN' }).click();
  await expect(question).toBeHidden();
  await expect(pin).toHaveText(before ?? '');
  const replace = async (): Promise<void> => {
    await renew.click();
    await question.getByRole('button', { name: 'Make a new one' }).click();
  };
  await page.context().setOffline(true);
  await replace();
  await expectToast(page, 'Error');
  await expect(page.getByRole('alert')).toContainText('We can’t reach the studio right now.');
  await page.context().setOffline(false);
  await replace();
  await expectToast(page, 'New PIN generated');
  await expect(pin).not.toHaveText(before ?? '');
});
