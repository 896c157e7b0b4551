import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { expect } from '@playwright/test';
import { test } from './journey.ts';
import { chooseHours, GOOD_CARD, openDay, payWith, signIn } from './steps.ts';

test.describe('in Los Angeles', () => {
  test.use({ timezoneId: 'America/Los_Angeles' });
  test('the grid shows Sydney time, and the page says so [spec 2.39, 2.40]', async ({ page, browser }) => {
    await openDay(page, 'Studio A', 40);
    await expect(page.getByText('which is different from your local time')).toBeVisible();
    const here = await (await browser.newContext({ timezoneId: 'Australia/Sydney' })).newPage();
    await openDay(here, 'Studio A', 40);
    const states = (tab: typeof page) =>
      tab.locator('[data-hour]').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')));
    expect(await states(page)).toEqual(await states(here));
    await chooseHours(page, [23]);
    await page.getByRole('button', { name: 'Continue to next morning' }).click();
    await chooseHours(page, [0]);
    await expect(page.getByLabel('Your selection')).toContainText('11 pm to 1 am');
    await page.getByRole('button', { name: 'Back to previous day' }).click();
    await expect(page.locator('[data-hour="23"]')).toHaveAttribute('data-state', 'selected');
  });
});

test('a coupon can be applied, removed and applied again at checkout [spec 1.2, 2.46, 5.22, 8.23, 8.24]', async ({
  page,
  baseURL,
}) => {
  const runtime: { serviceRoleKey: string } = JSON.parse(
    readFileSync(join(process.env['E2E_DATA_DIR'] ?? '', 'runtime.json'), 'utf8'),
  );
  const service = createClient<Database>(baseURL ?? '', runtime.serviceRoleKey, { auth: { persistSession: false } });
  const created = await service
    .from('discount_codes')
    .insert({ code: 'HALF', discount_type: 'percentage', discount_value: 50, max_uses: 5 });
  expect(created.error).toBeNull();
  await signIn(page);
  await openDay(page, 'Studio A', 41);
  await chooseHours(page, [9]);
  // Forces the journey through the checkout, where a code can be entered.
  await page.route(
    '**/functions/v1/create-payment',
    (route) =>
      route.fulfill({
        status: 403,
        json: { error: { code: 'terms_required', message: 'Please accept the terms and conditions.' } },
      }),
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/checkout/);
  await page.getByRole('button', { name: 'Add a coupon code' }).click();
  await page.getByLabel('Coupon code').fill('nothing');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Invalid coupon code' })).toBeVisible();
  await page.getByLabel('Coupon code').fill('half');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText('Coupon Applied!')).toBeVisible();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByLabel('Coupon code').fill('HALF');
  await page.getByRole('button', { name: 'Apply' }).click();
  // The first message may still be shown.
  await expect(page.getByRole('button', { name: 'Remove' })).toBeVisible();
  await page.getByRole('button', { name: /^Pay \$/ }).click();
  await payWith(page, GOOD_CARD);
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  const used = await service.from('discount_codes').select('current_uses').eq('code', 'HALF').single();
  expect(used.data?.current_uses).toBe(1);
});
