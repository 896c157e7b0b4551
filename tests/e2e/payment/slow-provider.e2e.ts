import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { accessible, chooseHours, newPerson, openDay, sandbox, sandboxUrl, signIn } from '../steps.ts';

type Payment = { id: string; client_reference_id: string };

const hang = (): Promise<unknown> => sandbox('/api/faults', { provider: 'stripe', kind: 'hang', seconds: 120 });
const heal = (): Promise<Response> => fetch(`${sandboxUrl}/api/faults`, { method: 'DELETE' });

test('while the payment provider does not answer the pages say so, and continue automatically', async ({ page }) => {
  test.setTimeout(180_000);
  await signIn(page, await newPerson(true));
  await openDay(page, 'Studio B', 61);
  await chooseHours(page, [10]);
  await hang();
  await page.getByRole('button', { name: 'Book Now' }).click();
  const slow = page.getByText('The payment service is slow right now.', { exact: false });
  await expect(slow.filter({ visible: true })).toBeVisible({ timeout: 30_000 });
  await heal();
  // The page continues automatically, without input.
  await page.waitForURL(/\/c\/pay\//, { timeout: 60_000 });
  const id = /\/c\/pay\/(\w+)/.exec(page.url())?.[1] ?? '';
  const payment = (await sandbox<Payment[]>('/api/payments')).find((payment) => payment.id === id);

  await hang();
  await page.goto(`/payment-success?session_id=${id}&booking_id=${payment?.client_reference_id}`);
  await expect(page.getByText('We’re still waiting for the payment provider.', { exact: false })).toBeVisible({
    timeout: 30_000,
  });
  await accessible(page);
  await heal();
  await sandbox(`/api/payments/${id}`, { outcome: 'paid' });
  await expect(page.getByRole('heading', { name: 'Booking confirmed' })).toBeVisible({ timeout: 60_000 });
});

test('the checkout says that it waits for the payment provider, and leaves for the pay page once it answers', async ({
  page,
}) => {
  test.setTimeout(180_000);
  await signIn(page, await newPerson(true));
  await openDay(page, 'Studio B', 62);
  await chooseHours(page, [15]);
  // Book Now stores the draft before it calls create-payment, so that /checkout can be opened directly.
  await page.route('**/functions/v1/create-payment', (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Book Now' }).click();
  await expect(page.getByRole('alert').first()).toBeVisible();
  await page.goto('/checkout');
  const pay = page.getByRole('button', { name: /^Pay \$/ });
  await expect(pay).toBeEnabled();
  await hang();
  await pay.click();
  await expect(
    page.getByText('We’re still waiting for the payment provider. We’re holding your hours', { exact: false }),
  ).toBeVisible({
    timeout: 30_000,
  });
  await accessible(page);
  await heal();
  await page.waitForURL(/\/c\/pay\//, { timeout: 60_000 });
});
