import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { accessibleEverywhere, insertBooking, newPerson, signIn } from '../steps.ts';

const HOUR = 3_600_000;

test('at the door: a code as large as the screen, help, the lights, no network, and nothing left after signing out or the end [spec 10.15]', async ({
  page,
  context,
}) => {
  test.setTimeout(150_000);
  await page.addInitScript(`
    window.screenKept = 0;
    Object.defineProperty(navigator, 'wakeLock', { value: { request: async () => (window.screenKept += 1, { release: async () => {} }) } });
  `);
  const who = await newPerson(true);
  const start = Math.floor(Date.now() / HOUR) * HOUR;
  // An hour with only minutes left would end before this journey does.
  const end = start + (Date.now() < start + HOUR - 180_000 ? HOUR : 2 * HOUR);
  const id = await insertBooking({
    userId: who.id,
    studio: 'Studio A',
    start: new Date(start),
    end: new Date(end),
    status: 'confirmed',
  });
  await signIn(page, who);
  await page.goto(`/regenerate-pin?booking_id=${id}`);
  await page.getByRole('link', { name: 'I’m here' }).click();
  const pin = page.getByTestId('pin');
  await expect(pin).toBeVisible({ timeout: 30_000 });
  const shown = await pin.textContent();
  await expect.poll(() => page.evaluate('window.screenKept')).toBeGreaterThan(0);
  const session = page.getByRole('region', { name: 'Your session' });
  await expect(session.getByRole('button', { name: /^Lights (on|off)$/ })).toBeVisible();
  await expect(session.getByText(/^Stay until|isn’t free after you/)).toBeVisible();
  await accessibleEverywhere(page);
  await page.getByRole('button', { name: 'The door doesn’t open' }).click();
  await accessibleEverywhere(page);
  await page.getByRole('button', { name: 'Ask for help now' }).click();
  await expect(page.getByText(/We’ve told the team/)).toBeVisible();
  await expect
    .poll(() => page.evaluate(`caches.open('door').then((one) => one.match('/door')).then(Boolean)`))
    .toBe(true);

  await context.setOffline(true);
  await page.reload();
  await expect(pin).toHaveText(shown ?? '');
  await expect(page.getByText(/^No connection\. This is what/)).toBeVisible();
  await expect(session.getByText(/^No connection: the lights/)).toBeVisible();
  await context.setOffline(false);

  await page.goto('/profile');
  await page.getByRole('main').getByRole('button', { name: 'Sign Out' }).click();
  await expect.poll(() => page.evaluate(`caches.has('door')`)).toBe(false);
  expect(await page.evaluate(`localStorage.getItem('door')`)).toBeNull();

  await signIn(page, who);
  await page.goto(`/door?booking_id=${id}`);
  await expect(pin).toBeVisible();
  expect(await page.evaluate(`localStorage.getItem('door')`)).not.toBeNull();
  await page.clock.setFixedTime(end + 1_000);
  await expect(page.getByText(/Your booking session has ended/)).toBeVisible();
  await expect(pin).toBeHidden();
  await expect.poll(() => page.evaluate(`localStorage.getItem('door')`), { timeout: 30_000 }).toBeNull();
});
