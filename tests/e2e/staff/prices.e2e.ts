import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { accessibleEverywhere, admin, openDay, signIn, sydneyDay } from '../steps.ts';

/** Number of days ahead, far enough that no other journey books the day. */
const AHEAD = 88;

test('staff set the prices of a week by keyboard, keep them while they look at another tab, customers see them from their day on, and staff remove them again', async ({
  page,
}) => {
  await signIn(page, admin);
  await page.goto('/admin?tab=prices');
  await page.getByLabel('Room', { exact: true }).selectOption('Studio C');
  await accessibleEverywhere(page);
  await page.getByRole('grid', { name: 'Prices for Studio C' }).getByRole('gridcell').first().focus();
  await page.keyboard.press('Control+a');
  // Typing a digit moves the focus from the table to the field.
  await page.keyboard.press('7');
  await page.keyboard.type('7.50');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('gridcell', { name: '$77.50' })).toHaveCount(168);
  // Unsaved prices survive a change of tab, and stay with their room.
  await page.getByRole('tab', { name: 'Rooms' }).click();
  await page.getByRole('tab', { name: 'Prices' }).click();
  await expect(page.getByRole('gridcell', { name: '$77.50' })).toHaveCount(0);
  await page.getByLabel('Room', { exact: true }).selectOption('Studio C');
  await expect(page.getByRole('gridcell', { name: '$77.50' })).toHaveCount(168);
  await expect(page.getByRole('button', { name: 'Discard changes' })).toBeVisible();
  await page.getByLabel('Valid from').fill(sydneyDay(AHEAD).toISOString().slice(0, 10));
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByRole('dialog').getByRole('row', { name: /Mon 12 am to 6 pm \$49 \$77\.50/ })).toBeVisible();
  await accessibleEverywhere(page);
  await page.getByRole('button', { name: 'Save prices' }).click();
  const stored = page.getByRole('table', { name: 'Price lists, newest first' }).getByRole('row').nth(1);
  await expect(stored).toContainText('(upcoming)');

  await openDay(page, 'Studio C', AHEAD);
  await expect(page.locator('[data-hour="3"]')).toHaveAccessibleName(/77\.50 dollars/);
  await openDay(page, 'Studio C', AHEAD - 1);
  await expect(page.locator('[data-hour="3"]')).not.toHaveAccessibleName(/77\.50/);

  await page.goto('/admin?tab=prices');
  await page.getByLabel('Room', { exact: true }).selectOption('Studio C');
  await stored.getByRole('button', { name: /^Remove/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(stored).toContainText('Original prices (now)');
});
