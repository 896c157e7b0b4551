import { splitStatements } from '#server/db/schema/statements.ts';

/**
 * Finds statements of a migration that would break servers of the last release, or stop everybody while they run. A server of the last release serves while
 * the migration runs and after it, and may be started again.
 */

type Rule = { readonly pattern: RegExp; readonly fault: string };

/** Statements that take something away. */
const REMOVALS: readonly Rule[] = [
  { pattern: /^drop (?:table|view|type|function|schema|sequence)\b/, fault: 'drops what the last release may use' },
  { pattern: /^alter table\b.*\bdrop (?:column|constraint)\b/, fault: 'drops what the last release may use' },
  { pattern: /^alter\b.*\brename\b/, fault: 'renames what the last release may use' },
];
/** Statements that keep a table locked while PostgreSQL reads or writes all of its rows. */
const LONG_LOCKS: readonly Rule[] = [
  {
    pattern: /\badd (?:constraint \w+ )?(?:check|foreign key)\b(?!.*\bnot valid$)/,
    fault: 'checks all rows under a lock: add it `not valid`, and validate it in a later migration',
  },
  {
    pattern: /\badd (?:constraint \w+ )?(?:unique|primary key)\b(?!.*\busing index\b)/,
    fault: 'builds an index under a lock: create the index first, and add the constraint `using index`',
  },
  { pattern: /\badd (?:constraint \w+ )?exclude\b/, fault: 'builds an index under a lock' },
  {
    pattern: /\balter (?:column )?\w+ set not null\b/,
    fault: 'reads all rows under a lock: validate a check `is not null` first',
  },
  {
    pattern: /\balter (?:column )?\w+ (?:set data )?type\b/,
    fault: 'may write all rows under a lock: add another column',
  },
  {
    pattern: /\badd (?:column )?(?!constraint\b)\w+ .*\bgenerated always as \(.*\) stored\b/,
    fault: 'writes all rows under a lock',
  },
  {
    pattern:
      /\badd (?:column )?(?!constraint\b)\w+ .*\bdefault (?:\w+\.)?(?:gen_random_uuid|clock_timestamp|random|nextval)\(/,
    fault: 'writes all rows under a lock: add the column first, and its default afterwards',
  },
];
const INDEX = /^create (?:unique )?index (concurrently )?.*?\bon (?:only )?([\w.]+)/;

/** Marks a statement that is allowed; the words after it say why. */
const ALLOWED = /^-- Allowed: \S+/m;

/** Returns the tables that a script creates. */
export function getCreatedTables(sql: string): string[] {
  return splitStatements(sql).flatMap(({ text }) => /^create (?:unlogged )?table ([\w.]+)/i.exec(text)?.[1] ?? []);
}

/**
 * Returns a sentence for each fault of a migration. `newTables`: those that no released migration has created, which have few rows and no readers. A comment
 * `-- Allowed: why` before a statement allows it, for example for a table that stays small or a column that the last release does not know.
 */
export function findMigrationFaults(sql: string, newTables: ReadonlySet<string>): string[] {
  return splitStatements(sql).flatMap(({ comment, text }) => {
    const statement = text.toLowerCase().replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
    if (ALLOWED.test(comment)) return [];
    const faults = findFaults(statement, newTables);
    return faults.map((fault) => `${statement.slice(0, 60)}: ${fault}`);
  });
}

function findFaults(statement: string, newTables: ReadonlySet<string>): string[] {
  const index = INDEX.exec(statement);
  if (index)
    return index[1] !== undefined || newTables.has(index[2] ?? '')
      ? []
      : ['builds an index under a lock: concurrently'];
  const altered = /^alter table (?:if exists )?(?:only )?([\w.]+)/.exec(statement)?.[1];
  const rules = altered === undefined ? REMOVALS : newTables.has(altered) ? [] : [...REMOVALS, ...LONG_LOCKS];
  return rules.filter(({ pattern }) => pattern.test(statement)).map(({ fault }) => fault);
}
