import { type BrowserContext, expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import {
  accessible,
  accessibleEverywhere,
  admin,
  ahead,
  bookWithPhoto,
  changeDetails,
  chooseHours,
  insertBooking,
  newPerson,
  openDay,
  service,
  signIn,
  sydneyHour,
} from '../steps.ts';
import { openTcpProxy } from './tcp-proxy.ts';

/** Covers pages that follow what other people do. */

const cell = (page: Page, hour: number) => page.locator(`[data-hour="${hour}"]`);
const lostHours = (page: Page) => page.getByRole('region', { name: 'Lost hours' });
const isLive = (page: Page): Promise<void> => expect(page.getByText('Live: changes show at once.')).toBeVisible();
const isTaken = (page: Page, hour: number): Promise<void> =>
  expect(cell(page, hour)).toHaveAttribute('data-state', 'taken');
/** Counts the connections that the pages of a browser open. */
function countSockets(context: BrowserContext): () => number {
  let count = 0;
  const watch = (page: Page): void => void page.on('websocket', () => (count += 1));
  context.pages().forEach(watch);
  context.on('page', watch);
  return () => count;
}
const book = (studio: string, day: number, from: number, to: number): Promise<string> =>
  insertBooking({
    userId: null,
    studio,
    start: sydneyHour(day, from),
    end: sydneyHour(day, to),
    status: 'confirmed',
  });
const cancel = async (id: string): Promise<void> => {
  const { error } = await service().from('bookings').update({ status: 'cancelled' }).eq('id', id);
  expect(error).toBeNull();
};

test('one browser takes hours, the other sees it at once, loses its selection and takes an offer; freed hours are announced', async ({
  page,
}) => {
  const day = ahead(6);
  await openDay(page, 'Studio A', day);
  await isLive(page);
  const other = await book('Studio A', day, 14, 16);
  await isTaken(page, 15);
  await expect(page.getByText('Just taken: 2 pm to 4 pm.')).toBeVisible();
  await chooseHours(page, [19, 20]);
  await book('Studio A', day, 19, 20);
  await expect(lostHours(page)).toContainText('Someone else has just booked 7 pm');
  await accessibleEverywhere(page);
  await cancel(other);
  await expect(page.getByText('Free again: 2 pm to 4 pm.')).toBeVisible();
  await lostHours(page)
    .getByRole('button', { name: /Studio B/ })
    .click();
  await expect(page.getByRole('radio', { name: 'Studio B' })).toBeChecked();
  await expect(cell(page, 20)).toHaveAttribute('data-state', 'selected');
  await expect(lostHours(page)).toBeHidden();
});

test('hours that are lost at the checkout are reported there, and other hours keep what was typed', async ({
  page,
}) => {
  const day = ahead(2, 28);
  await signIn(page, await newPerson(false));
  await openDay(page, 'Studio A', day);
  await chooseHours(page, [19, 20]);
  // The server refuses to hold the hours while the ID is verified.
  await page.route('**/functions/v1/hold-hours', (route) =>
    route.fulfill({ status: 429, json: { error: { code: 'too_many_holds', message: 'Not held.' } } }),
  );
  await bookWithPhoto(page);
  await changeDetails(page);
  await page.getByLabel('First name').fill('Robyn');
  await book('Studio A', day, 19, 20);
  await expect(lostHours(page)).toContainText('Someone else has just booked 7 pm');
  await expect(page.getByText('Still needed: hours that are free.')).toBeVisible();
  await accessible(page);
  await lostHours(page)
    .getByRole('button', { name: /8 pm to 10 pm/ })
    .click();
  await expect(lostHours(page)).toBeHidden();
  await expect(page.getByLabel('Price')).toContainText('8 pm to 10 pm');
  await expect(page.getByLabel('First name')).toHaveValue('Robyn');
});

test('two tabs of a browser share one connection', async ({ context, page }) => {
  const sockets = countSockets(context);
  await openDay(page, 'Studio B', 20);
  await isLive(page);
  const second = await context.newPage();
  await openDay(second, 'Studio C', 20);
  await isLive(second);
  expect(sockets()).toBe(1);
  await book('Studio C', 20, 9, 10);
  await isTaken(second, 9);
});

test('a phone that wakes shows at once what it missed while it slept', async ({ context, page }) => {
  const day = ahead(3, 14);
  await openDay(page, 'Studio B', day);
  await isLive(page);
  const phone = await context.newCDPSession(page);
  await phone.send('Page.setWebLifecycleState', { state: 'frozen' });
  await book('Studio B', day, 9, 10);
  await phone.send('Page.setWebLifecycleState', { state: 'active' });
  await isTaken(page, 9);
  await isLive(page);
  await book('Studio B', day, 12, 13);
  await isTaken(page, 12);
});

test('behind a proxy that cuts or refuses sockets the grid still follows, and is live again when it may be', async ({
  page,
  baseURL,
}) => {
  const day = ahead(4, 14);
  const proxy = await openTcpProxy(Number(new URL(baseURL ?? '').port));
  try {
    await openDay(page, 'Studio C', day, proxy.url);
    await isLive(page);
    // With TEST_LONG the proxy cuts the connections three times, 20 seconds apart; otherwise once.
    for (let hour = 9; hour < (process.env['TEST_LONG'] ? 12 : 10); hour += 1) {
      if (process.env['TEST_LONG']) await new Promise((resolve) => setTimeout(resolve, 20_000));
      const before = proxy.count();
      proxy.cut();
      await book('Studio C', day, hour, hour + 1);
      await isTaken(page, hour);
      await expect.poll(() => proxy.count()).toBeGreaterThan(before);
      await isLive(page);
    }
    proxy.refuse(true);
    proxy.cut();
    await expect(page.getByText('Checked every few seconds.')).toBeVisible();
    await book('Studio C', day, 15, 16);
    await isTaken(page, 15);
    await chooseHours(page, [19]);
    await book('Studio C', day, 19, 20);
    await expect(lostHours(page)).toContainText('Someone else has just booked 7 pm');
    proxy.refuse(false);
    await isLive(page);
  } finally {
    await proxy.close();
  }
});

test('two of the staff see a booking come and go in their lists', async ({ page, browser }) => {
  const colleague = await newPerson(false);
  const role = await service().from('user_roles').insert({ user_id: colleague.id, role: 'admin' });
  expect(role.error).toBeNull();
  const other = await (await browser.newContext()).newPage();
  const lists = [page, other];
  await Promise.all([signIn(page, admin), signIn(other, colleague)]);
  for (const list of lists) {
    await list.goto('/admin');
    await list.getByRole('tab', { name: 'Bookings' }).click();
    await expect(list.getByRole('heading', { name: 'Bookings', level: 2 })).toBeVisible();
  }
  const id = await book('Studio B', 1, 5, 6);
  const { data } = await service().from('bookings').select('reference').eq('id', id).single();
  for (const list of lists) await expect(list.getByText(String(data?.reference))).toBeVisible();
  await cancel(id);
  for (const list of lists) await expect(list.getByText(String(data?.reference))).toBeHidden();
  await other.context().close();
});

test('the landing page says which rooms are free now, follows bookings, and connects only when the rooms come into view', async ({
  context,
  page,
}) => {
  const sockets = countSockets(context);
  await page.goto('/', { waitUntil: 'networkidle' });
  expect(sockets()).toBe(0);
  const room = page.getByRole('listitem').filter({ hasText: 'The camera room' });
  await room.scrollIntoViewIfNeeded();
  await expect(room).toContainText(/Free (now|from)/);
  await accessible(page);
  const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
  const end = new Date(hour.getTime() + 7_200_000);
  const id = await insertBooking({ userId: null, studio: 'Studio C', start: hour, end, status: 'confirmed' });
  await expect(room).toContainText(/Busy until .*\(Sydney time\)/);
  expect(sockets()).toBe(1);
  await cancel(id);
  await expect(room).toContainText(/Free (now|from)/);
});
