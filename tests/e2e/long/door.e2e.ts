import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { expectToast, fromMail, sandbox, signIn } from '../steps.ts';
import { act, checked, onPhone, type } from './driver.ts';
import { mailed, waitForMoney } from './money.ts';
import { addPaidHour, inSession, personWithCard, staffPage } from './prepare.ts';

/** At the door, by touch on a phone and by keyboard alone on a wide screen, viewed from Los Angeles: every time shown is Sydney time. */
test.use({ timezoneId: 'America/Los_Angeles' });

const LOST_CENTS = 100;
/** Each screen size has its own door, because a lock remembers for minutes who opened it. */
const door = () => (onPhone() ? { studio: 'Studio A', lock: 'SPA1X0001' } : { studio: 'Studio B', lock: 'SPB1X0002' });
const keypad = (pin: string): Promise<{ opened: boolean }> => sandbox(`/api/doors/${door().lock}/keypad`, { pin });
const getPin = (page: Page) => page.getByTestId('pin');
const help = (page: Page) => page.getByRole('region', { name: 'The door doesn’t open' });

test('“I’m here” works offline once opened; a door that stays shut is opened by staff, and its minutes are given back [spec 10.15]', async ({
  page,
  browser,
}) => {
  test.setTimeout(300_000);
  const who = await personWithCard();
  const before = await waitForMoney(who.id);
  const session = await inSession(who, door().studio);
  const price = await addPaidHour(who, session);
  await signIn(page, who);
  await page.goto(`/bookings/${session.reference}`);
  await act(page.getByRole('link', { name: 'Access code' }));
  await act(page.getByRole('link', { name: 'I’m here' }));
  await expect(getPin(page)).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText(/\(Sydney time\)/).first()).toBeVisible();
  await checked(page);
  await opensOffline(page);

  // Follows each step of help that depends on what the lock reports.
  const first = await getPin(page).textContent();
  await act(page.getByRole('button', { name: 'The door doesn’t open' }));
  await expect(help(page).getByRole('status').first()).toHaveText(/The lock has your code\. It’s probably asleep/);
  await checked(page);
  expect((await keypad('111111')).opened).toBe(false);
  await expect(help(page).getByText(/^Someone typed a wrong code at .*Check every digit/)).toBeVisible();
  // The code is only seconds old, so the page shows when a new one is possible.
  await expect(help(page).getByText(/^You can make a new code in \d+ seconds?\.$/)).toBeVisible();
  const another = help(page).getByRole('button', { name: 'Make a new code' });
  await expect(another).toBeEnabled({ timeout: 45_000 });
  await act(another);
  await expect(getPin(page)).not.toHaveText(first ?? '', { timeout: 30_000 });
  await act(help(page).getByRole('button', { name: 'Ask for help now' }));
  await expect(page.getByText('We’ve told the team. Stay at the door, we’re on it.')).toBeVisible();
  await checked(page);
  await fromMail('admin@example.com', 'A customer can’t open the door', new RegExp(`(${session.reference})`));

  await openFromAfar(await staffPage(browser), session.reference);
  await expect(help(page).getByText(/^The lock opened at .*Push the door/)).toBeVisible();
  await checked(page);

  await giveBack(await staffPage(browser), session.reference);
  await expect.poll(async () => (await waitForMoney(who.id)).back).toBe(LOST_CENTS);
  expect((await waitForMoney(who.id)).paid - before.paid).toBe(price);
  await mailed(who.email, 'Refund');
  const mail = await fromMail(who.email, 'Refund', /(\$1(?:\.00)?)\b/);
  expect(mail).toMatch(/^\$1/);
  await page.goto(`/bookings/${session.reference}`);
  await expect(page.getByText('$1 sent back to you')).toBeVisible();
  await checked(page);
});

/** Reopens the page without a network. */
async function opensOffline(page: Page): Promise<void> {
  const shown = await getPin(page).textContent();
  await expect
    .poll(() => page.evaluate(`caches.open('door').then((one) => one.match('/door')).then(Boolean)`))
    .toBe(true);
  await page.context().setOffline(true);
  await page.reload();
  await expect(getPin(page)).toHaveText(shown ?? '');
  await expect(page.getByText(/^No connection\. This is what/)).toBeVisible();
  await checked(page);
  await page.context().setOffline(false);
  await expect(page.getByText(/^No connection\. This is what/)).toBeHidden({ timeout: 30_000 });
}

/** Staff see who is at the door, and open it remotely. */
async function openFromAfar(page: Page, reference: string): Promise<void> {
  await page.goto('/admin?tab=today');
  const alert = page.getByRole('listitem').filter({ hasText: reference });
  await expect(alert.getByText('Robin Sample can’t open the door')).toBeVisible();
  await checked(page);
  await alert.getByRole('link', { name: 'Open door' }).click();
  await page.getByRole('button', { name: `Open door of ${door().studio}` }).click();
  const dialog = page.getByRole('dialog', { name: `Open the door of ${door().studio}?` });
  await type(dialog.getByLabel('Reason (kept in the audit log)'), 'Customer at the door');
  await checked(page);
  await dialog.getByRole('button', { name: 'Open door' }).click();
  await expectToast(page, 'Door opened', door().studio);
  await page.context().close();
}

/** Staff accept the refund that the incident offers. */
async function giveBack(page: Page, reference: string): Promise<void> {
  await page.goto('/admin?tab=incidents');
  const incident = page.getByRole('listitem').filter({ hasText: reference });
  await checked(page);
  await incident.getByRole('button', { name: 'Refund $1 for 1 minute' }).click();
  await expectToast(page, 'Refunded', 'The customer will get an email.');
  await expect(incident.getByText('The time at the closed door has been refunded.')).toBeVisible();
  await incident.getByLabel('Status').selectOption('done');
  await expectToast(page, 'Status changed', 'Done');
  await page.context().close();
}

test('the code is gone after signing out, and after the end [spec 10.15]', async ({ page }) => {
  test.setTimeout(180_000);
  const who = await personWithCard();
  const session = await inSession(who, door().studio);
  const kept = () => page.evaluate(`localStorage.getItem('door')`);
  await signIn(page, who);
  await page.goto(`/door?booking_id=${session.id}`);
  await expect(getPin(page)).toBeVisible({ timeout: 30_000 });
  expect(await kept()).not.toBeNull();
  await page.goto('/profile');
  await act(page.getByRole('main').getByRole('button', { name: 'Sign Out' }));
  await expect.poll(() => page.evaluate(`caches.has('door')`)).toBe(false);
  expect(await kept()).toBeNull();
  await page.context().setOffline(true);
  await expect(page.goto(`/door?booking_id=${session.id}`)).rejects.toThrow('net::ERR_FAILED');
  await page.context().setOffline(false);

  await signIn(page, who);
  await page.goto(`/door?booking_id=${session.id}`);
  await expect(getPin(page)).toBeVisible({ timeout: 30_000 });
  await page.clock.setFixedTime(session.end.getTime() + 1_000);
  await expect(page.getByText(/Your booking session has ended/)).toBeVisible();
  await expect(getPin(page)).toBeHidden();
  await expect.poll(kept, { timeout: 30_000 }).toBeNull();
  await checked(page);
});
