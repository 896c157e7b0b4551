import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { accessible, admin, demo, signIn, signInByDialog, sydneyDay } from '../steps.ts';

/** Returns a client with the service key, to prepare data. */
function service(baseURL: string | undefined): SupabaseClient<Database> {
  const runtime: { serviceRoleKey: string } = JSON.parse(
    readFileSync(join(process.env['E2E_DATA_DIR'] ?? '', 'runtime.json'), 'utf8'),
  );
  return createClient<Database>(baseURL ?? '', runtime.serviceRoleKey, { auth: { persistSession: false } });
}
const row = (page: Page, code: string) => page.getByRole('row').filter({ hasText: code });

test('the admin page asks a guest to sign in and refuses a customer [spec 2.14, 6.3, 6.5, 6.6]', async ({ page }) => {
  await page.goto('/admin');
  const notice = page.getByText('Authentication Required: Please sign in to access the admin panel');
  await expect(page.getByRole('dialog')).toBeVisible();
  await accessible(page);
  await page.keyboard.press('Escape');
  await expect(notice).toBeVisible();
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

test('an admin creates a discount code, edits it, and deactivates and activates it [spec 2.54, 2.55, 4.30, 6.7, 8.40, 9.7]', async ({
  page,
  baseURL,
}, info) => {
  const keeper = service(baseURL);
  const code = `PARTY-${info.project.name.toUpperCase()}`;
  const year = sydneyDay(0).getUTCFullYear() + 1;
  await keeper.from('discount_codes').delete().eq('code', code);
  const before = (await keeper.from('discount_codes').select('active')).data ?? [];
  const active = before.filter((code) => code.active).length;
  const counts = (more: number): string => `${before.length + 1} total codes, ${active + more} active`;
  await signIn(page, admin);
  await page.goto('/admin?tab=discount-codes');
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

test('the audit log can be searched and paged, and the address keeps the search [spec 2.53, 2.57, 6.7, 9.29]', async ({
  page,
  baseURL,
}) => {
  const keeper = service(baseURL);
  for (let n = 0; n < 55; n += 1) {
    await keeper.from('discount_codes').insert({ code: `LOG${n}`, discount_type: 'fixed', discount_value: 5 });
    await keeper.from('discount_codes').delete().eq('code', `LOG${n}`);
  }
  await signIn(page, admin);
  await page.goto('/admin?tab=discount-codes');
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
  // An evening three days ahead that crosses midnight: it starts at 10 or 11 pm in Sydney, depending on daylight saving.
  const evening = sydneyDay(3);
  evening.setUTCHours(12);
  const created = await keeper
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
  // The project with the other screen size may have inserted it already.
  expect(created.error?.code ?? '23P01').toBe('23P01');
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
