import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import {
  accessibleEverywhere,
  codeFromMail,
  demo,
  expectErrorInPlace,
  expectToast,
  fromMail,
  newPerson,
  service,
  signIn,
  signInByDialog,
} from '../steps.ts';

async function fillSignUp(page: Page, email: string): Promise<void> {
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await page.getByLabel('Full Name').fill('Robin Sample');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Phone Number').fill('0400 111 222');
  await page.getByLabel('Day').fill('3');
  await page.getByLabel('Month').selectOption('April');
  await page.getByLabel('Year').fill('1998');
  await page.getByLabel('Password').fill('night-shift-9');
}
const fresh = (): string => `s-${crypto.randomUUID().slice(0, 8)}@example.com`;

test('every sign-in error is shown at its field with a toast, and a sign-in greets by name [spec 4.10, 5.1, 7.16, 8.4, 8.6, 8.7]', async ({
  page,
}) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const submit = dialog.getByRole('button', { name: 'Sign In', exact: true });
  await submit.click();
  await expectErrorInPlace(page, 'Validation Error', 'Please enter a valid email address');
  await expect(dialog.getByRole('alert')).toHaveText('Please enter a valid email address');
  await dialog.getByLabel('Email').fill(demo.email);
  await dialog.getByLabel('Password').fill('12345');
  await submit.click();
  await expect(dialog.getByRole('alert')).toHaveText('Password must be at least 6 characters');
  await dialog.getByLabel('Password').fill('not-the-password');
  await submit.click();
  await expectErrorInPlace(page, 'Invalid credentials', 'Please check your email and password and try again.');
  await accessibleEverywhere(page);
  await page.context().setOffline(true);
  await submit.click();
  await expectErrorInPlace(page, 'Error', 'An unexpected error occurred. Please try again.');
  await page.context().setOffline(false);
  let answer = (): void => {};
  const held = new Promise<void>((done) => (answer = done));
  await page.route('**/auth/v1/token**', async (route) => {
    await held;
    await route.continue();
  });
  await dialog.getByLabel('Password').fill(demo.password);
  await submit.click();
  await expect(dialog.getByRole('button', { name: 'Signing in...' })).toBeDisabled();
  answer();
  await expectToast(page, 'Welcome back, Alex!', "You've been signed in successfully.");
});

test('a sign-up error is shown at its field, and an age under 18 on the button [spec 2.4, 4.11]', async ({ page }) => {
  await page.goto('/auth');
  const submit = page.getByRole('button', { name: 'Sign Up', exact: true });
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(submit).toBeDisabled();
  await fillSignUp(page, fresh());
  await expect(submit).toBeEnabled();
  const password = page.getByLabel('Password');
  await password.fill('12345');
  await submit.click();
  await expectErrorInPlace(page, 'Validation Error', 'Password must be at least 6 characters');
  await expect(password).toBeFocused();
  await password.fill('night-shift-9');
  await page.getByLabel('Year').fill('2015');
  await expect(page.getByRole('button', { name: 'Must be 18+' })).toBeDisabled();
  await page.evaluate("document.querySelector('form').requestSubmit()");
  await expectErrorInPlace(page, 'Age Requirement', 'You must be 18 years or older to create an account.');
  await accessibleEverywhere(page);
});

