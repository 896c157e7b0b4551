import { createRequire } from 'node:module';
import { launch } from 'chrome-launcher';
import lighthouse, { type Result } from 'lighthouse';
import { startProgram } from '#tests/support/program.ts';
import { BUDGETS } from '#build/budgets.ts';
import { measurePaint, measureRoom, measureTaps, type RoomTimes } from './phone.ts';
import { median } from '../callers/load.ts';

/**
 * Runs Lighthouse with its phone settings and prints the median of five runs per page with the goals. Lighthouse loads the page without
 * limits and estimates from that the largest paint of a mid-range phone on slow 4G. The largest paint is also measured with the limits in
 * force. JavaScript is the script that a page loads before any interaction, in compressed bytes as served; the share of libraries is listed
 * separately. Then taps the booking grid on a processor four times slower, and a room also over a slow connection.
 */
const RUNS = Number(process.env['BENCH_RUNS'] ?? 5);
const PAGES = [
  { path: '/', scriptKb: BUDGETS[''] / 1000, paint: 1_300 },
  { path: '/booking', scriptKb: BUDGETS.booking / 1000, paint: 1_400 },
] as const;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const GOALS = {
  performance: 95,
  accessibility: 100,
  'best-practices': 100,
  seo: 100,
  shift: 0.001,
  tap: 80,
  rooms: 1_600,
  grid: 500,
} as const;

type Run = {
  readonly scores: Readonly<Record<(typeof CATEGORIES)[number], number>>;
  readonly paint: number;
  readonly shift: number;
  readonly blocked: number;
  readonly scripts: readonly string[];
  readonly faults: readonly string[];
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** One page load with an empty cache. */
async function visit(url: string, chromePath: string): Promise<Run> {
  const chrome = await launch({
    chromePath,
    chromeFlags: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-sync',
    ],
  });
  try {
    const found = await lighthouse(url, { port: chrome.port, logLevel: 'error', onlyCategories: [...CATEGORIES] });
    if (!found) throw new Error(`no result for ${url}`);
    return read(found.lhr);
  } finally {
    chrome.kill();
  }
}

function read(lhr: Result): Run {
  const figure = (name: string): number => lhr.audits[name]?.numericValue ?? Number.NaN;
  const score = (name: string): number => Math.round((lhr.categories[name]?.score ?? Number.NaN) * 100);
  const details = lhr.audits['network-requests']?.details;
  const requests = details?.type === 'table' ? details.items : [];
  return {
    scores: {
      performance: score('performance'),
      accessibility: score('accessibility'),
      'best-practices': score('best-practices'),
      seo: score('seo'),
    },
    paint: figure('largest-contentful-paint'),
    shift: figure('cumulative-layout-shift'),
    blocked: figure('total-blocking-time'),
    scripts: requests
      .filter((request) => request['resourceType'] === 'Script')
      .map((request) => `${request['url'] as string}`),
    faults: CATEGORIES.slice(1).flatMap((category) =>
      (lhr.categories[category]?.auditRefs ?? [])
        .filter(({ id, weight }) => weight > 0 && (lhr.audits[id]?.score ?? 1) < 1)
        .map(({ id }) => `${category}: ${id}`),
    ),
  };
}

/** Returns the kilobytes of all scripts as served to browsers, and those of scripts that contain only libraries. */
async function measureBytes(scripts: readonly string[]): Promise<{ all: number; libraries: number }> {
  const sizes = await Promise.all(
    scripts.map(async (url) => ({
      url,
      kb: (await readLength(url)) / 1000,
    })),
  );
  const sum = (list: typeof sizes): number => list.reduce((total, size) => total + size.kb, 0);
  return { all: sum(sizes), libraries: sum(sizes.filter(({ url }) => url.includes('/library-'))) };
}

/** Returns the length of a file's body, compressed as for browsers. */
async function readLength(url: string): Promise<number> {
  const answer = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
  return Number(answer.headers.get('content-length'));
}

