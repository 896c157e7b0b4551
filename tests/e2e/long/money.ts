import { expect } from '@playwright/test';
import { mails, sandbox, service } from '../steps.ts';

/** Checks mails, and money, in cents, in our rows and at the payment provider. */

export type Booked = { readonly id: string; readonly reference: string };
type Charge = {
  readonly payment_intent: string;
  readonly amount: number;
  readonly paid: boolean;
  readonly payment_method: string;
  readonly metadata: { readonly booking_id?: string; readonly reference?: string };
};
type Customer = { readonly metadata: { readonly user_id?: string }; readonly cards: readonly { id: string }[] };
type Refund = { readonly payment_intent: string; readonly amount: number; readonly status: string };
type Expected = { readonly paid: readonly number[]; readonly back: readonly number[] };

const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);
const sorted = (amounts: readonly number[]): number[] => amounts.toSorted((amount, other) => amount - other);
const cents = (dollars: unknown): number => Math.round(Number(dollars) * 100);

/**
 * Waits until the booking has exactly these payments and refunds, in our rows and at the provider. The difference must equal the price of
 * the booking, or zero once it is cancelled.
 */
export async function expectMoney(reference: string, expected: Expected): Promise<void> {
  await expectLedger(reference, expected);
  await expect(async () => {
    const { charges, refunds } = await atProvider((charge) => charge.metadata.reference === reference);
    expect(sorted(charges)).toEqual(sorted(expected.paid));
    expect(sorted(refunds)).toEqual(sorted(expected.back));
  }).toPass({ timeout: 30_000 });
}

/** Like `expectMoney`, for our rows only: a date of a series does not have its own payment at the provider. */
export async function expectLedger(reference: string, expected: Expected): Promise<void> {
  const kept = sum(expected.paid) - sum(expected.back);
  await expect(async () => {
    const { data } = await service()
      .from('bookings')
      .select('id, status, final_cost')
      .eq('reference', reference)
      .single();
    const payments = await service()
      .from('booking_payments')
      .select('amount, refunded')
      .eq('booking_id', data?.id ?? '');
    const rows = payments.data ?? [];
    expect(sorted(rows.map(({ amount }) => cents(amount)))).toEqual(sorted(expected.paid));
    expect(sum(rows.map(({ refunded }) => cents(refunded)))).toBe(sum(expected.back));
    expect(data?.status === 'confirmed' ? cents(data.final_cost) : 0).toBe(kept);
  }).toPass({ timeout: 30_000 });
}

/** Returns the amounts of the matching payments that the provider has taken, and of their refunds. */
async function atProvider(counts: (charge: Charge) => boolean): Promise<{ charges: number[]; refunds: number[] }> {
  const charges = (await sandbox<Charge[]>('/api/charges')).filter((charge) => charge.paid && counts(charge));
  const intents = new Set(charges.map((charge) => charge.payment_intent));
  const refunds = (await sandbox<Refund[]>('/api/refunds')).filter(
    (refund) => refund.status === 'succeeded' && intents.has(refund.payment_intent),
  );
  return { charges: charges.map(({ amount }) => amount), refunds: refunds.map(({ amount }) => amount) };
}

/** Total paid and refunded for a customer's bookings, in cents. */
type Money = { readonly paid: number; readonly back: number };

/** Waits until the ledger and the payment provider agree about every booking of a customer, and returns the agreed sums. */
export async function waitForMoney(userId: string): Promise<Money> {
  let both = await readMoney(userId);
  await expect(async () => {
    both = await readMoney(userId);
    expect(both.provider).toEqual(both.ledger);
  }).toPass({ timeout: 30_000 });
  return both.ledger;
}

async function readMoney(userId: string): Promise<{ ledger: Money; provider: Money }> {
  const bookings = await service().from('bookings').select('id').eq('user_id', userId);
  const ids = (bookings.data ?? []).flatMap(({ id }) => (id === null ? [] : [id]));
  const payments = await service().from('booking_payments').select('amount, refunded, state').in('booking_id', ids);
  const unpaid = ['open', 'intent', 'failed', 'expired'];
  const rows = (payments.data ?? []).filter(({ state }) => !unpaid.includes(state ?? ''));
  const customers = await sandbox<Customer[]>('/api/customers');
  const cards = customers
    .filter((customer) => customer.metadata.user_id === userId)
    .flatMap((customer) => customer.cards.map(({ id }) => id));
  // A change paid with a saved card carries the id of its own hold, so it is found by the card.
  const { charges, refunds } = await atProvider(
    ({ metadata, payment_method: card }) => ids.includes(metadata.booking_id ?? '') || cards.includes(card),
  );
  return {
    ledger: { paid: sum(rows.map((row) => cents(row.amount))), back: sum(rows.map((row) => cents(row.refunded))) },
    provider: { paid: sum(charges), back: sum(refunds) },
  };
}

/** Waits until `count` mails with the subject have arrived, and returns their texts, newest first. */
export async function mailed(email: string, subject: string, count = 1): Promise<readonly string[]> {
  await expect.poll(async () => (await mails(email, subject)).length, { timeout: 30_000 }).toBe(count);
  return (await mails(email, subject)).map(({ text }) => text);
}
