import { staffReconcile as contract } from '#contracts/exports/staff-reconcile.ts';
import { startLedgerCheck } from '#server/operations/reconciliation/compare-ledger.ts';
import { accepted, defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffReconcile = defineHandler(contract, async (services, { caller, body: { month } }) => {
  await startLedgerCheck(services, month, actorOf(caller));
  return accepted({ month });
});
