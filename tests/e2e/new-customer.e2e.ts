import { expect } from '@playwright/test';
import { test } from './journey.ts';
import {
  chooseHours,
  codeFromMail,
  fromMail,
  GOOD_CARD,
  mails,
  openDay,
  payWith,
  sandbox,
  sandboxUrl,
} from './steps.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('a new customer on a phone signs up, verifies the ID, pays, and opens the door [spec 1.1, 1.2, 2.32, 2.33, 2.46, 6.2]', async ({
  page,
  request,
}) => {
  test.setTimeout(300_000);
  const email = `walker-${Date.now()}@example.com`;

  // Takes the next full hour, so that the code comes at once, but not one that starts during the ID check.
  const remaining = HOUR - (Date.now() % HOUR);
  if (remaining < 2 * MINUTE) await page.waitForTimeout(remaining + 1_000);
  const next = new Date(Math.ceil(Date.now() / HOUR) * HOUR);
  const sydneyHour =
    Number(
      next.toLocaleTimeString('en-GB', { timeZone: 'Australia/Sydney', hour: '2-digit', hour12: false }).slice(0, 2),
    ) % 24;
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'Australia/Sydney' });
  const daysAhead = next.toLocaleDateString('en-CA', { timeZone: 'Australia/Sydney' }) === today ? 0 : 1;
  await openDay(page, 'Studio B', daysAhead);
  await chooseHours(page, [sydneyHour]);
  await page.getByRole('button', { name: 'Book Now' }).click();

  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: 'Sign Up' }).click();
  await dialog.getByLabel('Full Name').fill('Robin Sample');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Phone Number').fill('0400 111 222');
  await dialog.getByLabel('Day').fill('3');
  await dialog.getByLabel('Month').selectOption('April');
  await dialog.getByLabel('Year').fill('1998');
  await expect(dialog.getByText('3 April 1998')).toBeVisible();
  await dialog.getByLabel('Password').fill('night-shift-9');
  await dialog.getByRole('button', { name: 'Sign Up' }).click();

  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
  await page.getByLabel('Verification code').fill('000000');
  await expect(page.getByText('Verification failed')).toBeVisible();
  await page.getByLabel('Verification code').fill(await codeFromMail(email));

  // Book Now continues automatically, and the hours are held.
  await expect(page.getByText('Selections Restored')).toBeVisible();
  await page.waitForURL(/\/verify-complete$/);
  await expect(page.getByText(/^We’re holding your hours for/)).toBeVisible();
  await page.getByRole('link', { name: 'Use a photo of my licence here' }).click();
  const licence = await request.get(`${sandboxUrl}/licence.jpg?given=Robin&family=Sample`);
  await page
    .getByLabel('Upload a photo')
    .setInputFiles({ name: 'licence.jpg', mimeType: 'image/jpeg', buffer: await licence.body() });
  await page.getByRole('button', { name: 'Verify my ID' }).click();
  await expect(page.getByText('ID verified', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('Robin Sample', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Pay \$/ })).toBeDisabled();

  await page.getByRole('button', { name: 'Read the terms' }).click();
  const box = page.getByLabel('I have read and accept');
  await expect(box).toBeDisabled();
  await page
    .getByRole('region', { name: /Terms and conditions/ })
    .evaluate((region) => region.scrollTo(0, region.scrollHeight));
  await box.check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: /^Pay \$/ }).click();
  await payWith(page, GOOD_CARD);

  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  const [confirmation] = await mails(email, 'Booking confirmed').then(async (first) =>
    first.length > 0 ? first : (await page.waitForTimeout(3_000), mails(email, 'Booking confirmed')),
  );
  expect(confirmation?.attachments.map((file) => file.filename)).toEqual([
    'booking.ics',
    expect.stringMatching(/^receipt-/),
  ]);
  const pin = await fromMail(email, 'access code', /^PIN: (\d+)$/m);

  await page.getByRole('link', { name: 'Your access code' }).click();
  await expect(page.getByTestId('pin')).toHaveText(pin);

  // The customer is at the door; the sandbox clock is inside the session.
  await sandbox('/api/clock', { now: new Date(next.getTime() + 60_000).toISOString() });
  await page.goto(`${sandboxUrl}/doors/SPB1X0002`);
  await page.getByLabel('PIN').fill('1111111');
  await page.getByRole('button', { name: 'Enter' }).click();
  await expect(page.getByRole('status')).toContainText('The door stays shut');
  await page.getByLabel('PIN').fill(pin);
  await page.getByRole('button', { name: 'Enter' }).click();
  await expect(page.getByRole('status')).toContainText('The door opens');
  await sandbox('/api/clock', { now: new Date().toISOString() });
});
