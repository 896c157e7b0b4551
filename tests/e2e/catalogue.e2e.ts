import { expect, type Locator, type Page } from '@playwright/test';
import { test } from './journey.ts';
import {
  admin,
  chooseHours,
  delayRequest,
  demo,
  expectToast,
  expectErrorInPlace,
  insertBooking,
  newPerson,
  openDay,
  sandbox,
  service,
  signIn,
  signInByDialog,
  sydneyDay,
  untilRunning,
} from './steps.ts';

/** Covers details of the specification that no other journey shows: small rules, busy labels, timers. */

const dialog = (page: Page) => page.getByRole('dialog');
const openDialog = async (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'SIGN IN', exact: true }).click();

test('the about page shows address, hours, contact email and Instagram handle [spec 2.3]', async ({ page }) => {
  await page.goto('/about');
  for (const text of ['Sydney NSW', '24/7', 'hello@example.com', '@djstudios'])
    await expect(page.getByRole('main').getByText(text, { exact: true }).first()).toBeVisible();
});

test('ABOUT US scrolls 100 ms after the first page is rendered [spec 9.28]', async ({ page }) => {
  await page.clock.install();
  // A link that is clicked before the app has started reloads the page, and the browser then scrolls on its own.
  await page.goto('/about', { waitUntil: 'networkidle' });
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await page.getByRole('link', { name: 'ABOUT US' }).click();
  await expect(page.getByRole('heading', { name: 'START LOCAL. MOVE GLOBAL.' })).toBeAttached();
  const scrolled = (): Promise<number> => page.evaluate('window.scrollY');
  await page.clock.runFor(99);
  expect(await scrolled()).toBe(0);
  // On a busy machine the page starts its timer slightly after the heading appears, so its 100 ms end later.
  await expect
    .poll(async () => {
      await page.clock.runFor(1);
      return scrolled();
    })
    .toBeGreaterThan(0);
});

test('the booking page shows the rooms, a calendar from today and 24 hours [spec 1.7, 2.36, 2.37, 3.6, 5.38, 9.31]', async ({
  page,
}) => {
  const rooms = (await service().from('studios').select('name,description,features').order('name')).data ?? [];
  await page.goto('/booking');
  await untilRunning(page);
  await expect(page.getByRole('radio')).toHaveCount(3);
  for (const room of rooms) {
    const card = page.getByRole('radio', { name: room.name });
    await expect(card.getByText(room.description)).toBeVisible();
    for (const feature of room.features) await expect(card.getByText(feature, { exact: true })).toBeVisible();
    await card.locator('img').scrollIntoViewIfNeeded();
    await expect(card.locator('img')).toHaveJSProperty('complete', true);
    await expect(card.locator('img')).not.toHaveJSProperty('naturalWidth', 0);
  }
  await page.getByRole('radio', { name: 'Studio A' }).click();
  // On a phone a row of days replaces the calendar, so the first hours fit on the screen too.
  await expect(page.locator('[data-hour]').first()).toBeInViewport();
  await page.getByRole('button', { name: 'Month', exact: true }).click();
  const calendar = page.getByRole('grid');
  await expect(calendar.locator('thead th').first()).toHaveAttribute('aria-label', 'Sunday');
  const today = sydneyDay(0);
  await expect(calendar).toHaveAccessibleName(
    today.toLocaleDateString('en-US', { timeZone: 'UTC', month: 'long', year: 'numeric' }),
  );
  const days = calendar.getByRole('button');
  const last = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 0)).getUTCDate();
  await expect(days).toHaveCount(last);
  for (let day = 1; day <= last; day += 1)
    expect([day, await days.nth(day - 1).isEnabled()]).toEqual([day, day >= today.getUTCDate()]);
  const past = page.getByRole('button', { name: /^Show \d+ past hours$/ });
  if ((await past.count()) > 0) await past.click();
  const hours = page.locator('[data-hour]');
  await expect(hours).toHaveCount(24);
  await expect(hours.first()).toHaveAccessibleName(/^12 AM to 1 AM/);
  await expect(hours.last()).toHaveAccessibleName(/^11 PM to 12 AM/);
  await expect(
    hours
      .first()
      .or(page.getByText('12 AM', { exact: true }))
      .first(),
  ).toBeVisible();
});

