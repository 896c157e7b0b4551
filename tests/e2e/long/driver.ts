import { expect, type Locator, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { accessible, GOOD_CARD, sydneyDay } from '../steps.ts';
import { reach, times } from '../keyboard.ts';
import type { Booked } from './money.ts';

/** Actions on a page in these journeys: by touch only on a phone, by keyboard only on a wide screen. */

/** Returns whether this run is on a phone. */
export const onPhone = (): boolean => test.info().project.name === 'phone';

/** A number of days ahead that lies beyond a phone's row of days and that journeys using nearby days do not reach. */
export const FAR = 56;

/** Returns the days until a day of the weekday (0 = Sunday) that the other project does not use, because both run on one server. */
export function ownDay(weekday: number, atLeast = 2): number {
  const first = atLeast + ((weekday - sydneyDay(atLeast).getUTCDay() + 7) % 7);
  return onPhone() ? first : first + 7;
}

/** Presses a button or link, or switches a checkbox. */
export async function act(target: Locator): Promise<void> {
  if (onPhone()) return target.tap();
  await reach(target.page(), target);
  const isTicked = await target.evaluate((element) => element.matches('input[type=checkbox], input[type=radio]'));
  await target.page().keyboard.press(isTicked ? 'Space' : 'Enter');
}

/** Types into a field, replacing its content. */
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

/** Chooses one of a group of radio buttons. Tab leads only to the button that is chosen. */
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

/** Opens the booking page, and chooses a room and the day `daysAhead` days ahead. */
export async function openHours(page: Page, studio: string, daysAhead: number): Promise<void> {
  await page.goto('/booking');
  await chooseRoom(page, studio);
  await chooseDay(page, daysAhead);
}

/** Chooses a room from the row of rooms. */
export async function chooseRoom(page: Page, name: string): Promise<void> {
  const radio = page.getByRole('radio', { name });
  if (onPhone()) await radio.tap();
  else {
    await reach(page, page.getByRole('radiogroup', { name: 'Studio' }));
    const names = await page.getByRole('radio').allInnerTexts();
    const at = names.findIndex((text) => text.toLowerCase().startsWith(name.toLowerCase()));
    // An arrow key chooses too, but on the first room it would move away from it.
    if (at === 0) await page.keyboard.press('Enter');
    else await times(page, 'ArrowRight', at);
  }
  await expect(radio).toBeChecked();
}

/** Chooses the day `daysAhead` days ahead, in the month or in the row of days, which covers three weeks. The page must show today. */
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

/** Chooses in the month the day after the one that a dialog shows. `daysAhead` refers to the new day. */
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

/** Taps a day of the month that is shown or of a later one. */
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

/** Matches a day in the form "Saturday 5 December". */
function nameOfDay(daysAhead: number): RegExp {
  const day = sydneyDay(daysAhead);
  const word = (options: Intl.DateTimeFormatOptions): string =>
    day.toLocaleDateString('en-AU', { timeZone: 'UTC', ...options });
  return new RegExp(`${word({ weekday: 'long' })},? ${word({ day: 'numeric' })} ${word({ month: 'long' })}`);
}

/** Presses hours in the grid of a single room. */
export async function pressHours(page: Page, ...hours: readonly number[]): Promise<void> {
  for (const hour of hours) {
    const cell = page.locator(`[data-hour="${hour}"]`);
    // A taken hour can be pressed too, but Playwright treats it as disabled.
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

/** Pays on the provider's page. With `save`, also saves the card there. */
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

/** Books hours of a room, starting on the booking page, and pays. */
export async function book(page: Page, studio: string, daysAhead: number, hours: readonly number[]): Promise<Booked> {
  await openHours(page, studio, daysAhead);
  await pressHours(page, ...hours);
  return bookAndPay(page);
}

/** Returns the value of a name in a list of facts. */
export const fact = (page: Page, name: string): Locator =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .first();

/** Checks a screen or dialog with axe, and checks that nothing overflows sideways. */
export async function checked(page: Page): Promise<void> {
  await accessible(page);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow)).toBe(0);
}
