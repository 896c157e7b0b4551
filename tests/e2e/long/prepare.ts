import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { type Browser, expect, type Page } from '@playwright/test';
import type { Database } from '#database/types.ts';
import {
  acceptTerms,
  admin,
  GOOD_CARD,
  insertBooking,
  newPerson,
  type Person,
  runtime,
  sandbox,
  service,
  signIn,
  sydneyHour,
} from '../steps.ts';
import { ownDay } from './driver.ts';

/** Prepares what journeys start from: settings, customers with a card, and sessions in progress. */

export const HOUR = 3_600_000;
const SUNDAY = 0;
type Who = { readonly email: string; readonly password: string };

/** Returns a separate client that is signed in as `who`. */
async function openClient(who: Who): Promise<SupabaseClient<Database>> {
  const { apiUrl, anonKey } = runtime();
  const client = createClient<Database>(apiUrl, anonKey, { auth: { persistSession: false, autoRefreshToken: false } });
  expect((await client.auth.signInWithPassword(who)).error).toBeNull();
  return client;
}

/** Calls a function of the server as `who`, for steps without a screen in the journey. */
export async function call<T>(who: Who, name: string, body: object): Promise<T> {
  const { data, error } = await (await openClient(who)).functions.invoke<T>(name, { body });
  expect(error).toBeNull();
  if (data === null) throw new Error(`${name} answered nothing`);
  return data;
}

/** Creates a customer with a saved card, by paying for a booking some weeks ahead with it. */
export async function personWithCard(): Promise<Person> {
  const who = await newPerson(true);
  const studio = await service().from('studios').select('id').eq('name', 'Studio C').single();
  const start = await freeHour('Studio C', ownDay(SUNDAY, 28));
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

/** Returns the first free hour of a day. */
async function freeHour(studio: string, daysAhead: number): Promise<Date> {
  const { data } = await service().from('bookings').select('start_time').eq('studio_name', studio);
  const taken = (data ?? []).map(({ start_time: start }) => Date.parse(start ?? ''));
  const hours = Array.from({ length: 24 }, (_, hour) => sydneyHour(daysAhead, hour));
  const free = hours.find((hour) => !taken.includes(hour.getTime()));
  if (free === undefined) throw new Error('No hour is free');
  return free;
}

export type Running = { readonly id: string; readonly reference: string; readonly start: Date; readonly end: Date };

/** Gives a customer a room from the last full hour on, and keeps the hours after it free. */
export async function inSession(who: Person, studio: string): Promise<Running> {
  const start = Math.floor(Date.now() / HOUR) * HOUR;
  // An hour with only minutes left would end before the journey does.
  const end = start + (Date.now() < start + HOUR - 240_000 ? HOUR : 2 * HOUR);
  await empty(studio, start, end + 2 * HOUR);
  const span = { start: new Date(start), end: new Date(end) };
  const id = await insertBooking({ userId: who.id, studio, ...span, status: 'confirmed' });
  const { data } = await service().from('bookings').select('reference').eq('id', id).single();
  return { id, reference: String(data?.reference), ...span };
}

/** Ends the test bookings that earlier journeys left in a room. */
async function empty(studio: string, from: number, until: number): Promise<void> {
  const remaining = await service()
    .from('bookings')
    .select('id')
    .eq('studio_name', studio)
    .eq('status', 'confirmed')
    .gt('end_time', new Date(from).toISOString())
    .lt('start_time', new Date(until).toISOString());
  for (const { id } of remaining.data ?? [])
    if (id !== null) await service().from('bookings').update({ status: 'cancelled' }).eq('id', id);
}

/** Adds a paid hour to a session, paid with the saved card. */
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

/** Opens the back office in a separate browser, always wide and by mouse, because these journeys are the customer's. */
export async function staffPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await signIn(page, admin);
  return page;
}

/** Changes business settings as an admin does. */
export async function setBusiness(change: Readonly<Record<string, unknown>>): Promise<void> {
  await call(admin, 'staff-set-settings', change);
  // The server renders the pages again with the values that the browser shows.
  await expect
    .poll(async () => {
      const page = await (await fetch(`${runtime().apiUrl}/bookings`)).text();
      const data: { business?: unknown } = JSON.parse(/id="page-data">(.*?)<\/script>/s.exec(page)?.[1] ?? '{}');
      return data.business;
    })
    .toMatchObject(change);
  if (!('freeCancelHours' in change)) return;
  // The change created a new version of the terms. Other journeys on this server book with accounts that have accepted the terms.
  const { data } = await service().from('terms_acceptances').select('user_id');
  await acceptTerms([...new Set((data ?? []).map(({ user_id: id }) => id))]);
}