test('the auth dialog closes after signing in and reopens empty; Back to Sign In returns [spec 2.30, 2.31, 4.8, 4.9]', async ({
  page,
}) => {
  await page.goto('/');
  await openDialog(page);
  await expect(page.getByRole('heading', { name: 'Welcome to the studio' })).toBeVisible();
  await expect(dialog(page).getByRole('tab')).toHaveText(['Sign In', 'Sign Up']);
  await dialog(page).getByRole('button', { name: 'Forgot password?' }).click();
  await dialog(page).getByRole('button', { name: 'Back to Sign In' }).click();
  await dialog(page).getByLabel('Email').fill('half@example.com');
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await openDialog(page);
  await signInByDialog(page, demo);
  await page.getByRole('button', { name: 'ACCOUNT', exact: true }).click();
  await page.getByRole('button', { name: 'Sign Out' }).click();
  await openDialog(page);
  for (const field of ['Email', 'Password']) await expect(dialog(page).getByLabel(field)).toHaveValue('');
  await page.goto('/auth');
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page).toHaveURL(/:\d+\/$/);
});

test('submit buttons show progress, sign-up sets the return path, and fields that must match the ID are marked [spec 2.32, 4.10, 5.37, 7.15, 8.8]', async ({
  page,
}) => {
  for (const [start, back] of [
    ['/auth', '/profile'],
    ['/', '/email-verified'],
  ] as const) {
    await page.goto(start);
    if (start === '/') await openDialog(page);
    await page.getByRole('tab', { name: 'Sign Up' }).click();
    await expect(page.getByText('MUST MATCH ID')).toHaveCount(2);
    await expect(page.getByText('You must be 18 or older')).toBeVisible();
    await page.getByLabel('Full Name').fill('Robin Sample');
    await page.getByLabel('Email').fill(`c-${crypto.randomUUID().slice(0, 8)}@example.com`);
    await page.getByLabel('Phone Number').fill('0400 111 222');
    await page.getByLabel('Day').fill('3');
    await page.getByLabel('Month').selectOption('April');
    await page.getByLabel('Year').fill('1998');
    await page.getByLabel('Password').fill('night-shift-9');
    const request = page.waitForRequest('**/auth/v1/signup*');
    const release = await delayRequest(page, '**/auth/v1/signup*');
    await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Creating account...' })).toBeDisabled();
    release();
    expect(new URL(new URL((await request).url()).searchParams.get('redirect_to') ?? '').pathname).toBe(back);
    await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
  }
  await page.goto('/auth?from=/profile');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await page.getByLabel('Email').fill(demo.email);
  const release = await delayRequest(page, '**/auth/v1/recover*');
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await expect(page.getByRole('button', { name: 'Sending...' })).toBeDisabled();
  release();
  await expectToast(page, 'Reset link sent', 'Check your email for a password reset link.');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await page.getByLabel('Email').fill(demo.email);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await expectErrorInPlace(page, 'Error', 'An unexpected error occurred. Please try again.');
  await page.context().setOffline(false);
});

