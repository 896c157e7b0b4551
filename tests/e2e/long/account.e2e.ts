import { readFileSync } from 'node:fs';
import { expect, type Locator, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { expectToast, newPerson, type Person, sandbox, sandboxUrl, service, signIn } from '../steps.ts';
import { act, bookAndPay, checked, openHours, ownDay, pressHours, type } from './driver.ts';
import { waitForMoney } from './money.ts';
import { personWithCard } from './prepare.ts';

/** The account page, by touch on a phone and by keyboard alone on a wide screen, viewed from London: every time shown is Sydney time. */
test.use({ timezoneId: 'Europe/London' });

const THURSDAY = 4;
const part = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** Opens the account page of a person. */
async function openAccount(page: Page, who: Person): Promise<void> {
  await signIn(page, who);
  await page.goto('/profile');
  await expect(page.getByRole('heading', { name: 'Account Settings' })).toBeVisible();
}

test('a card is saved at the checkout, pays a longer session with one tap, and is removed [spec 10.19]', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const who = await newPerson(true);
  await signIn(page, who);
  await openHours(page, 'Studio B', ownDay(THURSDAY, 7));
  await pressHours(page, 9);
  await bookAndPay(page, { save: true });
  const first = await waitForMoney(who.id);

  await page.goto('/bookings');
  await act(page.getByRole('link', { name: 'Move, details, receipt' }).first());
  await act(page.getByRole('button', { name: 'Stay longer' }));
  const dialog = page.getByRole('dialog', { name: 'Stay longer' });
  await act(dialog.getByRole('button', { name: '11 am', exact: true }));
  const pay = dialog.getByRole('button', { name: /^Pay \$\d+ with Visa .*4242$/ });
  const price = Number(/\$(\d+)/.exec((await pay.textContent()) ?? '')?.[1]) * 100;
  await checked(page);
  await act(pay);
  await expectToast(page, 'Your booking is changed');
  await expect(page.getByText(/9 am to 11 am/).first()).toBeVisible();
  expect(await waitForMoney(who.id)).toEqual({ paid: first.paid + price, back: 0 });
  await checked(page);

  await page.goto('/profile');
  const cards = part(page, 'Saved cards');
  await act(cards.getByRole('button', { name: /^Remove Visa/ }));
  await checked(page);
  await act(cards.getByRole('button', { name: 'Remove this card' }));
  await expectToast(page, 'Card removed');
  await expect(cards).toContainText('No saved card.');
  const customers = await sandbox<{ metadata: { user_id?: string }; cards: unknown[] }[]>('/api/customers');
  expect(customers.find((customer) => customer.metadata.user_id === who.id)?.cards).toEqual([]);
});

