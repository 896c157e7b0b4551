import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import {
  accessible,
  admin,
  bookWithPhoto,
  changeDetails,
  chooseHours,
  delayRequest,
  newPerson,
  openDay,
  signIn,
  untilRunning,
} from '../steps.ts';

/** Covers files that cannot be fetched, because the connection is down or the site was updated after the tab was opened. */

const crashed = (page: Page) => page.getByRole('heading', { name: 'The needle jumped' });
const gone = (page: Page, pattern: RegExp): Promise<unknown> =>
  page.route(pattern, (route) => route.fulfill({ status: 404, body: 'Not found' }));
/** Counts how often the browser fetched the document. */
function countDocuments(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => (count += request.resourceType() === 'document' ? 1 : 0));
  return () => count;
}

test('a page that cannot be fetched offline says so, and loads once the connection is back', async ({
  page,
  context,
}) => {
  await page.goto('/', { waitUntil: 'networkidle' });
  await untilRunning(page);
  await context.setOffline(true);
  await page.getByRole('link', { name: 'BOOK NOW' }).click();
  const offline = page.getByRole('heading', { name: 'You’re offline' });
  await expect(offline).toBeFocused();
  await expect(page.getByRole('alert')).toContainText('This page will open automatically when you’re back online.');
  await accessible(page);
  // The Home link works without a connection.
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('link', { name: 'BOOK NOW' })).toBeVisible();
  await page.getByRole('link', { name: 'BOOK NOW' }).click();
  await expect(offline).toBeVisible();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(offline).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'Book a studio' })).toBeVisible();
});

test('the program runs on a page of which the browser draws no frame', async ({ page }) => {
  await page.addInitScript('window.requestAnimationFrame = () => 0');
  await page.goto('/');
  await untilRunning(page);
});

test('a mouse that is down while the program draws over the page still presses the button', async ({ page }) => {
  const release = await delayRequest(page, /\/assets\/choose-[^/]*\.js/);
  await page.goto('/booking', { waitUntil: 'commit' });
  await page.getByRole('radio', { name: /Studio B/ }).hover();
  await page.mouse.down();
  release();
  await untilRunning(page);
  await page.mouse.up();
  await expect(page.getByRole('radio', { name: /Studio B/ })).toBeChecked();
});

test('a page whose file is missing reloads once, then says so; Try again loads it', async ({ page }) => {
  const documents = countDocuments(page);
  await page.goto('/', { waitUntil: 'networkidle' });
  await untilRunning(page);
  expect(documents()).toBe(1);
  await gone(page, /\/assets\/choose-[^/]*\.js/);
  await page.getByRole('link', { name: 'BOOK NOW' }).click();
  await expect(crashed(page)).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText('This page could not be loaded.')).toBeVisible();
  expect(documents()).toBe(2);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Book a studio' })).toBeVisible();
});

test('a site whose main script is missing reloads once, then says so over the pre-rendered page', async ({ page }) => {
  const documents = countDocuments(page);
  await gone(page, /\/assets\/main-[^/]*\.js/);
  await page.goto('/');
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('This page could not be loaded completely.', { timeout: 20_000 });
  expect(documents()).toBe(2);
  // The pre-rendered page can still be read.
  await expect(page.getByRole('heading', { name: 'START LOCAL. MOVE GLOBAL.' })).toBeVisible();
  await page.unrouteAll();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(alert).toBeHidden();
  await page.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('a sign-in dialog that cannot be fetched says so; the page behind it keeps what was typed', async ({ page }) => {
  await page.goto('/coming-soon', { waitUntil: 'networkidle' });
  await page.getByLabel('Email').fill('early@example.com');
  await gone(page, /\/assets\/auth-dialog-[^/]*\.js/);
  await page.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'The needle jumped' });
  await expect(dialog).toContainText('This part didn’t load.', { timeout: 20_000 });
  await accessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel('Email')).toHaveValue('early@example.com');
  await page.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  await expect(dialog).toBeVisible({ timeout: 20_000 });
  await page.unrouteAll();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('dialog', { name: 'Welcome to the studio' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByLabel('Email')).toHaveValue('early@example.com');
});

test('a calendar that cannot be fetched says so in place, and Try again loads it; the rest stays', async ({ page }) => {
  await page.goto('/booking');
  await gone(page, /\/assets\/(calendar|library-calendar)-[^/]*\.js/);
  await page.getByRole('radio', { name: /Studio B/ }).click();
  await page.getByRole('button', { name: 'Month', exact: true }).click();
  await expect(page.getByText('The calendar could not be loaded.')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole('radio', { name: /Studio B/ })).toBeChecked();
  await expect(page.locator('[data-hour="23"]')).toBeVisible();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('grid')).toBeVisible();
});

test('a page that crashes while a dialog is open stays usable', async ({ page }) => {
  await signIn(page, admin);
  await page.goto('/primitives');
  await page.getByRole('button', { name: 'Open a dialog' }).click();
  await page.getByRole('button', { name: 'Break it' }).click();
  await expect(crashed(page)).toBeFocused();
  expect(await page.evaluate('document.querySelectorAll("dialog:modal").length')).toBe(0);
  // The page still responds: the account menu and Try again work.
  await page.getByRole('button', { name: 'ACCOUNT', exact: true }).click();
  await expect(page.getByText(admin.email)).toBeVisible();
  await page.keyboard.press('Escape');
  const screen = page
    .getByRole('main')
    .filter({ has: crashed(page) })
    .last();
  await screen.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Open a dialog' }).click();
  await expect(page.getByRole('dialog', { name: 'A dialog' })).toBeVisible();
});

test('what was typed at sign-up and checkout survives loading the page again; passwords are never stored', async ({
  page,
}) => {
  await page.goto('/auth');
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await page.getByLabel('Full Name').fill('Robin Sample');
  await page.getByLabel('Year').fill('1998');
  await page.getByLabel('Password').fill('night-shift-9');
  await page.reload();
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(page.getByLabel('Full Name')).toHaveValue('Robin Sample');
  await expect(page.getByLabel('Year')).toHaveValue('1998');
  await expect(page.getByLabel('Password')).toHaveValue('');
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain('night-shift');

  await page.goto('/terms');
  await signIn(page, await newPerson(false));
  await openDay(page, 'Studio B', 57);
  await chooseHours(page, [9]);
  await bookWithPhoto(page);
  await changeDetails(page);
  await expect(page.getByLabel('First name')).toHaveValue('Robin');
  await page.getByLabel('First name').fill('Robyn');
  await page.reload();
  await expect(page.getByText('Robyn Sample', { exact: true })).toBeVisible();
  // Signing out removes it.
  await page.getByRole('button', { name: 'ACCOUNT', exact: true }).click();
  await page.getByRole('button', { name: 'Sign Out' }).click();
  await expect(page).toHaveURL(/:\d+\/$/);
  expect(await page.evaluate('Object.keys(sessionStorage).filter((key) => key.startsWith("typed:"))')).toEqual([]);
});