test('the confirmed page waits 1 s, opens the ID dialog after 2 s, and shows its toast for 8 s [spec 4.28, 4.29, 9.26]', async ({
  page,
}) => {
  await signIn(page, await newPerson(false));
  // The test advances the page's clock in small steps, so that no duration depends on the speed of the machine.
  await page.clock.install();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  await page.goto('/email-verified');
  const title = page.getByRole('heading', { name: 'Email Confirmed' });
  const opened = page.getByRole('dialog', { name: 'ID Verification' });
  const message = page.getByLabel('Messages').getByText('Email Confirmed', { exact: true });
  let elapsed = 0;
  const move = async (ms: number): Promise<void> => {
    await page.clock.runFor(ms);
    elapsed += ms;
  };
  const moveUntil = (what: Locator): Promise<void> =>
    expect(async () => {
      await move(10);
      expect(await what.isVisible()).toBe(true);
    }).toPass({ intervals: [50], timeout: 20_000 });
  await moveUntil(page.getByText('Verifying your email'));
  await move(900);
  await expect(title).toBeHidden();
  await move(100);
  await expect(title).toBeVisible();
  await moveUntil(message);
  elapsed = 0;
  await move(1_900);
  await expect(opened).toBeHidden();
  await move(100);
  await moveUntil(opened);
  // The message moved into the dialog without restarting its timer.
  await move(7_900 - elapsed);
  await expect(message).toBeVisible();
  await move(100);
  await expect(message).toBeHidden();
});

test('a session survives a reload, is refreshed near its expiry, and holds all its fields [spec 3.1, 3.2, 4.1, 4.2, 4.7]', async ({
  page,
}) => {
  await page.goto('/');
  await openDialog(page);
  await signInByDialog(page, admin);
  await page.reload();
  await expect(page.getByRole('button', { name: 'ACCOUNT', exact: true })).toBeVisible();
  type Stored = { key: string; session: Record<string, unknown> };
  const stored = (): Promise<Stored> =>
    page.evaluate(() => {
      const key = Object.keys(localStorage).find((key) => key.startsWith('sb-') && key.includes('auth-token')) ?? '';
      return { key, session: JSON.parse(localStorage.getItem(key) ?? '{}') };
    });
  const before = await stored();
  for (const name of ['access_token', 'refresh_token', 'expires_at', 'expires_in', 'token_type', 'user'])
    expect(before.session).toHaveProperty(name);
  // The client refreshes the session when 90 seconds or less are left.
  const renewed = page.waitForResponse((answer) => answer.url().includes('grant_type=refresh_token'));
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [
    before.key,
    JSON.stringify({ ...before.session, expires_at: Math.floor(Date.now() / 1000) + 80 }),
  ] as const);
  await page.reload();
  expect((await renewed).status()).toBe(200);
  await expect(page.getByRole('button', { name: 'ACCOUNT', exact: true })).toBeVisible();
  await expect.poll(async () => Number((await stored()).session['expires_at']) - Date.now() / 1000).toBeGreaterThan(90);
});

test('signing out works when the service fails, and a failed start leaves the page usable [spec 4.4, 4.6]', async ({
  page,
}) => {
  const logged: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') logged.push(message.text());
  });
  await signIn(page, demo);
  await page.goto('/profile');
  await page.route('**/auth/v1/logout*', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign Out' }).click();
  await expect(page.getByRole('button', { name: 'SIGN IN', exact: true })).toBeVisible();
  expect((await page.evaluate(() => Object.keys(localStorage))).filter((key) => key.includes('auth'))).toEqual([]);
  await expect.poll(() => logged.some((text) => text.includes('could not be notified of the sign-out'))).toBe(true);
  // A session is stored, but the script that reads it cannot be fetched. The session must be stored before the first script of the next
  // document: a page that is still running would drop it as incomplete.
  await page.addInitScript(() => localStorage.setItem('sb-localhost-auth-token', '{"access_token":"x"}'));
  await page.route(/\/assets\/(client|library-supabase)-[^/]*\.js/, (route) => route.abort());
  await page.reload();
  await expect(page.getByRole('button', { name: 'SIGN IN', exact: true })).toBeVisible();
  await expect.poll(() => logged.some((text) => text.includes('the session could not be read'))).toBe(true);
});

