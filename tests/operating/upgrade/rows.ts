import pg from 'pg';
import { openDatabase } from '#server/start/open-database.ts';
import { toConfig, type StatePlace } from './state-server.ts';

export type Rows = (text: string) => Promise<readonly Record<string, unknown>[]>;

/** The columns of a table, and the number and the hash of its rows in these columns. */
export type TableRows = { readonly columns: string; readonly count: number; readonly hash: string };

/** Settings on which the text of a row depends. */
const SAME_TEXT = [
  `set local timezone to 'UTC'`,
  `set local datestyle to 'ISO, MDY'`,
  `set local intervalstyle to 'iso_8601'`,
  `set local bytea_output to 'hex'`,
];
const TABLES = `
select c.oid::regclass::text as name,
  (select string_agg(quote_ident(a.attname), ', ' order by a.attname) from pg_attribute a
   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname in ('auth', 'storage', 'private', 'public', 'rest', 'realtime') order by 1`;

/** Opens a database with this program, which migrates it, and calls `work` with the rights of its owner. */
export async function openAsOwner<T>(place: StatePlace, work: (rows: Rows) => Promise<T>): Promise<T> {
  const quiet = (): void => undefined;
  const db = await openDatabase(toConfig(place), { report: quiet, warn: quiet, limits: { server: null } });
  try {
    if (place.databaseUrl !== null) return await readAsOwner(place.databaseUrl, work);
    return await db.transaction(async (tx) => {
      for (const setting of SAME_TEXT) await tx.query(setting);
      return work(async (text) => (await tx.query(text)).rows);
    });
  } finally {
    await db.close();
  }
}

async function readAsOwner<T>(url: string, work: (rows: Rows) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(['begin', ...SAME_TEXT].join(';'));
    return await work(async (text) => (await client.query<Record<string, unknown>>(text)).rows);
  } finally {
    await client.end();
  }
}

/** Reads the rows of all tables. */
export async function readRows(rows: Rows): Promise<Record<string, TableRows>> {
  const found: Record<string, TableRows> = {};
  for (const { name, columns } of await rows(TABLES))
    found[String(name)] = await readTable(rows, String(name), String(columns));
  return found;
}

/** Reads the rows of tables that were read before, in the columns that they had then. Fails if one is missing. */
export async function readRowsAgain(
  rows: Rows,
  before: Readonly<Record<string, TableRows>>,
): Promise<Record<string, TableRows>> {
  const found: Record<string, TableRows> = {};
  for (const [name, { columns }] of Object.entries(before)) found[name] = await readTable(rows, name, columns);
  return found;
}

async function readTable(rows: Rows, name: string, columns: string): Promise<TableRows> {
  const [row] = await rows(
    `select count(*)::int as count, md5(coalesce(string_agg(line, e'\\n' order by line collate "C"), '')) as hash
     from (select row(${columns})::text as line from ${name}) lines`,
  );
  return { columns, count: Number(row?.['count']), hash: String(row?.['hash']) };
}
