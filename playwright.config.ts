import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { emptyConfig } from './tests/support/program.ts';

/** One worker and one server per number; a worker's tests talk only to its own server. */
const SERVERS = Number(process.env['E2E_SERVERS'] ?? 1);
const PORT = Number(process.env['E2E_PORT'] ?? 3390);
const SANDBOX_PORT = Number(process.env['E2E_SANDBOX_PORT'] ?? 4390);
/** Between the ports of two servers. */
const PORTS_APART = 20;

type Server = { readonly port: number; readonly sandboxPort: number; readonly dataDir: string };
// Workers read this file too: the first process decides.
const folder = (process.env['E2E_FOLDER'] ??= mkdtempSync(join(tmpdir(), 'e2e-')));
const servers = Array.from({ length: SERVERS }, (_, index): Server => ({
  port: PORT + PORTS_APART * index,
  sandboxPort: SANDBOX_PORT + PORTS_APART * index,
  dataDir: join(folder, String(index)),
}));
const inWorker = process.env['TEST_PARALLEL_INDEX'];
const own = servers[Number(inWorker ?? 0)] ?? servers[0];
process.env['E2E_DATA_DIR'] = own?.dataDir;
process.env['E2E_SANDBOX_URL'] = `http://localhost:${own?.sandboxPort}`;
// A server that need not migrate is ready in a quarter of the time.
if (inWorker === undefined) {
  const { migratedFolder } = await import('./tests/support/image.ts');
  for (const { dataDir } of servers) await migratedFolder(join(dataDir, 'database'));
}
const chromium = process.env['CHROMIUM_PATH'];

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.e2e.ts',
  // Journeys through each part of what customers do after they know the way, on phones and wide screens: `npm run test:long`.
  testIgnore: process.env['TEST_LONG'] ? [] : '**/long/**',
  // Several servers and browsers share the cores: slow is not wrong.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: SERVERS,
  retries: 0,
  outputDir: process.env['E2E_OUTPUT'] ?? 'artefacts/e2e',
  reporter: [
    ['line'],
    ...(process.env['REPORT_FILE'] ? [['json', { outputFile: process.env['REPORT_FILE'] }] as const] : []),
  ],
  use: {
    baseURL: `http://localhost:${own?.port}`,
    // Recording takes a tenth of the time, so it is asked for: E2E_TRACE=1.
    trace: process.env['E2E_TRACE'] ? 'retain-on-failure' : 'off',
    // Drawing moving pictures without a graphics card takes half of the processor; tests of motion ask for it themselves.
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // A busy machine is slow, not hung: pages whose drawing process was ended would show nothing any more.
        '--disable-gpu-watchdog',
      ],
    },
  },
  projects: [
    { name: 'phone', use: { viewport: { width: 390, height: 844 }, hasTouch: true } },
    {
      name: 'desktop',
      use: { viewport: { width: 1440, height: 900 } },
      testMatch: ['fast-path', 'admin', 'owner-day', 'long/*'].map((name) => `**/${name}.e2e.ts`),
    },
  ],
  webServer: servers.map(({ port, sandboxPort, dataDir }) => ({
    command: 'node bin/start.js',
    url: `http://localhost:${port}/readyz`,
    timeout: 120_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
    env: {
      ...emptyConfig(),
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      DATA_DIR: dataDir,
      RATE_LIMIT_FACTOR: '10000',
      ID_READ_SECONDS: '60',
      AUTH_MAIL_MIN_SECONDS: '1',
      AUTH_PROVIDERS: 'google',
      AUTH_PHONE: 'true',
      // Journeys switch the lights by hand while others are in their sessions.
      LIGHTS_FOLLOW_SESSIONS: 'false',
    },
  })),
});
