import { expect, type Locator, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { codeFromMail, GOOD_CARD, newPerson, payWith, sandboxUrl, signIn } from '../steps.ts';

/** Maximum number of taps on a phone: for a first booking, and for a booking by a returning customer with a saved card. */
const [FIRST, RETURNING] = [14, 5];
const SCROLLS = 2;
const NOON = 12;
/** Maximum height of the selection bar, in pixels. */
const BAR = 72;

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

type Step = { readonly what: string; readonly taps: number; readonly scrolls: number };

/**
 * Counts a visitor's actions: taps on anything but text fields, and each scroll needed to bring a target into view. Moving between text
 * fields is not counted, because a phone does it, scrolling included, automatically.
 */
function counter() {
  const steps: Step[] = [];
  const sum = (key: 'taps' | 'scrolls'): number => steps.reduce((all, step) => all + step[key], 0);
  const scrollTo = async (target: Locator): Promise<number> => {
    await target.waitFor();
    // Returns whether a finger can reach the target: it is in the window and nothing covers it. On a busy machine the target may still be
    // moving, hence the retries.
    const reached = () =>
      target.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const hit = element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
        return hit !== null && (element.contains(hit) || hit.contains(element));
      });
    for (let tries = 0; tries < 10; tries += 1) {
      if (await reached()) return 0;
      await new Promise((done) => setTimeout(done, 100));
    }
    await target.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
    return 1;
  };
  return {
    async tap(what: string, target: Locator): Promise<void> {
      const scrolls = await scrollTo(target);
      await target.tap();
      steps.push({ what, taps: 1, scrolls });
    },
    add: (what: string, taps: number, scrolls = 0) => void steps.push({ what, taps, scrolls }),
    taps: () => sum('taps'),
    scrolls: () => sum('scrolls'),
    print(title: string): void {
      const rows = steps.map(({ what, taps, scrolls }) => `  ${what.padEnd(46)} ${taps}  ${scrolls}`);
      const total = `  ${'in all'.padEnd(46)} ${sum('taps')}  ${sum('scrolls')}`;
      process.stdout.write(`${[title, `  ${''.padEnd(46)} taps scrolls`, ...rows, total].join('\n')}\n`);
    },
  };
}

/** The taps and scrolls that a booking takes in addition at this time of day. */
type Later = { readonly taps: number; readonly scrolls: number };

/**
 * Chooses two hours of tonight, or of tomorrow evening if tonight is over, which takes one more tap and one more scroll. Before noon it
 * also takes one more scroll: the page does not scroll to the evening automatically, and early in the morning there are no past hours to
 * fold away.
 */
async function chooseEvening(page: Page, count: ReturnType<typeof counter>, from: number): Promise<Later> {
  const now = Number(
    new Date()
      .toLocaleTimeString('en-GB', { timeZone: 'Australia/Sydney', hour: '2-digit', hour12: false })
      .slice(0, 2),
  );
  const hour = now % 24;
  const over = hour >= from;
  if (over) await count.tap('Tomorrow', page.getByLabel('Days', { exact: true }).getByRole('button').nth(1));
  for (const chosen of [from, from + 1])
    await count.tap(`${chosen - 12} pm`, page.locator(`button[data-hour="${chosen}"]`));
  return { taps: over ? 1 : 0, scrolls: over || hour < NOON ? 1 : 0 };
}

