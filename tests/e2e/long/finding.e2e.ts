import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { expectToast, insertBooking, newPerson, signIn, sydneyHour } from '../steps.ts';
import {
  act,
  bookAndPay,
  checked,
  chooseDay,
  chooseRadio,
  chooseRoom,
  fact,
  onPhone,
  ownDay,
  pressHours,
} from './driver.ts';
import { reach, times } from '../keyboard.ts';
import { expectMoney, mailed } from './money.ts';

const SATURDAY = 6;
const selection = (page: Page) => page.getByLabel('Your selection');
const hours = (page: Page) => page.locator('[data-hour]');

test.describe('in Los Angeles', () => {
  test.use({ timezoneId: 'America/Los_Angeles' });

  test('the price of tonight on the landing page leads to its hour; the day begins now, and past hours unfold [spec 10.2]', async ({
    page,
  }) => {
    // It is 3:20 pm in Sydney: the hour that began at 3 can still be booked.
    await page.clock.setFixedTime(new Date(sydneyHour(0, 15).getTime() + 20 * 60_000));
    await page.goto('/');
    const tonight = page.getByRole('link', { name: /^Tonight from \$\d+ an hour$/ });
    // The page fetches the price when the rooms come into view.
    await expect(async () => {
      await page.keyboard.press('PageDown');
      await expect(tonight).toBeVisible({ timeout: 500 });
    }).toPass();
    await checked(page);
    const price = /\$\d+/.exec(await tonight.innerText())?.[0] ?? '';
    await act(tonight);
    await expect(selection(page)).toContainText(price);
    await expect(page.getByText('which is different from your local time')).toBeVisible();
    await checked(page);

    const days = page.getByRole('list', { name: 'Days' });
    const today = onPhone()
      ? days.getByRole('button', { name: /, today/ })
      : page.getByRole('gridcell').getByRole('button', { name: /today/i });
    await act(today);
    await expect(hours(page).first()).toHaveAttribute('data-hour', '15');
    await expect(hours(page).first()).toHaveAttribute('data-state', 'free');
    await act(page.getByRole('button', { name: 'Show 15 past hours' }));
    await expect(hours(page)).toHaveCount(24);
    await expect(hours(page).first()).toHaveAccessibleName('12 AM to 1 AM, past');
    await checked(page);
  });
});

test('days say how much is free and own hours read yours; a gap starts a new selection with undo; a night in another room is chosen on the timeline and paid [spec 10.1]', async ({
  page,
}) => {
  const saturday = ownDay(SATURDAY);
  const who = await newPerson(true);
  const booked = { studio: 'Studio B', status: 'confirmed' } as const;
  await insertBooking({ ...booked, userId: who.id, start: sydneyHour(saturday, 18), end: sydneyHour(saturday, 20) });
  await insertBooking({ ...booked, userId: null, start: sydneyHour(saturday, 14), end: sydneyHour(saturday, 16) });
  await signIn(page, who);
  await page.goto('/booking');
  await expect(page.getByRole('radio')).toHaveCount(3);
  await checked(page);
  await chooseRoom(page, 'Studio B');
  if (onPhone()) {
    // The cards collapse into a row of names, so that days and hours fit on one screen.
    await expect(page.getByRole('button', { name: 'Compare the rooms' })).toBeVisible();
    await expect(page.getByText('Choose this room').first()).toBeHidden();
    await expect(page.getByRole('list', { name: 'Days' })).toBeInViewport();
    await expect(hours(page).first()).toBeInViewport();
  }
  await chooseDay(page, saturday);
  const chosen = page
    .getByRole('region', { name: 'Day', exact: true })
    .locator('[aria-pressed="true"], [aria-selected="true"] button')
    .first();
  await expect(page.locator('[data-hour="18"]')).toHaveAccessibleName('6 PM to 7 PM, yours');
  await expect(page.locator('[data-hour="14"]')).toHaveAccessibleName('2 PM to 3 PM, taken');
  const free = await page.locator('[data-state="free"]').count();
  await expect(chosen).toHaveAccessibleName(new RegExp(`, ${free} hours free$`));

  await pressHours(page, 9, 10);
  await expect(selection(page)).toContainText('9 am to 11 am');
  await pressHours(page, 12);
  await expectToast(page, 'New selection', 'Your hours have to be back to back, so we started a new selection.');
  await expect(selection(page)).toContainText('12 pm to 1 pm');
  await checked(page);
  await act(page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }));
  await expect(selection(page)).toContainText('9 am to 11 am');

  await act(page.getByRole('button', { name: 'Compare', exact: true }));
  const grid = page.getByRole('grid', { name: /^Hours of all rooms, Saturday/ });
  const cell = (name: string) => grid.getByRole('gridcell', { name });
  await expect(cell('Studio B, 6 PM to 7 PM, yours')).toBeVisible();
  await expect(cell('Studio B, 10 AM to 11 AM')).toHaveAttribute('data-state', 'selected');
  const night = ['Studio C, 10 PM to 11 PM', 'Studio C, 11 PM to 12 AM', 'Studio C, 12 AM to 1 AM'];
  if (onPhone()) for (const name of night) await act(cell(name));
  else {
    // Starts at 9 am in the room above.
    await reach(page, grid);
    await times(page, 'ArrowDown', 1);
    await times(page, 'ArrowRight', 13);
    await expect(cell(night[0] ?? '')).toBeFocused();
    await page.keyboard.press('Enter');
    await times(page, 'Shift+ArrowRight', 2);
  }
  await expectToast(page, 'New selection', 'A booking is for one room, so we started a new selection.');
  await expect(selection(page)).toContainText(/Sat .*, 10 pm to 1 am/);
  await expect(selection(page)).toContainText('$186');
  await checked(page);
  const { reference } = await bookAndPay(page);
  await expect(fact(page, 'Paid')).toHaveText('$186');
  await checked(page);
  await expectMoney(reference, { paid: [18_600], back: [] });
  await mailed(who.email, 'Booking confirmed: Studio C');
});

