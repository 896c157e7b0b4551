import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { expectToast, insertBooking, newPerson, service, signIn, sydneyHour } from '../steps.ts';
import { FAR, act, bookAndPay, checked, onPhone, openHours, ownDay, pay, pressHours } from './driver.ts';
import { expectMoney, mailed } from './money.ts';

/** An hour costs $49 by day; three hours cost 10 % less. */
const MONDAY = 1;
test.use({ timezoneId: 'Europe/London' });

test('hours are added before the start at the right step price, on the pay page and with one tap of a saved card [spec 10.8]', async ({
  page,
}) => {
  const at = ownDay(MONDAY, FAR);
  const who = await newPerson(true);
  await signIn(page, who);
  await openHours(page, 'Studio B', at);
  await pressHours(page, 10);
  const booked = await bookAndPay(page, { save: true });
  // Another customer's booking begins five hours later.
  await insertBooking({
    userId: null,
    studio: 'Studio B',
    start: sydneyHour(at, 15),
    end: sydneyHour(at, 16),
    status: 'confirmed',
  });
  await page.goto('/bookings');
  await act(page.getByRole('link', { name: 'Move, details, receipt' }));
  const dialog = page.getByRole('dialog', { name: 'Stay longer' });

  await act(page.getByRole('button', { name: 'Stay longer' }));
  const ends = dialog.getByRole('group', { name: 'New end' });
  await expect(ends.getByRole('button')).toHaveText([/^12 pm\$49 more$/, /^1 pm\$/, /^2 pm\$/, /^3 pm\$/]);
  await checked(page);
  await act(ends.getByRole('button', { name: /^12 pm/ }));
  await expect(dialog.getByText(/^This costs \$49 more\./)).toBeVisible();
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Pay another way' }));
  await pay(page);
  await expect(page.getByRole('heading', { name: 'Booking changed' })).toBeVisible();
  await act(page.getByRole('link', { name: 'Manage your booking' }));
  await expect(page.getByText(/10 am to 12 pm, Sydney time$/)).toBeVisible();
  await expectMoney(booked.reference, { paid: [4_900, 4_900], back: [] });

  // Three hours cost $147 less 10 %, which rounds to $15: $132.
  await act(page.getByRole('button', { name: 'Stay longer' }));
  await act(ends.getByRole('button', { name: /^1 pm/ }));
  await expect(dialog.getByText(/^This costs \$34 more\./)).toBeVisible();
  await act(dialog.getByRole('button', { name: 'Pay $34 with Visa ending in 4242' }));
  await expectToast(page, 'Your booking is changed');
  await expect(page.getByText(/10 am to 1 pm, Sydney time$/)).toBeVisible();
  const money = page.getByRole('region', { name: 'Money' });
  await expect(money).toContainText('Volume discount-$15');
  await expect(money).toContainText('Paid$132');
  await checked(page);
  await expectMoney(booked.reference, { paid: [4_900, 4_900, 3_400], back: [] });
  const [mail] = await mailed(who.email, 'Booking extended', 2);
  expect(mail).toMatch(/Before: .*10 am to 12 pm \(Sydney time\)\nNow: .*10 am to 1 pm \(Sydney time\)/);
  expect(mail).toContain('You paid $34 for the change.');
  await mailed(who.email, 'Booking moved', 0);
  const { data } = await service().from('bookings').select('total_hours').eq('id', booked.id).single();
  expect(data?.total_hours).toBe(3);
});

test('within 24 hours a booking can be made longer, but not be moved or cancelled, and says why [spec 10.8]', async ({
  page,
}) => {
  const who = await newPerson(true);
  await signIn(page, who);
  const start = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 20 * 3_600_000);
  const id = await insertBooking({
    userId: who.id,
    studio: onPhone() ? 'Studio B' : 'Studio C',
    start,
    end: new Date(start.getTime() + 3_600_000),
    status: 'confirmed',
  });
  const { data } = await service().from('studios').select('id').eq('name', 'Studio A').single();
  const studioId = data?.id;
  await page.goto('/bookings');
  const card = page.getByRole('article');
  await expect(card.getByRole('link', { name: 'Details, receipt' })).toBeVisible();
  await expect(card.getByRole('button', { name: 'Cancel' })).toHaveCount(0);
  await checked(page);
  await act(card.getByRole('link', { name: 'Details, receipt' }));
  await expect(page.getByText(/^Moving and cancelling ended 24 hours before the start\./)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stay longer' })).toBeVisible();
  for (const name of ['Move', 'Cancel']) await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0);
  await checked(page);
  // The server refuses the extension too, whatever a page offers.
  const token = await page.evaluate<string>(`JSON.parse(localStorage.getItem('sb-localhost-auth-token')).access_token`);
  const refused = await page.request.post('/functions/v1/reschedule-booking', {
    headers: { authorization: `Bearer ${token}` },
    data: { bookingId: id, studioId, startTime: sydneyHour(40, 3), endTime: sydneyHour(40, 4) },
  });
  expect(await refused.json()).toMatchObject({ error: { code: 'too_late' } });
});
