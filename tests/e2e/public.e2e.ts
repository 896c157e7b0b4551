import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { test } from './journey.ts';
import { axeFor, demo, signIn, signInByDialog } from './steps.ts';

const PAGES = ['/', '/about', '/coming-soon', '/terms', '/privacy', '/no-such-page'] as const;
const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };

/** Runs axe without the rules in `leftOut`: with forced colours the browser ensures the contrast, which axe cannot see. */
async function accessible(page: Page, leftOut: string[] = []): Promise<void> {
  const { violations } = await new AxeBuilder({ page, axeSource: await axeFor(page) })
    .setLegacyMode()
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .disableRules(leftOut)
    .analyze();
  expect(violations.map((violation) => `${page.url()} ${violation.id}: ${violation.nodes[0]?.html ?? ''}`)).toEqual([]);
}
const scrolled = (page: Page): Promise<number> => page.evaluate('window.scrollY');

test('HOME and ABOUT US scroll on the first page and link to it from other pages [spec 2.19, 2.20, 2.28]', async ({
  page,
}) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'ABOUT US' }).click();
  await expect(page.getByRole('heading', { name: 'START LOCAL. MOVE GLOBAL.' })).toBeInViewport();
  const top = 'Math.round(document.getElementById("about").getBoundingClientRect().top)';
  await expect.poll(() => page.evaluate(top)).toBe(0);
  // The navigation is scrolled out of view, but can be reached by keyboard.
  await page.getByRole('link', { name: 'HOME', exact: true }).press('Enter');
  await expect(page).toHaveURL('/');
  await expect.poll(() => scrolled(page)).toBe(0);

  await page.goto('/about');
  await page.getByRole('link', { name: 'ABOUT US' }).click();
  await expect(page).toHaveURL('/#about');
  await expect(page.getByRole('region', { name: 'About us' })).toBeInViewport();
  await page.goto('/about');
  await page.getByRole('link', { name: 'HOME', exact: true }).click();
  await expect(page).toHaveURL('/');
  await expect.poll(() => scrolled(page)).toBe(0);
});

test('the program is fetched only once the page is painted', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('link', { name: 'BOOK NOW' }).first()).toBeVisible();
  const readTimes = `({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    program: performance.getEntriesByType('resource').find(({ name }) => name.includes('/library-react-'))?.startTime,
  })`;
  await expect
    .poll(() => page.evaluate(readTimes))
    .toEqual({ painted: expect.any(Number), program: expect.any(Number) });
  const { painted, program } = await page.evaluate<{ painted: number; program: number }>(readTimes);
  expect(program).toBeGreaterThanOrEqual(painted);
});

test('the first page shows address, hours, contact and rooms, and BOOK NOW leads to booking [spec 1.6, 2.1, 2.28]', async ({
  page,
}) => {
  await page.goto('/');
  const about = page.getByRole('region', { name: 'About us' });
  for (const text of ['Address', 'Sydney NSW', 'Hours', '24/7', 'Contact', 'hello@example.com', '@djstudios'])
    await expect(about.getByText(text, { exact: true })).toBeVisible();
  for (const letter of ['A', 'B', 'C'])
    await expect(about.getByRole('heading', { name: `Studio ${letter}:` })).toBeVisible();
  for (const picture of await about.getByRole('img').all()) {
    await picture.scrollIntoViewIfNeeded();
    await expect(picture).not.toHaveJSProperty('naturalWidth', 0);
  }
  await expect(about.getByRole('img')).toHaveCount(3);
  for (const step of ['Pick your hours', 'Show your ID once', 'Open the door'])
    await expect(about.getByRole('heading', { name: step })).toBeVisible();
  await expect(about.getByRole('link', { name: 'Open the map' })).toHaveAttribute('href', /query=Sydney%20NSW$/);
  await expect(page.getByRole('link', { name: 'BOOK NOW' })).toBeInViewport();
  await page.getByRole('link', { name: 'BOOK NOW' }).click();
  await expect(page).toHaveURL('/booking');
  await expect(page.getByRole('heading', { name: 'Book a studio' })).toBeVisible();
});

