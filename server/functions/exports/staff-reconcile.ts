import { staffReconcile as contract } from '#contracts/exports/staff-reconcile.ts';
import { startLedgerCheck } from '#server/operations/reconciliation/compare-ledger.ts';
import { accepted, defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffReconcile = defineHandler(contract, async (services, { caller, body: { month } }) => {
  await startLedgerCheck(services, month, getActor(caller));
  return accepted({ month });
});
