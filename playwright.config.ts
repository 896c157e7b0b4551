import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { emptySettings } from './tests/support/program.ts';

const port = Number(process.env['E2E_PORT'] ?? 3390);
const sandboxPort = Number(process.env['E2E_SANDBOX_PORT'] ?? 4390);
// Read again by every worker: the first one decides.
process.env['E2E_DATA_DIR'] ??= mkdtempSync(join(tmpdir(), 'e2e-'));
process.env['E2E_SANDBOX_URL'] ??= `http://localhost:${sandboxPort}`;
const chromium = process.env['CHROMIUM_PATH'];

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.e2e.ts',
  // Two servers and two browsers share the cores: slow is not wrong.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: 1,
  retries: 0,
  outputDir: process.env['E2E_OUTPUT'] ?? 'artefacts/e2e',
  reporter: [
    ['line'],
    ...(process.env['REPORT_FILE'] ? [['json', { outputFile: process.env['REPORT_FILE'] }] as const] : []),
  ],
  use: {
    baseURL: `http://localhost:${port}`,
    // Recording takes a tenth of the time, so it is asked for: E2E_TRACE=1.
    trace: process.env['E2E_TRACE'] ? 'retain-on-failure' : 'off',
    // Drawing moving pictures without a graphics card takes half of the processor; tests of motion ask for it themselves.
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
  projects: [
    { name: 'phone', use: { viewport: { width: 390, height: 844 }, hasTouch: true } },
    {
      name: 'desktop',
      use: { viewport: { width: 1440, height: 900 } },
      testMatch: ['fast-path', 'admin', 'developer'].map((name) => `**/${name}.e2e.ts`),
    },
  ],
  webServer: {
    command: 'node bin/start.js',
    url: `http://localhost:${port}/readyz`,
    timeout: 120_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
    env: {
      ...emptySettings(),
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      DATA_DIR: process.env['E2E_DATA_DIR'],
      RATE_LIMIT_FACTOR: '10000',
      ID_READ_SECONDS: '60',
      AUTH_MAIL_MIN_SECONDS: '1',
      AUTH_PROVIDERS: 'google',
    },
  },
});
