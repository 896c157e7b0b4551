import { readFileSync } from 'node:fs';
import { createClient } from '@supabase/supabase-js';
import { type Browser, expect, type Locator, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import type { Database } from '#database/types.ts';
import { type Program, startProgram } from '#tests/support/program.ts';
import { accessible, ahead, expectToast, GOOD_CARD, openDay, payWith, sydneyDay } from '../steps.ts';

/** A whole day of an owner, in order, starting from an empty database. On a phone every action is a tap. */
const OWNER = { email: 'owner@example.com', password: 'night-shift-9', name: 'Morgan Owner' };
const CALLER = { email: 'caller@example.com', name: 'Sam Caller', phone: '0466 555 444' };
const MONDAY = ahead(1);
const day = (daysAhead: number): string => sydneyDay(daysAhead).toISOString().slice(0, 10);

type Mail = { readonly text: string };
type SandboxPayment = { readonly id: string; readonly payment_status: string; readonly amount_total: number };
type SandboxRefund = { readonly status: string; readonly amount: number };

let program: Program;
test.beforeAll(async () => {
  program = await startProgram({
    migrated: true,
    env: { ADMIN_EMAILS: OWNER.email, RATE_LIMIT_FACTOR: '1000', AUTH_MAIL_MIN_SECONDS: '1' },
  });
});
test.afterAll(async () => void (await program.stop()));

async function sandbox<T>(path: string, body?: unknown): Promise<T> {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${program.sandboxUrl}${path}`, request)).json() as Promise<T>;
}

/** Waits for a mail and returns the first group of the pattern. */
async function fromMail(email: string, subject: string, pattern: RegExp): Promise<string> {
  let found = '';
  await expect
    .poll(async () => {
      const [mail] = await sandbox<Mail[]>(
        `/api/mail?to=${encodeURIComponent(email)}&subject=${encodeURIComponent(subject)}`,
      );
      return (found = pattern.exec(mail?.text ?? '')?.[1] ?? '');
    })
    .not.toBe('');
  return found;
}

async function press(target: Locator): Promise<void> {
  await (test.info().project.name === 'phone' ? target.tap() : target.click());
}
const openTab = (page: Page, tab: string) => page.goto(`${program.apiUrl}/admin?tab=${tab}`);

test('an owner opens the business, sets prices, closes hours, books, moves, refunds, decides about IDs, meets a dispute and closes the month', async ({
  page,
  browser,
}) => {
  test.setTimeout(300_000);
  await signUp(page);
  await setPrices(page);
  await closeMonday(page, browser);
  const reference = await bookForCaller(page, browser);
  await findCaller(page, reference);
  await moveBooking(page, reference);
  await refundHalf(page);
  await decideIds(page);
  await answerDispute(page, reference);
  await closeMonth(page);
});

/** The first account named in ADMIN_EMAILS confirms its address and finds three empty rooms. Enter submits the forms. */
async function signUp(page: Page): Promise<void> {
  await page.goto(`${program.apiUrl}/auth`);
  await press(page.getByRole('tab', { name: 'Sign Up' }));
  await page.getByLabel('Full Name').fill(OWNER.name);
  await page.getByLabel('Email').fill(OWNER.email);
  await page.getByLabel('Phone Number').fill('0400 111 222');
  await page.getByLabel('Day').fill('3');
  await page.getByLabel('Month').selectOption('April');
  await page.getByLabel('Year').fill('1990');
  await page.getByLabel('Password').fill(OWNER.password);
  await page.keyboard.press('Enter');
  await page.getByLabel('Verification code').fill(await fromMail(OWNER.email, 'code', /^Code: (\d{6})$/m));
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname !== '/auth');
  await page.goto(`${program.apiUrl}/admin`);
  await expect(page.getByText('Nothing needs attention.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Now' }).getByRole('listitem')).toHaveCount(3);
}

/** Sets the prices by keyboard: every hour of Studio A costs 66 dollars from the day of the booking. */
async function setPrices(page: Page): Promise<void> {
  await openTab(page, 'prices');
  await page.getByLabel('Room', { exact: true }).selectOption('Studio A');
  await page.getByRole('grid', { name: 'Prices for Studio A' }).getByRole('gridcell').first().focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('6');
  await page.keyboard.type('6');
  await page.keyboard.press('Enter');
  await page.getByLabel('Valid from').fill(day(MONDAY));
  await press(page.getByRole('button', { name: 'Preview' }));
  await press(page.getByRole('button', { name: 'Save prices' }));
  await expect(page.getByRole('table', { name: 'Price lists, newest first' }).getByText('(upcoming)')).toBeVisible();
}

async function closeMonday(page: Page, browser: Browser): Promise<void> {
  await openTab(page, 'closures');
  await press(page.getByRole('button', { name: 'Close hours' }));
  const form = page.getByRole('dialog', { name: 'Close hours' });
  await form.getByLabel('From').fill(day(MONDAY));
  await form.getByLabel('Until', { exact: true }).fill(day(MONDAY));
  await form.getByRole('textbox', { name: 'Reason' }).fill('Deep cleaning');
  await press(form.getByRole('button', { name: 'Close hours' }));
  await expectToast(page, 'Hours closed');
  const guest = await (await browser.newContext()).newPage();
  await openDay(guest, 'Studio A', MONDAY, program.apiUrl);
  await expect(guest.locator('[data-hour="9"]')).not.toHaveAttribute('data-state', 'free');
  await expect(guest.locator('[data-hour="12"]')).toHaveAttribute('data-state', 'free');
  await expect(guest.locator('[data-hour="18"]')).toHaveAccessibleName(/66 dollars/);
  await guest.context().close();
}

/** Books for a caller. The hours are held until the caller pays through the mailed link. Returns the reference. */
async function bookForCaller(page: Page, browser: Browser): Promise<string> {
  await openTab(page, 'today');
  await press(page.getByRole('button', { name: 'New booking' }));
  const form = page.getByRole('dialog', { name: 'New booking' });
  await form.getByLabel('Room').selectOption('Studio A');
  await form.getByLabel('Day').fill(day(MONDAY));
  await form.getByLabel('From').selectOption('18');
  await form.getByLabel('Hours').fill('2');
  await press(form.getByRole('button', { name: 'Continue' }));
  await expect(form.getByText('$132 from the price list.')).toBeVisible();
  await form.getByLabel('Name').fill(CALLER.name);
  await form.getByLabel('Email').fill(CALLER.email);
  await form.getByLabel('Phone').fill(CALLER.phone);
  await press(form.getByRole('button', { name: 'Book', exact: true }));
  await expect(form.getByLabel('Payment link')).toHaveValue(/\/c\/pay\//);
  await accessible(page);
  await press(form.getByRole('button', { name: 'Open booking' }));
  const panel = page.getByRole('dialog', { name: /^Booking / });
  await expect(panel).toBeVisible();
  const reference =
    /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec((await panel.getByRole('heading').first().textContent()) ?? '')?.[0] ?? '';
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(await fromMail(CALLER.email, 'pay', /(http:\/\/\S+\/c\/pay\/\S+)/));
  await payWith(guest, GOOD_CARD);
  await guest.waitForURL(`${program.apiUrl}/**`);
  await guest.context().close();
  // The open panel follows without a reload.
  await expect(panel.getByRole('button', { name: 'Move booking' })).toBeVisible();
  await accessible(page);
  return reference;
}

/**
 * The caller's phone number finds the booking, although the caller does not have an account. On the next call, choosing the caller by name
 * fills in the form.
 */
async function findCaller(page: Page, reference: string): Promise<void> {
  await openTab(page, 'bookings');
  await expect(page.getByText(CALLER.name)).toBeVisible();
  await page.getByLabel('Reference, name, email or phone').fill(CALLER.phone);
  await page.keyboard.press('Enter');
  const found = page.getByRole('region', { name: 'Bookings without an account' });
  await expect(found.getByText(CALLER.name)).toBeVisible();
  await accessible(page);
  await openTab(page, 'today');
  await press(page.getByRole('button', { name: 'New booking' }));
  const form = page.getByRole('dialog', { name: 'New booking' });
  await press(form.getByRole('button', { name: 'Continue' }));
  await form.getByLabel('Name').fill('caller');
  await press(form.getByRole('button', { name: new RegExp(CALLER.name) }));
  await expect(form.getByLabel('Email')).toHaveValue(CALLER.email);
  await expect(form.getByLabel('Phone')).toHaveValue('+61466555444');
  await accessible(page);
  await page.goto(`${program.apiUrl}/admin?tab=customers&q=${encodeURIComponent(CALLER.phone)}`);
  await press(found.getByRole('link', { name: reference }));
  await expect(page.getByRole('dialog', { name: `Booking ${reference}` })).toBeVisible();
}

/** Moves the booking to the cheaper Studio B at the same time; the difference is refunded automatically. */
async function moveBooking(page: Page, reference: string): Promise<void> {
  const panel = page.getByRole('dialog', { name: `Booking ${reference}` });
  await press(panel.getByRole('button', { name: 'Move booking' }));
  await panel.getByLabel('Room').selectOption('Studio B');
  await press(panel.getByRole('button', { name: 'Continue' }));
  await press(panel.getByRole('button', { name: 'Move booking' }));
  await expectToast(page, `${reference} has moved`);
  await expect(panel.getByText('Studio B').first()).toBeVisible();
}

async function refundHalf(page: Page): Promise<void> {
  const panel = page.getByRole('dialog', { name: /^Booking / });
  await press(panel.getByRole('button', { name: 'Issue partial refund' }));
  const remaining = Number(/\$([\d.]+) of the payment can be refunded/.exec((await panel.textContent()) ?? '')?.[1]);
  await panel.getByLabel('Amount in dollars').fill((remaining / 2).toFixed(2));
  await panel.getByLabel('Reason').fill('One deck was broken');
  await press(panel.getByRole('button', { name: 'Continue' }));
  await press(panel.getByRole('button', { name: /^Refund \$/ }));
  await expect(panel.getByText(/One deck was broken, /)).toBeVisible();
  await page.keyboard.press('Escape');
}

/** Approves one ID after a correction, requests another photo for the second, and refuses the third. */
async function decideIds(page: Page): Promise<void> {
  const people = ['Ada', 'Bea', 'Cleo'];
  for (const name of people) await addWaitingId(name);
  await openTab(page, 'id-review');
  const review = page.getByRole('dialog', { name: 'Review ID' });
  const open = (name: string) =>
    press(page.getByRole('row').filter({ hasText: name }).getByRole('button', { name: 'Review' }));
  await open('Ada');
  await review.getByLabel('Last name').fill('Sample');
  await press(review.getByRole('button', { name: 'Approve ID' }));
  await press(review.getByRole('button', { name: 'Approve ID' }));
  await expectToast(page, 'ID approved');
  await open('Bea');
  await press(review.getByRole('button', { name: 'Request new photo' }));
  await press(review.getByRole('button', { name: 'Request new photo' }));
  await expectToast(page, 'New photo requested');
  await open('Cleo');
  await press(review.getByRole('button', { name: 'Reject ID' }));
  await review.getByLabel('Reason for the customer').fill('This is a library card.');
  await press(review.getByRole('button', { name: 'Reject ID' }));
  await expectToast(page, 'ID rejected');
  await expect(page.getByText('No IDs are pending review.')).toBeVisible();
}

/** Adds an account with a misspelt name read from its ID. */
async function addWaitingId(first: string): Promise<void> {
  const service = createClient<Database>(program.apiUrl, program.serviceRoleKey, { auth: { persistSession: false } });
  const created = await service.auth.admin.createUser({
    email: `${first.toLowerCase()}@example.com`,
    password: OWNER.password,
    email_confirm: true,
    user_metadata: { full_name: `${first} Sample`, phone: '+61400111222', date_of_birth: '1998-04-03' },
  });
  const { error } = await service.from('id_verifications').insert({
    user_id: created.data.user?.id ?? '',
    source: 'photo',
    verification_status: 'review',
    failure_reasons: ['The names differ.'],
    extracted_first_name: first,
    extracted_last_name: 'Simple',
    extracted_dob: '1998-04-03',
    extracted_expiry_date: '2090-01-01',
  });
  expect(error).toBeNull();
}

/**
 * The customer's bank reverses the payment. The Today tab reports it, offers the evidence as a file, and holds the code until the owner
 * keeps the booking. The dispute stays open until the bank has its answer.
 */
async function answerDispute(page: Page, reference: string): Promise<void> {
  // The refund for the move waits while the move can still be undone, and the provider refuses refunds during a dispute.
  await expect.poll(async () => (await arrivedRefunds()).length, { timeout: 20_000 }).toBe(2);
  const [payment] = await sandbox<SandboxPayment[]>('/api/payments');
  await sandbox(`/api/payments/${payment?.id}/disputes`, { reason: 'fraudulent' });
  await openTab(page, 'today');
  const held = page.getByRole('listitem').filter({ hasText: `${CALLER.name}’s code is on hold` });
  await expect(held).toContainText('Reason: fraudulent. Decide by');
  await accessible(page);
  await press(held.getByRole('button', { name: 'Review dispute' }));
  const decision = page.getByRole('dialog', { name: 'Decide about this booking' });
  const saved = page.waitForEvent('download');
  await press(decision.getByRole('button', { name: 'Download evidence' }));
  const evidence = readFileSync(await (await saved).path(), 'utf8');
  for (const words of [reference, CALLER.name, 'Studio B']) expect(evidence).toContain(words);
  await accessible(page);
  await decision.getByLabel('Decision').selectOption('Cancel booking');
  await expect(decision.getByText('There is no refund', { exact: false })).toBeVisible();
  await decision.getByLabel('Decision').selectOption('Allow session');
  await decision.getByLabel('Reason').fill('They called us: their bank made a mistake.');
  await press(decision.getByRole('button', { name: 'Allow session' }));
  await expectToast(page, 'Session allowed', reference);
  await expect(held).toBeHidden();
  await expect(page.getByRole('listitem').filter({ hasText: /^A payment is disputed/ })).toBeVisible();
}

const arrivedRefunds = async (): Promise<readonly SandboxRefund[]> =>
  (await sandbox<SandboxRefund[]>('/api/refunds')).filter((refund) => refund.status === 'succeeded');

/** The sums of the exported files equal the provider's ledger. */
async function closeMonth(page: Page): Promise<void> {
  const payments = await sandbox<SandboxPayment[]>('/api/payments');
  const paid = payments
    .filter((payment) => payment.payment_status === 'paid')
    .reduce((sum, payment) => sum + payment.amount_total, 0);
  const refunded = (await arrivedRefunds()).reduce((sum, refund) => sum + refund.amount, 0);
  expect(paid).toBe(13_200);
  expect(await exportedCents(page, 'payments')).toBe(paid);
  expect(await exportedCents(page, 'refunds')).toBe(refunded);
  expect(await exportedCents(page, 'disputes')).toBe(paid);
}

/** Downloads a file of this month and adds up its amounts, in cents. */
async function exportedCents(page: Page, kind: string): Promise<number> {
  await openTab(page, 'export');
  await page.getByLabel('Data').selectOption(kind);
  await page.getByLabel('First day').fill(`${day(0).slice(0, 7)}-01`);
  await page.getByLabel('Last day').fill(day(0));
  const saved = page.waitForEvent('download');
  await press(page.getByRole('button', { name: 'Download file' }));
  const [head = '', ...rows] = readFileSync(await (await saved).path(), 'utf8')
    .trim()
    .split('\r\n');
  const column = head.split(',').indexOf('Amount');
  return rows.reduce((sum, row) => sum + Math.round(Number(row.split(',')[column]) * 100), 0);
}
