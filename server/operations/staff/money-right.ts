import type { Caller } from '#server/http/caller.ts';
import type { MoneyRight } from '../core/concessions.ts';
import { hasPermission, missesSecondFactor } from './require-permission.ts';
import type { Services } from '../core/services.ts';

/** Reads whether the caller currently has the permission for money. The service key always has it. */
export async function readMoneyRight(services: Services, caller: Caller): Promise<MoneyRight> {
  if (await hasPermission(services, caller, 'money')) return 'held';
  return (await missesSecondFactor(services, caller, 'money')) ? 'needs_second_factor' : 'missing';
}
