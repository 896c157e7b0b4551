import { expect, test } from '@playwright/test';
import {
  accessibleEverywhere,
  admin,
  insertBooking,
  newPerson,
  service,
  signIn,
  sydneyDay,
  sydneyHour,
} from '../steps.ts';

test('the menu leads to Today, which shows the day of each room, follows bookings, and goes to other days', async ({
  page,
}) => {
  const { id: userId, email } = await newPerson(false);
  const book = (hour: number) =>
    insertBooking({
      userId,
      studio: 'Studio B',
      start: sydneyHour(1, hour),
      end: sydneyHour(1, hour + 1),
      status: 'confirmed',
    });
  const first = await book(9);
  await signIn(page, admin);
  await page.goto('/bookings');
  await page.getByRole('button', { name: 'ACCOUNT', exact: true }).click();
  await page.getByRole('link', { name: 'Admin' }).click();
  await expect(page.getByRole('tab', { name: 'Today' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('list', { name: 'Now' }).getByRole('listitem')).toHaveCount(3);
  await page.getByRole('button', { name: 'Today' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(new RegExp(`day=${sydneyDay(1).toISOString().slice(0, 10)}`));
  const bookings = page.getByRole('table').getByRole('row').filter({ hasText: email });
  await expect(bookings.filter({ hasText: '9 am to 10 am' })).toHaveCount(1);
  const second = await book(11);
  await expect(bookings.filter({ hasText: '11 am to 12 pm' })).toHaveCount(1);
  await accessibleEverywhere(page);
  for (const id of [first, second]) await service().from('bookings').update({ status: 'cancelled' }).eq('id', id);
  await expect(bookings).toHaveCount(0);
});
