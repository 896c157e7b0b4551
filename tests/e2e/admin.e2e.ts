import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { expect, type Page, test } from '@playwright/test';
import { startProgram } from '#tests/support/program.ts';
import {
  accessible,
  admin,
  demo,
  DEVELOPER_PATHS,
  signIn,
  signInByDialog,
  sydneyDay,
  expectErrorInPlace,
} from './steps.ts';

/** Client with the service key, to prepare data. */
function service(baseURL: string | undefined): SupabaseClient<Database> {
  const runtime: { serviceRoleKey: string } = JSON.parse(
    readFileSync(join(process.env['E2E_DATA_DIR'] ?? '', 'runtime.json'), 'utf8'),
  );
  return createClient<Database>(baseURL ?? '', runtime.serviceRoleKey, { auth: { persistSession: false } });
}
const row = (page: Page, code: string) => page.getByRole('row').filter({ hasText: code });

test('the admin page asks a guest to sign in and refuses a customer', async ({ page }) => {
  await page.goto('/admin');
  const told = page.getByText('Authentication Required: Please sign in to access the admin panel');
  await expect(page.getByRole('dialog')).toBeVisible();
  await accessible(page);
  await page.keyboard.press('Escape');
  await expect(told).toBeVisible();
  await accessible(page);
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
  await signInByDialog(page, demo);
  await page.goto('/admin');
  await expect(
    page.getByText(
      "Access Denied: You don't have permission to access this admin area. Only administrators can view this page.",
    ),
  ).toBeVisible();
  await accessible(page);
  await page.getByRole('button', { name: 'Return to Home' }).click();
  await expect(page).toHaveURL(/\/$/);
});

test('the admin page says that it checks permissions, and denies access when the check fails', async ({ page }) => {
  await signIn(page, admin);
  let answer: (() => void) | undefined;
  await page.route('**/rest/v1/user_roles*', async (route) => {
    await new Promise<void>((go) => (answer = go));
    await route.fulfill({ status: 500, json: { code: 'XX000', message: 'out of order' } });
  });
  await page.goto('/admin');
  await expect(page.getByText('Checking permissions...')).toBeVisible();
  await accessible(page);
  answer?.();
  await expect(page.getByText('Access Denied:')).toBeVisible();
});

test('an admin creates a discount code, edits it, and deactivates and activates it', async ({
  page,
  baseURL,
}, info) => {
  const keeper = service(baseURL);
  const code = `PARTY-${info.project.name.toUpperCase()}`;
  const year = sydneyDay(0).getUTCFullYear() + 1;
  await keeper.from('discount_codes').delete().eq('code', code);
  const before = (await keeper.from('discount_codes').select('active')).data ?? [];
  const active = before.filter((one) => one.active).length;
  const counts = (more: number): string => `${before.length + 1} total codes, ${active + more} active`;
  await signIn(page, admin);
  await page.goto('/admin');
  await page.getByRole('button', { name: 'Add New Code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add New Code' });
  await accessible(page);
  await dialog.getByLabel('Code').fill(code.toLowerCase());
  await dialog.getByLabel('Value').fill('12.5');
  await dialog.getByLabel('Description').fill('For the opening');
  await dialog.getByLabel('Minimum hours').fill('1.5');
  await dialog.getByLabel('Max uses').fill('20');
  await dialog.getByLabel('Expires').fill(`${year}-01-05`);
  await dialog.getByRole('button', { name: 'Create Code' }).click();
  await expect(page.getByText('Discount code created successfully')).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(counts(1))).toBeVisible();
  for (const text of ['Percentage', '12.5%', '0 / 20', 'Active', `Jan 05, ${year}`])
    await expect(row(page, code).getByText(text, { exact: true })).toBeVisible();
  // The code is valid until the end of that day in Sydney.
  const stored = await keeper.from('discount_codes').select('expires_at,active').eq('code', code).single();
  expect(new Date(String(stored.data?.expires_at)).toISOString()).toBe(`${year}-01-05T12:59:59.999Z`);
  await accessible(page);

  await page.getByRole('button', { name: `Edit ${code}` }).click();
  const editing = page.getByRole('dialog', { name: 'Edit Code' });
  await expect(editing.getByLabel('Expires')).toHaveValue(`${year}-01-05`);
  await editing.getByLabel('Discount type').selectOption('Fixed');
  await editing.getByLabel('Max uses').fill('');
  await editing.getByLabel('Expires').fill('');
  await editing.getByRole('button', { name: 'Save Code' }).click();
  await expect(page.getByText('Discount code updated successfully')).toBeVisible();
  for (const text of ['Fixed', '$12.50', '0 / ∞', 'Never'])
    await expect(row(page, code).getByText(text, { exact: true })).toBeVisible();

  await page.getByRole('button', { name: `Deactivate ${code}` }).click();
  await expect(page.getByText('Discount code deactivated')).toBeVisible();
  await expect(row(page, code).getByText('Inactive')).toBeVisible();
  await expect(page.getByText(counts(0))).toBeVisible();
  await page.getByRole('button', { name: `Activate ${code}` }).click();
  await expect(page.getByText('Discount code activated')).toBeVisible();
});