test('SIGN IN opens the dialog; the ACCOUNT menu shows the email, Account Settings and Sign Out [spec 2.21, 2.22, 2.23]', async ({
  page,
}) => {
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'ACCOUNT', exact: true })).toHaveCount(0);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Welcome to the studio' })).toBeVisible();
  await signInByDialog(page);
  await expect(page.getByRole('button', { name: 'SIGN IN', exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'ACCOUNT', exact: true }).click();
  await expect(page.getByText(demo.email)).toBeVisible();
  await accessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByText(demo.email)).toBeHidden();
  await page.getByRole('button', { name: 'ACCOUNT', exact: true }).click();
  await page.getByRole('link', { name: 'Account Settings' }).click();
  await expect(page).toHaveURL('/profile');
  await page.goto('/');
  await page.getByRole('button', { name: 'ACCOUNT', exact: true }).click();
  await page.getByRole('button', { name: 'Sign Out' }).click();
  await expect(page.getByRole('button', { name: 'SIGN IN', exact: true })).toBeVisible();
  const keys: string[] = await page.evaluate('Object.keys(localStorage)');
  expect(keys.filter((key) => key.startsWith('sb-') && key.includes('auth-token'))).toEqual([]);
});

test('signing out in another tab leads the checkout to the first page [spec 2.24]', async ({ page, context }) => {
  await signIn(page);
  await page.goto('/');
  const checkout = await context.newPage();
  await checkout.goto('/');
  const start = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 86_400_000);
  const draft = {
    studio_id: '0',
    studio_name: 'Studio B',
    start_time: start.toISOString(),
    end_time: new Date(start.getTime() + 3_600_000).toISOString(),
    total_hours: 1,
    base_cost: 49,
    discount_amount: 0,
    final_cost: 49,
    slots: [{ hour: 12, label: '12 PM', date: start.toISOString().slice(0, 10), price: 49 }],
  };
  await checkout.evaluate(`sessionStorage.setItem('checkoutBookingData', ${JSON.stringify(JSON.stringify(draft))})`);
  await checkout.goto('/checkout');
  await expect(checkout.getByRole('heading', { name: 'Checkout' })).toBeVisible();
  await expect(checkout.getByRole('button', { name: 'Change your details' })).toBeVisible();
  await page.getByRole('button', { name: 'ACCOUNT', exact: true }).click();
  await page.getByRole('button', { name: 'Sign Out' }).click();
  await expect(checkout).toHaveURL('/');
  await expect(checkout.getByRole('button', { name: 'SIGN IN', exact: true })).toBeVisible();
  await expect(checkout.getByRole('dialog')).toBeHidden();
});

const film = 'document.querySelector("video")';
const isPlaying = (page: Page): Promise<boolean> => page.evaluate(`${film} !== null && !${film}.paused`);

test.describe('without a wish for less motion', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('the film plays muted on phones and wide screens, with the logo until it plays [spec 2.26]', async ({
    page,
    browser,
  }) => {
    await page.route('**/hero/*.webm', async (route) => {
      await new Promise((done) => setTimeout(done, 1_000));
      await route.continue();
    });
    await page.goto('/');
    await expect(page.getByTestId('film-logo')).toBeVisible();
    await expect.poll(() => isPlaying(page)).toBe(true);
    await expect(page.getByTestId('film-logo')).toHaveCount(0);
    expect(await page.evaluate(`[${film}.muted, ${film}.loop, ${film}.dataset.film]`)).toEqual([true, true, 'tall']);
    const wide = await (await browser.newContext({ viewport: WIDE })).newPage();
    await wide.goto(page.url());
    await expect.poll(() => isPlaying(wide)).toBe(true);
    expect(await wide.evaluate(`${film}.dataset.film`)).toBe('wide');
    await wide.context().close();
  });

  test('the film resumes after a pause by the browser or when it comes into view, not after a pause by the visitor [spec 2.27]', async ({
    page,
  }) => {
    await page.goto('/');
    await expect.poll(() => isPlaying(page)).toBe(true);
    await page.evaluate(`${film}.pause()`);
    await expect.poll(() => isPlaying(page)).toBe(true);
    // A paused film stays paused while out of view, and resumes once a tenth of it is in view again.
    await page.evaluate('window.scrollTo({ top: innerHeight * 1.5, behavior: "instant" })');
    const staysPaused = async (): Promise<boolean> => {
      await page.evaluate(`${film}.pause()`);
      await page.waitForTimeout(500);
      return !(await isPlaying(page));
    };
    // The browser reports with a short delay that the film is out of view.
    await expect.poll(staysPaused).toBe(true);
    await page.evaluate('window.scrollTo({ top: innerHeight * 0.8, behavior: "instant" })');
    await expect.poll(() => isPlaying(page)).toBe(true);
    await page.evaluate('window.scrollTo({ top: 0, behavior: "instant" })');
    await page.getByRole('button', { name: 'Pause video' }).click();
    expect(await isPlaying(page)).toBe(false);
    await page.evaluate('window.scrollTo({ top: innerHeight * 1.5, behavior: "instant" })');
    await page.waitForTimeout(300);
    await page.evaluate('window.scrollTo({ top: 0, behavior: "instant" })');
    await page.waitForTimeout(500);
    expect(await isPlaying(page)).toBe(false);
    await page.getByRole('button', { name: 'Play video' }).click();
    await expect.poll(() => isPlaying(page)).toBe(true);
  });

  test('blocked autoplay is retried once after a second [spec 2.27]', async ({ page }) => {
    await page.addInitScript(`
      window.asked = [];
      HTMLMediaElement.prototype.play = function () {
        window.asked.push(performance.now());
        return Promise.reject(new DOMException('no', 'NotAllowedError'));
      };
    `);
    await page.goto('/');
    await expect(page.getByRole('button', { name: 'Play video' })).toBeVisible();
    await expect.poll(() => page.evaluate('window.asked.length')).toBe(2);
    // A third attempt would come a second later.
    await page.waitForTimeout(1_500);
    const requested: number[] = await page.evaluate('window.asked');
    expect(requested).toHaveLength(2);
    expect(requested[1]! - requested[0]!).toBeGreaterThanOrEqual(990);
  });
});

