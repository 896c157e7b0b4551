import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

export const sandboxUrl = process.env['E2E_SANDBOX_URL'] ?? 'http://localhost:4390';
export const demo = { email: 'customer@example.com', password: 'demo-customer-1' };
export const admin = { email: 'admin@example.com', password: 'demo-admin-1' };

/** Asks the sandbox, or tells it; the caller says what comes back. */
export async function sandbox<T>(path: string, body?: unknown): Promise<T> {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${sandboxUrl}${path}`, request)).json() as Promise<T>;
}
export type SentMail = {
  subject: string;
  text: string;
  duplicateOf: string | null;
  attachments: { filename: string }[];
};
export const mails = (email: string, subject = ''): Promise<SentMail[]> =>
  sandbox(`/api/mail?to=${encodeURIComponent(email)}&subject=${encodeURIComponent(subject)}`);

/** The first group of a pattern in the newest mail, once there is one. */
export async function fromMail(email: string, subject: string, pattern: RegExp): Promise<string> {
  let found = '';
  await expect
    .poll(
      async () => {
        found = pattern.exec((await mails(email, subject))[0]?.text ?? '')?.[1] ?? '';
        return found;
      },
      { timeout: 20_000 },
    )
    .not.toBe('');
  return found;
}

/** Opens the booking page, takes a studio and the day so many days ahead. */
export async function openDay(page: Page, studio: string, daysAhead: number): Promise<void> {
  await page.goto('/booking');
  await page.getByRole('radio', { name: new RegExp(studio) }).click();
  const day = sydneyDay(daysAhead);
  const name = day
    .toLocaleDateString('en-US', { timeZone: 'UTC', weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' })
    .replace(/(\d+), (\d{4})$/, '$1');
  const cell = page
    .getByRole('gridcell')
    .getByRole('button', { name: new RegExp(`${name.split(', ')[1]}(st|nd|rd|th)?, ${day.getUTCFullYear()}`) });
  for (let months = 0; months < 4 && (await cell.count()) === 0; months += 1)
    await page.getByRole('button', { name: /next month/i }).click();
  await cell.click();
  await expect(page.locator('[data-hour="0"]')).toBeVisible();
}
/** A calendar day in Sydney, in the UTC fields of a date. */
export function sydneyDay(daysAhead: number): Date {
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'Australia/Sydney' });
  return new Date(Date.parse(`${today}T00:00:00Z`) + daysAhead * 86_400_000);
}

export async function chooseHours(page: Page, hours: readonly number[]): Promise<void> {
  for (const hour of hours) {
    await page.locator(`[data-hour="${hour}"]`).click();
    await expect(page.locator(`[data-hour="${hour}"]`)).toHaveAttribute('data-state', 'selected');
  }
}

export async function signInByDialog(page: Page, who: { email: string; password: string } = demo): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(who.email);
  await dialog.getByLabel('Password').fill(who.password);
  await dialog.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(dialog).toBeHidden();
}

/** Signs somebody in from the first page; the demo customer unless told otherwise. */
export async function signIn(page: Page, who: { email: string; password: string } = demo): Promise<void> {
  await page.goto('/');
  await page.getByRole('button', { name: 'SIGN IN' }).click();
  await signInByDialog(page, who);
  await expect(page.getByRole('button', { name: 'ACCOUNT' })).toBeVisible();
}

/** Nothing on the page that keeps somebody out, as far as a machine can tell. */
export async function accessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
    .analyze();
  expect(violations.map((one) => `${one.id}: ${one.nodes[0]?.html ?? ''}`)).toEqual([]);
}

/** The developer pages of the specification, section 2. */
export const DEVELOPER_PATHS = [
  '/igloohome-test',
  '/test-pin',
  '/test-timezone',
  '/test-booking-system',
  '/test-smart-plug',
  '/power-control',
];

export async function payWith(page: Page, card: string): Promise<void> {
  await page.waitForURL(/\/c\/pay\//);
  await page.getByLabel('Card number').fill(card);
  await page.getByRole('button', { name: /^Pay \$/ }).click();
}
export const GOOD_CARD = '4242 4242 4242 4242';
export const DECLINED_CARD = '4000 0000 0000 0002';
