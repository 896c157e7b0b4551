import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import {
  accessibleEverywhere,
  admin,
  expectToast,
  insertBooking,
  newPerson,
  service,
  signIn,
  sydneyDay,
  sydneyHour,
} from '../steps.ts';

test('the menu leads to Today, which shows the day of each room, follows bookings, goes to other days, and asks about those of a blocked customer', async ({
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

  // This booking is paid by a customer; the ones above are test bookings.
  const studio = await service().from('studios').select('id').eq('name', 'Studio B').single();
  const paid = await service().functions.invoke<{ bookingId: string }>('staff-create-booking', {
    body: {
      studioId: studio.data?.id,
      startTime: sydneyHour(1, 13).toISOString(),
      endTime: sydneyHour(1, 14).toISOString(),
      customerEmail: email,
      customerName: 'Robin Sample',
      payment: 'elsewhere',
    },
  });
  expect(paid.error).toBeNull();
  for (const id of [first, second]) await service().from('bookings').update({ status: 'cancelled' }).eq('id', id);
  await page.goto(`/admin?tab=customers&q=${encodeURIComponent(email)}`);
  await page.getByRole('button', { name: /^Open / }).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Block customer' }).click();
  await expect(panel.getByText('A booking is paid:')).toBeVisible();
  await panel.getByLabel('Reason').fill('Broke a mixer');
  await accessibleEverywhere(page);
  await panel.getByRole('button', { name: 'Block customer' }).press('Enter');
  await expectToast(page, 'Customer blocked', '1 paid booking remains. Decide on Today.');
  await page.goto(`/admin?day=${sydneyDay(1).toISOString().slice(0, 10)}`);
  const alert = page.getByRole('listitem').filter({ hasText: 'Robin Sample is blocked and has a paid booking' });
  await expect(alert).toHaveCount(1);
  await accessibleEverywhere(page);
  await alert.getByRole('button', { name: 'Keep booking' }).press('Enter');
  await expect(alert).toHaveCount(0);
  await expect(bookings).toHaveCount(1);
  const cancellation = { bookingId: paid.data?.bookingId, refund: 'none', reason: 'Over' };
  const cancelled = await service().functions.invoke('staff-cancel-booking', { body: cancellation });
  expect(cancelled.error).toBeNull();
  await expect(bookings).toHaveCount(0);
});