test('an email that has an account is reported while typing; any other is not [spec 5.11]', async ({ page }) => {
  await page.goto('/auth');
  await fillSignUp(page, demo.email);
  await expect(page.getByText('Email already registered')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign Up', exact: true })).toBeDisabled();
  await page.getByLabel('Email').fill(fresh());
  await expect(page.getByText('Email already registered')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Sign Up', exact: true })).toBeEnabled();
  // The availability check fails: the page shows nothing and does not block the sign-up.
  await page.route('**/auth/v1/recover', (route) => route.abort());
  await page.getByLabel('Email').fill(demo.email);
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
});

test('the mailed code confirms an email; a wrong code is refused, and a new one can be sent [spec 2.31, 4.13, 5.12, 8.9, 8.10]', async ({
  page,
}) => {
  const email = fresh();
  await page.goto('/auth');
  await fillSignUp(page, email);
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  const code = page.getByLabel('Verification code');
  await code.fill('12ab3');
  await expect(code).toHaveValue('123');
  await page.getByRole('button', { name: 'Verify Email' }).click();
  await expectErrorInPlace(page, 'Invalid code', 'Please enter the 6-digit verification code.');
  // Typing the sixth digit submits the code.
  await code.fill('000000');
  await expectToast(page, 'Verification failed');
  await accessibleEverywhere(page);
  await page.reload();
  const first = await codeFromMail(email);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Resend code' }).click();
  await expectErrorInPlace(page, 'Error', 'Failed to resend code. Please try again.');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Resend code' }).click();
  await expectToast(page, 'Code Resent');
  await code.fill(await codeFromMail(email, first));
  await expectToast(page, 'Email verified!', 'Your account has been created successfully.');
  await expect(page).toHaveURL(/\/profile$/);
});

test('the mailed link sets a new password, once [spec 2.31, 4.2, 4.8, 5.13, 5.19, 8.8]', async ({ page }) => {
  const who = await newPerson(false);
  await page.goto('/auth');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await expectErrorInPlace(page, 'Email required', 'Please enter your email address first.');
  await page.getByLabel('Email').fill('nowhere');
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await expect(page.getByRole('alert')).toHaveText('Please enter a valid email address');
  await accessibleEverywhere(page);
  await page.getByRole('button', { name: 'Back to Sign In' }).click();
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await page.getByLabel('Email').fill(who.email);
  await page.getByRole('button', { name: 'Send reset link' }).click();
  await expectToast(page, 'Reset link sent', 'Check your email for a password reset link.');
  await expect(page.getByRole('tab', { name: 'Sign In' })).toBeVisible();
  const link = await fromMail(who.email, '', /(http\S+token_hash=\S+)/);
  await page.goto(link);
  const [next, confirm] = [page.getByLabel('New password', { exact: true }), page.getByLabel('Confirm new password')];
  const set = page.getByRole('button', { name: 'Set new password' });
  await next.fill('another-night-1');
  await confirm.fill('another-night-2');
  await set.click();
  await expectErrorInPlace(page, 'Password mismatch', "New password and confirmation don't match.");
  await next.fill('12345');
  await confirm.fill('12345');
  await set.click();
  await expectErrorInPlace(page, 'Password too short', 'Password must be at least 6 characters long.');
  await accessibleEverywhere(page);
  await next.fill('another-night-1');
  await confirm.fill('another-night-1');
  await set.click();
  await expectToast(page, 'Password updated');
  await expect(page).toHaveURL(/\/profile$/);
  await page.getByRole('button', { name: 'Sign Out' }).click();
  await expect(page).toHaveURL(/\/$/);
  await page.goto(link);
  await next.fill('another-night-3');
  await confirm.fill('another-night-3');
  await set.click();
  await expect(page.getByText('This link has expired or has already been used.')).toBeVisible();
});

test('the mailed link confirms the email when the button is pressed, then opens the ID dialog after two seconds [spec 2.5, 2.34, 2.35, 4.28, 4.29, 8.12]', async ({
  page,
}) => {
  const email = fresh();
  await page.goto('/');
  await page.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  await fillSignUp(page, email);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(page).toHaveURL(/\/auth$/);
  const link = await fromMail(email, '', /(http\S+token_hash=\S+)/);
  await page.goto(link);
  await page.getByRole('button', { name: 'Confirm my email' }).click();
  await expect(page.getByText('Verifying your email')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Email Confirmed' })).toBeVisible();
  await expectToast(page, 'Email Confirmed');
  await expect(page.getByRole('button', { name: 'Verify ID Now' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Go to Home' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'ID Verification' })).toBeVisible();
  await accessibleEverywhere(page);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Email Confirmed' })).toBeVisible();
  // Opens the same link again in a browser without the session.
  await page.context().clearCookies();
  await page.evaluate(() => localStorage.clear());
  await page.goto(link);
  await page.getByRole('button', { name: 'Confirm my email' }).click();
  await expect(page.getByText('Email verification link may have expired. Please try signing up again.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Sign Up Again' })).toBeVisible();
  await accessibleEverywhere(page);
  await page.goto('/email-verified?token_hash=x&type=signup');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Confirm my email' }).click();
  await expect(page.getByText('Failed to verify email. Please try again.')).toBeVisible();
});

test('a customer with a verified ID can continue to booking after confirming the email [spec 2.34, 4.29]', async ({
  page,
}) => {
  await signIn(page, await newPerson(true));
  await page.goto('/email-verified');
  await expect(page.getByRole('link', { name: 'Continue to Booking' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Verify ID Now' })).toBeHidden();
});

test('/auth redirects a signed-in user to the selection, the from path, or the first page [spec 4.3, 4.14, 4.15]', async ({
  page,
}) => {
  await signIn(page);
  await page.goto('/auth?from=/profile');
  await expect(page).toHaveURL(/\/profile$/);
  await page.goto('/auth?from=https://evil.example');
  await expect(page).toHaveURL(/:\d+\/$/);
  await page.evaluate(() => sessionStorage.setItem('pendingBookingSelections', '{"studioId":"x","slots":[]}'));
  await page.goto('/auth?from=/profile');
  await expect(page).toHaveURL(/\/booking$/);
});

test('signing out removes every stored session, and a broken one is removed at the start [spec 4.2, 4.4, 7.20]', async ({
  page,
}) => {
  await page.goto('/');
  await page.evaluate(() => {
    localStorage.setItem('supabase.auth.token', '{"cut off');
    localStorage.setItem('sb-old-auth-token', 'not json');
  });
  await page.goto('/profile');
  await signInByDialog(page);
  const keys = () => page.evaluate(() => Object.keys(localStorage));
  expect((await keys()).filter((key) => key === 'supabase.auth.token' || key === 'sb-old-auth-token')).toEqual([]);
  await page.evaluate(() => {
    localStorage.setItem('supabase.auth.token', '{}');
    localStorage.setItem('sb-other-auth-token', '{}');
  });
  await page.getByRole('button', { name: 'Sign Out' }).click();
  await expect(page).toHaveURL(/:\d+\/$/);
  expect((await keys()).filter((key) => key.includes('auth'))).toEqual([]);
});

test('signing in with an unfinished booking leads to its checkout [spec 3.10, 4.12]', async ({ page }) => {
  const studio = await service().from('studios').select('id').eq('name', 'Studio A').single();
  const start = new Date(Date.now() + 60 * 86_400_000);
  start.setUTCMinutes(0, 0, 0);
  const draft = {
    studio_id: studio.data?.id,
    studio_name: 'Studio A',
    start_time: start.toISOString(),
    end_time: new Date(start.getTime() + 3_600_000).toISOString(),
    total_hours: 1,
    base_cost: 59,
    discount_amount: 0,
    final_cost: 59,
    slots: [{ hour: 9, label: '9 AM', date: '2027-01-20', price: 59 }],
  };
  await page.goto('/');
  await page.evaluate((kept) => sessionStorage.setItem('checkoutBookingData', JSON.stringify(kept)), draft);
  await page.getByRole('button', { name: 'SIGN IN', exact: true }).click();
  await signInByDialog(page);
  await expect(page).toHaveURL(/\/checkout$/);
});
