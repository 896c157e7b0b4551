import { expect } from '@playwright/test';
import { test } from './journey.ts';
import { admin, signInByDialog } from './steps.ts';

test('every script and stylesheet in the HTML of a page carries the hash of its file, and the browser refuses a changed one', async ({
  page,
}) => {
  for (const path of ['/', '/booking', '/no-such-page']) {
    const html = await (await page.request.get(path)).text();
    const tags = html.match(/<(?:script|link)\b[^>]*\/assets\/[^"]+\.(?:js|css)"[^>]*>/g) ?? [];
    expect(tags.length).toBeGreaterThan(1);
    expect(tags.filter((tag) => !/ integrity="sha384-[\w+/]{64}"/.test(tag))).toEqual([]);
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

/** Collects everything that the content security policy or the embedder policy blocks, with its page. */
test('no page of a visitor or an admin is blocked by our own policies', async ({ page }) => {
  const blocked: string[] = [];
  // As a string, because the tests compile without DOM types.
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
  await page.goto('/');
  await page.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  await signInByDialog(page, admin);
  for (const path of ['/booking', '/checkout', '/profile', '/admin']) {
    await page.goto(path, { waitUntil: 'networkidle' });
    await expect(page.locator('#root')).not.toBeEmpty();
  }
  expect(blocked).toEqual([]);
});

test('the browser reports what the policy blocks, and the server counts it', async ({ page }) => {
  const count = async (): Promise<number> => {
    const text = await (await page.request.get('/metrics')).text();
    return Number(/^policy_reports_total\{[^}]*directive="img-src"[^}]*\} (\d+)$/m.exec(text)?.[1]);
  };
  const before = await count();
  await page.goto('/about');
  await page.evaluate(
    `document.body.append(Object.assign(new Image(), { src: 'https://elsewhere.example/picture.png' }))`,
  );
  await expect.poll(count).toBe(before + 1);
});
