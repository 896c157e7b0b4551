import { staffReconcile as contract } from '#contracts/exports/staff-reconcile.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { startLedgerCheck } from '#server/operations/reconciliation/compare-ledger.ts';
import { accepted, defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffReconcile = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body: { month } }) => {
    await startLedgerCheck(booking, month, actorOf(caller));
    return accepted({ month });
  },
);