test('the first error of a discount code is shown at its field only', async ({ page, baseURL }) => {
  await service(baseURL).from('discount_codes').insert({ code: 'TAKEN', discount_type: 'fixed', discount_value: 5 });
  await signIn(page, admin);
  await page.goto('/admin');
  await page.getByRole('button', { name: 'Add New Code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add New Code' });
  const wrong = async (message: string): Promise<void> => {
    await dialog.getByRole('button', { name: 'Create Code' }).click();
    await expect(dialog.getByRole('alert')).toHaveText(message);
    await expectErrorInPlace(page, 'Validation Error', message);
  };
  await wrong('Code is required');
  await dialog.getByLabel('Code').fill('taken');
  await wrong('Discount value must be positive');
  await dialog.getByLabel('Value').fill('100001');
  await wrong('Discount value is too large');
  await dialog.getByLabel('Value').fill('20');
  await dialog.getByLabel('Minimum hours').fill('0');
  await wrong('Minimum hours must be positive');
  await dialog.getByLabel('Minimum hours').fill('');
  await dialog.getByLabel('Max uses').fill('1.5');
  await wrong('Max uses must be a positive integer');
  await accessible(page);
  // The database refuses a duplicate code, and the form keeps its values.
  await dialog.getByLabel('Max uses').fill('');
  await dialog.getByRole('button', { name: 'Create Code' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Failed to save discount code: this code already exists.');
  await expect(dialog.getByLabel('Value')).toHaveValue('20');
  await expect(page.getByLabel('Messages').getByText('Failed to save discount code', { exact: true })).toBeVisible();
});

test('failures to update or load discount codes are shown, and Try again loads them', async ({ page, baseURL }) => {
  const keeper = service(baseURL);
  await keeper.from('discount_codes').upsert({ code: 'GONE', discount_type: 'fixed', discount_value: 5 });
  await signIn(page, admin);
  await page.goto('/admin');
  await expect(row(page, 'GONE')).toBeVisible();
  // Another admin has removed it meanwhile.
  await keeper.from('discount_codes').delete().eq('code', 'GONE');
  await page.getByRole('button', { name: 'Deactivate GONE' }).click();
  await expect(page.getByText('Failed to update discount code status')).toBeVisible();
  await page.route('**/rest/v1/discount_codes*', (route) =>
    route.fulfill({ status: 500, json: { code: 'XX000', message: 'out of order' } }),
  );
  await page.reload();
  await expect(page.getByText('Failed to fetch discount codes')).toBeVisible();
  await accessible(page);
  await page.unroute('**/rest/v1/discount_codes*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(/total codes/)).toBeVisible();
});

test('the audit log can be searched and paged, and the address keeps the search', async ({ page, baseURL }) => {
  const keeper = service(baseURL);
  for (let n = 0; n < 55; n += 1) {
    await keeper.from('discount_codes').insert({ code: `LOG${n}`, discount_type: 'fixed', discount_value: 5 });
    await keeper.from('discount_codes').delete().eq('code', `LOG${n}`);
  }
  await signIn(page, admin);
  await page.goto('/admin');
  await page.getByRole('tab', { name: 'Discount Codes' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Audit Logs' })).toHaveAttribute('aria-selected', 'true');
  await expect(page).toHaveURL(/tab=audit-logs/);
  await expect(page.getByText('The latest 100 entries')).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(101);
  // MMM dd, yyyy HH:mm:ss
  await expect(page.getByRole('row').nth(1).locator('time')).toHaveText(/^[A-Z][a-z]{2} \d\d, \d{4} \d\d:\d\d:\d\d$/);
  await page.getByRole('button', { name: 'Show older entries' }).click();
  await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(101);
  await page.getByLabel('Search the log').fill('delete log7');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(page.getByText(/entr(y|ies) with "delete log7"/)).toBeVisible();
  await expect(page.getByRole('row').nth(1)).toContainText('LOG7');
  await accessible(page);
  await page.reload();
  await expect(page.getByRole('row').nth(1)).toContainText('LOG7');
  await page.getByLabel('Search the log').fill('nothing like it');
  await page.keyboard.press('Enter');
  await expect(page.getByText('No log entries contain "nothing like it".')).toBeVisible();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(page.getByText('The latest 100 entries')).toBeVisible();
});

test('staff see the upcoming bookings of a day with customer and price', async ({ page, baseURL }) => {
  const keeper = service(baseURL);
  const studio = await keeper.from('studios').select('id').order('name').limit(1).single();
  // An evening in three days, across midnight: from 10 or 11 pm in Sydney, depending on daylight saving.
  const evening = sydneyDay(3);
  evening.setUTCHours(12);
  const made = await keeper
    .from('bookings')
    .insert({
      studio_id: studio.data?.id ?? null,
      start_time: evening.toISOString(),
      end_time: new Date(evening.getTime() + 3 * 3_600_000).toISOString(),
      total_hours: 3,
      base_cost: 177,
      final_cost: 159,
      status: 'confirmed',
      notes: 'test',
      user_id: (await keeper.from('profiles').select('user_id').eq('email', demo.email).single()).data?.user_id ?? null,
    })
    .select('reference')
    .single();
  // The other project (screen size) may have inserted it before.
  expect(made.error?.code ?? '23P01').toBe('23P01');
  await signIn(page, admin);
  await page.goto('/admin?tab=bookings');
  const name = evening.toLocaleDateString('en-GB', { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long' });
  const day = page.getByRole('region', { name: new RegExp(name.replace(',', '')) });
  for (const text of [
    /1[01] pm to [12] am, \d+ [A-Z][a-z]{2}/,
    'Studio A',
    'Alex Citizen',
    'customer@example.com',
    '$159',
    'Test',
  ])
    await expect(day.getByText(text)).toBeVisible();
  await accessible(page);
});

test('the admin page without codes shows the empty text; disabled developer pages are not found', async ({
  browser,
}) => {
  const studio = await startProgram({ env: { DEVELOPER_PAGES: 'false', RATE_LIMIT_FACTOR: '1000' } });
  try {
    const page = await (await browser.newContext({ baseURL: studio.apiUrl })).newPage();
    await signIn(page, admin);
    await page.goto('/admin');
    await expect(page.getByText('No discount codes found. Create your first one!')).toBeVisible();
    await expect(page.getByText('0 total codes, 0 active')).toBeVisible();
    await accessible(page);
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
  test('dates of codes and log are in Sydney time', async ({ page, baseURL }) => {
    await service(baseURL).from('discount_codes').delete().eq('code', 'FAR');
    await service(baseURL).from('discount_codes').insert({
      code: 'FAR',
      discount_type: 'fixed',
      discount_value: 5,
      expires_at: '2026-12-31T12:59:59.999Z',
    });
    await signIn(page, admin);
    await page.goto('/admin');
    await expect(row(page, 'FAR').getByText('Dec 31, 2026')).toBeVisible();
    await page.goto('/admin?tab=audit-logs&q=far');
    const shown = page.getByRole('row').nth(1).locator('time');
    const at = new Date((await shown.getAttribute('datetime')) ?? '');
    const hour = at.toLocaleTimeString('en-GB', { timeZone: 'Australia/Sydney', hour: '2-digit', minute: '2-digit' });
    await expect(shown).toContainText(` ${hour}:`);
  });
});
