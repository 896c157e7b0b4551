import type { Caller } from '#server/http/caller.ts';
import type { MoneyRight } from '../core/concessions.ts';
import { hasPermission, missesSecondFactor, type StaffContext } from './require-permission.ts';

/** Reads whether the caller may decide about money right now. The service key may. */
export async function readMoneyRight(context: Pick<StaffContext, 'db'>, caller: Caller): Promise<MoneyRight> {
  if (await hasPermission(context, caller, 'money')) return 'held';
  return (await missesSecondFactor(context, caller, 'money')) ? 'needs_second_factor' : 'missing';
}
