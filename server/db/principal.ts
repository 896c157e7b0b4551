import type { Principal } from './database.ts';
import type { Statement } from './pipeline.ts';
import { currentRequest } from './request-scope.ts';
import type { WorkClass } from './work-class.ts';

/** Returns whose work a caller's statement is. The service key counts as staff. This decides about turns only, never about rights. */
export function classOfPrincipal(
  { role, caller }: Principal,
  isStaff: (caller: string) => boolean = () => false,
): WorkClass {
  if (role === 'anon') return 'guest';
  return role === 'service_role' || (caller !== undefined && isStaff(caller)) ? 'staff' : 'customer';
}

/**
 * Returns the statement that makes the rest of its transaction run as the caller. `set_config(…, true)` ends with the transaction, so a
 * pooled connection never keeps a role. The role is set last: from then on only the caller's rights apply.
 */
export function becomePrincipal(principal: Principal): Statement {
  const values: string[] = [];
  const { settings } = principal;
  for (const name in settings) values.push(name, settings[name] ?? '');
  const requestId = currentRequest();
  // A read leaves nothing behind that could name its request.
  if (requestId !== null && settings?.['transaction_read_only'] !== 'on') values.push('request.id', requestId);
  values.push('request.jwt.claims', principal.claims, 'role', principal.role);
  return { text: textFor(values.length / 2), values };
}

const texts = new Map<number, string>();

/** The statement for this number of settings; names and values are parameters. */
function textFor(count: number): string {
  const cached = texts.get(count);
  if (cached !== undefined) return cached;
  const calls = Array.from({ length: count }, (_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, true)`);
  // One small column: each value would travel back otherwise. Every argument of `||` is evaluated, in order.
  const text = `select octet_length(${calls.join(' || ')})`;
  texts.set(count, text);
  return text;
}
