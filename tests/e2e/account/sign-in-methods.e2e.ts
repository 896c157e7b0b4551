import { expect, type Page } from '@playwright/test';
import { test } from '../journey.ts';
import { Secret, TOTP } from 'otpauth';
import { accessible } from '../steps.ts';

const STEP_MS = 30_000;

/** Returns the code of an authenticator app, `later` steps of 30 seconds ahead. The server accepts a code that is one step ahead. */
const codeFor = (secret: string, later = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + later * STEP_MS });

/** Adds a virtual authenticator that approves every request. */
async function addVirtualAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test('signing in works with Google, an authenticator app and a passkey, and each can be removed', async ({ page }) => {
  await addVirtualAuthenticator(page);
  await page.goto('/auth?from=/profile');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('That didn’t work: The sign-in was cancelled')).toBeVisible();
  await accessible(page);

  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('Email').fill('several.methods@example.com');
  await page.getByLabel('Name').fill('Alex Ways');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page).toHaveURL(/\/profile$/);
  await expect(page.getByLabel('Full Name')).toHaveValue('Alex Ways');

  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  await accessible(page);
  const secret = ((await page.getByLabel('Or type this key into the app').textContent()) ?? '').replace(/\s/g, '');
  await page.getByLabel('6-digit code').fill('12345');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect(page.getByText('The code has 6 digits.')).toBeVisible();
  await page.getByLabel('6-digit code').fill(codeFor(secret));
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect(page.getByText('Signing in asks for a code')).toBeVisible();

  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Rename Passkey 1' }).click();
  await page.getByLabel('New name for Passkey 1').fill('Blue phone');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Blue phone')).toBeVisible();
  await accessible(page);

  await page.getByRole('button', { name: 'Sign Out' }).click();
  await expect(page).toHaveURL(/\/$/);
  await page.goto('/auth?from=/profile');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  const step = page.getByRole('dialog', { name: 'Two-step sign-in' });
  await expect(step).toBeVisible();
  await accessible(page);
  await step.getByLabel('6-digit code').fill(codeFor(secret, 1));
  await step.getByRole('button', { name: 'Continue' }).click();
  await expect(step).toBeHidden();

  await page.getByRole('button', { name: 'Remove Authenticator app' }).click();
  await page.getByRole('button', { name: 'Remove Authenticator app' }).click();
  await expect(page.getByText('With an authenticator app, a stolen password isn’t enough')).toBeVisible();
  await page.getByRole('button', { name: 'Remove Blue phone' }).click();
  await page.getByRole('button', { name: 'Remove Blue phone' }).click();
  await expect(page.getByText('Blue phone', { exact: true })).toBeHidden();
});
