import { chromium, type Browser, type Page } from '@playwright/test';

/** The processor of Lighthouse's phone is four times slower than this machine's. */
const SLOWER = 4;
/** The hours that are tapped one after the other: the selection grows, then shrinks. */
const HOURS = [10, 11, 12, 13, 14, 15, 16, 17, 17, 16, 15, 14];

/** Records the events of taps. The browser reports each with the time until its next paint; entries of one tap share an id. */
const RECORD = `
  globalThis.taps = new Map();
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) taps.set(interactionId, Math.max(duration, taps.get(interactionId) ?? 0));
  }).observe({ type: 'event', durationThreshold: 16 });`;
const READ = 'new Promise((done) => setTimeout(() => done([...taps.values()]), 500))';

/**
 * Taps hours of an empty day on the booking page, as on a phone. Returns the longest time from a tap to the paint that follows, in
 * milliseconds: the interaction to next paint.
 */
export async function measureTaps(base: string, executablePath: string): Promise<number> {
  const browser = await chromium.launch({ executablePath });
  try {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await openDay(page, base);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.evaluate(RECORD);
    for (const hour of HOURS) {
      const cell = page.locator(`[data-hour="${hour}"]`);
      const before = await cell.getAttribute('data-state');
      await cell.tap();
      await page.locator(`[data-hour="${hour}"]:not([data-state="${before}"])`).waitFor();
    }
    const times = await page.evaluate<number[]>(READ);
    if (times.length === 0) throw new Error('the browser reported no taps');
    return Math.max(...times);
  } finally {
    await browser.close();
  }
}

/**
 * Times in milliseconds. `rooms`: from the request of the page until its rooms show their prices. `grid`: from the tap on a room until its
 * hours are painted.
 */
export type RoomTimes = { readonly rooms: number; readonly grid: number };

/** The connection of a phone on slow 4G. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };

/** Returns a script for the milliseconds from the request of the page until a matching element was painted. */
const paintedAt = (selector: string, text: string): string => `new Promise((done) => {
  const look = () => {
    const found = [...document.querySelectorAll(${JSON.stringify(selector)})].some((element) => element.textContent.includes(${JSON.stringify(text)}));
    if (!found) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => done(performance.now())));
  };
  look();
})`;

/** Records the largest paint so far. The browser reports each larger one until the visitor touches the page. */
const RECORD_PAINT = `
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) globalThis.largestPaint = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });`;

/**
 * The time after the load of a page at which the largest paint is read: longer than the site's pages take to fetch what they show first.
 */
const SETTLING_MS = 2_000;

/** Opens a page with an empty cache over a slow connection and returns its largest contentful paint in milliseconds. */
export async function measurePaint(base: string, path: string, executablePath: string): Promise<number> {
  const browser = await chromium.launch({ executablePath });
  try {
    const page = await openSlowPhone(browser);
    await page.addInitScript(RECORD_PAINT);
    await page.goto(`${base}${path}`, { waitUntil: 'load' });
    await page.waitForTimeout(SETTLING_MS);
    return await page.evaluate<number>('globalThis.largestPaint');
  } finally {
    await browser.close();
  }
}

/** Opens an empty page as on a phone with a slow processor and a slow connection. */
async function openSlowPhone(browser: Browser): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
  });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  return page;
}

/** Opens the booking page with an empty cache over a slow connection, and taps a room after its price is shown and a person has read it. */
export async function measureRoom(base: string, executablePath: string): Promise<RoomTimes> {
  const browser = await chromium.launch({ executablePath });
  try {
    const page = await openSlowPhone(browser);
    await page.goto(`${base}/booking`, { waitUntil: 'commit' });
    const rooms = await page.evaluate<number>(paintedAt('[role="radio"]', 'from $'));
    await page.waitForTimeout(READING_MS);
    await page.evaluate(
      `document.addEventListener('click', () => (globalThis.tappedAt = performance.now()), { capture: true, once: true })`,
    );
    await page.getByRole('radio', { name: /Studio A/ }).tap();
    const grid = await page.evaluate<number>(paintedAt('button[data-hour]', '$'));
    return { rooms, grid: grid - (await page.evaluate<number>('globalThis.tappedAt')) };
  } finally {
    await browser.close();
  }
}

/** The time for which a person looks at the rooms before choosing one. */
const READING_MS = 2_000;

/** Opens the tenth day of next month, on which no demo booking falls. */
async function openDay(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/booking`);
  await page.getByRole('radio', { name: /Studio A/ }).tap();
  await page.getByRole('button', { name: 'Month', exact: true }).tap();
  await page.getByRole('button', { name: /next month/i }).tap();
  await page
    .getByRole('gridcell')
    .getByRole('button', { name: / 10th, / })
    .tap();
  await page.locator('[data-hour="10"][data-state="free"]').waitFor();
}