test.describe('with less motion wanted', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });
  test('with reduced motion only the first frame is shown [spec 2.27]', async ({ page }) => {
    await page.goto('/', { waitUntil: 'networkidle' });
    expect(await page.evaluate(`${film} === null`)).toBe(true);
    expect(await page.evaluate('document.querySelector("picture img").naturalWidth')).toBeGreaterThan(0);
    await expect(page.getByTestId('film-logo')).toBeHidden();
  });
});

test('the launch list takes an address once, and each outcome has its specified text [spec 1.4, 2.2, 2.29, 8.13]', async ({
  page,
  context,
}, info) => {
  await page.goto('/coming-soon');
  for (const text of [
    'Coming Soon',
    "Sydney's first 24/7 DJ Studios.",
    'Run it up selecta!',
    'hello@example.com',
    '@djstudios',
    'START LOCAL. MOVE GLOBAL.',
  ])
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  const email = page.getByLabel('Email');
  const notify = page.getByRole('button', { name: 'Notify Me' });
  await email.fill('not an address');
  await notify.click();
  expect(await email.evaluate((input) => 'validity' in input && (input.validity as { valid: boolean }).valid)).toBe(
    false,
  );
  await email.fill(`  Launch-${info.project.name}-${Date.now()}@Example.com `);
  const typed = await email.inputValue();
  await notify.click();
  const status = page.getByRole('main').getByRole('status');
  await expect(status).toHaveText("Thanks for signing up! We'll notify you when we launch.");
  await expect(email).toHaveValue('');
  await accessible(page);
  await email.fill(typed.trim().toLowerCase());
  await notify.click();
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('This email is already on our list!');
  await expect(email).not.toHaveValue('');
  await context.setOffline(true);
  await notify.click();
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('Something went wrong. Please try again.');
});

test('an unknown path is answered with 404, is logged, and links home [spec 2.18]', async ({ page }) => {
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  const response = await page.goto('/no/such-page');
  expect(response?.status()).toBe(404);
  await expect(page.getByText('Oops! Page not found')).toBeVisible();
  await expect.poll(() => logged.some((text) => text.includes('/no/such-page'))).toBe(true);
  await page.getByRole('link', { name: 'Return to Home' }).click();
  await expect(page).toHaveURL('/');
});