test('a first booking for the evening takes a phone 14 taps and 2 scrolls from the landing page to the pay page', async ({
  page,
  request,
}) => {
  test.setTimeout(120_000);
  const count = counter();
  const email = `taps-${Date.now()}@example.com`;
  await page.goto('/');
  const began = Date.now();
  await count.tap('Studio C', page.getByRole('link', { name: 'Studio C', exact: true }));
  const later = await chooseEvening(page, count, 20);
  expect((await page.getByLabel('Your selection').boundingBox())?.height).toBeLessThanOrEqual(BAR);
  await count.tap('Book Now', page.getByRole('button', { name: 'Book Now' }));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Full Name').fill('Robin Sample');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Phone Number').fill('0400 111 222');
  await dialog.getByLabel('Day').fill('3');
  // One tap opens the list of months, and another chooses.
  await dialog.getByLabel('Month').selectOption('April');
  count.add('Month', 2);
  await dialog.getByLabel('Year').fill('1998');
  await dialog.getByLabel('Password').fill('night-shift-9');
  await count.tap('Sign Up', dialog.getByRole('button', { name: 'Sign Up' }));
  await page.getByLabel('Verification code').fill(await codeFromMail(email));
  // Book Now continues automatically, and the hours are held in the meantime.
  await expect(page.getByText('Selections Restored')).toBeVisible();
  await page.waitForURL(/\/verify-complete$/);
  await expect(page.getByText(/^We’re holding your hours for (10:00|9:)/)).toBeVisible();
  await count.tap('Use a photo', page.getByRole('link', { name: 'Use a photo of my licence here' }));
  const licence = await request.get(`${sandboxUrl}/licence.jpg?given=Robin&family=Sample`);
  await page
    .getByLabel('Upload a photo')
    .setInputFiles({ name: 'licence.jpg', mimeType: 'image/jpeg', buffer: await licence.body() });
  count.add('Upload a photo', 1);
  await count.tap('Verify my ID', page.getByRole('button', { name: 'Verify my ID' }));
  await expect(page.getByText('ID verified', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByText('Robin Sample', { exact: true })).toBeVisible();
  await count.tap('Read the terms', page.getByRole('button', { name: 'Read the terms' }));
  await page
    .getByRole('region', { name: /Terms and conditions/ })
    .evaluate((region) => region.scrollTo(0, region.scrollHeight));
  count.add('the terms', 0, 1);
  await count.tap('I have read and accept', page.getByLabel('I have read and accept'));
  await count.tap('Done', page.getByRole('button', { name: 'Done' }));
  await count.tap('Pay', page.getByRole('button', { name: /^Pay \$/ }));
  await page.waitForURL(/\/c\/pay\//);
  count.print(`A first booking, in ${Math.round((Date.now() - began) / 1000)} s`);
  expect(count.taps() - later.taps).toBeLessThanOrEqual(FIRST);
  expect(count.scrolls() - later.scrolls).toBeLessThanOrEqual(SCROLLS);
});

test('a known customer with a saved card books the evening with 5 taps', async ({ page }) => {
  test.setTimeout(120_000);
  await signIn(page, await newPerson(true));
  await page.goto('/booking');
  const saved = counter();
  await page.getByRole('radio', { name: /Studio C/ }).tap();
  await chooseEvening(page, saved, 18);
  await page.getByRole('button', { name: 'Book Now' }).tap();
  await page.getByLabel('Save my card').check();
  await payWith(page, GOOD_CARD);
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();

  const count = counter();
  await page.goto('/');
  await count.tap('Studio B', page.getByRole('link', { name: 'Studio B', exact: true }));
  const later = await chooseEvening(page, count, 20);
  await count.tap('Book Now', page.getByRole('button', { name: 'Book Now' }));
  await count.tap('Pay', page.getByRole('button', { name: /^Pay \$/ }));
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  count.print('A booking of a known customer');
  expect(count.taps() - later.taps).toBeLessThanOrEqual(RETURNING);
});

test('from noon on a small phone shows the hours of the evening without scrolling', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 667 });
  // 1 pm in Sydney, a few days ahead.
  await page.clock.setFixedTime(
    new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 2 * 86_400_000 + 2 * 3_600_000),
  );
  await page.goto('/booking');
  await page.getByRole('radio', { name: /Studio A/ }).tap();
  // Tomorrow shows all of its 24 hours.
  await page.getByLabel('Days', { exact: true }).getByRole('button').nth(1).tap();
  await expect(page.locator('button[data-hour="0"]')).toBeVisible();
  await expect(page.locator('button[data-hour="20"]')).toBeInViewport({ ratio: 1 });
});
