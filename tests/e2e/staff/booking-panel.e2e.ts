import { expect, type Locator, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import {
  accessibleEverywhere,
  admin,
  ahead,
  DECLINED_CARD,
  expectToast,
  fromMail,
  GOOD_CARD,
  mails,
  insertBooking,
  newPerson,
  payWith,
  service,
  signIn,
  sydneyDay,
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
  await panel.getByRole('button', { name: 'Resend code' }).click();
  await expectToast(page, 'Code resent');
  await panel.getByRole('button', { name: 'Cancel booking' }).click();
  await panel.getByLabel('Reason').fill('Broken mixer');
  await panel.getByRole('button', { name: 'Continue' }).click();
  await expect(panel.getByText('The hours are available immediately, and the PIN stops working.')).toBeVisible();
  await panel.getByRole('button', { name: 'Cancel booking' }).click();
  await expectToast(page, `${reference} is cancelled`);
  await expect(panel.getByText(/: Broken mixer$/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(page).not.toHaveURL(/booking=/);
});

/** Returns an address that is too long for one line on a phone. */
const guestEmail = (days: number, hour: number): string =>
  `robin.longname.with.a.long.address.${days}.${hour}@example-company.com`;

/** Books hours in Studio C for a guest, and opens the booking in the panel. */
async function openBooking(
  page: Page,
  days: number,
  hour: number,
  payment: 'link' | 'elsewhere',
): Promise<{ readonly panel: Locator; readonly reference: string }> {
  const studio = await service().from('studios').select('id').eq('name', 'Studio C').single();
  const created = await service().functions.invoke<{ reference: string }>('staff-create-booking', {
    body: {
      studioId: studio.data?.id,
      startTime: sydneyHour(days, hour).toISOString(),
      endTime: sydneyHour(days, hour + 2).toISOString(),
      customerEmail: guestEmail(days, hour),
      customerName: 'Robin Sample',
      payment,
    },
  });
  expect(created.error).toBeNull();
  const reference = created.data?.reference ?? '';
  await page.goto(`/admin?tab=bookings&booking=${reference}`);
  const panel = page.getByRole('dialog', { name: `Booking ${reference}` });
  await expect(panel.getByText('Robin Sample')).toBeVisible();
  return { panel, reference };
}

test('staff mark a booking as paid whose link nobody has paid, with the keyboard, and its guest gets the confirmation', async ({
  page,
}) => {
  await signIn(page, admin);
  const { panel, reference } = await openBooking(page, ahead(1, 77), 9, 'link');
  await accessibleEverywhere(page);
  await panel.getByRole('button', { name: 'Mark as paid' }).press('Enter');
  await expect(panel.getByText('the payment link stops working')).toBeVisible();
  await accessibleEverywhere(page);
  await panel.getByRole('button', { name: 'Mark as paid' }).press('Enter');
  await expectToast(page, `${reference} is paid and confirmed`);
  await expect(panel.getByText('Confirmed', { exact: true })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Mark as paid' })).toHaveCount(0);
  await expect.poll(() => mails(guestEmail(ahead(1, 77), 9), 'Booking confirmed'), { timeout: 30_000 }).toHaveLength(1);
});

test('staff book the same hours of three weeks for a caller with the keyboard, leave one date out, and mark the series as paid', async ({
  page,
}) => {
  const days = ahead(2, 58);
  const email = guestEmail(days, 8);
  await signIn(page, admin);
  await page.goto('/admin?tab=today');
  await page.getByRole('button', { name: 'New booking' }).press('Enter');
  const form = page.getByRole('dialog', { name: 'New booking' });
  await form.getByLabel('Room').selectOption('Studio C');
  await form.getByLabel('Day').fill(sydneyDay(days).toISOString().slice(0, 10));
  await form.getByLabel('From').selectOption('8');
  await form.getByLabel('Hours').fill('2');
  await form.getByRole('button', { name: 'Continue' }).press('Enter');
  await form.getByLabel('Repeat weekly').selectOption('3 weeks');
  const dates = form.getByRole('group', { name: 'All 3 dates are free. Sydney time' });
  await expect(dates).toBeVisible();
  await accessibleEverywhere(page);
  await dates.getByRole('checkbox').nth(1).press('Space');
  await form.getByLabel('Name').fill('Robin Sample');
  await form.getByLabel('Email').fill(email);
  await form.getByRole('button', { name: 'Book 2 dates' }).press('Enter');
  await expect(form.getByText(/and 1 more are held until they are paid/)).toBeVisible();
  await accessibleEverywhere(page);
  await form.getByRole('button', { name: 'Open booking' }).press('Enter');
  const panel = page.getByRole('dialog', { name: /^Booking / });
  await expect(panel.getByRole('heading', { name: '1 of 2 in a series' })).toBeVisible();
  await panel.getByRole('button', { name: 'Mark as paid' }).press('Enter');
  await expect(panel.getByText('All 2 bookings of the series are then confirmed')).toBeVisible();
  await accessibleEverywhere(page);
  await panel.getByRole('button', { name: 'Mark as paid' }).press('Enter');
  const messages = page.getByRole('region', { name: 'Messages' });
  await expect(messages.getByText(/and 1 more are paid and confirmed$/)).toBeVisible();
  await expect(panel.getByText('Confirmed', { exact: true })).toBeVisible();
  await expect.poll(() => mails(email, '2 bookings confirmed'), { timeout: 30_000 }).toHaveLength(1);
});

test('the panel of a booking tells that a card was declined, why, and that it was paid afterwards', async ({
  page,
  browser,
}) => {
  await signIn(page, admin);
  const days = ahead(3, 58);
  const { panel, reference } = await openBooking(page, days, 9, 'link');
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(await fromMail(guestEmail(days, 9), 'Please pay', /(http:\/\/\S+\/c\/pay\/\S+)/));
  await payWith(guest, DECLINED_CARD);
  await expect(guest.getByText(/declined/i).first()).toBeVisible();
  await payWith(guest, GOOD_CARD);
  await guest.waitForURL(/payment-success/);
  await guest.context().close();
  await expect(panel.getByText('Confirmed', { exact: true })).toBeVisible();
  await page.goto(`/admin?tab=bookings&booking=${reference}`);
  await expect(panel.getByText(/^Card declined \(.+\)\./)).toBeVisible();
  await accessibleEverywhere(page);
});

test('a colleague with the permission for bookings alone moves and cancels by the terms, and is told what needs the permission for money', async ({
  page,
}) => {
  const { id: userId, ...colleague } = await newPerson(true);
  const given = await service().functions.invoke('staff-set-permissions', {
    body: { userId, permissions: ['bookings'] },
  });
  expect(given.error).toBeNull();
  await signIn(page, colleague);
  const { panel, reference } = await openBooking(page, ahead(1, 84), 10, 'elsewhere');
  await expect(panel.getByRole('button', { name: 'Issue partial refund' })).toHaveCount(0);
  await accessibleEverywhere(page);

  await panel.getByRole('button', { name: 'Change end time' }).click();
  await panel.getByRole('button', { name: '1 pm', exact: true }).click();
  await expect(panel.getByText('Moving it without charging needs the “Money” permission.')).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Move without charging' })).toHaveCount(0);
  await accessibleEverywhere(page);
  await panel.getByRole('button', { name: 'Back' }).click();
  await panel.getByRole('button', { name: 'Back' }).click();

  await panel.getByRole('button', { name: 'Cancel booking' }).click();
  await expect(panel.getByText('A different refund needs the “Money” permission.')).toBeVisible();
  await expect(panel.getByRole('radio')).toHaveCount(0);
  await accessibleEverywhere(page);
  await panel.getByLabel('Reason').fill('Ill');
  await panel.getByRole('button', { name: 'Continue' }).click();
  await panel.getByRole('button', { name: 'Cancel booking' }).click();
  await expectToast(page, `${reference} is cancelled`);
});
