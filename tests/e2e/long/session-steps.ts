import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { type Browser, expect, type Locator, type Page, test } from '@playwright/test';
import type { Database } from '#database/types.ts';
import {
  accessible,
  admin,
  ahead,
  GOOD_CARD,
  insertBooking,
  newPerson,
  type Person,
  sandbox,
  service,
  signIn,
  sydneyHour,
} from '../steps.ts';
import { press, reach } from './keyboard.ts';

/** Steps of the journeys that follow a booking: at the door, in the room, afterwards, and in the account. */

export const HOUR = 3_600_000;
const TUESDAY = 2;
const isPhone = (): boolean => test.info().project.name === 'phone';

/** Presses a target: by touch on a phone, by keyboard alone on a wide screen. */
export async function act(target: Locator): Promise<void> {
  if (isPhone()) return target.tap();
  const ticked = await target.evaluate((one) => ['checkbox', 'radio'].includes(one.getAttribute('type') ?? ''));
  if (!ticked) return press(target.page(), target);
  await reach(target.page(), target);
  await target.page().keyboard.press('Space');
}

/** Types into a field, by keyboard alone on a wide screen. */
export async function type(field: Locator, text: string): Promise<void> {
  if (isPhone()) return field.fill(text);
  await reach(field.page(), field);
  await field.page().keyboard.press('ControlOrMeta+A');
  await field.page().keyboard.type(text);
}

/** Checks a page with axe, and that nothing overflows sideways. */
export async function looksRight(page: Page): Promise<void> {
  await accessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0);
}

type Who = { readonly email: string; readonly password: string };

/** Signs in with a client of its own, for what is prepared before a journey. */
async function clientOf(who: Who): Promise<SupabaseClient<Database>> {
  const file = readFileSync(join(process.env['E2E_DATA_DIR'] ?? '', 'runtime.json'), 'utf8');
  const { apiUrl, anonKey }: { apiUrl: string; anonKey: string } = JSON.parse(file);
  const client = createClient<Database>(apiUrl, anonKey, { auth: { persistSession: false, autoRefreshToken: false } });
  expect((await client.auth.signInWithPassword(who)).error).toBeNull();
  return client;
}

async function call<T>(who: Who, name: string, body: object): Promise<T> {
  const { data, error } = await (await clientOf(who)).functions.invoke<T>(name, { body });
  expect(error).toBeNull();
  if (data === null) throw new Error(`${name} answered nothing`);
  return data;
}

/** A customer whose card is saved, by a booking some weeks ahead that was paid with it. */
export async function personWithCard(): Promise<Person> {
  const who = await newPerson(true);
  const studio = await service().from('studios').select('id').eq('name', 'Studio C').single();
  const start = sydneyHour(ahead(TUESDAY, 21 + Math.floor(Math.random() * 8) * 7), Math.floor(Math.random() * 20));
  const { url } = await call<{ url: string }>(who, 'create-payment', {
    bookingData: {
      studio_id: studio.data?.id,
      start_time: start.toISOString(),
      end_time: new Date(start.getTime() + HOUR).toISOString(),
    },
    customerData: { termsAccepted: true },
  });
  const paid = { outcome: 'paid', card: GOOD_CARD.replaceAll(' ', ''), save: true };
  await sandbox(`/api/payments/${url.split('/').pop()}`, paid);
  await expect.poll(async () => (await call<{ cards: unknown[] }>(who, 'saved-cards', {})).cards.length).toBe(1);
  return who;
}

export type Running = { readonly id: string; readonly reference: string; readonly start: Date; readonly end: Date };

/** Gives a customer a room from the last full hour on, with the hours after it free. */
export async function inSession(who: Person, studio: string): Promise<Running> {
  const start = Math.floor(Date.now() / HOUR) * HOUR;
  // An hour that ends within minutes would end before the journey does.
  const end = start + (Date.now() < start + HOUR - 240_000 ? HOUR : 2 * HOUR);
  await empty(studio, start, end + 2 * HOUR);
  const span = { start: new Date(start), end: new Date(end) };
  const id = await insertBooking({ userId: who.id, studio, ...span, status: 'confirmed' });
  const { data } = await service().from('bookings').select('reference').eq('id', id).single();
  return { id, reference: String(data?.reference), ...span };
}

