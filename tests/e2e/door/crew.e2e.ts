import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { accessibleEverywhere, insertBooking, newPerson, signIn } from '../steps.ts';

const HOUR = 3_600_000;

test('a host invites a guest, who joins without an account, gets a PIN of their own, and is taken back [spec 10.14]', async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000);
  const who = await newPerson(false);
  const start = Math.floor(Date.now() / HOUR) * HOUR;
  const id = await insertBooking({
    userId: who.id,
    studio: 'Studio B',
    start: new Date(start),
    end: new Date(start + HOUR),
    status: 'confirmed',
  });
  await signIn(page, who);
  await page.goto(`/bookings/${id}`);
  await page.getByRole('button', { name: 'Invite someone' }).click();
  const url = await page.getByLabel('A link for one person').inputValue();
  expect(url).toMatch(/\/crew#[\w-]{43}$/);
  await accessibleEverywhere(page);

  const context = await browser.newContext();
  const guest = await context.newPage();
  const addresses: string[] = [];
  guest.on('request', (request) => addresses.push(request.url()));
  await guest.goto(url);
  await expect(guest.getByRole('heading', { name: / invited you$|^You’re invited$/ })).toBeVisible();
  await accessibleEverywhere(guest);
  await guest.getByLabel('Your first name').fill('Sam');
  await guest.getByLabel('I have read and accept the studio rules').check();
  await guest.getByRole('button', { name: 'Count me in' }).click();
  await expect(guest.getByRole('heading', { name: 'You’re in, Sam' })).toBeVisible();
  await expect(guest.getByTestId('pin')).toHaveText(/^\d{6}$/, { timeout: 30_000 });
  await guest.getByRole('button', { name: 'The door doesn’t open' }).click();
  await expect(guest.getByText('The lock is probably asleep: wake the keypad first.')).toBeVisible();
  await accessibleEverywhere(guest);
  // The token is a secret, so it is in the fragment, which browsers do not send to servers.
  const token = url.split('#')[1] ?? '';
  expect(addresses.filter((address) => address.includes(token) && !address.includes('#'))).toEqual([]);

  await expect(page.getByRole('list', { name: 'Who comes' }).getByText('Joined')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel invite of Sam' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel invite' }).click();
  await expect(page.getByText('Sam', { exact: true })).toHaveCount(0);
  await guest.reload();
  await expect(guest.getByText('This invitation was taken back.')).toBeVisible();
  await context.close();
});
