import { expect, test } from '@playwright/test';
import { admin, signIn } from './steps.ts';

test('every script and stylesheet a page names carries the hash of its file, and the browser refuses a changed one', async ({
  page,
}) => {
  for (const path of ['/', '/booking', '/no-such-page']) {
    await page.goto(path);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('script[src], link[rel=modulepreload], link[rel=stylesheet]')].filter((one) => !/^sha384-/.test(one.integrity)).map((one) => one.outerHTML)`,
      ),
    ).toEqual([]);
  }
  const refused = page.waitForEvent('console', (message) => /integrity/i.test(message.text()));
  await page.route('**/assets/*.css', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${await response.text()} body { display: none }` });
  });
  await page.goto('/about');
  await refused;
  await expect(page.locator('body')).toBeVisible();
});

/** Pages under the content security policy and the embedder policy: what they block is listed with its page. */
test('no page of a visitor or an admin is blocked by our own policies', async ({ page }) => {
  const blocked: string[] = [];
  // As text: the tests are compiled without the types of a browser.
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`);
  page.on('console', (message) => {
    if (/policy|Cross-Origin|blocked/i.test(message.text())) blocked.push(`${page.url()}: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (/BLOCKED/.test(reason)) blocked.push(`${request.url()}: ${reason}`);
  });
  for (const path of ['/', '/booking', '/about']) await page.goto(path, { waitUntil: 'networkidle' });
  await signIn(page, admin);
  for (const path of ['/booking', '/checkout', '/profile', '/admin']) {
    await page.goto(path, { waitUntil: 'networkidle' });
    await expect(page.locator('#root')).not.toBeEmpty();
  }
  expect(blocked).toEqual([]);
});
