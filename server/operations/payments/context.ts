import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Payments } from '#server/providers/ports.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';

/** The first argument of every payment operation. */
export type PaymentContext = {
  readonly db: Database;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly log: Log;
};

export type Settlement = {
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  /** We have the money for this booking. */
  readonly paid: boolean;
};

/** Locks the payment until the transaction ends. Lock its booking first, to prevent deadlocks. */
export async function lockPayment(tx: Transaction, paymentId: string): Promise<PaymentFacts | null> {
  const row = await tx.one<{ facts: PaymentFacts }>(
    `select private.payment_facts(x) as facts from private.payment x where x.id = $1::uuid for update`,
    [paymentId],
  );
  return row?.facts ?? null;
}

/** Writes a payment's audit row; `alert` asks staff to look at it. */
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

/** Returns what was taken and can be refunded, in cents. */
export const takenCents = (payment: PaymentFacts): number => payment.paidCents ?? payment.amountCents;

/** Turns the provider's "no such resource" into null. Throws other provider errors. */
export async function orMissing<T>(lookUp: Promise<T>): Promise<T | null> {
  try {
    return await lookUp;
  } catch (error) {
    if (error instanceof ProviderError && error.reason === 'resource_missing' && !error.ambiguous) return null;
    throw error;
  }
}

/** Describes an error for the log, without its cause and without secrets. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProviderError) return `${error.provider} ${error.reason}`;
  return error instanceof Error ? error.message : String(error);
}
