import { splitStatements } from './statements.ts';

/** Finds statements of migrations that prevent others from using a table while they read or write all of its rows. */

type Rule = { readonly pattern: RegExp; readonly fault: string };

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
/** Captures whether an index is built concurrently, and its table. */
const INDEX = /^create (?:unique )?index (concurrently )?.*?\bon (?:only )?([\w.]+)/;

const TABLE = /^alter table (?:if exists )?(?:only )?([\w.]+)/;

/** Returns the tables that a script creates. */
export function getCreatedTables(sql: string): string[] {
  return splitStatements(sql).flatMap(({ text }) => /^create (?:unlogged )?table ([\w.]+)/i.exec(text)?.[1] ?? []);
}

/** Normalises a statement: lower case, on one line, without comments. */
export function toPlainStatement(text: string): string {
  return text.toLowerCase().replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
}

/** Returns the table that a plain statement alters; null for other statements. */
export const getAlteredTable = (statement: string): string | null => TABLE.exec(statement)?.[1] ?? null;

/** Returns the long locks of a normalised statement. `newTables`: tables without readers and with few rows. */
export function findLongLocks(statement: string, newTables: ReadonlySet<string>): string[] {
  const index = INDEX.exec(statement);
  if (index)
    return index[1] !== undefined || newTables.has(index[2] ?? '')
      ? []
      : ['builds an index under a lock: concurrently'];
  const table = getAlteredTable(statement);
  if (table === null || newTables.has(table)) return [];
  return LONG_LOCKS.filter(({ pattern }) => pattern.test(statement)).map(({ fault }) => fault);
}
