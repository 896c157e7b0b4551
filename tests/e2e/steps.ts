import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TZDate } from '@date-fns/tz';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, type Route } from '@playwright/test';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';

export const sandboxUrl = process.env['E2E_SANDBOX_URL'] ?? 'http://localhost:4390';
export const demo = { email: 'customer@example.com', password: 'demo-customer-1' };
export const admin = { email: 'admin@example.com', password: 'demo-admin-1' };

/** Calls the control API of the sandbox: GET, or POST with a body. The caller gives the type of the response. */
export async function sandbox<T>(path: string, body?: unknown): Promise<T> {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${sandboxUrl}${path}`, request)).json() as Promise<T>;
}
export type SentMail = {
  subject: string;
  text: string;
  duplicateOf: string | null;
  attachments: { filename: string }[];
};
export const mails = (email: string, subject = ''): Promise<SentMail[]> =>
  sandbox(`/api/mail?to=${encodeURIComponent(email)}&subject=${encodeURIComponent(subject)}`);

/**
 * Waits until the newest mail matches, and returns the first group of the pattern. `previous` is the value from an earlier mail, which is
 * ignored.
 */
export async function fromMail(email: string, subject: string, pattern: RegExp, previous = ''): Promise<string> {
  let found = '';
  await expect
    .poll(
      async () => {
        found = pattern.exec((await mails(email, subject))[0]?.text ?? '')?.[1] ?? '';
        return found === previous ? '' : found;
      },
      { timeout: 20_000 },
    )
    .not.toBe('');
  return found;
}

/** Waits for the code that confirms an email address. `previous` is the code of an earlier mail, which no longer works. */
export const codeFromMail = (email: string, previous = ''): Promise<string> =>
  fromMail(email, 'code', /^Code: (\d{6})$/m, previous);

/** Waits until the script runs and has hydrated the pre-rendered page: until then, its links and pictures are those of the server. */
export async function untilRunning(page: Page): Promise<void> {
  const taken = `[...document.querySelectorAll('#root a')].some((link) => Object.keys(link).some((key) => key.startsWith('__reactProps')))`;
  await expect.poll(() => page.evaluate(taken)).toBe(true);
}

/** Delays the next request to an address until the returned function is called. */
export async function delayRequest(page: Page, address: string | RegExp): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((done) => (release = done));
  const wait = async (route: Route): Promise<void> => {
    await released;
    await route.continue();
  };
  await page.route(address, wait, { times: 1 });
  return release;
}

/** Opens the booking page, and chooses a studio and the day `daysAhead` days ahead. */
export async function openDay(page: Page, studio: string, daysAhead: number, site = ''): Promise<void> {
  await page.goto(`${site}/booking`);
  await page.getByRole('radio', { name: new RegExp(studio) }).click();
  const day = sydneyDay(daysAhead);
  const name = day
    .toLocaleDateString('en-US', { timeZone: 'UTC', weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' })
    .replace(/(\d+), (\d{4})$/, '$1');
  const cell = page
    .getByRole('gridcell')
    .getByRole('button', { name: new RegExp(`${name.split(', ')[1]}(st|nd|rd|th)?, ${day.getUTCFullYear()}`) });
  // On a phone the month is folded away. `count` and `isVisible` do not wait, so this waits for the calendar first.
  const month = page.getByRole('button', { name: 'Month', exact: true });
  await expect(page.getByRole('grid').or(month)).toBeVisible();
  if (await month.isVisible()) await month.click();
  await expect(page.getByRole('grid')).toBeVisible();
  for (let months = 0; months < 4 && (await cell.count()) === 0; months += 1)
    await page.getByRole('button', { name: /next month/i }).click();
  await cell.click();
  // Past hours of today are folded away.
  await expect(page.locator('[data-hour]').last()).toBeVisible();
}
/** Opens the details of the selection, which on a phone are collapsed into one row along the lower edge. */
export async function openDetails(page: Page): Promise<void> {
  const row = page.getByLabel('Your selection').getByRole('button', { name: /, details/ });
  await expect(page.getByRole('button', { name: 'Book Now' })).toBeVisible();
  if ((await row.isVisible()) && (await row.getAttribute('aria-expanded')) === 'false') await row.press('Enter');
}
/** Returns the calendar day in Sydney `daysAhead` days ahead, in the UTC fields of a date. */
export function sydneyDay(daysAhead: number): Date {
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'Australia/Sydney' });
  return new Date(Date.parse(`${today}T00:00:00Z`) + daysAhead * 86_400_000);
}

/**
 * Returns the instant of an hour in Sydney `daysAhead` days ahead, taking daylight saving into account. Hour 24 is the midnight that ends
 * the day.
 */
export function sydneyHour(daysAhead: number, hour: number): Date {
  const day = sydneyDay(daysAhead);
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()];
  return new Date(new TZDate(year, month, date, hour, 'Australia/Sydney').getTime());
}

/** Returns the days until the next such weekday (0 = Sunday), at least `atLeast` days ahead, because prices depend on the weekday. */
export const ahead = (weekday: number, atLeast = 7): number =>
  atLeast + ((weekday - sydneyDay(atLeast).getUTCDay() + 7) % 7);

export async function chooseHours(page: Page, hours: readonly number[]): Promise<void> {
  for (const hour of hours) {
    await page.locator(`[data-hour="${hour}"]`).click();
    await expect(page.locator(`[data-hour="${hour}"]`)).toHaveAttribute('data-state', 'selected');
  }
}

export async function signInByDialog(page: Page, who: { email: string; password: string } = demo): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: 'Sign In' }).click();
  await dialog.getByLabel('Email').fill(who.email);
  await dialog.getByLabel('Password').fill(who.password);
  await dialog.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(dialog).toBeHidden();
}

/**
 * Signs in through the API, by default as the demo customer, and stores the session where the site expects it. Loads no page: the next page
 * that is loaded is signed in.
 */
export async function signIn(page: Page, who: { email: string; password: string } = demo): Promise<void> {
  const { apiUrl, anonKey } = runtime();
  const { auth } = createClient<Database>(apiUrl, anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data, error } = await auth.signInWithPassword(who);
  expect(error).toBeNull();
  const session = { name: 'sb-localhost-auth-token', value: JSON.stringify(data.session) };
  await page.context().setStorageState({ cookies: [], origins: [{ origin: apiUrl, localStorage: [session] }] });
}

/** Developer pages named in the specification. */
export const DEVELOPER_PATHS = [
  '/igloohome-test',
  '/test-pin',
  '/test-timezone',
  '/test-booking-system',
  '/test-smart-plug',
  '/power-control',
];

export async function payWith(page: Page, card: string): Promise<void> {
  await page.waitForURL(/\/c\/pay\//);
  await page.getByLabel('Card number').fill(card);
  await page.getByRole('button', { name: /^Pay \$/ }).click();
}
export const GOOD_CARD = '4242 4242 4242 4242';
export const DECLINED_CARD = '4000 0000 0000 0002';

/** The minified axe, which a page compiles in half the time of the full one. */
const axe = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** Returns the source of axe for the current document, or only a semicolon if an earlier check has already loaded it. */
export async function axeFor(page: Page): Promise<string> {
  return (await page.evaluate('typeof window.axe === "object"')) ? ';' : axe;
}

/**
 * Checks the current page against WCAG 2.2 A and AA with axe. Uses legacy mode: otherwise axe would open a second page for frames of other
 * origins, which takes most of its time, and we do not have such frames.
 */
export async function accessible(page: Page): Promise<void> {
  // Wait for animations: an element that fades in has too little contrast.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((one) => one.effect.getTiming().iterations !== Infinity).map((one) => one.finished))',
  );
  const { violations } = await new AxeBuilder({ page, axeSource: await axeFor(page) })
    .setLegacyMode()
    .options({ resultTypes: ['violations'], preload: false })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
    .analyze();
  expect(violations.map((violation) => `${violation.id}: ${violation.nodes[0]?.html ?? ''}`)).toEqual([]);
}

/** Runs the same check at phone and desktop size, and checks that nothing overflows the page or a dialog sideways. */
export async function accessibleEverywhere(page: Page): Promise<void> {
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    await accessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
    const dialogs = `[...document.querySelectorAll('dialog[open]')].map((one) => one.scrollWidth - one.clientWidth).filter(Boolean)`;
    expect(await page.evaluate(dialogs)).toEqual([]);
  }
}

/** Returns a client with the service key, for states that no user can produce, such as a session that has ended. */
export function service(): SupabaseClient<Database> {
  const { apiUrl, serviceRoleKey } = runtime();
  return createClient<Database>(apiUrl, serviceRoleKey, { auth: { persistSession: false } });
}

/** Reads the address and the keys of this worker's server. */
export function runtime(): { apiUrl: string; anonKey: string; serviceRoleKey: string } {
  return JSON.parse(readFileSync(join(process.env['E2E_DATA_DIR'] ?? '', 'runtime.json'), 'utf8'));
}

export type Person = { readonly id: string; readonly email: string; readonly password: string };

/** Creates an account. With `ready`, the account has a verified ID and accepted terms. */
export async function newPerson(ready: boolean): Promise<Person> {
  const all = service();
  const who = { email: `p-${crypto.randomUUID().slice(0, 8)}@example.com`, password: 'night-shift-9' };
  const data = { full_name: 'Robin Sample', phone: '+61400111222', date_of_birth: '1998-04-03' };
  const created = await all.auth.admin.createUser({ ...who, email_confirm: true, user_metadata: data });
  expect(created.error).toBeNull();
  const id = created.data.user?.id ?? '';
  if (!ready) return { id, ...who };
  const now = Date.now();
  const verified = await all.from('id_verifications').insert({
    user_id: id,
    source: 'staff',
    verification_status: 'verified',
    verified_at: new Date(now).toISOString(),
    expires_at: new Date(now + 300 * 86_400_000).toISOString(),
  });
  expect(verified.error).toBeNull();
  await acceptTerms([id]);
  return { id, ...who };
}

/** Accepts the current terms for accounts. */
export async function acceptTerms(ids: readonly string[]): Promise<void> {
  const all = service();
  const texts = await all.rpc('site_texts');
  const { termsVersion: version = '' } = texts.data as { termsVersion?: string };
  const rows = ids.map((id) => ({ user_id: id, version }));
  const { error } = await all.from('terms_acceptances').upsert(rows, { onConflict: 'user_id,version' });
  expect([texts.error, error]).toEqual([null, null]);
}

/** Cancels the bookings that earlier journeys made at that time. The journeys of a worker share a server and run one after another. */
async function freeHours(studioId: string, start: Date, end: Date): Promise<void> {
  const all = service();
  const taken = await all
    .from('bookings')
    .select('id, notes')
    .eq('studio_id', studioId)
    .in('status', ['pending', 'confirmed'])
    .gt('end_time', start.toISOString())
    .lt('start_time', end.toISOString());
  expect(taken.error).toBeNull();
  for (const { id, notes } of taken.data ?? []) {
    // Only the status of test bookings, which have no payment, can be written.
    const { error } =
      notes === 'test'
        ? await all.from('bookings').update({ status: 'cancelled' }).eq('id', String(id))
        : await all.functions.invoke('staff-cancel-booking', {
            body: { bookingId: id, refund: 'full', reason: 'Another journey needs the hours' },
          });
    expect(error).toBeNull();
  }
}

/** Inserts a booking with the service key, replacing earlier ones at that time, and returns its id. */
export async function insertBooking(booking: {
  userId: string | null;
  studio: string;
  start: Date;
  end: Date;
  status: 'pending' | 'confirmed';
}): Promise<string> {
  const all = service();
  const studio = await all.from('studios').select('id').eq('name', booking.studio).single();
  await freeHours(String(studio.data?.id), booking.start, booking.end);
  const created = await all
    .from('bookings')
    .insert({
      studio_id: studio.data?.id ?? null,
      user_id: booking.userId,
      start_time: booking.start.toISOString(),
      end_time: booking.end.toISOString(),
      status: booking.status,
      notes: 'test',
    })
    .select('id')
    .single();
  expect(created.error).toBeNull();
  return String(created.data?.id);
}

/** Expects a toast with this title, and with this text if it is given. */
export async function expectToast(page: Page, title: string, text = ''): Promise<void> {
  const messages = page.getByRole('region', { name: 'Messages' });
  await expect(messages.getByText(title, { exact: true }).last()).toBeVisible();
  if (text !== '') await expect(messages.getByText(text, { exact: true }).last()).toBeVisible();
}

/** Expects a toast with this title and reason, and the same reason on the page, at its field or above the form. */
export async function expectErrorInPlace(page: Page, title: string, reason: string): Promise<void> {
  await expectToast(page, title, reason);
  await expect(page.getByRole('alert').filter({ hasText: reason })).toBeVisible();
}

/** Opens the customer's fields at the checkout, which shows the account's details in one row. */
export async function changeDetails(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Change your details' }).click();
  await expect(page.getByLabel('First name')).toBeFocused();
}

/** Presses Book Now without a verified ID, then chooses to upload a photo instead of the hosted check, which leads to the checkout. */
export async function bookWithPhoto(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/verify-complete$/);
  await page.getByRole('link', { name: 'Use a photo of my licence here' }).click();
  await page.waitForURL(/\/checkout$/);
  // The dialog for the photo opens at once.
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
}
