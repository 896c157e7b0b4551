import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { Principal } from './database.ts';
import type { Statement } from './pipeline.ts';
import { currentRequest } from './request-scope.ts';
import type { WorkClass } from './work-class.ts';

/**
 * Returns the work class of a caller's statement. The service key counts as staff. The class affects only the order of statements, never
 * rights.
 */
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
  const names: string[] = [];
  const values: string[] = [];
  const add = (name: string, value: string): void => {
    names.push(name);
    values.push(value);
  };
  const { settings } = principal;
  for (const name in settings) add(name, settings[name] ?? '');
  const requestId = currentRequest();
  // A read leaves no rows that could name its request.
  if (requestId !== null && settings?.['transaction_read_only'] !== 'on') add('request.id', requestId);
  add('request.jwt.claims', principal.claims);
  add('role', principal.role);
  return { text: textFor(names), values };
}

/** Statements by the names that they set; there are only a few roles and sets of settings. */
const texts = new LRUCache<string, string>({ max: 500 });

/** Returns the statement that sets these settings; the values are parameters. */
function textFor(names: readonly string[]): string {
  const key = names.join('\0');
  const cached = texts.get(key);
  if (cached !== undefined) return cached;
  const calls = names.map((name, index) => `set_config(${pg.escapeLiteral(name)}, $${index + 1}, true)`);
  // Returns one small column; otherwise each value would be sent back. Every argument of `||` is evaluated, in order.
  const text = `select octet_length(${calls.join(' || ')})`;
  texts.set(key, text);
  return text;
}
