import { expect, test } from '@playwright/test';
import { admin, signIn } from './steps.ts';

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
