import { type Browser, expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { admin, fromMail, mails, newPerson, type Person, service, signIn } from '../steps.ts';
import { act, book, bookAndPay, checked, choose, fact, openHours, ownDay, pressHours } from './driver.ts';
import { expectMoney } from './money.ts';
import { call } from './prepare.ts';

const [TUESDAY, THURSDAY] = [2, 4];
/** The hours from 7 pm to 9 pm. */
const EVENING = [19, 20];
const ASKED = 'is free: yours until';

/** A customer with a separate browser. */
type Visitor = Person & { readonly page: Page };

async function visit(browser: Browser, options: { timezoneId?: string } = {}): Promise<Visitor> {
  const who = await newPerson(true);
  const page = await (await browser.newContext(options)).newPage();
  await signIn(page, who);
  return { ...who, page };
}

/** Presses the taken hour at 7 pm and joins the wait list for two hours. */
async function waitFor({ page }: Visitor, studio: string, day: number, place: string): Promise<void> {
  await openHours(page, studio, day);
  await expect(page.locator('[data-hour="19"]')).toHaveAttribute('data-state', 'taken');
  await pressHours(page, 19);
  const dialog = page.getByRole('dialog', { name: 'Tell me when it’s free' });
  await expect(dialog.getByLabel('From').locator('option:checked')).toHaveText('7 PM');
  await choose(dialog.getByLabel('For'), '2 hours');
  await expect(dialog).toContainText('7 pm to 9 pm');
  await expect(dialog).toContainText('You pay nothing unless you book.');
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Tell me when it’s free' }));
  await expect(dialog.getByRole('status')).toContainText(place);
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Done' }));
  await expect(dialog).toBeHidden();
}

/** Cancels the only booking on the customer's page of bookings. */
async function cancel({ page }: Visitor): Promise<void> {
  await page.goto('/bookings');
  await act(page.getByRole('button', { name: 'Cancel' }));
  await act(page.getByRole('dialog').getByRole('button', { name: 'Cancel booking' }));
  await expect(page.getByText(/is on its way back to your card/).first()).toBeVisible();
}

/** Opens the link in the mail that offers the hours, which selects them, and pays. */
async function claim({ page, email }: Visitor, dollars: number): Promise<void> {
  const link = await fromMail(email, ASKED, /(http\S+\/booking\?\S+)/);
  await page.goto(link);
  await expect(page.getByLabel('Your selection')).toContainText('7 pm to 9 pm');
  await expect(page.locator('[data-hour="19"]')).toBeFocused();
  await expect(page.getByText(/^Held for you until \d+:\d\d [ap]m/)).toBeVisible();
  await checked(page);
  const { reference } = await bookAndPay(page);
  await expect(fact(page, 'Paid')).toHaveText(`$${dollars}`);
  await expectMoney(reference, { paid: [dollars * 100], back: [] });
  await page.goto('/bookings');
  await expect(page.getByRole('heading', { name: /^(Held for you|Wait list)$/ })).toHaveCount(0);
}

const entry = (page: Page, list = 'Wait list') => page.getByRole('region', { name: list }).getByRole('listitem');

/**
 * Ends the claims of a customer immediately, as staff do by blocking the account for a moment: there is no clock to set here, and not even
 * the service key may end a claim. The expiry after a quarter of an hour is covered by a test of the wait list with a clock.
 */
async function endClaim({ id }: Person): Promise<void> {
  await call(admin, 'staff-block-customer', { userId: id, reason: 'The claim ends' });
  await call(admin, 'staff-unblock-customer', { userId: id });
}

const readStates = async (people: readonly Person[]): Promise<string> => {
  const { data } = await service().from('waitlist_entries').select('user_id,state');
  return people.map(({ id }) => data?.find((entry) => entry.user_id === id)?.state).join(' ');
};

test('two people wait for an evening; its host cancels, and the first is asked by mail, claims it and pays; the second leaves the list [spec 10.5]', async ({
  browser,
}) => {
  const day = ownDay(TUESDAY);
  const [host, ann, ben] = [
    await visit(browser),
    await visit(browser, { timezoneId: 'America/Los_Angeles' }),
    await visit(browser),
  ];
  const { reference } = await book(host.page, 'Studio A', day, EVENING);
  await waitFor(ann, 'Studio A', day, 'You’re first in line.');
  await waitFor(ben, 'Studio A', day, '1 person is ahead of you.');
  await ann.page.goto('/bookings');
  await expect(entry(ann.page)).toContainText('We’ll email you when it’s free.');
  await checked(ann.page);

  await cancel(host);
  // Her page follows without a reload.
  await expect(entry(ann.page, 'Held for you')).toContainText(/It’s free, and yours until \d+:\d\d [ap]m\./);
  await expect(ann.page.getByRole('link', { name: 'Book these hours' })).toBeVisible();
  await checked(ann.page);
  await openHours(ben.page, 'Studio A', day);
  await expect(ben.page.locator('[data-hour="19"]')).toHaveAttribute('data-state', 'paying');
  await claim(ann, 118);
  await expect(ben.page.locator('[data-hour="19"]')).toHaveAttribute('data-state', 'taken');

  await ben.page.goto('/bookings');
  await expect(entry(ben.page)).toContainText('7 pm to 9 pm');
  await act(ben.page.getByRole('button', { name: 'Leave the wait list' }));
  await expect(ben.page.getByRole('heading', { name: 'Wait list' })).toHaveCount(0);
  await checked(ben.page);
  expect(await readStates([ann, ben])).toBe('used left');
  expect(await mails(ben.email, ASKED)).toEqual([]);
  await expectMoney(reference, { paid: [11_800], back: [11_800] });
});

test('a claim that ends goes to the second in line, and one that is declined to the third, who pays; a late link says so [spec 10.5]', async ({
  browser,
}) => {
  const day = ownDay(THURSDAY);
  const [host, ann, ben, cas] = [
    await visit(browser),
    await visit(browser),
    await visit(browser),
    await visit(browser),
  ];
  await book(host.page, 'Studio B', day, EVENING);
  await waitFor(ann, 'Studio B', day, 'You’re first in line.');
  await waitFor(ben, 'Studio B', day, '1 person is ahead of you.');
  await waitFor(cas, 'Studio B', day, '2 people are ahead of you.');
  await cancel(host);
  const late = await fromMail(ann.email, ASKED, /(http\S+\/booking\?\S+)/);
  await endClaim(ann);
  await fromMail(ben.email, ASKED, /(http\S+\/booking\?\S+)/);
  expect(await readStates([ann, ben, cas])).toBe('passed asked waiting');
  await ann.page.goto(late);
  const lost = ann.page.getByRole('region', { name: 'Lost hours' });
  await expect(lost).toContainText('7 pm and 8 pm');
  await checked(ann.page);

  await ben.page.goto('/bookings');
  await expect(entry(ben.page, 'Held for you')).toContainText('It’s free, and yours until');
  await act(ben.page.getByRole('button', { name: 'No, thanks' }));
  await expect(ben.page.getByRole('heading', { name: 'Held for you' })).toHaveCount(0);
  await claim(cas, 118);
  expect(await readStates([ann, ben, cas])).toBe('passed left used');
});
