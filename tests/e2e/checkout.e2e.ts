import { expect, type Page } from '@playwright/test';
import { test } from './journey.ts';
import {
  accessible,
  accessibleEverywhere,
  bookWithPhoto,
  changeDetails,
  chooseHours,
  expectToast,
  newPerson,
  openDay,
  sandbox,
  sandboxUrl,
  service,
  signInByDialog,
  signIn,
  expectErrorInPlace,
} from './steps.ts';

type Payment = { id: string; url: string; client_reference_id: string };
const payButton = (page: Page) => page.getByRole('button', { name: /^Pay \$/ });

/** Leads a customer without a verified ID and without accepted terms to the checkout with these hours. */
async function toCheckout(page: Page, daysAhead: number, hours: readonly number[]): Promise<void> {
  await openDay(page, 'Studio B', daysAhead);
  await chooseHours(page, hours);
  await bookWithPhoto(page);
}
async function acceptTerms(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Read the terms' }).click();
  const region = page.getByRole('region', { name: /Terms and conditions/ });
  await region.focus();
  await page.keyboard.press('End');
  await page.getByLabel('I have read and accept').check();
  await page.getByRole('button', { name: 'Done' }).click();
}
async function upload(page: Page, query: string): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/licence.jpg?${query}`);
  await page.getByLabel('Upload a photo').setInputFiles({
    name: 'licence.jpg',
    mimeType: 'image/jpeg',
    buffer: Buffer.from(await answer.arrayBuffer()),
  });
}

test('the checkout redirects to the booking page without a booking, and asks a guest to sign in and keeps the hours [spec 2.7, 2.43, 2.44, 2.45, 6.1]', async ({
  page,
}) => {
  await page.goto('/checkout');
  await expect(page).toHaveURL(/\/booking$/);
  const who = await newPerson(false);
  await signIn(page, who);
  await toCheckout(page, 50, [9]);
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await expect(page.getByRole('dialog')).toBeVisible();
  await signInByDialog(page, who);
  await expect(page.getByText('Robin Sample', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Back to booking' }).click();
  await expect(page).toHaveURL(/\/booking$/);
  await expect(page.getByLabel('Your selection')).toContainText('9 am');
  await page.goto('/profile');
  await page.goto('/checkout');
  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible();
  await page.getByRole('button', { name: 'Verify ID' }).waitFor();
});

test('paying needs names, email, phone, ID and terms, and the first failing rule is shown at its field [spec 4.25, 5.20, 5.21, 5.23, 5.32, 8.18]', async ({
  page,
}) => {
  test.setTimeout(120_000);
  await signIn(page, await newPerson(false));
  await toCheckout(page, 51, [9, 10, 11]);
  const needed = page.locator('#still-needed');
  await expect(needed).toHaveText('Still needed: ID and terms.');
  await expect(payButton(page)).toBeDisabled();
  await accessibleEverywhere(page);

  await page.getByRole('button', { name: 'Verify ID' }).click();
  const file = page.getByLabel('Upload a photo');
  await file.setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
  await expect(page.getByRole('alert')).toHaveText('Please upload an image file.');
  await file.setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(10 * 1024 * 1024) });
  await expect(page.getByRole('alert')).toHaveText('Please upload an image smaller than 10MB.');
  await page.getByRole('button', { name: 'Use camera' }).click();
  await expect(page.getByRole('alert').last()).toContainText(
    'Camera Access Denied - Please allow camera access in your browser settings.',
  );
  await accessible(page);
  await upload(page, 'given=Robin&family=Sample&expiry=2020-04-03');
  await expect(page.getByAltText('Your licence, as photographed')).toBeVisible();
  await accessible(page);
  await page.getByRole('button', { name: 'Verify my ID' }).click();
  await expect(page.getByText('Reading your ID')).toBeVisible();
  await expect(page.getByText('Your ID has expired.').first()).toBeVisible({ timeout: 40_000 });
  await accessible(page);
  await page.getByRole('button', { name: 'Try Again' }).click();
  // Adds the picture by drag and drop, as on a desktop.
  const picture = Buffer.from(
    await (await fetch(`${sandboxUrl}/licence.jpg?given=Robin&family=Sample`)).arrayBuffer(),
  ).toString('base64');
  const data = await page.evaluateHandle(
    `fetch('data:image/jpeg;base64,${picture}').then((r) => r.blob()).catch(() => new Blob([Uint8Array.from(atob('${picture}'), (c) => c.charCodeAt(0))], { type: 'image/jpeg' })).then((blob) => { const all = new DataTransfer(); all.items.add(new File([blob], 'licence.jpg', { type: 'image/jpeg' })); return all; })`,
  );
  await page.locator('[data-drop]').dispatchEvent('drop', { dataTransfer: data });
  await page.getByRole('button', { name: 'Verify my ID' }).click();
  await expectToast(page, 'ID Verified');
  // The dialog shows that it succeeded, then closes.
  await expect(page.getByRole('dialog')).toBeHidden({ timeout: 5_000 });
  await expect(page.getByText('ID verified', { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Read the terms' }).click();
  const region = page.getByRole('region', { name: /Terms and conditions/ });
  const box = page.getByLabel('I have read and accept');
  await expect(box).toBeDisabled();
  await accessible(page);
  // The box stays disabled 60 px from the end and becomes enabled at 50 px.
  await region.evaluate((element) => element.scrollTo(0, element.scrollHeight - element.clientHeight - 60));
  await expect(box).toBeDisabled();
  await region.evaluate((element) => element.scrollTo(0, element.scrollHeight - element.clientHeight - 50));
  await expect(box).toBeEnabled();
  await page.getByRole('button', { name: 'Close' }).click();
  await acceptTerms(page);
  await expect(payButton(page)).toBeEnabled();
  // The terms stay accepted when the customer leaves the page and returns.
  await page.goto('/about');
  await page.goBack();
  await expect(page.getByText('Terms accepted', { exact: true })).toBeVisible();
  await expect(payButton(page)).toBeEnabled();

  await changeDetails(page);
  for (const field of ['First name', 'Last name', 'Email', 'Phone']) {
    const input = page.getByLabel(field, { exact: true });
    const good = await input.inputValue();
    await input.fill(' ');
    await expect(payButton(page), `without ${field}`).toBeDisabled();
    await input.fill(good);
  }
  for (const [field, bad, message] of [
    ['Last name', 'S', 'Please enter valid first and last names.'],
    ['Email', 'nowhere', 'Please enter a valid email address'],
    ['Phone', '0400', 'Phone number must be at least 10 digits'],
  ] as const) {
    const input = page.getByLabel(field, { exact: true });
    const good = await input.inputValue();
    await input.fill(bad);
    await payButton(page).click();
    await expect(page.getByRole('alert')).toHaveText(message);
    await expectErrorInPlace(page, 'Validation Error', message);
    await expect(input).toBeFocused();
    await input.fill(good);
  }
});

test('coupons: every refusal is shown, a valid one is deducted, and a changed price needs agreement [spec 2.51, 8.23, 8.25, 8.29]', async ({
  page,
}) => {
  const all = service();
  const code = `C${crypto.randomUUID().slice(0, 6)}`.toUpperCase();
  const created = await all.from('discount_codes').insert([
    { code, discount_type: 'fixed', discount_value: 15, max_uses: 5 },
    { code: `${code}L`, discount_type: 'percentage', discount_value: 10, min_hours: 8 },
  ]);
  expect(created.error).toBeNull();
  await signIn(page, await newPerson(true));
  await openDay(page, 'Studio C', 52);
  await chooseHours(page, [9, 10]);
  // Simulates a price change after the page was loaded.
  await page.route(
    '**/functions/v1/create-payment',
    async (route) => {
      const body = route.request().postDataJSON();
      await route.continue({
        postData: JSON.stringify({ ...body, bookingData: { ...body.bookingData, final_cost: 1 } }),
      });
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Book Now' }).click();
  await expectToast(page, 'Payment Error');
  await expect(page.getByRole('button', { name: /^Book for \$/ })).toBeVisible();
  await page.goto('/checkout');
  await page.getByRole('button', { name: 'Add a coupon code' }).click();
  const field = page.getByLabel('Coupon code');
  const apply = page.getByRole('button', { name: 'Apply' });
  const alert = page.getByRole('alert');
  await apply.click();
  await expect(alert).toHaveText('Coupon code cannot be empty');
  await field.fill('x'.repeat(51));
  await apply.click();
  await expect(alert).toHaveText('Coupon code must be less than 50 characters');
  await field.fill('nothing');
  await apply.click();
  await expect(alert).toHaveText('Invalid coupon code');
  await field.fill(`${code}L`);
  await apply.click();
  await expect(alert).toContainText('8');
  await page.route('**/rpc/validate_discount_code', (route) => route.abort(), { times: 1 });
  await field.fill(code);
  await apply.click();
  await expect(alert).toHaveText('Failed to validate coupon');
  await field.fill(code.toLowerCase());
  await apply.click();
  await expectToast(page, 'Coupon Applied!', '$15 off your booking');
  await expect(page.getByLabel('Price')).toContainText('-$15');
  // The payment service fails. The page reports it and keeps every entry, and the second try works.
  await sandbox('/api/faults', { provider: 'stripe', kind: 'status', count: 6 });
  await payButton(page).click();
  await expectToast(page, 'Payment Error');
  await fetch(`${sandboxUrl}/api/faults`, { method: 'DELETE' });
  await expect(page.getByLabel('Price')).toContainText('-$15');
  await payButton(page).click();
  await page.waitForURL(/\/c\/pay\//);
  const [payment] = await sandbox<Payment[]>('/api/payments');
  await page.goBack();
  await expect(payButton(page)).toBeEnabled();
  // The payment is delayed. The page waits, never asks the customer to pay again, and updates automatically.
  await sandbox(`/api/payments/${payment?.id}`, { outcome: 'delayed_paid' });
  await page.goto(`/payment-success?session_id=${payment?.id}&booking_id=${payment?.client_reference_id}`);
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible({ timeout: 30_000 });
  await expectToast(page, 'Payment Successful!');
  await expect(page.getByText('Arrive 10 minutes early.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Book Another Session' })).toBeVisible();
  await accessibleEverywhere(page);
  await page.getByRole('main').getByRole('link', { name: 'Return Home' }).click();
  await expect(page).toHaveURL(/:\d+\/$/);
});

test('the payment page redirects without its ids, and reports unknown ones [spec 2.50, 2.52, 8.27]', async ({
  page,
}) => {
  await page.goto('/payment-success?session_id=cs_1');
  await expect(page).toHaveURL(/\/booking$/);
  await expectToast(page, 'Booking Error', 'Missing booking or session ID');
  await page.goto('/payment-success?session_id=cs_test_nothing&booking_id=5a000000-0000-4000-8000-0000000000ff');
  await expect(page.getByRole('heading', { name: 'Booking not found' })).toBeVisible();
  await accessibleEverywhere(page);
  await page.getByRole('link', { name: 'Return to Booking' }).click();
  await expect(page).toHaveURL(/\/booking$/);
});

test('an expired payment is reported with the booking reference [spec 8.27]', async ({ page }) => {
  await signIn(page, await newPerson(true));
  await openDay(page, 'Studio A', 53);
  await chooseHours(page, [10]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/c\/pay\//);
  const id = /\/c\/pay\/(\w+)/.exec(page.url())?.[1] ?? '';
  const payment = (await sandbox<Payment[]>('/api/payments')).find((payment) => payment.id === id);
  await sandbox(`/api/payments/${id}`, { outcome: 'expired' });
  await page.goto(`/payment-success?session_id=${id}&booking_id=${payment?.client_reference_id}`);
  await expectToast(page, 'Booking Error', 'Payment not completed');
  await expect(page.getByText(/Reference [A-Z0-9]{4}-[A-Z0-9]{4}/)).toBeVisible();
  await accessible(page);
});

test('the hosted identity check can fail to start, be refused, be repeated, and lead to the checkout [spec 2.12, 2.13, 4.26, 8.30, 8.33]', async ({
  page,
}) => {
  await page.goto('/verify-complete');
  await expect(page.getByText('No booking data found. Please try booking again.')).toBeVisible();
  await accessibleEverywhere(page);
  await page.goto('/verify-return');
  await expect(page.getByText('No verification session ID found. Please try booking again.')).toBeVisible();
  await accessibleEverywhere(page);
  await signIn(page, await newPerson(false));
  await toCheckout(page, 54, [9]);
  // Drops the check that Book Now started, so that the page starts another.
  await page.evaluate(() => sessionStorage.removeItem('verificationSession'));
  await sandbox('/api/faults', { provider: 'stripe', kind: 'status', count: 8 });
  await page.goto('/verify-complete');
  await expect(page.getByRole('alert')).toBeVisible({ timeout: 30_000 });
  await fetch(`${sandboxUrl}/api/faults`, { method: 'DELETE' });
  await page.getByRole('button', { name: 'Start the check' }).click();
  await page.waitForURL(/\/verify\//);
  const [check] = await sandbox<{ id: string }[]>('/api/identity');
  await sandbox(`/api/identity/${check?.id}`, { outcome: 'document_expired' });
  await page.goto('/verify-return');
  await expect(page.getByRole('heading', { name: /Not verified|Nearly there/ })).toBeVisible();
  await accessible(page);
  await page.getByRole('button', { name: 'Try Again' }).click();
  await page.waitForURL(/\/verify\//);
  const [second] = await sandbox<{ id: string }[]>('/api/identity');
  await sandbox(`/api/identity/${second?.id}`, {
    outcome: 'verified',
    first_name: 'Robin',
    last_name: 'Sample',
    dob: '1998-04-03',
    expiry: '2031-01-01',
  });
  await page.goto('/verify-return');
  await expectToast(page, 'ID Verified');
  await expect(page).toHaveURL(/\/checkout$/);
  await expect(page.getByText('ID verified', { exact: true })).toBeVisible();
});

test('Return to Booking removes the stored booking [spec 3.10, 8.36]', async ({ page }) => {
  await signIn(page, await newPerson(false));
  await toCheckout(page, 55, [9]);
  await page.goto('/verify-return');
  await page.getByRole('button', { name: 'Return to Booking' }).click();
  await expect(page).toHaveURL(/\/booking$/);
  expect(await page.evaluate(() => sessionStorage.getItem('checkoutBookingData'))).toBeNull();
});

test('an unpaid hold is shown on the booking page, and releasing it asks first', async ({ page }) => {
  await signIn(page, await newPerson(true));
  await openDay(page, 'Studio A', 56);
  await chooseHours(page, [11]);
  await page.getByRole('button', { name: 'Book Now' }).click();
  await page.waitForURL(/\/c\/pay\//);
  await page.goto('/booking');
  await expect(page.getByText('You haven’t finished paying for')).toBeVisible();
  await accessibleEverywhere(page);
  await page.getByRole('button', { name: 'Release these hours' }).click();
  await page.getByRole('button', { name: 'Keep them' }).click();
  await page.getByRole('button', { name: 'Finish paying' }).click();
  await expect(page).toHaveURL(/\/checkout$/);
  // The browser's Back button leads to the booking page too.
  await page.goBack();
  await expect(page).toHaveURL(/\/booking$/);
  await page.getByRole('button', { name: 'Release these hours' }).click();
  await page.getByRole('button', { name: 'Yes, release them' }).click();
  await expect(page.getByText('You haven’t finished paying for')).toBeHidden();
});
