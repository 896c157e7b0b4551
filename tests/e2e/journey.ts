import { type Browser, type BrowserContext, expect, test as base, type WebError } from '@playwright/test';

/**
 * Playwright's `test`, which also fails when a page of the journey throws an uncaught error. React reports such an error when the first
 * rendering of a page differs from the pre-rendered page.
 */
export const test = base.extend<{ uncaught: void }>({
  uncaught: [
    async ({ browser }, use, info) => {
      const errors: string[] = [];
      const note = (found: WebError): void => void errors.push(`${found.page()?.url()}: ${found.error().message}`);
      const watch = (context: BrowserContext): void => void context.on('weberror', note);
      browser.on('context', watch);
      await use();
      browser.off('context', watch);
      if (info.status !== info.expectedStatus) await reportStall(browser);
      expect(errors, 'errors that no page caught').toEqual([]);
    },
    { auto: true },
  ],
});

/** How long a page may take to draw a frame, in milliseconds. */
const FRAME_MS = 5_000;

/**
 * Adds to a failure the pages that draw no frames. Nothing can be pressed on such a page, and anything that waits for a frame waits
 * forever.
 */
async function reportStall(browser: Browser): Promise<void> {
  const draws = `new Promise((done) => { requestAnimationFrame(() => done(true)); setTimeout(() => done(false), ${FRAME_MS}); })`;
  const pages = browser.contexts().flatMap((context) => context.pages());
  const stalled: string[] = [];
  for (const page of pages) {
    const drawn = await page.evaluate(draws).catch(() => true);
    if (drawn !== true) stalled.push(page.url());
  }
  expect(stalled, 'pages of which the browser draws no frames').toEqual([]);
}
