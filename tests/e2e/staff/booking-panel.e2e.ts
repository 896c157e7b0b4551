import { expect, test } from '@playwright/test';
import {
  accessibleEverywhere,
  admin,
  expectToast,
  insertBooking,
  newPerson,
  service,
  signIn,
  sydneyHour,
} from '../steps.ts';

test('staff open a booking by its reference, mail the code again, and cancel it', async ({ page }) => {
  const { id: userId } = await newPerson(true);
  const times = { start: sydneyHour(3, 9), end: sydneyHour(3, 10) };
  const id = await insertBooking({ userId, studio: 'Studio C', ...times, status: 'confirmed' });
  const { data } = await service().from('bookings').select('reference').eq('id', id).single();
  const reference = String(data?.reference);
  await signIn(page, admin);
  await page.goto('/admin');
  await page.getByLabel('Reference, name, email or phone').fill(reference.toLowerCase());
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: `Booking ${reference}` });
  await expect(panel.getByText('Robin Sample')).toBeVisible();
  await accessibleEverywhere(page);
  await panel.getByRole('button', { name: 'Mail the code again' }).click();
  await expectToast(page, 'The code is mailed again');
  await panel.getByRole('button', { name: 'Cancel the booking' }).click();
  await panel.getByLabel('Reason').fill('Broken mixer');
  await panel.getByRole('button', { name: 'Continue' }).click();
  await expect(panel.getByText('The hours are free at once, and the PIN stops working.')).toBeVisible();
  await panel.getByRole('button', { name: 'Cancel the booking' }).click();
  await expectToast(page, `${reference} is cancelled`);
  await expect(panel.getByText(/: Broken mixer$/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(page).not.toHaveURL(/booking=/);
});
