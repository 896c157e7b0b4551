import { expect, test } from '@playwright/test';
import { accessibleEverywhere, insertBooking, newPerson, signIn } from '../steps.ts';

const HOUR = 3_600_000;

test('at the door the code is as large as the screen, works without a network, and is gone after signing out', async ({
  page,
  context,
}) => {
  test.setTimeout(120_000);
  const who = await newPerson(false);
  const start = Math.floor(Date.now() / HOUR) * HOUR;
  const id = await insertBooking({
    userId: who.id,
    studio: 'Studio A',
    start: new Date(start),
    end: new Date(start + HOUR),
    status: 'confirmed',
  });
  await signIn(page, who);
  await page.goto(`/regenerate-pin?booking_id=${id}`);
  await page.getByRole('link', { name: 'I’m here' }).click();
  const pin = page.getByTestId('pin');
  await expect(pin).toBeVisible({ timeout: 30_000 });
  const shown = await pin.textContent();
  await accessibleEverywhere(page);
  await expect
    .poll(() => page.evaluate(`caches.open('door').then((one) => one.match('/door')).then(Boolean)`))
    .toBe(true);

  await context.setOffline(true);
  await page.reload();
  await expect(pin).toHaveText(shown ?? '');
  await expect(page.getByText('No connection.')).toBeVisible();
  await context.setOffline(false);

  await page.goto('/profile');
  await page.getByRole('main').getByRole('button', { name: 'Sign Out' }).click();
  await expect.poll(() => page.evaluate(`caches.has('door')`)).toBe(false);
  expect(await page.evaluate(`localStorage.getItem('door')`)).toBeNull();
});