test('the browser’s Back leads from the checkout to the booking page [spec 2.45]', async ({ page }) => {
  const who = await newPerson(true);
  const day = sydneyDay(61).toISOString().slice(0, 10);
  const studio = await service().from('studios').select('id').eq('name', 'Studio A').single();
  await page.goto('/');
  await page.evaluate(
    (kept) => sessionStorage.setItem('checkoutBookingData', kept),
    JSON.stringify({
      studio_id: studio.data?.id,
      studio_name: 'Studio A',
      start_time: sydneyDay(61).toISOString(),
      end_time: new Date(sydneyDay(61).getTime() + 3_600_000).toISOString(),
      total_hours: 1,
      base_cost: 59,
      discount_amount: 0,
      final_cost: 59,
      slots: [{ hour: 11, label: '11 AM', date: day, price: 59 }],
    }),
  );
  // Signing in on the first page leads to the checkout.
  await openDialog(page);
  await signInByDialog(page, who);
  await expect(page).toHaveURL(/\/checkout$/);
  await expect(page.getByRole('button', { name: 'Change your details' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/booking$/);
});

test('a failed copy of the PIN is only logged, and a failure to make one is shown [spec 8.42, 8.43]', async ({
  page,
}) => {
  const who = await newPerson(false);
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const id = await insertBooking({
    userId: who.id,
    studio: 'Studio A',
    start: new Date(hour),
    end: new Date(hour + 3_600_000),
    status: 'confirmed',
  });
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  await signIn(page, who);
  await page.goto(`/regenerate-pin?booking_id=${id}`);
  await expect(page.getByTestId('pin')).toBeVisible({ timeout: 30_000 });
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))');
  await page.getByRole('button', { name: 'Copy PIN' }).click();
  await expect.poll(() => logged.some((text) => text.includes('could not be copied'))).toBe(true);
  await expect(page.getByRole('button', { name: 'Copy PIN' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Messages' }).locator('p')).toHaveCount(0);
  await page.route('**/functions/v1/regenerate-pin*', (route) => route.fulfill({ status: 500, body: 'out of order' }));
  await page.reload();
  await expect(page.getByRole('alert')).toContainText('Failed to generate new PIN.', { timeout: 20_000 });
});

test('Back to Home leads from the profile to the first page [spec 2.49]', async ({ page }) => {
  await signIn(page, demo);
  await page.goto('/profile');
  await page.getByRole('link', { name: 'Back to Home' }).click();
  await expect(page).toHaveURL(/:\d+\/$/);
});

test('the payment page shows the booking, the price, what comes next, and two links [spec 2.51]', async ({ page }) => {
  type Payment = { id: string; client_reference_id: string };
  await signIn(page, await newPerson(true));
  await openDay(page, 'Studio B', 63);
  await chooseHours(page, [9, 10, 11]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/c\/pay\//);
  const id = /\/c\/pay\/(\w+)/.exec(page.url())?.[1] ?? '';
  const payment = (await sandbox<Payment[]>('/api/payments')).find((payment) => payment.id === id);
  await sandbox(`/api/payments/${id}`, { outcome: 'paid' });
  await page.goto(`/payment-success?session_id=${id}&booking_id=${payment?.client_reference_id}`);
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  const value = (name: string) => page.locator('dl > div').filter({ hasText: name }).locator('dd');
  await expect(value('Reference')).toHaveText(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
  await expect(value('Studio')).toHaveText('Studio B');
  await expect(value('When')).toHaveText(/9 am to 12 pm \(Sydney time\)$/);
  await expect(value('Hours')).toHaveText('3');
  // Three hours before 6 pm cost $49 or $59 each, depending on the day, less 10%, in whole dollars.
  const [price, off, paid] = await Promise.all(
    ['Price', 'Volume discount', 'Paid'].map(async (name) =>
      Math.abs(Number((await value(name).textContent())?.replace(/[^\d.]/g, ''))),
    ),
  );
  expect([147, 177]).toContain(price);
  expect(off).toBe(Math.round((price ?? 0) / 10));
  expect(paid).toBe((price ?? 0) - (off ?? 0));
  await expect(page.getByRole('heading', { name: "What's next" })).toBeVisible();
  await expect(page.getByText('Arrive 10 minutes early.')).toBeVisible();
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: 'Return Home' })).toHaveAttribute('href', '/');
  await expect(main.getByRole('link', { name: 'Book Another Session' })).toHaveAttribute('href', '/booking');
});
