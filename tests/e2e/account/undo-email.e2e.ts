import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { createClient } from '@supabase/supabase-js';
import { Secret, TOTP } from 'otpauth';
import type { Database } from '#database/types.ts';
import {
  accessibleEverywhere,
  expectErrorInPlace,
  fromMail,
  newPerson,
  type Person,
  runtime,
  service,
} from '../steps.ts';

const STEP_MS = 30_000;
const NEW_PASSWORD = 'another-shift-10';
/** Returns the code of an authenticator app, `later` steps of 30 seconds ahead. The server accepts a code that is one step ahead. */
const codeFor = (secret: string, later = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + later * STEP_MS });

/** Checks accessibility, and takes screenshots at three widths if E2E_PICTURES names a folder for them. */
async function picture(page: Page, name: string): Promise<void> {
  await accessibleEverywhere(page);
  const folder = process.env['E2E_PICTURES'];
  for (const width of folder === undefined ? [] : [390, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
  }
}

/** Adds an authenticator app to an account and returns its secret. */
async function addApp({ email, password }: Person): Promise<string> {
  const { apiUrl, anonKey } = runtime();
  const { auth } = createClient<Database>(apiUrl, anonKey, { auth: { persistSession: false } });
  expect((await auth.signInWithPassword({ email, password })).error).toBeNull();
  const { data, error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' });
  expect(error).toBeNull();
  const secret = data?.totp.secret ?? '';
  const done = await auth.mfa.challengeAndVerify({ factorId: data?.id ?? '', code: codeFor(secret, -1) });
  expect(done.error).toBeNull();
  return secret;
}

/** Changes the address of an account as a thief would, and returns the undo link mailed to the previous address. */
async function steal({ id, email }: Person): Promise<string> {
  const { error } = await service().auth.admin.updateUserById(id, { email: `thief-${email}`, email_confirm: true });
  expect(error).toBeNull();
  return fromMail(email, 'was changed', /(\/undo-email\?token_hash=[\w-]+)/);
}

test('the owner of a replaced address takes the account back with the second step and a new password', async ({
  page,
}) => {
  const owner = await newPerson(false);
  const secret = await addApp(owner);
  const link = await steal(owner);
  await page.goto(link);
  const begin = page.getByRole('button', { name: 'It wasn’t me: take my account back' });
  await expect(begin).toBeVisible();
  await picture(page, 'asks');
  expect((await service().auth.admin.getUserById(owner.id)).data.user?.email).toBe(`thief-${owner.email}`);
  await begin.press('Enter');

  const finish = page.getByRole('button', { name: 'Take my account back' });
  await expect(page.getByText(`${owner.email} comes back`)).toBeVisible();
  await picture(page, 'form');
  await finish.click();
  await expect(page.getByText('The code has 6 digits.')).toBeVisible();
  await page.getByLabel('6-digit code').fill('000000');
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByLabel('Confirm new password').fill('something else');
  await finish.click();
  await expectErrorInPlace(page, 'Password mismatch', "New password and confirmation don't match.");
  await page.getByLabel('Confirm new password').fill(NEW_PASSWORD);
  await finish.click();
  await expect(page.getByText('That code isn’t right. Please try again.')).toBeVisible();
  await page.getByLabel('6-digit code').fill(codeFor(secret));
  await finish.click();

  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
  await expect(page).toHaveURL(/\/undo-email$/);
  await picture(page, 'done');
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Two-step sign-in' })).toBeVisible();
});

test('without a second step the link and a new password are enough, and a used link says what to do', async ({
  page,
}) => {
  const owner = await newPerson(false);
  const link = await steal(owner);
  await page.goto(link);
  await page.getByRole('button', { name: 'It wasn’t me: take my account back' }).click();
  await expect(page.getByLabel('6-digit code')).toHaveCount(0);
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByLabel('Confirm new password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Take my account back' }).click();
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();

  await page.goto(link);
  await page.getByRole('button', { name: 'It wasn’t me: take my account back' }).click();
  await expect(page.getByText('This link has expired or has already been used.')).toBeVisible();
  await picture(page, 'ended');
  await page.goto('/undo-email');
  await expect(page.getByText('This link has expired or has already been used.')).toBeVisible();
});
