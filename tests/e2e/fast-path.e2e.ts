import { expect } from '@playwright/test';
import { test } from './journey.ts';
import {
  accessible,
  ahead,
  chooseHours,
  GOOD_CARD,
  newPerson,
  openDay,
  openDetails,
  payWith,
  signIn,
  signInByDialog,
} from './steps.ts';

const [TUESDAY, WEDNESDAY] = [2, 3];

test('a guest chooses hours, signs in, gets the selection back, and pays [spec 2.6, 2.38, 4.20, 4.21, 6.1]', async ({
  page,
}, info) => {
  await openDay(page, 'Studio A', ahead(TUESDAY, info.project.name === 'phone' ? 14 : 21));
  await accessible(page);
  await chooseHours(page, [19, 20, 21]);
  await openDetails(page);
  await expect(page.getByLabel('Your selection').getByText('$159', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Book Now' }).click();
  await signInByDialog(page);
  // Book Now continues automatically.
  await payWith(page, GOOD_CARD);
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  await accessible(page);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
});

test('a customer who cancels in time sees the refund [spec 2.8]', async ({ page }, info) => {
  // Uses a new customer, so that this is the only booking on the page.
  await signIn(page, await newPerson(true));
  await openDay(page, 'Studio C', ahead(WEDNESDAY, info.project.name === 'phone' ? 14 : 21));
  await chooseHours(page, [9]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await payWith(page, GOOD_CARD);
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  await page.goto('/bookings');
  await accessible(page);
  const booking = page.getByRole('article').filter({ hasText: 'Studio C' });
  await booking.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('dialog')).toContainText('You’ll get the full $49 back');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel booking' }).click();
  await expect(page.getByText('Booking cancelled')).toBeVisible();
});

test('the first page is accessible, and an unknown path shows the 404 page [spec 2.25, 6.1]', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('link', { name: 'BOOK NOW' })).toBeVisible();
  await accessible(page);
  await page.goto('/no-such-page');
  await expect(page.getByText('Oops! Page not found')).toBeVisible();
});