/** Ends the test bookings that journeys before this one have left in a room. */
async function empty(studio: string, from: number, until: number): Promise<void> {
  const left = await service()
    .from('bookings')
    .select('id')
    .eq('studio_name', studio)
    .eq('status', 'confirmed')
    .gt('end_time', new Date(from).toISOString())
    .lt('start_time', new Date(until).toISOString());
  for (const { id } of left.data ?? [])
    if (id !== null) await service().from('bookings').update({ status: 'cancelled' }).eq('id', id);
}

/** Adds a paid hour to a session, with the saved card. */
export async function addPaidHour(who: Person, { id, end }: Running): Promise<number> {
  const more = { bookingId: id, hours: 1, from: end.toISOString() };
  const { differenceCents } = await call<{ differenceCents: number }>(who, 'extend-booking', {
    ...more,
    preview: true,
  });
  const { cards } = await call<{ cards: { id: string }[] }>(who, 'saved-cards', {});
  await call(who, 'extend-booking', { ...more, differenceCents, card: cards[0]?.id });
  return differenceCents;
}

type SandboxCharge = {
  readonly payment_intent: string;
  readonly amount: number;
  readonly paid: boolean;
  readonly payment_method: string;
  readonly metadata: { readonly booking_id?: string };
};
type SandboxCustomer = { readonly metadata: { readonly user_id?: string }; readonly cards: readonly { id: string }[] };
type SandboxRefund = { readonly payment_intent: string; readonly amount: number; readonly status: string };

/** What a customer's bookings have cost, in cents. */
type Money = { readonly paid: number; readonly back: number };

/** Waits until the ledger and the payment provider agree about every booking of a customer, and returns what both say. */
export async function moneyOf(userId: string): Promise<Money> {
  let both = await readMoney(userId);
  await expect(async () => {
    both = await readMoney(userId);
    expect(both.provider).toEqual(both.ledger);
  }).toPass({ timeout: 20_000 });
  return both.ledger;
}

async function readMoney(userId: string): Promise<{ ledger: Money; provider: Money }> {
  const bookings = await service().from('bookings').select('id').eq('user_id', userId);
  const ids = (bookings.data ?? []).flatMap(({ id }) => (id === null ? [] : [id]));
  const rows = await service().from('booking_payments').select('amount,refunded,state').in('booking_id', ids);
  const kept = (rows.data ?? []).filter(({ state }) => !['open', 'intent', 'failed', 'expired'].includes(state ?? ''));
  const ledger = { paid: sum(kept.map((one) => one.amount)), back: sum(kept.map((one) => one.refunded)) };
  const customers = await sandbox<SandboxCustomer[]>('/api/customers');
  const cards = customers
    .filter((one) => one.metadata.user_id === userId)
    .flatMap((one) => one.cards.map(({ id }) => id));
  // A change that a saved card paid names its own hold, so it is found by the card.
  const charges = (await sandbox<SandboxCharge[]>('/api/charges')).filter(
    (one) => one.paid && (ids.includes(one.metadata.booking_id ?? '') || cards.includes(one.payment_method)),
  );
  const intents = charges.map((one) => one.payment_intent);
  const refunds = (await sandbox<SandboxRefund[]>('/api/refunds')).filter(
    (one) => one.status === 'succeeded' && intents.includes(one.payment_intent),
  );
  const cents = (all: readonly { amount: number }[]): number => all.reduce((total, one) => total + one.amount, 0);
  return { ledger, provider: { paid: cents(charges), back: cents(refunds) } };
}

const sum = (dollars: readonly (number | null)[]): number =>
  dollars.reduce<number>((total, one) => total + Math.round((one ?? 0) * 100), 0);

/** Opens the back office in a browser of its own, always wide and by mouse: these journeys are the customer's. */
export async function staffPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await signIn(page, admin);
  return page;
}
