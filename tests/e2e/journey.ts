import { type BrowserContext, expect, test as base, type WebError } from '@playwright/test';

/**
 * Playwright's `test`, which fails as well when a page of the journey throws an error that nothing catches. React reports a page whose
 * first rendering differs from the pre-rendered one in this way.
 */
export const test = base.extend<{ uncaught: void }>({
  uncaught: [
    async ({ browser }, use) => {
      const errors: string[] = [];
      const note = (found: WebError): void => void errors.push(`${found.page()?.url()}: ${found.error().message}`);
      const watch = (context: BrowserContext): void => void context.on('weberror', note);
      browser.on('context', watch);
      await use();
      browser.off('context', watch);
      expect(errors, 'errors that no page caught').toEqual([]);
    },
    { auto: true },
  ],
});
