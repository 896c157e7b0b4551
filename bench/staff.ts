import { type Browser, chromium, type Page, type Request } from '@playwright/test';
import type pg from 'pg';
import { studioDate } from '#rules/studio-time.ts';
import { type CallerRequest, openConnection, quantile } from './callers/connection.ts';
import { median } from './callers/load.ts';
import { drop, fill, say, getUrl, withClient, withServer } from './scale/database.ts';

/**
 * Opens each tab of the back office on a database with 100,000 bookings, and measures the time from the navigation until everything is
 * painted. Then repeats each request of the tab, and compares its median with the time that its statements take in PostgreSQL.
 */
const SIZE = process.env['BENCH_SIZE'] ?? '100000x3';
const PAINTS = 5;
const REPEATS = 30;
const ANSWER_MS = 100;
const PAINT_MS = 1_000;
const DAY_MS = 86_400_000;
/** Whether everything is painted: no placeholder is left, and a tab is shown. */
const IS_PAINTED = `document.querySelector('[role=tabpanel]') !== null && document.querySelector('.skeleton, [aria-busy=true]') === null`;
const SENT_HEADERS = ['apikey', 'authorization', 'content-type', 'prefer', 'range', 'accept-profile'];

let misses = 0;
const verdict = (good: boolean): string => {
  if (!good) misses += 1;
  return good ? '' : ' MISSED';
};

async function signIn(browser: Browser, url: string): Promise<Page> {
  // The site's content security policy refuses the functions with which the bench waits.
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, baseURL: url, bypassCSP: true });
  await page.goto('/auth');
  await page.getByLabel('Email').first().fill('admin@example.com');
  await page.getByLabel('Password').first().fill('demo-admin-1');
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await page.waitForURL((to) => to.pathname !== '/auth');
  return page;
}

/** Opens a tab several times. Returns the median time until it is painted, in milliseconds, and its requests to the server. */
async function openTab(page: Page, tab: string): Promise<{ paintMs: number; requests: Map<string, CallerRequest> }> {
  const requests = new Map<string, CallerRequest>();
  const note = (request: Request): void => {
    const { pathname, search } = new URL(request.url());
    if (!/^\/(rest|functions)\/v1\//.test(pathname)) return;
    const body = request.postData();
    const headers = Object.entries(request.headers()).filter(([name]) => SENT_HEADERS.includes(name));
    // A request that differs only in its instants counts as the same.
    const name = `${pathname.replace(/^\/(rest|functions)\/v1\//, '')} ${body ?? ''}`.replace(/T\d\d:[\d:.]+Z/g, '');
    requests.set(name, {
      method: request.method(),
      path: `${pathname}${search}`,
      headers: Object.fromEntries(headers),
      ...(body === null ? {} : { body }),
    });
  };
  const times: number[] = [];
  while (times.length < PAINTS) {
    page.on('request', note);
    await page.goto(`/admin?tab=${tab}`);
    const painted = await page.waitForFunction(`${IS_PAINTED} && performance.now()`, undefined, { polling: 'raf' });
    times.push(Number(await painted.jsonValue()));
    await page.waitForLoadState('networkidle');
    page.off('request', note);
  }
  return { paintMs: median(times), requests };
}

/** Sends a request repeatedly. Returns its median, and the mean time of its statements in PostgreSQL, both in milliseconds. */
async function timeRequest(
  url: string,
  client: pg.Client,
  request: CallerRequest,
): Promise<{ ms: number; sqlMs: number }> {
  const connection = await openConnection(url);
  const times: number[] = [];
  await connection.send(request);
  await client.query('select pg_stat_statements_reset()');
  while (times.length < REPEATS) {
    const { status, ms } = await connection.send(request);
    if (status === 0 || status >= 300) throw new Error(`${request.path}: ${status}`);
    times.push(ms);
  }
  connection.close();
  const { rows } = await client.query<{ total: number }>(
    `select sum(total_exec_time)::float8 as total from pg_stat_statements
     where toplevel and dbid = (select oid from pg_database where datname = current_database())`,
  );
  return { ms: quantile(times, 0.5), sqlMs: (rows[0]?.total ?? 0) / REPEATS };
}

/** Requests that were already measured, because several tabs may send the same one. */
const measured = new Set<string>();

async function measureTab(page: Page, url: string, client: pg.Client, tab: string): Promise<void> {
  const { paintMs, requests } = await openTab(page, tab);
  say(`${tab}: painted after ${paintMs.toFixed(0)} ms, goal ${PAINT_MS}${verdict(paintMs < PAINT_MS)}`);
  for (const [name, request] of requests) {
    if (measured.has(name)) continue;
    measured.add(name);
    const { ms, sqlMs } = await timeRequest(url, client, request);
    say(
      `  ${name.slice(0, 60).padEnd(60)} ${ms.toFixed(1)} ms, in PostgreSQL ${sqlMs.toFixed(1)} ms, ratio ${(ms / sqlMs).toFixed(1)}${verdict(ms < ANSWER_MS)}`,
    );
  }
}

await fill(SIZE);
await withServer(SIZE, ({ apiUrl }) =>
  withClient(getUrl(SIZE), async (client) => {
    await client.query('create extension if not exists pg_stat_statements');
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-background-networking'],
    });
    try {
      const page = await signIn(browser, apiUrl);
      await page.goto('/admin');
      await page.getByRole('tab').first().waitFor();
      const tabs = await page.getByRole('tab').evaluateAll((all) => all.map((tab) => tab.dataset['tab'] ?? ''));
      // Tabs can also be opened with a search, with the days of the numbers, and with the panel of a booking.
      const year = `numbers&first=${studioDate(new Date(Date.now() - 364 * DAY_MS))}&last=${studioDate(new Date())}`;
      for (const tab of [...tabs, year, 'customers&q=person77', 'today&booking=0000-0007'])
        await measureTab(page, apiUrl, client, tab);
    } finally {
      await browser.close();
    }
  }),
);
await drop(SIZE);
say(misses === 0 ? 'every goal met' : `${misses} goals missed`);
process.exitCode = misses === 0 ? 0 : 1;