test('every page has its title, description and place without unfilled names, and shared links their picture [spec 2.1]', async ({
  page,
  request,
  baseURL,
}) => {
  const seen = new Set<string>();
  for (const path of PAGES.slice(0, 5)) {
    await page.goto(path);
    await expect(page.locator('link[rel="canonical"]')).toHaveAttribute('href', `${baseURL}${path}`);
    seen.add(`${await page.title()} ${await page.locator('meta[name="description"]').getAttribute('content')}`);
    await expect(page.locator('title')).toHaveCount(1);
    expect(await page.evaluate('document.head.innerHTML')).not.toMatch(/\{\w+\}/);
  }
  expect(seen.size).toBe(5);
  await page.goto('/studio');
  await expect(page.getByRole('link', { name: 'BOOK NOW' })).toBeVisible();
  await expect(page.locator('link[rel="canonical"]')).toHaveAttribute('href', `${baseURL}/`);
  const business: unknown = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? '');
  const description = await page.locator('meta[name="description"]').getAttribute('content');
  expect(business).toMatchObject({ name: '24/7 DJ Studios', description, url: `${baseURL}/` });
  const picture = await page.locator('meta[property="og:image"]').getAttribute('content');
  expect((await request.get(picture ?? '')).headers()['content-type']).toBe('image/jpeg');
  expect(await (await request.get('/robots.txt')).text()).toContain(`Sitemap: ${baseURL}/sitemap.xml`);
  expect(await (await request.get('/sitemap.xml')).text()).toContain(`<loc>${baseURL}/about</loc>`);
  const manifest: { icons: { src: string }[] } = await (await request.get('/site.webmanifest')).json();
  for (const { src } of manifest.icons) expect((await request.get(src)).status(), src).toBe(200);
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  for (const viewport of [PHONE, WIDE])
    test(`the styles in the HTML of each page paint it at ${viewport.width} px as the whole style sheet does`, async ({
      page,
      request,
    }) => {
      await page.setViewportSize(viewport);
      const sheet = /"([^"]+\.css)"/.exec(await (await request.get('/auth')).text())?.[1];
      for (const path of [...PAGES, '/booking', '/status']) {
        await page.goto(path);
        await expect(page.locator('link[rel="stylesheet"]')).toHaveCount(0);
        await page.evaluate('document.fonts.ready.then(() => null)');
        const painted = await page.screenshot({ fullPage: true });
        await page.evaluate(
          `document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '${sheet}' }))`,
        );
        // Without JavaScript the link does not fire events.
        await expect(page.locator('link[rel="stylesheet"]')).not.toHaveJSProperty('sheet', null);
        expect(painted.equals(await page.screenshot({ fullPage: true })), path).toBe(true);
      }
    });

  test('the public pages can be read and navigated [spec 2.3]', async ({ page }) => {
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'START LOCAL. MOVE GLOBAL.' })).toBeVisible();
    await page.getByRole('link', { name: 'Terms' }).click();
    await expect(page.getByRole('heading', { name: 'Cancellation' })).toBeVisible();
    await expect(page.getByText('Last updated: October 2025')).toBeVisible();
    await page.getByRole('link', { name: 'Privacy' }).click();
    await expect(page.getByRole('heading', { name: 'Your ID', exact: true })).toBeVisible();
    await page.getByRole('link', { name: 'ABOUT US' }).click();
    await expect(page.getByRole('region', { name: 'About us' })).toBeInViewport();
    await page.goto('/coming-soon');
    await expect(page.getByRole('heading', { name: 'Coming Soon' })).toBeVisible();
    await page.goto('/about');
    await expect(page.getByText('hello@example.com')).toBeVisible();
  });
});

test('axe finds no violation on any public page, at phone and desktop size and with forced colours', async ({
  page,
}) => {
  for (const path of PAGES) {
    await page.goto(path);
    await accessible(page);
    await page.setViewportSize(WIDE);
    await accessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
  }
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/');
  const edge = await page.evaluate('getComputedStyle(document.querySelector("main > a")).borderTopWidth');
  expect(edge).toBe('2px');
  await accessible(page, ['color-contrast']);
});

test('at 200 % zoom nothing is cut off and nothing scrolls sideways', async ({ page }) => {
  for (const path of PAGES) {
    await page.goto(path);
    // These are a phone of 390 px at 200 % zoom, and the 320 px of WCAG 1.4.10.
    for (const width of [195, 320]) {
      await page.setViewportSize({ width, height: 640 });
      const wide: string[] = await page.evaluate(
        '[...document.querySelectorAll("body *")].filter((one) => !one.closest("picture, video, .absolute") && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 90))',
      );
      expect(wide.slice(0, 2), `${path} at ${width}`).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${path} at ${width}`).toBeLessThanOrEqual(
        width,
      );
    }
  }
});

test('the unsubscribe link ends a subscription when the button is pressed; an incomplete link says what to do', async ({
  page,
}) => {
  await page.goto('/unsubscribe');
  await expect(page.getByText('This link is incomplete.')).toBeVisible();
  await page.goto('/unsubscribe?id=2f1d6c1e-7a53-4a1e-9d3c-0f3f6b1b8a11');
  await accessible(page);
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await expect(page.getByText('You’re off the list.')).toBeVisible();
});
