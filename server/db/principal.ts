import type { Principal } from './database.ts';
import type { Statement } from './flight.ts';

/**
 * The statement that makes the rest of its transaction run as the caller. `set_config(…, true)` ends with the transaction,
 * so a pooled connection never keeps somebody's role. The role is set last: its holder could not set it back.
 */
export function becomePrincipal(principal: Principal): Statement {
  const settings: [string, string][] = [
    ...Object.entries(principal.settings ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ['request.jwt.claims', principal.claims],
    ['role', principal.role],
  ];
  const calls = settings.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true)`);
  return { text: `select ${calls.join(', ')}`, values: settings.flat() };
}
