import { expect, type Locator, type Page, test } from '@playwright/test';
import { createClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { accessible, admin, chooseHours, GOOD_CARD, mails, openDay, runtime, sandbox, service } from '../steps.ts';
import { press, reach } from './keyboard.ts';

/** On the desktop everything is done by keyboard alone, on the phone by touch. */
const byKeyboard = (): boolean => test.info().project.name === 'desktop';

/** Days for this project, so that phone and desktop find the same hours free. */
export const farAhead = (): number => (byKeyboard() ? 63 : 56);

/** Presses a button or link, or switches a checkbox. */
export async function act(target: Locator): Promise<void> {
  if (!byKeyboard()) return target.tap();
  const page = target.page();
  if ((await target.getAttribute('type')) !== 'checkbox') return press(page, target);
  await reach(page, target);
  await page.keyboard.press('Space');
}

/** Types into a field, in place of what it holds. */
export async function type(target: Locator, text: string): Promise<void> {
  if (!byKeyboard()) return target.fill(text);
  const page = target.page();
  await reach(page, target);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

/** Chooses an option of a list by its words. */
export async function choose(target: Locator, option: string): Promise<void> {
  if (byKeyboard()) {
    await reach(target.page(), target);
    await target.page().keyboard.type(option);
  } else await target.selectOption(option);
  await expect(target.locator('option:checked')).toHaveText(option);
}

/** Enters a day in a date field: "2027-01-20". The field of the browser of these tests begins with the month. */
export async function enterDay(target: Locator, day: string): Promise<void> {
  if (byKeyboard()) {
    await reach(target.page(), target);
    const [year = '', month = '', date = ''] = day.split('-');
    await target.page().keyboard.type(month + date + year);
  } else await target.fill(day);
  await expect(target).toHaveValue(day);
}

/** Pays on the provider's page. `save`: and saves the card there. */
export async function pay(page: Page, { card = GOOD_CARD, save = false } = {}): Promise<void> {
  await page.waitForURL(/\/c\/pay\//);
  await type(page.getByLabel('Card number'), card);
  if (save) await act(page.getByLabel('Save my card'));
  await act(page.getByRole('button', { name: /^Pay \$/ }));
}

/** Checks a screen or dialog with axe, and that nothing overflows sideways. */
export async function checked(page: Page): Promise<void> {
  await accessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
}

/** Books hours and pays. Returns the booking's id and reference. The way there has journeys of its own. */
export async function book(
  page: Page,
  studio: string,
  day: number,
  hours: readonly number[],
  save = false,
): Promise<{ id: string; reference: string }> {
  await openDay(page, studio, day);
  await chooseHours(page, hours);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await pay(page, { save });
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  const id = new URL(page.url()).searchParams.get('booking_id') ?? '';
  const { data } = await service().from('bookings').select('reference').eq('id', id).single();
  return { id, reference: String(data?.reference) };
}

type Booked = Awaited<ReturnType<typeof book>>;
type Charge = { payment_intent: string; amount: number; paid: boolean; metadata: { reference?: string } };
type Refund = { payment_intent: string; amount: number; status: string };
const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);
const sorted = (amounts: readonly number[]): number[] => amounts.toSorted((one, other) => one - other);
const cents = (dollars: unknown): number => Math.round(Number(dollars) * 100);

/**
 * Waits until the booking has these payments and refunds in cents, in our rows and at the provider, and nothing else of it was charged there. What it
 * keeps is its price, or nothing once it is cancelled.
 */
export async function expectMoney(
  { id, reference }: Booked,
  expected: { readonly paid: readonly number[]; readonly back: readonly number[] },
): Promise<void> {
  const kept = sum(expected.paid) - sum(expected.back);
  await expect(async () => {
    const booking = await service().from('bookings').select('status, final_cost').eq('id', id).single();
    const { data: rows } = await service().from('booking_payments').select('*').eq('booking_id', id);
    expect(sorted((rows ?? []).map(({ amount }) => cents(amount)))).toEqual(sorted(expected.paid));
    expect(sum((rows ?? []).map(({ refunded }) => cents(refunded)))).toBe(sum(expected.back));
    expect(booking.data?.status === 'confirmed' ? cents(booking.data.final_cost) : 0).toBe(kept);

    const charges = (await sandbox<Charge[]>('/api/charges')).filter((one) => one.metadata.reference === reference);
    const charged = charges.filter(({ paid }) => paid);
    expect(sorted(charged.map(({ amount }) => amount))).toEqual(sorted(expected.paid));
    const intents = new Set(charged.map(({ payment_intent: intent }) => intent));
    const refunds = (await sandbox<Refund[]>('/api/refunds')).filter(
      (one) => intents.has(one.payment_intent) && one.status === 'succeeded',
    );
    expect(sorted(refunds.map(({ amount }) => amount))).toEqual(sorted(expected.back));
  }).toPass({ timeout: 30_000 });
}

/** Waits until so many mails with the subject have come, and returns their texts, newest first. */
export async function mailed(email: string, subject: string, count = 1): Promise<readonly string[]> {
  await expect.poll(async () => (await mails(email, subject)).length, { timeout: 30_000 }).toBe(count);
  return (await mails(email, subject)).map(({ text }) => text);
}

/** Changes settings of the business as an admin does. */
export async function setBusiness(change: Readonly<Record<string, unknown>>): Promise<void> {
  const { apiUrl, anonKey } = runtime();
  const client = createClient<Database>(apiUrl, anonKey, { auth: { persistSession: false, autoRefreshToken: false } });
  const { error } = await client.auth.signInWithPassword(admin);
  expect(error).toBeNull();
  const { error: refused } = await client.functions.invoke('staff-set-settings', { body: change });
  expect(refused).toBeNull();
  // The pages are rendered again, and carry what the browser shows.
  await expect
    .poll(async () => {
      const page = await (await fetch(`${apiUrl}/bookings`)).text();
      const data: { business?: unknown } = JSON.parse(/id="page-data">(.*?)<\/script>/s.exec(page)?.[1] ?? '{}');
      return data.business;
    })
    .toMatchObject(change);
}
