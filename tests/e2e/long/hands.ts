import { expect, type Locator, type Page, test } from '@playwright/test';
import { accessible, GOOD_CARD, payWith, service, sydneyDay } from '../steps.ts';
import { press, reach, times } from './keyboard.ts';

/** What a customer does with a page: by touch on a phone, by keyboard alone on a desktop. */
export type Hands = ReturnType<typeof handsOn>;

/** Whether this run is on a phone. */
export const onPhone = (): boolean => test.info().project.name === 'phone';

/** Returns a day of the weekday that the other project does not use: both run on one server. */
export function ownDay(weekday: number, atLeast = 2): number {
  const first = atLeast + ((weekday - sydneyDay(atLeast).getUTCDay() + 7) % 7);
  return onPhone() ? first : first + 7;
}

export function handsOn(page: Page) {
  const touch = onPhone();

  /** Taps, or reaches by Tab and presses Enter; Space for a checkbox. */
  async function act(target: Locator): Promise<void> {
    if (touch) return target.tap();
    await reach(page, target);
    const isCheckbox = await target.evaluate((one) => one.matches('input[type=checkbox]'));
    await page.keyboard.press(isCheckbox ? 'Space' : 'Enter');
  }

  /** Chooses an option. */
  async function choose(select: Locator, label: string): Promise<void> {
    if (touch) await select.selectOption({ label });
    else {
      await reach(page, select);
      await page.keyboard.press('Home');
      await times(page, 'ArrowDown', (await select.locator('option').allInnerTexts()).indexOf(label));
    }
    await expect(select.locator('option:checked')).toHaveText(label);
  }

  /** Chooses one of the rooms, which stand in a row. */
  async function room(name: string): Promise<void> {
    const radio = page.getByRole('radio', { name });
    if (touch) await radio.tap();
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

  /** Chooses the day so many days ahead, while the page shows today: in the month, or in the row of days. */
  async function day(daysAhead: number): Promise<void> {
    const row = page.getByRole('list', { name: 'Days' });
    const month = page.getByRole('grid', { name: /\d{4}$/ });
    await expect(row.or(month).first()).toBeVisible();
    if (touch) await row.getByRole('button').nth(daysAhead).tap();
    else {
      await reach(page, (await row.isVisible()) ? row : month.locator('button[tabindex="0"]'));
      await times(page, 'ArrowDown', Math.floor(daysAhead / 7));
      await times(page, 'ArrowRight', daysAhead % 7);
      await page.keyboard.press('Enter');
    }
    await expect(page.getByRole('region', { name: 'Hours' })).toContainText(nameOfDay(daysAhead));
  }

  /** Presses one hour of a single room. */
  async function hour(at: number): Promise<void> {
    const cell = page.locator(`[data-hour="${at}"]`);
    // An hour that somebody has can be pressed too, and counts as disabled.
    const isTaken = (await cell.getAttribute('aria-disabled')) === 'true';
    if (touch) {
      await cell.tap({ force: isTaken });
      if (!isTaken) await expect(cell).toHaveAttribute('data-state', 'selected');
      return;
    }
    await reach(page, page.locator('[data-hour][tabindex="0"]'));
    const from = Number(await page.locator('[data-hour]:focus').getAttribute('data-hour'));
    await times(page, at > from ? 'ArrowRight' : 'ArrowLeft', Math.abs(at - from));
    await expect(cell).toBeFocused();
    await page.keyboard.press('Enter');
  }

  /** Pays on the page of the payment provider. */
  async function pay(): Promise<void> {
    if (touch) return payWith(page, GOOD_CARD);
    await page.waitForURL(/\/c\/pay\//);
    await reach(page, page.getByLabel('Card number'));
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(GOOD_CARD);
    await page.keyboard.press('Enter');
  }

  /** Presses Book Now, pays, and returns the reference of the confirmed booking. */
  async function bookAndPay(): Promise<string> {
    await act(page.getByRole('button', { name: 'Book Now' }));
    await pay();
    await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible();
    return fact(page, 'Reference').innerText();
  }

  return { touch, act, choose, room, day, hour, pay, bookAndPay, press: (target: Locator) => press(page, target) };
}

/** "Saturday 5 December". */
function nameOfDay(daysAhead: number): RegExp {
  const day = sydneyDay(daysAhead);
  const word = (options: Intl.DateTimeFormatOptions): string =>
    day.toLocaleDateString('en-AU', { timeZone: 'UTC', ...options });
  return new RegExp(`${word({ weekday: 'long' })},? ${word({ day: 'numeric' })} ${word({ month: 'long' })}`);
}

/** The value that a list of facts gives for a name. */
export const fact = (page: Page, name: string): Locator =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .first();

/** Checks a screen: accessible, and nothing overflows sideways. */
export async function sound(page: Page): Promise<void> {
  await accessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
}

/** Reads what the ledger has of a booking: its status, and each payment with its state, amount and refunds in dollars. */
export async function ledgerOf(reference: string) {
  const all = service();
  const booking = await all.from('bookings').select('id,status,final_cost').eq('reference', reference).single();
  const payments = await all
    .from('booking_payments')
    .select('state,amount,refunded')
    .eq('booking_id', String(booking.data?.id))
    .order('created_at');
  return { status: booking.data?.status, cost: booking.data?.final_cost, payments: payments.data };
}