test('a number is confirmed by text, changed and removed, and each kind of mail is switched off for good [spec 10.20]', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const who = await newPerson(true);
  await openAccount(page, who);
  const reminders = part(page, 'Reminders');
  const number = (): string => `+614${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
  const [first, second] = [number(), number()];
  await type(reminders.getByLabel('Mobile number for text messages'), 'nonsense');
  await act(reminders.getByRole('button', { name: 'Send code' }));
  await expect(reminders.getByText('Please enter a mobile number.')).toBeVisible();
  await checked(page);
  await confirm(page, 'Mobile number for text messages', first);
  await expect(reminders.getByLabel(`A text message 2 hours before, to ${first}`)).toBeChecked();
  await checked(page);

  await act(reminders.getByRole('button', { name: `Change ${first}` }));
  await confirm(page, 'New mobile number', second);
  await act(reminders.getByRole('button', { name: `Remove ${second}` }));
  await checked(page);
  await act(page.getByRole('dialog').getByRole('button', { name: 'Remove number' }));
  await expectToast(page, 'Number removed');
  await expect(reminders.getByLabel('Mobile number for text messages')).toBeVisible();
  expect((await service().auth.admin.getUserById(who.id)).data.user?.phone ?? '').toBe('');

  for (const kind of [/^An email 24 hours/, /^An email after a session/]) {
    await act(reminders.getByLabel(kind));
    await expect(reminders.getByLabel(kind)).not.toBeChecked();
  }
  const columns = 'remind_by_email,remind_by_text,thank_by_email';
  await expect
    .poll(async () => (await service().from('profiles').select(columns).eq('user_id', who.id).single()).data)
    .toEqual({ remind_by_email: false, remind_by_text: false, thank_by_email: false });
  await page.reload();
  await expect(reminders.getByLabel(/^An email 24 hours/)).not.toBeChecked();
});

/** Enters a phone number and the code texted to it. */
async function confirm(page: Page, label: string, phone: string): Promise<void> {
  const reminders = part(page, 'Reminders');
  await type(reminders.getByLabel(label), phone);
  await act(reminders.getByRole('button', { name: 'Send code' }));
  await expect(reminders.getByText(`We texted a code to ${phone}.`)).toBeVisible();
  const code = async (): Promise<string> => {
    const texts = await sandbox<{ body?: string; text?: string }[]>(`/api/texts?to=${encodeURIComponent(phone)}`);
    return /\b(\d{6})\b/.exec(JSON.stringify(texts[0] ?? ''))?.[1] ?? '';
  };
  await expect.poll(code).not.toBe('');
  await type(reminders.getByLabel('6-digit code'), await code());
  await act(reminders.getByRole('button', { name: 'Confirm', exact: true }));
  await expectToast(page, 'Number confirmed', `We text ${phone} from now on.`);
}

test('another device is signed out, and shows it at once [spec 10.22]', async ({ page, browser }) => {
  const who = await newPerson(true);
  const other = await (await browser.newContext()).newPage();
  await openAccount(other, who);
  await openAccount(page, who);
  const devices = part(page, 'Your devices');
  await expect(devices.getByRole('listitem')).toHaveCount(2);
  await checked(page);
  await act(devices.getByRole('button', { name: /^End session/ }));
  await expectToast(page, 'Signed out', 'That device is signed out.');
  await expect(devices.getByRole('listitem')).toHaveCount(1);
  await expect(other.getByText('Sign in to see your bookings and your details.')).toBeVisible();
  expect(await other.evaluate(`localStorage.getItem('sb-localhost-auth-token')`)).toBeNull();
  await other.context().close();
});

test('an ID that waits for a person says where it stands and by when [spec 10.23]', async ({ page }) => {
  test.setTimeout(120_000);
  const who = await newPerson(false);
  await openAccount(page, who);
  await act(part(page, 'ID verification').getByRole('button', { name: 'Verify ID' }));
  const dialog = page.getByRole('dialog', { name: 'ID Verification' });
  const picture = await fetch(`${sandboxUrl}/licence.jpg?given=Robin&family=Simple&dob=1998-04-03`);
  const buffer = Buffer.from(await picture.arrayBuffer());
  await dialog.getByLabel('Upload a photo').setInputFiles({ name: 'licence.jpg', mimeType: 'image/jpeg', buffer });
  await act(dialog.getByRole('button', { name: 'Verify my ID' }));
  await expect(dialog.getByText(/^Someone on our team will look at your photo by /)).toBeVisible({ timeout: 30_000 });
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Close' }));
  const due = new Date(Date.now() + 7 * 86_400_000);
  const day = due.toLocaleDateString('en-AU', { timeZone: 'Australia/Sydney', day: 'numeric', month: 'long' });
  await expect(part(page, 'ID verification')).toContainText('Someone on our team is checking your ID');
  await expect(part(page, 'ID verification')).toContainText(new RegExp(`You’ll have an answer by \\w+ ${day}`));
  await checked(page);
});

test('the own data is one file without a secret; an account with a booking ahead asks first, then only what the law keeps stays [spec 10.21]', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const who = await personWithCard();
  const { paid } = await waitForMoney(who.id);
  await openAccount(page, who);
  await downloadData(page, who);

  const data = part(page, 'Your data');
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await act(data.getByRole('button', { name: 'Delete my account' }));
  await expect(
    dialog.getByText(/^You can delete your account once these bookings are over or cancelled/),
  ).toBeVisible();
  await expect(dialog.getByRole('listitem')).toContainText('Studio C');
  await checked(page);
  await act(dialog.getByRole('button', { name: 'Back to my account' }));
  const account = page.getByRole('navigation', { name: 'Account', exact: true });
  await act(account.getByRole('link', { name: 'Bookings' }));
  await act(page.getByRole('article').getByRole('button', { name: 'Cancel' }));
  const question = page.getByRole('dialog', { name: 'Cancel this booking?' });
  await expect(question).toContainText(`You’ll get the full $${paid / 100} back`);
  await act(question.getByRole('button', { name: 'Cancel booking' }));
  await expect(question).toBeHidden();
  await expect.poll(async () => (await waitForMoney(who.id)).back).toBe(paid);

  await act(account.getByRole('link', { name: 'Settings' }));
  await act(data.getByRole('button', { name: 'Delete my account' }));
  await expect(dialog.getByText(/^Tax law makes us keep the bookings you paid for/)).toBeVisible();
  await type(dialog.getByLabel('Type DELETE to confirm'), 'delete');
  await act(dialog.getByRole('button', { name: 'Delete my account' }));
  await expect(dialog.getByText('Type DELETE in capital letters.')).toBeVisible();
  await checked(page);
  await type(dialog.getByLabel('Type DELETE to confirm'), 'DELETE');
  const bookings = await service().from('bookings').select('id').eq('user_id', who.id);
  await act(dialog.getByRole('button', { name: 'Delete my account' }));
  await expectToast(page, 'Your account is deleted');
  await expect(page.getByText(/^Tax law keeps one paid booking with your name until /)).toBeVisible();
  await expect(page.getByRole('button', { name: 'SIGN IN' }).first()).toBeVisible();
  await isGone(who, bookings.data?.[0]?.id ?? '');
});

/** Downloads a person's own data and checks what it must and must not contain. */
async function downloadData(page: Page, who: Person): Promise<void> {
  const saved = page.waitForEvent('download');
  await act(part(page, 'Your data').getByRole('button', { name: 'Download my data' }));
  const file = await saved;
  expect(file.suggestedFilename()).toBe('my-data.json');
  const text = readFileSync(await file.path(), 'utf8');
  const content: Record<string, unknown> = JSON.parse(text);
  expect(JSON.stringify(content)).toContain(who.email);
  expect(Object.keys(content)).toEqual(
    expect.arrayContaining(['account', 'profile', 'bookings', 'idChecks', 'termsAccepted', 'devices', 'files']),
  );
  expect(text).not.toMatch(/night-shift|encrypted|eyJ|\bpin\b|pm_|cus_/i);
}

/**
 * Checks with the service key that the account and everything that belongs to it are gone, and that the paid booking stays with the buyer’s
 * name.
 */
async function isGone(who: Person, booking: string): Promise<void> {
  const all = service();
  await expect.poll(async () => (await all.auth.admin.getUserById(who.id)).data.user).toBeNull();
  for (const table of ['profiles', 'id_verifications', 'terms_acceptances'] as const)
    expect((await all.from(table).select('*').eq('user_id', who.id)).data).toEqual([]);
  const kept = await all.from('bookings').select('user_id,guest_name,guest_email').eq('id', booking).single();
  expect(kept.data).toEqual({ user_id: null, guest_name: 'Robin Sample', guest_email: null });
  // A job notifies the payment provider.
  const atProvider = async (): Promise<unknown[]> =>
    (await sandbox<{ metadata: { user_id?: string } }[]>('/api/customers')).filter(
      (customer) => customer.metadata.user_id === who.id,
    );
  await expect.poll(atProvider, { timeout: 60_000 }).toEqual([]);
}
