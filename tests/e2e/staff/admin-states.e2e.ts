import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { startProgram } from '#tests/support/program.ts';
import {
  accessible,
  accessibleEverywhere,
  admin,
  DEVELOPER_PATHS,
  expectErrorInPlace,
  service,
  signIn,
  signInByDialog,
} from '../steps.ts';

/** Covers states of the staff page that do not depend on the screen size. */

const row = (page: Page, code: string) => page.getByRole('row').filter({ hasText: code });

test('the admin page says that it checks permissions, and denies access when the check fails [spec 6.3, 6.4]', async ({
  page,
}) => {
  await signIn(page, admin);
  let answer: (() => void) | undefined;
  await page.route('**/rest/v1/user_roles*', async (route) => {
    await new Promise<void>((go) => (answer = go));
    await route.fulfill({ status: 500, json: { code: 'XX000', message: 'out of order' } });
  });
  await page.goto('/admin');
  await expect(page.getByText('Checking permissions...')).toBeVisible();
  await accessibleEverywhere(page);
  answer?.();
  await expect(page.getByText('Access Denied:')).toBeVisible();
});

test('every tab is accessible and fits a phone', async ({ page }) => {
  await signIn(page, admin);
  await page.goto('/admin');
  const tabs = page.getByRole('tab');
  await tabs.first().waitFor();
  expect(await tabs.count()).toBeGreaterThan(15);
  for (const tab of await tabs.all()) {
    await tab.click();
    await page.getByRole('tabpanel').getByRole('heading').first().waitFor();
    await expect(page.locator('.skeleton')).toHaveCount(0);
    await accessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
  }
});

test('a discount code that exists is refused in place, and the form keeps its values [spec 8.38]', async ({ page }) => {
  await service().from('discount_codes').insert({ code: 'TAKEN', discount_type: 'fixed', discount_value: 5 });
  await signIn(page, admin);
  await page.goto('/admin?tab=discount-codes');
  await page.getByRole('button', { name: 'Add New Code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add New Code' });
  await dialog.getByRole('button', { name: 'Create Code' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Code is required');
  await expectErrorInPlace(page, 'Validation Error', 'Code is required');
  await accessibleEverywhere(page);
  await dialog.getByLabel('Code').fill('taken');
  await dialog.getByLabel('Value').fill('20');
  await dialog.getByRole('button', { name: 'Create Code' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Failed to save discount code: this code already exists.');
  await expect(dialog.getByLabel('Value')).toHaveValue('20');
  await expect(page.getByLabel('Messages').getByText('Failed to save discount code', { exact: true })).toBeVisible();
});

test('failures to update or load discount codes are shown, and Try again loads them [spec 8.37, 8.39]', async ({
  page,
}) => {
  const keeper = service();
  await keeper.from('discount_codes').upsert({ code: 'GONE', discount_type: 'fixed', discount_value: 5 });
  await signIn(page, admin);
  await page.goto('/admin?tab=discount-codes');
  await expect(row(page, 'GONE')).toBeVisible();
  // Another admin has removed the code in the meantime.
  await keeper.from('discount_codes').delete().eq('code', 'GONE');
  await page.getByRole('button', { name: 'Deactivate GONE' }).click();
  await expect(page.getByText('Failed to update discount code status')).toBeVisible();
  await page.route('**/rest/v1/discount_codes*', (route) =>
    route.fulfill({ status: 500, json: { code: 'XX000', message: 'out of order' } }),
  );
  await page.reload();
  await expect(page.getByText('Failed to fetch discount codes')).toBeVisible();
  await accessibleEverywhere(page);
  await page.unroute('**/rest/v1/discount_codes*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(/total codes/)).toBeVisible();
});

test('the admin page without codes shows the empty text; disabled developer pages are not found [spec 2.56]', async ({
  browser,
}) => {
  const studio = await startProgram({ migrated: true, env: { DEVELOPER_PAGES: 'false', RATE_LIMIT_FACTOR: '1000' } });
  try {
    const page = await (await browser.newContext({ baseURL: studio.apiUrl })).newPage();
    await page.goto('/admin?tab=discount-codes');
    await signInByDialog(page, admin);
    await expect(page.getByText('No discount codes found. Create your first one!')).toBeVisible();
    await expect(page.getByText('0 total codes, 0 active')).toBeVisible();
    await accessibleEverywhere(page);
    await expect(page.getByRole('link', { name: 'Developer pages' })).toBeHidden();
    for (const path of DEVELOPER_PATHS) {
      await page.goto(path);
      await expect(page.getByText('Oops! Page not found')).toBeVisible();
    }
  } finally {
    await studio.stop();
  }
});

test.describe('in London', () => {
  test.use({ timezoneId: 'Europe/London' });
  test('dates of codes and log are in Sydney time [spec 9.30]', async ({ page }) => {
    await service().from('discount_codes').delete().eq('code', 'FAR');
    await service().from('discount_codes').insert({
      code: 'FAR',
      discount_type: 'fixed',
      discount_value: 5,
      expires_at: '2026-12-31T12:59:59.999Z',
    });
    await signIn(page, admin);
    await page.goto('/admin?tab=discount-codes');
    await expect(row(page, 'FAR').getByText('Dec 31, 2026')).toBeVisible();
    await page.goto('/admin?tab=audit-logs&q=far');
    const shown = page.getByRole('row').nth(1).locator('time');
    const at = new Date((await shown.getAttribute('datetime')) ?? '');
    const hour = at.toLocaleTimeString('en-GB', { timeZone: 'Australia/Sydney', hour: '2-digit', minute: '2-digit' });
    await expect(shown).toContainText(` ${hour}:`);
  });
});
