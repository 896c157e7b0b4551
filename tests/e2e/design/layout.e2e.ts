import { expect, type Locator, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { admin, ahead, chooseHours, demo, openDay, openDetails, signIn } from '../steps.ts';

/** Covers stacking: the summary, BOOK NOW and messages must not cover anything that people need. */

/** A phone in portrait and landscape, and a window of 1280 × 800 at 200 % zoom. */
const SIZES = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 640, height: 400 },
] as const;

/** Returns the elements of a selector whose centre is still covered by another element after they were scrolled into view. */
const covered = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].flatMap((one) => {
    one.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    const { left, top, width, height } = one.getBoundingClientRect();
    if (width === 0 || height === 0) return [];
    const on = document.elementFromPoint(left + width / 2, top + height / 2);
    return on && (one.contains(on) || on.contains(one)) ? [] : [one.outerHTML.slice(0, 80)];
  })`);

/** Returns whether two elements overlap on the screen. */
async function overlap(first: Locator, other: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([first.boundingBox(), other.boundingBox()]);
  if (!a || !b) return false;
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
const messages = (page: Page): Locator => page.getByRole('region', { name: 'Messages' }).locator('> div');

for (const size of SIZES) {
  test(`the summary covers nothing of the booking page at ${size.width} x ${size.height}`, async ({ page }) => {
    await page.setViewportSize(size);
    await openDay(page, 'Studio A', ahead(2));
    await chooseHours(page, [22, 23]);
    await expect(page.getByRole('button', { name: 'Book Now' })).toBeVisible();
    expect(await covered(page, 'main [data-hour], main [role="radio"], main input, header a, header button')).toEqual(
      [],
    );
    expect(await covered(page, 'aside button')).toEqual([]);
    // After Clear Selection the summary offers Undo and still covers nothing.
    await openDetails(page);
    expect(await covered(page, 'aside button')).toEqual([]);
    await page.getByRole('button', { name: 'Clear Selection' }).click();
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
    expect(await covered(page, 'main [data-hour]')).toEqual([]);
  });

  test(`BOOK NOW covers nothing of the first page at ${size.width} x ${size.height}`, async ({ page }) => {
    await page.setViewportSize(size);
    await page.goto('/');
    const button = page.getByRole('link', { name: 'BOOK NOW' });
    for (const text of [page.getByRole('heading', { level: 1 }), page.getByText('Three rooms, no reception')])
      expect(await overlap(text.locator('visible=true').first(), button)).toBe(false);
    expect(await covered(page, 'header a, header button, main a, dl a, footer a')).toEqual([]);
    await page.evaluate('window.scrollTo({ top: document.body.scrollHeight, behavior: "instant" })');
    expect(await overlap(page.getByText('©'), button)).toBe(false);
  });
}

test('the search in any room is in view from 320 px on, and its buttons are at least 44 px wide and high [spec 10.3]', async ({
  page,
}) => {
  for (const width of [320, 390, 768, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto('/booking');
    const button = page.getByRole('button', { name: 'Find me a time' });
    await expect(button).toBeInViewport({ ratio: 1 });
    await button.click();
    const search = page.getByRole('region', { name: 'Find me a time' });
    await expect(search.getByRole('listitem').first()).toBeInViewport({ ratio: 1 });
    const radios = await search.getByRole('radio').all();
    expect(radios).toHaveLength(19);
    for (const radio of radios) {
      await expect(radio).toBeInViewport({ ratio: 1 });
      const box = await radio.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
  }
});

test('every page has SIGN IN for a guest and the ACCOUNT menu for a signed-in user', async ({ page }) => {
  const paths =
    '/ /studio /about /coming-soon /terms /privacy /status /booking /unsubscribe /auth /checkout /profile /bookings'
      .concat(' /verify-complete /verify-return /regenerate-pin /no-such-page /admin')
      .split(' ')
      .concat('/payment-success?session_id=cs_test_nothing&booking_id=5a000000-0000-4000-8000-0000000000ff');
  for (const path of paths) {
    await page.goto(path);
    await expect(page.getByRole('button', { name: 'SIGN IN', exact: true, includeHidden: true }), path).toHaveCount(1);
  }
  await signIn(page, demo);
  for (const path of paths.filter((path) => path !== '/auth')) {
    await page.goto(path);
    await expect(page.getByRole('button', { name: 'ACCOUNT', exact: true, includeHidden: true }), path).toHaveCount(1);
  }
});

test('a message in a dialog covers nothing and is announced; each tone has its colour', async ({ page }) => {
  await signIn(page, admin);
  await page.goto('/primitives');
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await page.getByRole('button', { name: 'Open a dialog' }).click();
    const dialog = page.getByRole('dialog', { name: 'A dialog' });
    // The region exists before its message, so that screen readers announce the message.
    await expect(dialog.getByRole('region', { name: 'Messages' })).toHaveAttribute('aria-live', 'polite');
    await dialog.getByRole('button', { name: 'Show a message in here' }).click();
    const message = messages(page).last();
    await expect(message).toContainText('Saved in here');
    for (const part of [
      dialog.getByRole('heading'),
      dialog.getByText('The focus stays in here'),
      dialog.getByRole('button', { name: 'Close it' }),
      dialog.getByRole('button', { name: 'Close', exact: true }),
    ])
      expect(await overlap(message, part), JSON.stringify(size)).toBe(false);
    await message.getByRole('button', { name: 'Dismiss' }).click();
    await dialog.getByRole('button', { name: 'Close it' }).click();
  }
  for (const [name, colour] of [
    ['Show a message', 'rgb(125, 220, 154)'],
    ['Show a warning', 'rgb(255, 194, 75)'],
    ['Show an error', 'rgb(255, 138, 128)'],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click();
    await expect(messages(page).last()).toHaveCSS('border-left-color', colour);
  }
});

test('hours that are not consecutive show a warning, not a success colour', async ({ page }) => {
  await openDay(page, 'Studio C', ahead(2));
  await chooseHours(page, [9]);
  await page.locator('[data-hour="14"]').click();
  await expect(messages(page).last()).toContainText('Your hours have to be back to back');
  await expect(messages(page).last()).toHaveCSS('border-left-color', 'rgb(255, 194, 75)');
});

test('a space is as wide after k, K and P as after other letters', async ({ page }) => {
  await page.goto('/about');
  // Measured as a string in the page, because the tests compile without DOM types.
  const widths = await page.evaluate<number[]>(`document.fonts.ready.then(() => {
    const probe = document.body.appendChild(document.createElement('span'));
    probe.style.cssText = 'position:absolute;white-space:pre;font:600 100px "Archivo Variable"';
    const width = (text) => {
      probe.textContent = text;
      return probe.getBoundingClientRect().width;
    };
    return [...'nkKPYr'].map((letter) => Math.round(width(letter + ' ') - width(letter)));
  })`);
  expect(new Set(widths)).toEqual(new Set([widths[0]]));
});
