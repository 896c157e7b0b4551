import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * The points of the operations at which the world may have changed: each lock, because data read before it may be outdated once the lock is
 * granted, and each call of a provider, because it takes seconds.
 */

/** SQL functions that wait for another transaction. */
const LOCKING =
  '(?:lock_booking|lock_order|hold_booking|begin_card_payment|begin_replacing|replace_attempt|next_payment_attempt)';
/** Statements that wait for another transaction, also inside an SQL function. */
export const LOCK = new RegExp(
  `\\bfor (?:no key )?update\\b|\\bfor (?:key )?share\\b|pg_advisory_xact_lock|private\\.${LOCKING}\\(`,
);
const LOCK_CALL = new RegExp(
  `\\block(?:Booking|Series|Payment|Profile|UnchangedProfile)\\((?:tx|services)|\\bcall(?:Sql|Json)\\(\\s*[\\w.]+,\\s*'${LOCKING}'`,
);
const PORT_CALL = /\b(payments|locks|store|idReader|checks|requireHostedChecks\(services\))\s*\??\.\s*(\w+)\(/;
/** These modules take locks on behalf of their callers, so the point belongs to the caller. */
const HELPERS = ['core/booking-rows', 'core/call-sql', 'payments/payment-rows', 'identity/profile'];
/** Methods of lists and maps whose variable has the name of a port. */
const OF_LISTS = ['map', 'clear', 'set', 'get', 'has', 'capacity'];
const FOLDER = 'server/operations';

/** Returns the name of a point: the file below server/operations, and what happens there. */
const formatName = (file: string, what: string): string => `${file} ${what}`;
const stripExtension = (path: string): string => path.replace(/\.ts$/, '');

/** Reads the points from the sources, with the number of times each occurs in its file. */
export function readPoints(root = process.cwd()): ReadonlyMap<string, number> {
  const points = new Map<string, number>();
  const add = (name: string): void => void points.set(name, (points.get(name) ?? 0) + 1);
  for (const path of globSync(`${root}/${FOLDER}/**/*.ts`, {
    exclude: (name) => name.endsWith('.test.ts'),
  }).toSorted()) {
    const file = stripExtension(relative(`${root}/${FOLDER}`, path));
    if (HELPERS.includes(file) || file.endsWith('.test')) continue;
    const text = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    for (const _ of text.matchAll(new RegExp(`${LOCK.source}|${LOCK_CALL.source}`, 'g'))) add(formatName(file, 'lock'));
    for (const [, port = '', call = ''] of text.matchAll(new RegExp(PORT_CALL.source, 'g')))
      if (!OF_LISTS.includes(call) || port === 'store')
        add(formatName(file, `${port.startsWith('require') ? 'checks' : port}.${call}`));
  }
  return points;
}

/** Returns the name of the current point, from the innermost operation on the stack, or null outside of operations. */
export function currentPoint(what: string): string | null {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const stack = new Error('the stack').stack ?? '';
  Error.stackTraceLimit = before;
  for (const [, file = ''] of stack.matchAll(/server\/operations\/([\w/-]+)\.ts/g))
    if (!HELPERS.includes(file)) return formatName(file, what);
  return null;
}
