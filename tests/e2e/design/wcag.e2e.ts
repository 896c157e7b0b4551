import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { admin, chooseHours, demo, newPerson, openDay, signIn } from '../steps.ts';

/** Checks what axe cannot check of WCAG 2.2 AA. docs/accessibility.md lists each criterion with its check. */

const GUEST = ['/', '/about', '/booking', '/auth', '/terms', '/privacy', '/status', '/coming-soon', '/no-such-page'];
const CUSTOMER = ['/booking', '/profile', '/bookings', '/regenerate-pin', '/verify-complete'];
const STAFF = [
  '/admin',
  '/admin?tab=calendar',
  '/admin?tab=discount-codes',
  '/admin?tab=audit-logs',
  '/admin?tab=customers',
];

/**
 * Calls `look` on each screen of a guest, of a customer with a selection and at the checkout, and of staff. The hours are chosen `day` days
 * ahead.
 */
async function onEachScreen(page: Page, day: number, look: (name: string) => Promise<void>): Promise<void> {
  const visit = async (path: string): Promise<void> => {
    await page.goto(path);
    await expect(page.locator('main h1, main h2').first()).toBeVisible();
    // Parts that load later belong to the screen too.
    await expect(page.locator('main [role="status"] .skeleton, main .skeleton')).toHaveCount(0);
    await look(path);
  };
  for (const path of GUEST) await visit(path);
  await signIn(page, await newPerson(false));
  for (const path of CUSTOMER) await visit(path);
  await openDay(page, 'Studio C', day);
  await chooseHours(page, [10, 11]);
  await look('/booking with a selection');
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/verify-complete$/);
  await look('/verify-complete with a booking');
  await page.getByRole('link', { name: 'Use a photo of my licence here' }).click();
  await expect(page.getByRole('dialog', { name: 'ID Verification' })).toBeVisible();
  await look('the photo of an ID');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Read the terms' })).toBeVisible();
  await look('/checkout');
  await page.getByRole('button', { name: 'Read the terms' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await look('the terms');
  await signIn(page, demo);
  await visit('/bookings');
  await signIn(page, admin);
  for (const path of STAFF) await visit(path);
}

/** Returns the names of targets under 24 × 24 px that are not links in a sentence and are closer than 24 px to another element. */
const SMALL_TARGETS = `(() => {
  const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  const targets = [...top.querySelectorAll('a[href], button, select, input:not([type=hidden]), textarea, [role=button], [role=tab], [role=radio], summary')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest('[aria-hidden=true], .sr-only'))
    .map((element) => {
      // A label is pressed with its box.
      const at = element.matches('input[type=checkbox], input[type=radio]') ? element.closest('label') ?? element : element;
      return { element, box: at.getBoundingClientRect() };
    })
    .filter(({ box }) => box.width > 0 && box.height > 0);
  const inSentence = (element) => getComputedStyle(element).display === 'inline' && (element.parentElement?.textContent ?? '').trim().length > (element.textContent ?? '').trim().length;
  const centre = ({ box }) => [box.left + box.width / 2, box.top + box.height / 2];
  return targets
    .filter(({ element, box }) => (box.width < 23.9 || box.height < 23.9) && !inSentence(element))
    .filter((small) => {
      const [x, y] = centre(small);
      return targets.some((other) => {
        if (other === small || other.element.contains(small.element) || small.element.contains(other.element)) return false;
        const { left, right, top, bottom } = other.box;
        return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)) < 12;
      });
    })
    .map(({ element, box }) => element.outerHTML.slice(0, 90) + ' ' + Math.round(box.width) + ' x ' + Math.round(box.height));
})()`;

/** Returns the texts that are cut off by an element that hides its overflow. */
const CUT_TEXTS = `[...document.querySelectorAll('main *, dialog[open] *, header *')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.sr-only, [aria-hidden=true], svg') && !element.matches('input, select, textarea'))
  .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ''))
  .filter((element) => {
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
    const cuts = (overflow) => overflow === 'hidden' || overflow === 'clip';
    if ((textOverflow === 'ellipsis' && element.title !== '') || element.clientWidth < 2) return false;
    return (cuts(overflowX) && element.scrollWidth > element.clientWidth + 1) || (cuts(overflowY) && element.scrollHeight > element.clientHeight + 1);
  })
  .map((element) => element.outerHTML.slice(0, 90))`;

const overflow = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

test('targets are at least 24 px wide and high, or that far from each other (2.5.8)', async ({ page }) => {
  test.setTimeout(180_000);
  await onEachScreen(page, 70, async (name) => {
    expect({ name, small: await page.evaluate(SMALL_TARGETS) }).toEqual({ name, small: [] });
  });
});

test('no screen has to be scrolled sideways at 320 px (1.4.10)', async ({ page }) => {
  test.setTimeout(180_000);
  await page.setViewportSize({ width: 320, height: 640 });
  await onEachScreen(page, 72, async (name) => {
    expect({ name, overflow: await overflow(page) }).toEqual({ name, overflow: 0 });
  });
});

test('nothing is cut off or runs out of the page with wide text spacing (1.4.12)', async ({ page }) => {
  test.setTimeout(180_000);
  const spaced = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
    p { margin-bottom: 2em !important; }`;
  await onEachScreen(page, 73, async (name) => {
    await page.evaluate(
      `(() => { const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(spaced)}); document.adoptedStyleSheets = [sheet]; })()`,
    );
    const found = { name, cut: await page.evaluate(CUT_TEXTS), overflow: await overflow(page) };
    await page.evaluate('document.adoptedStyleSheets = []');
    expect(found).toEqual({ name, cut: [], overflow: 0 });
  });
});

test('what has the focus is never hidden behind the bars and messages of a page (2.4.11)', async ({ page }) => {
  test.setTimeout(180_000);
  /** Returns whether a corner or the centre of the focused element is visible. */
  const seen = `(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return null;
    const { left, top, width, height } = element.getBoundingClientRect();
    const points = [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]];
    const visible = points.some(([x, y]) => {
      const hit = document.elementFromPoint(left + width * x, top + height * y);
      return hit !== null && (element.contains(hit) || hit.contains(element));
    });
    return visible || width === 0 || element.closest('.sr-only') !== null ? null : element.outerHTML.slice(0, 90);
  })()`;
  const walk = async (name: string): Promise<void> => {
    const hidden: unknown[] = [];
    for (let steps = 0; steps < 60; steps += 1) {
      await page.keyboard.press('Tab');
      // The browser may still be scrolling to it.
      let found = await page.evaluate(seen);
      if (found !== null) {
        await page.waitForTimeout(500);
        found = await page.evaluate(seen);
      }
      if (found !== null) hidden.push(found);
    }
    expect({ name, hidden }).toEqual({ name, hidden: [] });
  };
  for (const path of ['/', '/booking']) {
    await page.goto(path);
    await walk(path);
  }
  await signIn(page, await newPerson(false));
  await openDay(page, 'Studio C', 71);
  await chooseHours(page, [10, 11]);
  await walk('/booking with a selection');
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/verify-complete$/);
  await page.getByRole('link', { name: 'Use a photo of my licence here' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Read the terms' })).toBeVisible();
  await walk('/checkout');
});

test('signing in asks nobody to remember or copy: passwords can be pasted and filled in, and a code too (3.3.8)', async ({
  page,
}) => {
  await page.goto('/auth');
  const paste = (text: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const data = new DataTransfer();
      data.setData('text/plain', ${JSON.stringify(text)});
      return document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
  const password = page.getByLabel('Password');
  await expect(password).toHaveAttribute('autocomplete', 'current-password');
  await expect(page.getByLabel('Email')).toHaveAttribute('autocomplete', /username|email/);
  await password.focus();
  // The field accepts the pasted text.
  expect(await paste('night-shift-9')).toBe(true);
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(password).toHaveAttribute('autocomplete', 'new-password');
  await password.focus();
  expect(await paste('night-shift-9')).toBe(true);
  await page.getByLabel('Full Name').fill('Robin Sample');
  await page.getByLabel('Email').fill(`w-${crypto.randomUUID().slice(0, 8)}@example.com`);
  await page.getByLabel('Phone Number').fill('0400 111 222');
  await page.getByLabel('Day').fill('3');
  await page.getByLabel('Month').selectOption('April');
  await page.getByLabel('Year').fill('1998');
  await password.fill('night-shift-9');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  const code = page.getByLabel('Verification code');
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  await code.focus();
  expect(await paste('123 45')).toBe(true);
  await code.fill('123 45');
  await expect(code).toHaveValue('12345');
});
