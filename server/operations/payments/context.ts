import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Payments } from '#server/providers/ports.ts';
import type { BookingFacts, PaymentFacts } from '../booking-rows.ts';

/** What every payment operation works with; its first argument. */
export type PaymentContext = {
  readonly db: Database;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly log: Log;
};

export type Settlement = {
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  /** Money is with us for this booking. */
  readonly paid: boolean;
};

/** The payment, locked until the transaction ends. Lock its booking first. */
export async function lockPayment(tx: Transaction, paymentId: string): Promise<PaymentFacts | null> {
  const row = await tx.one<{ facts: PaymentFacts }>(
    `select private.payment_facts(x) as facts from private.payment x where x.id = $1::uuid for update`,
    [paymentId],
  );
  return row?.facts ?? null;
}

/** Writes an audit row about a payment; `alert` is one that a person has to look at. */
export async function auditPayment(
  tx: Transaction,
  action: 'update' | 'alert',
  payment: PaymentFacts,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await tx.query(`select private.audit(null, $2, 'payment', $1, $3::jsonb)`, [
    payment.id,
    action,
    { bookingId: payment.bookingId, ...details },
  ]);
}

/** What was taken and can be given back, in cents. */
export const takenCents = (payment: PaymentFacts): number => payment.paidCents ?? payment.amountCents;

/** The answer of a look-up, or null when the provider has never heard of what was asked for. Throws other provider errors. */
export async function orMissing<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ProviderError && error.reason === 'resource_missing' && !error.ambiguous) return null;
    throw error;
  }
}

/** A failure in words for the log: no cause, no secret. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProviderError) return `${error.provider} ${error.reason}`;
  return error instanceof Error ? error.message : String(error);
}
