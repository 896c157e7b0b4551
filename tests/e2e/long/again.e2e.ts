import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { insertBooking, newPerson, openDetails, signIn, sydneyDay, sydneyHour } from '../steps.ts';
import { act, bookAndPay, checked, choose, fact, onPhone, openHours, ownDay, pay, pressHours } from './driver.ts';
import { expectLedger, expectMoney, mailed, waitForMoney } from './money.ts';

const [MONDAY, WEDNESDAY] = [1, 3];
/** Returns the room of this project. The weeks of the two projects overlap, so each has its own room. */
const getRoom = (phone: string, desktop: string): string => (onPhone() ? phone : desktop);
const selection = (page: Page) => page.getByLabel('Your selection');
/** Returns a date in the short form of the pages: "16 Dec". */
const formatDate = (daysAhead: number): string =>
  sydneyDay(daysAhead).toLocaleDateString('en-AU', { timeZone: 'UTC', day: 'numeric', month: 'short' });

test.describe('in London', () => {
  test.use({ timezoneId: 'Europe/London' });

  test('hours that were left are one tap away; once paid, the same time next week is, until a link on the confirmation books it too [spec 10.3]', async ({
    page,
  }) => {
    const wednesday = ownDay(WEDNESDAY);
    const studio = getRoom('Studio A', 'Studio B');
    const who = await newPerson(true);
    await signIn(page, who);
    await openHours(page, studio, wednesday);
    await pressHours(page, 7, 8);
    await act(page.getByRole('button', { name: 'Book Now' }));
    await page.waitForURL(/\/c\/pay\//);
    await act(page.getByRole('button', { name: 'Cancel' }));
    await expect(page.getByText('we released the hours')).toBeVisible();

    await page.goto('/booking');
    const againButton = page.getByRole('button', { name: /^Again:/ });
    await expect(againButton).toHaveCount(1);
    await expect(againButton).toContainText(`${studio}, 7 am to 9 am`);
    await checked(page);
    await act(againButton);
    await expect(selection(page)).toContainText('7 am to 9 am');
    await expect(selection(page)).toContainText(formatDate(wednesday));
    await expect(page.locator('[data-hour="7"]')).toBeFocused();
    const first = await bookAndPay(page);
    await expect(fact(page, 'Paid')).toHaveText('$98');
    await checked(page);

    // That time is now booked, so the page offers the same time a week later.
    await page.goto('/booking');
    await expect(againButton).toHaveCount(1);
    await expect(againButton).toContainText(formatDate(wednesday + 7));
    await act(againButton);
    await expect(selection(page)).toContainText(formatDate(wednesday + 7));
    const second = await bookAndPay(page);
    await act(page.getByRole('link', { name: 'Same time next week' }));
    await expect(selection(page)).toContainText(formatDate(wednesday + 14));
    await expect(selection(page)).toContainText('7 am to 9 am');
    await checked(page);
    const third = await bookAndPay(page);
    for (const { reference } of [first, second, third]) await expectMoney(reference, { paid: [9_800], back: [] });
    await mailed(who.email, `Booking confirmed: ${studio}`, 3);

    // The customer already has the two weeks after the first booking, so the link leads to the third.
    await page.goto(`/bookings/${first.reference}`);
    await act(page.getByRole('link', { name: /^Same time, Wed/ }));
    await expect(selection(page)).toContainText(formatDate(wednesday + 21));
  });
});

test('a series without the week that is taken, paid once; its last date moves alone, and its first is cancelled alone [spec 10.4]', async ({
  page,
}) => {
  const monday = ownDay(MONDAY);
  const studio = getRoom('Studio C', 'Studio A');
  const who = await newPerson(true);
  await insertBooking({
    userId: null,
    studio,
    start: sydneyHour(monday + 14, 12),
    end: sydneyHour(monday + 14, 13),
    status: 'confirmed',
  });
  await signIn(page, who);
  await openHours(page, studio, monday);
  await pressHours(page, 11, 12);
  await openDetails(page);
  await act(page.getByRole('button', { name: 'Repeat weekly' }));
  const dialog = page.getByRole('dialog');
  await choose(dialog.getByLabel('Repeat for'), '4 weeks');
  await expect(dialog).toContainText('3 of 4 dates are free.');
  const dates = dialog.getByRole('checkbox');
  await expect(dates).toHaveCount(4);
  await expect(dates.nth(2)).toBeDisabled();
  await act(dates.nth(1));
  await expect(dialog).toContainText('2 dates, $196');
  await checked(page);
  await act(dates.nth(1));
  await expect(dialog).toContainText('3 dates, $294');
  await act(dialog.getByRole('button', { name: 'Done' }));
  await expect(selection(page)).toContainText('$294');
  await act(page.getByRole('button', { name: 'Book Now' }));
  await pay(page);
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  await expect(page.getByText('3 dates, Sydney time')).toBeVisible();
  await checked(page);

  await page.goto('/bookings');
  const details = page.getByRole('link', { name: 'Move, details, receipt' });
  await expect(details).toHaveCount(3);
  await checked(page);
  await act(details.last());
  const series = page.getByRole('region', { name: 'Series' });
  await expect(series.getByRole('listitem')).toHaveCount(3);
  await checked(page);
  const last = await page
    .getByText(/^Reference/)
    .locator('strong')
    .innerText();
  await act(page.getByRole('button', { name: 'Move', exact: true }));
  await expect(dialog.getByText(/start at, Sydney time/)).toBeVisible();
  await checked(page);
  await act(dialog.getByRole('button', { name: /^2 PM, \$/ }));
  await expect(dialog).toContainText('2 pm to 4 pm');
  await checked(page);
  await act(dialog.getByRole('button', { name: /^(Move|Change)/ }).last());
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/2 pm to 4 pm/).first()).toBeVisible();
  await expect(series.getByText(/11 am to 1 pm/)).toHaveCount(2);

  await page.goto('/bookings');
  const first = await page
    .getByText(/^Reference/)
    .first()
    .locator('strong')
    .innerText();
  await act(page.getByRole('button', { name: 'Cancel' }).first());
  await expect(dialog).toContainText('You’ll get the full $98 back');
  await expect(dialog.getByRole('checkbox')).not.toBeChecked();
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Cancel booking' }));
  await expect(page.getByText(/\$98 is on its way back to your card/).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Cancel' })).toHaveCount(2);
  await act(page.getByText(/^Past and cancelled \(1\)$/));
  await checked(page);
  await expectLedger(first, { paid: [9_800], back: [9_800] });
  await expectLedger(last, { paid: [9_800], back: [] });
  expect(await waitForMoney(who.id)).toEqual({ paid: 29_400, back: 9_800 });
  await mailed(who.email, `Booking moved: ${studio}`);
  await mailed(who.email, `Booking cancelled: ${studio}`);
});
