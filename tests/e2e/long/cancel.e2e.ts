import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { newPerson, service, signIn } from '../steps.ts';
import { FAR, act, book, checked, ownDay } from './driver.ts';
import { expectMoney, mailed } from './money.ts';
import { setBusiness } from './prepare.ts';

const THURSDAY = 4;
test.use({ timezoneId: 'America/Los_Angeles' });
test.afterEach(() => setBusiness({ freeCancelHours: 24 }));

test('a booking is cancelled by the terms it was made with, says before what comes back, and the money and mails follow [spec 10.9]', async ({
  page,
}) => {
  const who = await newPerson(true);
  await signIn(page, who);
  const booked = await book(page, 'Studio C', ownDay(THURSDAY, FAR), [12, 13, 14]);
  // Stricter terms introduced later do not change the terms that were agreed.
  await setBusiness({ freeCancelHours: 336 });
  await page.goto('/bookings');
  const card = page.getByRole('article');
  await expect(card.getByText(/^Free to cancel until 12 pm on Wed /)).toBeVisible();
  await act(card.getByRole('link', { name: 'Move, details, receipt' }));
  await expect(page.getByText(/24 hours before it starts, as agreed when you booked\.$/)).toBeVisible();

  await act(page.getByRole('button', { name: 'Cancel', exact: true }));
  const dialog = page.getByRole('dialog', { name: 'Cancel this booking?' });
  await expect(dialog).toContainText('You’ll get the full $132 back the way you paid.');
  await expect(dialog).toContainText('You can’t undo this');
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Keep it' }));
  await expect(dialog).toBeHidden();
  await act(page.getByRole('button', { name: 'Cancel', exact: true }));
  await act(dialog.getByRole('button', { name: 'Cancel booking' }));
  await expect(dialog).toBeHidden();
  await expect(page.getByText('$132 sent back to you')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Money' })).toContainText('Sent back to you$132');
  await expect(page.getByRole('link', { name: /^Book again/ })).toBeVisible();
  await checked(page);

  await expectMoney(booked.reference, { paid: [13_200], back: [13_200] });
  const [cancelled] = await mailed(who.email, 'Booking cancelled');
  expect(cancelled).toContain('$132');
  const [note] = await mailed(who.email, 'refund receipt');
  expect(note).toContain('Refunded: $132');
  // The hours become free for others at once.
  const { data } = await service().from('bookings').select('status').eq('id', booked.id).single();
  expect(data?.status).toBe('cancelled');
});
