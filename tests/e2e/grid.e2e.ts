import { expect, type Page } from '@playwright/test';
import { test } from './journey.ts';
import {
  accessible,
  accessibleEverywhere,
  ahead,
  chooseHours,
  expectToast,
  GOOD_CARD,
  insertBooking,
  newPerson,
  openDay,
  openDetails,
  signIn,
  sydneyDay,
  sydneyHour,
} from './steps.ts';

const cell = (page: Page, hour: number) => page.locator(`[data-hour="${hour}"]`);
const labels = (page: Page): Promise<(string | null)[]> =>
  page.locator('[data-hour]').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')));
const summary = (page: Page) => page.getByLabel('Your selection');

test('touch: choosing 10 PM to 2 AM across midnight shows the price, and Clear Selection can be undone [spec 1.7, 2.39, 2.40, 2.41]', async ({
  page,
}) => {
  await openDay(page, 'Studio A', ahead(5));
  const tap = async (name: string | RegExp, role: 'button' = 'button'): Promise<void> => {
    const button = page.getByRole(role, { name, exact: true });
    await button.scrollIntoViewIfNeeded();
    const box = await button.boundingBox();
    expect(box?.height ?? 0, `${name} is large enough for a thumb`).toBeGreaterThanOrEqual(44);
    await button.tap();
  };
  const onward = page.getByRole('button', { name: 'Continue to next morning' });
  const backward = page.getByRole('button', { name: 'Back to previous day' });
  await tap('10 PM to 11 PM, 69 dollars, free');
  await expect(summary(page)).toContainText('$69');
  // Until the selection reaches hour 23 there is no button to cross midnight in either direction.
  await expect(onward).toHaveCount(0);
  await expect(backward).toHaveCount(0);
  await tap('11 PM to 12 AM, 69 dollars, free');
  await expect(summary(page)).toContainText('Add one hour, save 10%.');
  await tap('Continue to next morning');
  // The next hour scrolls to where a thumb can reach it: the lower three quarters of the screen.
  await expect(cell(page, 0)).toBeFocused();
  await expect(cell(page, 0)).toBeInViewport();
  await expect.poll(async () => (await cell(page, 0).boundingBox())?.y ?? 0).toBeGreaterThan(844 / 4);
  await tap('12 AM to 1 AM, 69 dollars, free');
  await expect(summary(page)).toContainText('10% volume discount -$21');
  await expect(summary(page)).toContainText('Add one hour, save 15% instead of 10%.');
  await tap('1 AM to 2 AM, 69 dollars, free');
  await expect(summary(page)).toContainText('10 pm to 2 am');
  await expect(summary(page)).toContainText('$235');
  await expect(summary(page)).toContainText('15% volume discount -$41');
  await expect(page.getByRole('button', { name: 'Book Now' })).toBeInViewport();
  await tap('Back to previous day');
  await expect(backward).toHaveCount(0);
  await expect(cell(page, 23)).toHaveAttribute('data-state', 'selected');
  await openDetails(page);
  await tap('Clear Selection');
  await expect(cell(page, 23)).toHaveAttribute('data-state', 'free');
  await tap('Undo');
  await expect(summary(page)).toContainText('10 pm to 2 am');
  // Deselecting an hour in the middle keeps the longest run, or the earlier of two equally long runs.
  await cell(page, 23).tap();
  await expect(summary(page)).toContainText('$138');
});

test('free, selected, taken and held hours differ by word, icon and border, not by colour alone [spec 4.19]', async ({
  page,
}) => {
  const who = await newPerson(true);
  const day = ahead(2);
  await insertBooking({
    userId: who.id,
    studio: 'Studio C',
    start: sydneyHour(day, 19),
    end: sydneyHour(day, 20),
    status: 'confirmed',
  });
  await insertBooking({
    userId: who.id,
    studio: 'Studio C',
    start: sydneyHour(day, 20),
    end: sydneyHour(day, 21),
    status: 'pending',
  });
  // A booking from the evening before that crosses midnight also blocks this morning.
  await insertBooking({
    userId: who.id,
    studio: 'Studio C',
    start: sydneyHour(day, 23),
    end: sydneyHour(day + 1, 1),
    status: 'confirmed',
  });
  await openDay(page, 'Studio C', day);
  await expect(cell(page, 18)).toHaveAccessibleName('6 PM to 7 PM, 59 dollars, free');
  await expect(cell(page, 19)).toHaveAccessibleName('7 PM to 8 PM, taken');
  await expect(cell(page, 20)).toHaveAccessibleName('8 PM to 9 PM, being paid for');
  await expect(cell(page, 9)).toHaveAccessibleName('9 AM to 10 AM, 49 dollars, free');
  for (const hour of [19, 20]) {
    await cell(page, hour).click({ force: true });
    await page.getByRole('dialog', { name: 'Tell me when it’s free' }).getByRole('button', { name: 'Close' }).click();
    await expect(cell(page, hour)).toHaveAttribute('aria-pressed', 'false');
    await expect(cell(page, hour).locator('svg')).toBeVisible();
  }
  await expect(page.getByRole('list', { name: 'What the hours look like' })).toContainText('Being paid for');
  await chooseHours(page, [18]);
  // With forced colours, selected hours have a wider border.
  await page.emulateMedia({ forcedColors: 'active' });
  await expect(cell(page, 18)).toHaveCSS('border-top-width', '4px');
  await expect(cell(page, 17)).toHaveCSS('border-top-width', '2px');
  await page.emulateMedia({ forcedColors: 'none' });
  await cell(page, 21).click();
  await expectToast(page, 'Your hours have to be back to back, so we started a new selection.');
  await page
    .getByRole('list', { name: 'Days' })
    .getByRole('button', { name: new RegExp(` ${sydneyDay(day + 1).getUTCDate()} `) })
    .click();
  await expect(cell(page, 0)).toHaveAccessibleName('12 AM to 1 AM, taken');
  await expect(cell(page, 1)).toHaveAccessibleName('1 AM to 2 AM, 49 dollars, free');
  await accessible(page);
});

