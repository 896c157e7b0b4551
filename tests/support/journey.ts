import { test as base } from '@playwright/test';
import { type Program, startProgram } from './program.ts';

/**
 * Playwright's `test` with the whole program behind it: one per worker, so journeys of one worker share its studios and
 * must not count on an empty calendar. `page.goto('/booking')` leads to it. Rate limits are out of the way, the holds
 * keep their length; a journey that needs other settings starts a program of its own.
 */
export const test = base.extend<{ baseURL: string }, { program: Program }>({
  program: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from this pattern.
    async ({}, use) => {
      const program = await startProgram({ env: { RATE_LIMIT_FACTOR: '1000', MAIL_INTERVAL_SECONDS: '1' } });
      await use(program);
      await program.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ program }, use) => use(program.apiUrl),
});

export { expect } from '@playwright/test';
