import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts, CancelReason } from '../core/booking-rows.ts';
import type { JobOutcome } from '../outbox.ts';
import { confirmFree } from './confirm.ts';
import type { PaymentContext, Settlement } from './context.ts';
import { reconcilePayments } from './reconcile.ts';
import { refundPayment } from './refund.ts';
import { releaseExpiredHolds, releaseHold } from './release.ts';
import { settlePayment } from './settle.ts';

export type { Settlement } from './context.ts';

/** The payment operations, bound to their context. */
export type PaymentDesk = {
  settle(sessionId: string): Promise<Settlement>;
  release(bookingId: string, reason: CancelReason): Promise<BookingFacts>;
  confirmFree(tx: Transaction, bookingId: string): Promise<void>;
  refund(paymentId: string): Promise<JobOutcome>;
  /** Stops after the holds in progress when `stop` returns true. */
  releaseExpired(stop?: () => boolean): Promise<number>;
  reconcile(): Promise<number>;
};

export function createPaymentDesk(context: PaymentContext): PaymentDesk {
  return {
    settle: (sessionId) => settlePayment(context, sessionId),
    release: (bookingId, reason) => releaseHold(context, bookingId, reason),
    confirmFree: (tx, bookingId) => confirmFree(context, tx, bookingId),
    refund: (paymentId) => refundPayment(context, paymentId),
    releaseExpired: (stop) => releaseExpiredHolds(context, stop),
    reconcile: () => reconcilePayments(context),
  };
}