test('a whole booking works by keyboard: room, day, hours across midnight, sign-in, payment', async ({ page }) => {
  const who = await newPerson(true);
  const press = (key: string, times = 1): Promise<void> =>
    Array.from({ length: times }).reduce<Promise<void>>(
      (done) => done.then(() => page.keyboard.press(key)),
      Promise.resolve(),
    );
  await page.goto('/booking');
  await expect(page.getByRole('radio')).toHaveCount(3);
  await page.keyboard.press('Tab');
  while (
    !(await page
      .getByRole('radio')
      .first()
      .evaluate((element) => element.matches(':focus')))
  )
    await page.keyboard.press('Tab');
  await press('ArrowDown', 2);
  await expect(page.getByRole('radio', { name: 'Studio C' })).toBeChecked();
  // Moves into the row of days, to a day 15 days ahead, and into the hours. On Wednesdays the test above books the first hour of the day
  // before.
  const focused = (selector: string): Promise<boolean> =>
    page
      .locator(selector)
      .first()
      .evaluate(
        (element) =>
          element === element.ownerDocument.activeElement || element.contains(element.ownerDocument.activeElement),
      );
  for (let steps = 0; steps < 12 && !(await focused('[aria-label="Days"]')); steps += 1)
    await page.keyboard.press('Tab');
  await press('ArrowDown', 2);
  await press('ArrowRight');
  await press('Enter');
  // Until the grid is shown, Tab would skip the hours.
  await expect(cell(page, 0)).toHaveAttribute('data-state', 'free');
  for (let steps = 0; steps < 12 && !(await focused('[data-hour="0"]')); steps += 1) await page.keyboard.press('Tab');
  await press('End');
  await expect(cell(page, 23)).toBeFocused();
  await press('ArrowLeft');
  await press('Enter');
  await press('Shift+ArrowRight');
  await expect(cell(page, 23)).toHaveAttribute('data-state', 'selected');
  await press('Shift+ArrowRight');
  await expect(cell(page, 0)).toBeFocused();
  await expect(cell(page, 0)).toHaveAttribute('data-state', 'selected');
  await press('Shift+ArrowRight');
  await expect(summary(page)).toContainText('10 pm to 2 am');
  await press('Shift+ArrowLeft');
  await expect(summary(page)).toContainText('10 pm to 1 am');
  const reach = async (name: string): Promise<void> => {
    const button = page.getByRole('button', { name, exact: true });
    for (let steps = 0; steps < 20 && !(await button.evaluate((element) => element.matches(':focus'))); steps += 1)
      await page.keyboard.press('Tab');
    await press('Enter');
  };
  await reach('Book Now');
  await expect(page.getByRole('dialog')).toBeVisible();
  // A new visitor sees the sign-up form first.
  const signUp = page.getByRole('tab', { name: 'Sign Up' });
  for (let steps = 0; steps < 8 && !(await signUp.evaluate((element) => element.matches(':focus'))); steps += 1)
    await page.keyboard.press('Tab');
  await press('ArrowLeft');
  const email = page.getByLabel('Email');
  for (let steps = 0; steps < 8 && !(await email.evaluate((element) => element.matches(':focus'))); steps += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.type(who.email);
  await press('Tab');
  await page.keyboard.type(who.password);
  await press('Enter');
  // Book Now continues automatically.
  await page.waitForURL(/\/c\/pay\//);
  const card = page.getByLabel('Card number');
  for (let steps = 0; steps < 8 && !(await card.evaluate((element) => element.matches(':focus'))); steps += 1)
    await page.keyboard.press('Tab');
  await press('ControlOrMeta+A');
  await page.keyboard.type(GOOD_CARD);
  await press('Enter');
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
});

test('a day with nothing left says so and leads to the next', async ({ page }) => {
  const day = ahead(1);
  const [start, end] = [sydneyHour(day, 0), sydneyHour(day, 24)];
  await insertBooking({ userId: null, studio: 'Studio C', start, end, status: 'confirmed' });
  await openDay(page, 'Studio C', day);
  await expect(page.getByText('No hours are left on this day.')).toBeVisible();
  await accessible(page);
  await page.getByRole('button', { name: /^See Tue/ }).click();
  await expect(page.getByText('No hours are left on this day.')).toBeHidden();
  await expect(cell(page, 9)).toHaveAccessibleName('9 AM to 10 AM, 49 dollars, free');
});

test('in Perth, London and Los Angeles the page shows Sydney hours and says so', async ({ page, browser }) => {
  const day = ahead(6);
  await openDay(page, 'Studio B', day);
  await expect(page.getByText('which is different from your local time')).toBeHidden();
  const here = await labels(page);
  for (const timezoneId of ['Australia/Perth', 'Europe/London', 'America/Los_Angeles']) {
    const context = await browser.newContext({ timezoneId, viewport: { width: 390, height: 844 } });
    const there = await context.newPage();
    await openDay(there, 'Studio B', day);
    await expect(there.getByText('which is different from your local time')).toBeVisible();
    expect(await labels(there), timezoneId).toEqual(here);
    await context.close();
  }
});

test('at 200 % zoom nothing overflows sideways, and with reduced motion nothing animates', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openDay(page, 'Studio A', ahead(3));
  await chooseHours(page, [22, 23]);
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  await accessibleEverywhere(page);
  // These widths correspond to 1280 px at 200 % and 400 % zoom.
  for (const width of [640, 320]) {
    await page.setViewportSize({ width, height: 480 });
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
    await page.getByRole('button', { name: 'Book Now' }).scrollIntoViewIfNeeded();
    await expect(page.getByRole('button', { name: 'Continue to next morning' })).toBeVisible();
  }
});

test('failed requests are reported with what to do, and the page recovers [spec 8.14]', async ({ page }) => {
  await page.route('**/rest/v1/studios*', (route) => route.abort());
  await page.goto('/booking');
  await expect(page.getByRole('alert')).toContainText('Failed to load studios. Please refresh the page.', {
    timeout: 20_000,
  });
  await expectToast(page, 'Failed to load studios. Please refresh the page.');
  await accessible(page);
  // This also blocks the hours of all rooms, which the page reads before a room is chosen.
  await page.route('**/rest/v1/bookings*', (route) => route.abort());
  await page.unroute('**/rest/v1/studios*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('radio')).toHaveCount(3);

  await page.getByRole('radio', { name: 'Studio B' }).click();
  await expect(page.getByText('We can’t show which hours are free right now.')).toBeVisible({ timeout: 20_000 });
  await page.unroute('**/rest/v1/bookings*');
  await expect(cell(page, 23)).toBeVisible({ timeout: 20_000 });
  await page.context().setOffline(true);
  await expect(page.getByText(/^You’re offline\. These hours were last checked at \d/)).toBeVisible({
    timeout: 20_000,
  });
  await expect(page.getByText(/^You’re offline\. You can look around/)).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByText(/You’re offline/)).toBeHidden({ timeout: 20_000 });
});

test('without a connection Book Now cannot be pressed; it keeps the hours, and works once back online', async ({
  page,
}) => {
  await signIn(page, await newPerson(true));
  await openDay(page, 'Studio B', ahead(4));
  await chooseHours(page, [3]);
  await page.context().setOffline(true);
  await expect(page.getByRole('button', { name: 'Book Now' })).toBeDisabled();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/c\/pay\//);
});

test('a stored selection that cannot be restored is reported: unknown room, or failed request [spec 8.15, 8.16]', async ({
  page,
}) => {
  await signIn(page, await newPerson(false));
  await page.goto('/');
  const keep = (studioId: string): Promise<void> =>
    page.evaluate(
      ([id, date]) =>
        sessionStorage.setItem(
          'pendingBookingSelections',
          JSON.stringify({ studioId: id, slots: [{ date, hour: 9 }] }),
        ),
      [studioId, sydneyDay(9).toISOString().slice(0, 10)] as const,
    );
  await keep('5a000000-0000-4000-8000-0000000000ff');
  await page.goto('/booking');
  await expectToast(page, 'Selected studio not found.');
  await keep('5a000000-0000-4000-8000-00000000000a');
  await page.route('**/rest/v1/bookings*', (route) => route.abort());
  await page.goto('/booking');
  await expectToast(page, 'Failed to restore selections. Please try again.');
});

test('a reload keeps the room and the hours; opening the page again starts empty', async ({ page }) => {
  await openDay(page, 'Studio A', ahead(1));
  await chooseHours(page, [9, 10]);
  await expect(summary(page)).toContainText('9 am to 11 am');
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Studio A' })).toBeChecked();
  await expect(cell(page, 10)).toHaveAttribute('data-state', 'selected');
  await expect(summary(page)).toContainText('9 am to 11 am');
  await page.goto('/');
  await page.goto('/booking');
  await expect(page.getByRole('radio', { name: 'Studio A' })).not.toBeChecked();
});