test.describe('in London', () => {
  test.use({ timezoneId: 'Europe/London' });

  test('any room: length, part of the day and a price limit lead to at most three offers with reasons; the last is taken and paid [spec 10.3]', async ({
    page,
  }) => {
    const who = await newPerson(true);
    await signIn(page, who);
    await page.goto('/booking');
    await act(page.getByRole('button', { name: 'Find me a time' }));
    const search = page.getByRole('region', { name: 'Find me a time' });
    const group = (name: string) => search.getByRole('group', { name });
    const offers = search.getByRole('listitem');
    await expect(offers.first()).toBeInViewport({ ratio: 1 });
    await chooseRadio(group('For'), '3 hours');
    await chooseRadio(group('When'), 'Evening');
    await chooseRadio(group('Up to'), '$100');
    await expect(search).toContainText('Nothing fits in the next 7 days.');
    await chooseRadio(group('Up to'), '$200');
    await expect(offers.first()).toContainText('with the 10% step');
    const texts = await offers.allInnerTexts();
    expect(texts.length).toBeLessThanOrEqual(3);
    const read = texts.map((text) =>
      /^(Soonest|Cheapest [\w ]+), with the 10% step\s+(\d+ pm) to (\d+ [ap]m|midnight)[^$]*(Studio [ABC])\s+\$(\d+)/.exec(
        text.replaceAll('\n', ' '),
      ),
    );
    for (const [index, found] of read.entries()) {
      expect(found, texts[index]).not.toBeNull();
      expect(Number(found?.[5])).toBeLessThanOrEqual(200);
    }
    await checked(page);
    const [, , from = '', to = '', studio, dollars = ''] = read.at(-1) ?? [];
    await act(offers.last().getByRole('button'));
    const first = page.locator(`[data-hour="${Number.parseInt(from, 10) + 12}"]`);
    await expect(first).toBeFocused();
    await expect(first).toBeInViewport();
    await expect(selection(page)).toContainText(`${from} to ${to.replace('midnight', '12 am')}`);
    await expect(selection(page)).toContainText(`$${dollars}`);
    await expect(page.getByRole('radio', { name: String(studio) })).toBeChecked();
    await checked(page);
    const { reference } = await bookAndPay(page);
    await expect(fact(page, 'Studio')).toHaveText(String(studio));
    await expect(fact(page, 'When')).toContainText('(Sydney time)');
    await expect(fact(page, 'Paid')).toHaveText(`$${dollars}`);
    await expectMoney(reference, { paid: [Number(dollars) * 100], back: [] });
    await mailed(who.email, 'Booking confirmed');
  });
});
