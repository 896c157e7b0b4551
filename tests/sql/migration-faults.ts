import { findLongLocks, getAlteredTable, toPlainStatement } from '#server/db/schema/long-locks.ts';
import { splitStatements } from '#server/db/schema/statements.ts';

/**
 * Finds statements of a migration that would break servers of the last release, or block all users while they run. A server of the last
 * release serves requests during and after the migration, and may be restarted.
 */

type Rule = { readonly pattern: RegExp; readonly fault: string };

/** Statements that remove something. */
const REMOVALS: readonly Rule[] = [
  { pattern: /^drop (?:table|view|type|function|schema|sequence)\b/, fault: 'drops what the last release may use' },
  { pattern: /^alter table\b.*\bdrop (?:column|constraint)\b/, fault: 'drops what the last release may use' },
  { pattern: /^alter\b.*\brename\b/, fault: 'renames what the last release may use' },
];
/** Marks a statement as allowed. The words after the colon give the reason. */
const ALLOWED = /^-- Allowed: \S+/m;

/**
 * Returns a sentence for each fault of a migration. `newTables` are the tables that no released migration has created, which have few rows
 * and no readers. A comment `-- Allowed: why` before a statement allows it, for example for a table that stays small or a column that the
 * last release does not know.
 */
export function findMigrationFaults(sql: string, newTables: ReadonlySet<string>): string[] {
  return splitStatements(sql).flatMap(({ comment, text }) => {
    if (ALLOWED.test(comment)) return [];
    const statement = toPlainStatement(text);
    const faults = [...findRemovals(statement, newTables), ...findLongLocks(statement, newTables)];
    return faults.map((fault) => `${statement.slice(0, 60)}: ${fault}`);
  });
}

function findRemovals(statement: string, newTables: ReadonlySet<string>): string[] {
  const table = getAlteredTable(statement);
  if (table !== null && newTables.has(table)) return [];
  return REMOVALS.filter(({ pattern }) => pattern.test(statement)).map(({ fault }) => fault);
}
