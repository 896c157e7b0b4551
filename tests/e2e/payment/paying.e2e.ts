import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import {
  chooseHours,
  DECLINED_CARD,
  demo,
  GOOD_CARD,
  mails,
  newPerson,
  openDay,
  payWith,
  sandbox,
  signIn,
} from '../steps.ts';

/** Delay of a payment on the sandbox's clock. It is longer than the test takes, and within the tolerance of webhook signatures. */
const DELAY_SECONDS = 240;

type Payment = { id: string; status: string; client_reference_id: string };

test('a declined card is reported, and a second card pays', async ({ page }) => {
  await signIn(page);
  await openDay(page, 'Studio A', 30);
  await chooseHours(page, [10]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await payWith(page, DECLINED_CARD);
  await expect(page.getByRole('alert')).toHaveText('Your card was declined.');
  await payWith(page, GOOD_CARD);
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
});

test('leaving the payment releases the hours and says so', async ({ page }) => {
  await signIn(page);
  await openDay(page, 'Studio A', 31);
  await chooseHours(page, [11]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('we released the hours')).toBeVisible();
  await openDay(page, 'Studio A', 31);
  await expect(page.locator('[data-hour="11"]')).toHaveAttribute('data-state', 'free');
});

test('a session that expires at the payment service frees the slot for others', async ({ page, browser }) => {
  await signIn(page);
  await openDay(page, 'Studio B', 32);
  await chooseHours(page, [12]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/c\/pay\//);
  const other = await (await browser.newContext()).newPage();
  await openDay(other, 'Studio B', 32);
  await expect(other.locator('[data-hour="12"]')).toHaveAttribute('data-state', 'paying');
  const id = /\/c\/pay\/(\w+)/.exec(page.url())?.[1] ?? '';
  await sandbox(`/api/payments/${id}`, { outcome: 'expired' });
  // The page updates without a reload.
  await expect(other.locator('[data-hour="12"]')).toHaveAttribute('data-state', 'free', { timeout: 20_000 });
  await page.reload();
  await expect(page.getByText('This payment has expired')).toBeVisible();
});

test('a payment that takes days is shown as processing to its customer and on the grid, and frees the slot when it fails', async ({
  page,
  browser,
}) => {
  const customer = await newPerson(true);
  await signIn(page, customer);
  await openDay(page, 'Studio B', 36);
  await chooseHours(page, [14]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/c\/pay\//);
  const id = /\/c\/pay\/(\w+)/.exec(page.url())?.[1] ?? '';
  const [payment] = (await sandbox<Payment[]>('/api/payments')).filter((payment) => payment.id === id);
  await sandbox(`/api/payments/${id}`, { outcome: 'delayed_failed', seconds: DELAY_SECONDS });
  await page.goto(`/payment-success?session_id=${id}&booking_id=${payment?.client_reference_id}`);
  await expect(page.getByRole('heading', { name: 'Payment processing' })).toBeVisible();
  const guest = await (await browser.newContext()).newPage();
  await openDay(guest, 'Studio B', 36);
  await expect(guest.locator('[data-hour="14"]')).not.toHaveAttribute('data-state', 'free');
  await openDay(page, 'Studio B', 36);
  await expect(page.locator('[data-hour="14"]')).toHaveAttribute('data-state', 'processing');
  await sandbox('/api/clock', { advance_seconds: DELAY_SECONDS });
  await expect(guest.locator('[data-hour="14"]')).toHaveAttribute('data-state', 'free', { timeout: 60_000 });
  await expect
    .poll(async () => (await mails(customer.email, 'Payment not received')).length, { timeout: 20_000 })
    .toBe(1);
  await sandbox('/api/clock', { advance_seconds: -DELAY_SECONDS });
});

test('a tab that is closed after paying still leaves a confirmed booking and a mail [spec 1.3, 4.27, 9.19]', async ({
  page,
}) => {
  await signIn(page);
  const before = (await mails(demo.email, 'Booking confirmed')).length;
  await openDay(page, 'Studio B', 33);
  await chooseHours(page, [13]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/c\/pay\//);
  const id = /\/c\/pay\/(\w+)/.exec(page.url())?.[1] ?? '';
  await page.close();
  await sandbox(`/api/payments/${id}`, { outcome: 'paid' });
  await expect
    .poll(async () => (await mails(demo.email, 'Booking confirmed')).length, { timeout: 20_000 })
    .toBe(before + 1);
});

test('double clicks, reload and back never pay twice [spec 2.11, 4.27]', async ({ page }) => {
  await signIn(page);
  await openDay(page, 'Studio C', 34);
  await chooseHours(page, [14, 15]);
  await page.getByRole('button', { name: 'Book Now' }).dblclick();
  await page.waitForURL(/\/c\/pay\//);
  await page.goBack();
  await openDay(page, 'Studio C', 34);
  await page.goForward().catch(() => undefined);
  const all = await sandbox<Payment[]>('/api/payments');
  const [newest] = all;
  expect(all.filter((payment) => payment.client_reference_id === newest?.client_reference_id)).toHaveLength(1);
  await sandbox(`/api/payments/${newest?.id}`, { outcome: 'paid' });
  await page.goto(`/payment-success?session_id=${newest?.id}&booking_id=${newest?.client_reference_id}`);
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
});

test('of two customers who book the same hour one gets it, and the other sees that it is taken', async ({
  page,
  browser,
  request,
}) => {
  await signIn(page);
  await openDay(page, 'Studio C', 35);
  await chooseHours(page, [16]);
  const second = await (await browser.newContext({ timezoneId: 'Australia/Sydney' })).newPage();
  await second.goto('/');
  await second.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  await second.getByRole('dialog').getByLabel('Email').fill('admin@example.com');
  await second.getByRole('dialog').getByLabel('Password').fill('demo-admin-1');
  await second.getByRole('dialog').getByRole('button', { name: 'Sign In', exact: true }).click();
  await openDay(second, 'Studio C', 35);
  await chooseHours(second, [16]);
  // Both buttons are found before either is pressed, because the hours that one customer takes disappear at once from the other's page.
  const buttons = await Promise.all(
    [page, second].map((tab) => tab.getByRole('button', { name: 'Book Now' }).elementHandle()),
  );
  await Promise.all(buttons.map((button) => button?.dispatchEvent('click')));
  const paying = (tab: typeof page): boolean => tab.url().includes('/c/pay/');
  await expect.poll(() => [page, second].filter(paying).length).toBe(1);
  const loser = paying(page) ? second : page;
  await expect(loser.getByText(/Some(one|body) else has just (booked|taken)|was just taken/).first()).toBeVisible();
  expect((await request.get('/healthz')).ok()).toBe(true);
});
