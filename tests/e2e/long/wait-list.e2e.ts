import { type Browser, expect, type Page, test } from '@playwright/test';
import { createClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { admin, fromMail, mails, newPerson, type Person, runtime, service, signIn } from '../steps.ts';
import { fact, type Hands, handsOn, ledgerOf, ownDay, sound } from './hands.ts';

const [TUESDAY, THURSDAY] = [2, 4];
const ASKED = 'is free: yours until';

/** A customer with a browser of their own. */
type Visitor = Person & { readonly page: Page; readonly hands: Hands };

async function visit(browser: Browser, options: { timezoneId?: string } = {}): Promise<Visitor> {
  const who = await newPerson(true);
  const page = await (await browser.newContext(options)).newPage();
  await signIn(page, who);
  return { ...who, page, hands: handsOn(page) };
}

/** Opens the day of a room. */
async function open({ page, hands }: Visitor, studio: string, day: number): Promise<void> {
  await page.goto('/booking');
  await hands.room(studio);
  await hands.day(day);
}

/** Books 7 pm to 9 pm and returns the reference. */
async function bookEvening(host: Visitor, studio: string, day: number): Promise<string> {
  await open(host, studio, day);
  await host.hands.hour(19);
  await host.hands.hour(20);
  return host.hands.bookAndPay();
}

/** Presses the taken hour of 7 pm and waits for two hours. */
async function waitFor(visitor: Visitor, studio: string, day: number, place: string): Promise<void> {
  const { page, hands } = visitor;
  await open(visitor, studio, day);
  await expect(page.locator('[data-hour="19"]')).toHaveAttribute('data-state', 'taken');
  await hands.hour(19);
  const dialog = page.getByRole('dialog', { name: 'Tell me when it’s free' });
  await expect(dialog.getByLabel('From').locator('option:checked')).toHaveText('7 PM');
  await hands.choose(dialog.getByLabel('For'), '2 hours');
  await expect(dialog).toContainText('7 pm to 9 pm');
  await expect(dialog).toContainText('You pay nothing unless you book.');
  await sound(page);
  await hands.act(dialog.getByRole('button', { name: 'Tell me when it’s free' }));
  await expect(dialog.getByRole('status')).toContainText(place);
  await sound(page);
  await hands.act(dialog.getByRole('button', { name: 'Done' }));
  await expect(dialog).toBeHidden();
}

/** Cancels the one booking on the page of the customer's bookings. */
async function cancel({ page, hands }: Visitor): Promise<void> {
  await page.goto('/bookings');
  await hands.act(page.getByRole('button', { name: 'Cancel' }));
  await hands.act(page.getByRole('dialog').getByRole('button', { name: 'Cancel booking' }));
  await expect(page.getByText(/is on its way back to your card/).first()).toBeVisible();
}

/** Opens the link of the mail that asks, which chooses the hours, and pays for them. */
async function claim({ page, hands, email }: Visitor, dollars: number): Promise<void> {
  const link = await fromMail(email, ASKED, /(http\S+\/booking\?\S+)/);
  await page.goto(link);
  await expect(page.getByLabel('Your selection')).toContainText('7 pm to 9 pm');
  await expect(page.locator('[data-hour="19"]')).toBeFocused();
  await expect(page.getByText(/^Held for you until \d+:\d\d [ap]m/)).toBeVisible();
  await sound(page);
  const reference = await hands.bookAndPay();
  await expect(fact(page, 'Paid')).toHaveText(`$${dollars}`);
  expect(await ledgerOf(reference)).toEqual({
    status: 'confirmed',
    cost: dollars,
    payments: [{ state: 'paid', amount: dollars, refunded: 0 }],
  });
  await page.goto('/bookings');
  await expect(page.getByRole('heading', { name: /^(Held for you|Wait list)$/ })).toHaveCount(0);
}

const entry = (page: Page, list = 'Wait list') => page.getByRole('region', { name: list }).getByRole('listitem');

/** Lets the claims of a customer end now, as staff do who block the account for a moment: nothing else moves the clock. */
async function endClaim({ id }: Person): Promise<void> {
  const { apiUrl, anonKey } = runtime();
  const staff = createClient<Database>(apiUrl, anonKey, { auth: { persistSession: false, autoRefreshToken: false } });
  expect((await staff.auth.signInWithPassword(admin)).error).toBeNull();
  const body = { userId: id, reason: 'The claim ends' };
  expect((await staff.functions.invoke('staff-block-customer', { body })).error).toBeNull();
  expect((await staff.functions.invoke('staff-unblock-customer', { body: { userId: id } })).error).toBeNull();
}

const statesOf = async (people: readonly Person[]): Promise<string> => {
  const { data } = await service().from('waitlist_entries').select('user_id,state');
  return people.map(({ id }) => data?.find((one) => one.user_id === id)?.state).join(' ');
};

test('two people wait for an evening; its host cancels, and the first is asked by mail, claims it and pays; the second leaves the list', async ({
  browser,
}) => {
  const day = ownDay(TUESDAY);
  const [host, ann, ben] = [
    await visit(browser),
    await visit(browser, { timezoneId: 'America/Los_Angeles' }),
    await visit(browser),
  ];
  const reference = await bookEvening(host, 'Studio A', day);
  await waitFor(ann, 'Studio A', day, 'You’re first in line.');
  await waitFor(ben, 'Studio A', day, '1 person is ahead of you.');
  await ann.page.goto('/bookings');
  await expect(entry(ann.page)).toContainText('We’ll email you when it’s free.');
  await sound(ann.page);

  await cancel(host);
  // Her page follows without a reload.
  await expect(entry(ann.page, 'Held for you')).toContainText(/It’s free, and yours until \d+:\d\d [ap]m\./);
  await expect(ann.page.getByRole('link', { name: 'Book these hours' })).toBeVisible();
  await sound(ann.page);
  await open(ben, 'Studio A', day);
  await expect(ben.page.locator('[data-hour="19"]')).toHaveAttribute('data-state', 'paying');
  await claim(ann, 118);
  await expect(ben.page.locator('[data-hour="19"]')).toHaveAttribute('data-state', 'taken');

  await ben.page.goto('/bookings');
  await expect(entry(ben.page)).toContainText('7 pm to 9 pm');
  await ben.hands.act(ben.page.getByRole('button', { name: 'Leave the wait list' }));
  await expect(ben.page.getByRole('heading', { name: 'Wait list' })).toHaveCount(0);
  await sound(ben.page);
  expect(await statesOf([ann, ben])).toBe('used left');
  expect(await mails(ben.email, ASKED)).toEqual([]);
  expect(await ledgerOf(reference)).toMatchObject({ status: 'cancelled', payments: [{ amount: 118, refunded: 118 }] });
});

test('a claim that ends goes to the second in line, and one that is declined to the third, who pays; a late link says so', async ({
  browser,
}) => {
  const day = ownDay(THURSDAY);
  const [host, ann, ben, cas] = [
    await visit(browser),
    await visit(browser),
    await visit(browser),
    await visit(browser),
  ];
  await bookEvening(host, 'Studio B', day);
  await waitFor(ann, 'Studio B', day, 'You’re first in line.');
  await waitFor(ben, 'Studio B', day, '1 person is ahead of you.');
  await waitFor(cas, 'Studio B', day, '2 people are ahead of you.');
  await cancel(host);
  const late = await fromMail(ann.email, ASKED, /(http\S+\/booking\?\S+)/);
  await endClaim(ann);
  await fromMail(ben.email, ASKED, /(http\S+\/booking\?\S+)/);
  expect(await statesOf([ann, ben, cas])).toBe('passed asked waiting');
  await ann.page.goto(late);
  const lost = ann.page.getByRole('region', { name: 'Lost hours' });
  await expect(lost).toContainText('7 pm and 8 pm');
  await sound(ann.page);

  await ben.page.goto('/bookings');
  await expect(entry(ben.page, 'Held for you')).toContainText('It’s free, and yours until');
  await ben.hands.act(ben.page.getByRole('button', { name: 'No, thanks' }));
  await expect(ben.page.getByRole('heading', { name: 'Held for you' })).toHaveCount(0);
  await claim(cas, 118);
  expect(await statesOf([ann, ben, cas])).toBe('passed left used');
});
