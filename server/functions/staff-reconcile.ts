import { z } from 'zod';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { startLedgerCheck } from '#server/operations/reconciliation/compare-ledger.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-reconcile', max: 20, seconds: 3600 };
const bodySchema = z.object({ month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'use YYYY-MM') });

/**
 * Begins to compare a month of Sydney with the payment provider's ledger: 202 `{month}`. The result is in the tab Numbers, and in
 * `rpc/ledger_check`.
 */
export function staffReconcile({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'money',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { month } = parse(bodySchema, body);
      await startLedgerCheck(booking, month, actorOf(caller));
      return json({ month }, 202);
    },
  };
}