let misses = 0;
function report(name: string, value: string, goal: string, good: boolean): void {
  if (!good) misses += 1;
  say(`  ${name.padEnd(26)}${value.padStart(10)}   goal ${goal.padEnd(10)}${good ? '' : ' MISSED'}`);
}

async function measure(base: string, page: (typeof PAGES)[number], chromePath: string): Promise<void> {
  const runs: Run[] = [];
  // On a busy machine Lighthouse sometimes cannot score a run, which is not the page's fault.
  for (let index = 0; runs.length < RUNS && index < RUNS + 3; index += 1) {
    const run = await visit(`${base}${page.path}`, chromePath);
    if (!Number.isNaN(run.scores.performance)) runs.push(run);
  }
  if (runs.length < RUNS) throw new Error(`${page.path} could not be scored`);
  say(`\n${page.path}`);
  for (const category of CATEGORIES) {
    const score = median(runs.map((run) => run.scores[category]));
    report(category, String(score), String(GOALS[category]), score >= GOALS[category]);
  }
  const paint = median(runs.map((run) => run.paint));
  report('largest paint, estimated', `${(paint / 1000).toFixed(2)} s`, `${page.paint / 1000} s`, paint <= page.paint);
  const paints: number[] = [];
  while (paints.length < RUNS) paints.push(await measurePaint(base, page.path, chromePath));
  const limited = median(paints);
  report(
    'largest paint, measured',
    `${(limited / 1000).toFixed(2)} s`,
    `${page.paint / 1000} s`,
    limited <= page.paint,
  );
  const shift = median(runs.map((run) => run.shift));
  report('layout shift', shift.toFixed(3), String(GOALS.shift), shift < GOALS.shift);
  const { all, libraries } = await measureBytes(runs[0]?.scripts ?? []);
  report('JavaScript, compressed', `${all.toFixed(0)} KB`, `${page.scriptKb} KB`, all < page.scriptKb);
  say(`  of it libraries           ${`${libraries.toFixed(0)} KB`.padStart(10)}`);
  say(`  blocked                   ${`${median(runs.map((run) => run.blocked)).toFixed(0)} ms`.padStart(10)}`);
  for (const fault of new Set(runs.flatMap((run) => run.faults))) say(`  ${fault}`);
}

const { version } = createRequire(import.meta.url)('lighthouse/package.json') as { version: string };
const program = process.env['BENCH_URL'] ? null : await startProgram();
const base = process.env['BENCH_URL'] ?? program?.apiUrl ?? '';
const chromium = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
say(`Lighthouse ${version}, phone, median of ${RUNS}`);
try {
  for (const page of PAGES) await measure(base, page, chromium);
  say('\ntaps on the booking grid, processor four times slower');
  const longest: number[] = [];
  while (longest.length < RUNS) longest.push(await measureTaps(base, chromium));
  report('longest tap to paint', `${median(longest).toFixed(0)} ms`, `${GOALS.tap} ms`, median(longest) <= GOALS.tap);
  say('\na room of /booking, the same processor, 150 ms and 1.6 Mbit/s');
  const visits: RoomTimes[] = [];
  while (visits.length < RUNS) visits.push(await measureRoom(base, chromium));
  const [rooms, grid] = [median(visits.map((visit) => visit.rooms)), median(visits.map((visit) => visit.grid))];
  report('rooms with prices', `${(rooms / 1000).toFixed(2)} s`, `${GOALS.rooms / 1000} s`, rooms <= GOALS.rooms);
  report('tap to grid', `${grid.toFixed(0)} ms`, `${GOALS.grid} ms`, grid <= GOALS.grid);
} finally {
  await program?.stop();
}
say(misses === 0 ? '\nevery goal met' : `\n${misses} goals missed`);
process.exitCode = misses === 0 ? 0 : 1;
