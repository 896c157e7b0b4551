import { expect, type Locator, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { accessible, GOOD_CARD, sydneyDay } from '../steps.ts';
import { reach, times } from '../keyboard.ts';
import type { Booked } from './money.ts';

/** What people do with a page in these journeys: all by touch on a phone, all by keyboard alone on a wide screen. */

/** Whether this run is on a phone. */
export const onPhone = (): boolean => test.info().project.name === 'phone';

/** Days ahead that are beyond the row of days on a phone, and that journeys with days near by do not use. */
export const FAR = 56;

/** Returns a day of the weekday (0 = Sunday) that the other project does not use: both run on one server. */
export function ownDay(weekday: number, atLeast = 2): number {
  const first = atLeast + ((weekday - sydneyDay(atLeast).getUTCDay() + 7) % 7);
  return onPhone() ? first : first + 7;
}

/** Presses a button or link, or switches a checkbox. */
export async function act(target: Locator): Promise<void> {
  if (onPhone()) return target.tap();
  await reach(target.page(), target);
  const isTicked = await target.evaluate((one) => one.matches('input[type=checkbox], input[type=radio]'));
  await target.page().keyboard.press(isTicked ? 'Space' : 'Enter');
}

/** Types into a field, in place of what it holds. */
export async function type(field: Locator, text: string): Promise<void> {
  if (onPhone()) return field.fill(text);
  await reach(field.page(), field);
  await field.page().keyboard.press('ControlOrMeta+A');
  await field.page().keyboard.type(text);
}

/** Chooses an option of a list. */
export async function choose(list: Locator, label: string): Promise<void> {
  if (onPhone()) await list.selectOption({ label });
  else {
    await reach(list.page(), list);
    await list.page().keyboard.press('Home');
    const options = await list.locator('option:enabled').allInnerTexts();
    await times(list.page(), 'ArrowDown', options.indexOf(label));
  }
  await expect(list.locator('option:checked')).toHaveText(label);
}

/** Chooses one of a group of radio buttons; of those, Tab leads to the chosen one. */
export async function chooseRadio(group: Locator, label: string): Promise<void> {
  const radio = group.getByRole('radio', { name: label, exact: true });
  if (onPhone()) await radio.tap();
  else {
    await reach(group.page(), group);
    const labels = await group.locator('label').allInnerTexts();
    const chosen = await group.locator('label', { has: group.page().locator(':checked') }).innerText();
    const steps = labels.indexOf(label) - labels.indexOf(chosen);
    await times(group.page(), steps > 0 ? 'ArrowRight' : 'ArrowLeft', Math.abs(steps));
  }
  await expect(radio).toBeChecked();
}

/** Opens the booking page and chooses a room and the day so many days ahead. */
export async function openHours(page: Page, studio: string, daysAhead: number): Promise<void> {
  await page.goto('/booking');
  await chooseRoom(page, studio);
  await chooseDay(page, daysAhead);
}

/** Chooses one of the rooms, which stand in a row. */
export async function chooseRoom(page: Page, name: string): Promise<void> {
  const radio = page.getByRole('radio', { name });
  if (onPhone()) await radio.tap();
  else {
    await reach(page, page.getByRole('radiogroup', { name: 'Studio' }));
    const names = await page.getByRole('radio').allInnerTexts();
    const at = names.findIndex((text) => text.toLowerCase().startsWith(name.toLowerCase()));
    // Arrows choose too; on the first room they would lead away from it.
    if (at === 0) await page.keyboard.press('Enter');
    else await times(page, 'ArrowRight', at);
  }
  await expect(radio).toBeChecked();
}

/** Chooses the day so many days ahead, while the page shows today: in the month, or in the row of days, which has three weeks. */
export async function chooseDay(page: Page, daysAhead: number): Promise<void> {
  const row = page.getByRole('list', { name: 'Days' });
  const month = page.getByRole('grid', { name: /\d{4}$/ });
  await expect(row.or(month).first()).toBeVisible();
  if (!onPhone()) {
    await reach(page, (await row.isVisible()) ? row : month.locator('button[tabindex="0"]'));
    await times(page, 'ArrowDown', Math.floor(daysAhead / 7));
    await times(page, 'ArrowRight', daysAhead % 7);
    await page.keyboard.press('Enter');
  } else if (daysAhead < 21) await row.getByRole('button').nth(daysAhead).tap();
  else {
    await page.getByRole('button', { name: 'Month', exact: true }).tap();
    await tapDay(month, daysAhead);
  }
  await expect(page.getByRole('region', { name: 'Hours' })).toContainText(nameOfDay(daysAhead));
}

/** Chooses the day after the one that a dialog shows, in the month. `daysAhead`: of the new day. */
export async function chooseNextDay(dialog: Locator, daysAhead: number): Promise<void> {
  await act(dialog.getByRole('button', { name: 'Month', exact: true }));
  const month = dialog.getByRole('grid', { name: /\d{4}$/ });
  if (onPhone()) await tapDay(month, daysAhead);
  else {
    await reach(dialog.page(), month.locator('button[tabindex="0"]'));
    await times(dialog.page(), 'ArrowRight', 1);
    await dialog.page().keyboard.press('Enter');
  }
  await expect(dialog.getByRole('group', { name: nameOfDay(daysAhead) })).toBeVisible();
}

/** Taps a day of the month that is shown, or of one of the next. */
async function tapDay(month: Locator, daysAhead: number): Promise<void> {
  await expect(month).toBeVisible();
  const day = sydneyDay(daysAhead);
  const name = `${day.toLocaleDateString('en-US', { timeZone: 'UTC', month: 'long', day: 'numeric' })}(st|nd|rd|th)?, `;
  const cell = month.getByRole('button', { name: new RegExp(name + day.getUTCFullYear()) });
  for (let months = 0; months < 4 && (await cell.count()) === 0; months += 1)
    await month
      .page()
      .getByRole('button', { name: /next month/i })
      .tap();
  await cell.tap();
}

/** "Saturday 5 December". */
function nameOfDay(daysAhead: number): RegExp {
  const day = sydneyDay(daysAhead);
  const word = (options: Intl.DateTimeFormatOptions): string =>
    day.toLocaleDateString('en-AU', { timeZone: 'UTC', ...options });
  return new RegExp(`${word({ weekday: 'long' })},? ${word({ day: 'numeric' })} ${word({ month: 'long' })}`);
}

/** Presses hours of a single room. */
export async function pressHours(page: Page, ...hours: readonly number[]): Promise<void> {
  for (const hour of hours) {
    const cell = page.locator(`[data-hour="${hour}"]`);
    // An hour that somebody has can be pressed too, and counts as disabled.
    const isTaken = (await cell.getAttribute('aria-disabled')) === 'true';
    if (onPhone()) await cell.tap({ force: isTaken });
    else {
      await reach(page, page.locator('[data-hour][tabindex="0"]'));
      const from = Number(await page.locator('[data-hour]:focus').getAttribute('data-hour'));
      await times(page, hour > from ? 'ArrowRight' : 'ArrowLeft', Math.abs(hour - from));
      await expect(cell).toBeFocused();
      await page.keyboard.press('Enter');
    }
    if (!isTaken) await expect(cell).toHaveAttribute('data-state', 'selected');
  }
}

/** Pays on the provider's page. `save`: and saves the card there. */
export async function pay(page: Page, { save = false } = {}): Promise<void> {
  await page.waitForURL(/\/c\/pay\//);
  await type(page.getByLabel('Card number'), GOOD_CARD);
  if (save) await act(page.getByLabel('Save my card for the next time'));
  await act(page.getByRole('button', { name: /^Pay \$/ }));
}

/** Presses Book Now and pays. */
export async function bookAndPay(page: Page, { save = false } = {}): Promise<Booked> {
  await act(page.getByRole('button', { name: 'Book Now' }));
  await pay(page, { save });
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
  const id = new URL(page.url()).searchParams.get('booking_id') ?? '';
  return { id, reference: await fact(page, 'Reference').innerText() };
}

/** Books hours of a room from the booking page on, and pays. */
export async function book(page: Page, studio: string, daysAhead: number, hours: readonly number[]): Promise<Booked> {
  await openHours(page, studio, daysAhead);
  await pressHours(page, ...hours);
  return bookAndPay(page);
}

/** The value that a list of facts gives for a name. */
export const fact = (page: Page, name: string): Locator =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .first();

/** Checks a screen or dialog with axe, and that nothing overflows sideways. */
export async function checked(page: Page): Promise<void> {
  await accessible(page);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow)).toBe(0);
}
