import { defineConfig } from '@playwright/test';

// Set by `npm test`; by hand, Playwright's own browser is used when there is no CHROMIUM_PATH.
const { CHROMIUM_PATH, REPORT_FILE, CI } = process.env;

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.e2e.ts',
  outputDir: 'artefacts/e2e',
  // Each worker runs a program of its own (tests/support/journey.ts), a database, a sandbox and a browser with it.
  workers: 2,
  fullyParallel: true,
  forbidOnly: CI !== undefined,
  timeout: 90_000,
  expect: { timeout: 10_000 },
  reporter: REPORT_FILE ? [['line'], ['json', { outputFile: REPORT_FILE }]] : [['list']],
  use: {
    browserName: 'chromium',
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: {
      ...(CHROMIUM_PATH ? { executablePath: CHROMIUM_PATH } : {}),
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
  projects: [
    { name: 'phone', use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
    { name: 'desktop', use: { viewport: { width: 1440, height: 900 } } },
  ],
});
