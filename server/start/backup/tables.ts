import { createHash } from 'node:crypto';
import type { BackupRecord, BackupSums } from './records.ts';

/** Runs one statement with the rights of the tables' owner. */
export type Sql = (text: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

const BATCH = 1_000;
/** All tables but the records of the schema, what ends with the process or the connection, and uploads in progress. */
const TABLES = `
select format('%I.%I', n.nspname, c.relname) as name,
  (select string_agg(format('%I', a.attname), ', ' order by a.attnum) from pg_attribute a
   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname in ('public', 'auth', 'private', 'storage')
  and (n.nspname, c.relname) not in (('private', 'migrations'), ('private', 'code_object'), ('storage', 'uploads'), ('storage', 'upload_parts'), ('storage', 'deletion_queue'))
order by 1`;
/** Every database has a password of its own for its logins. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([['private.settings', `where t.name <> 'login_password'`]]);

type Table = { readonly name: string; readonly columns: string };

async function tablesOf(sql: Sql): Promise<readonly Table[]> {
  return (await sql(TABLES)).map(({ name, columns }) => ({ name: String(name), columns: String(columns) }));
}

/** Adds up the hashes of rows, so that their order does not matter. */
function createSum() {
  let rows = 0;
  const sum = new BigUint64Array(4);
  return {
    add(text: string): void {
      rows += 1;
      const hash = createHash('sha256').update(text).digest();
      for (let at = 0; at < 4; at += 1) sum[at] = BigInt.asUintN(64, (sum[at] ?? 0n) + hash.readBigUInt64BE(at * 8));
    },
    value: () => ({ rows, sum: [...sum].map((part) => part.toString(16).padStart(16, '0')).join('') }),
  };
}

/** Reads all rows inside a transaction that sees one moment. Fills `sums`. */
export async function* dumpTables(
  sql: Sql,
  sums: Record<string, { rows: number; sum: string }>,
): AsyncGenerator<BackupRecord> {
  for (const { name } of await tablesOf(sql)) {
    const sum = createSum();
    await sql(`declare dump no scroll cursor for select t::text as row from ${name} t ${LEFT_OUT.get(name) ?? ''}`);
    for (;;) {
      const rows = (await sql(`fetch ${BATCH} from dump`)).map(({ row }) => String(row));
      if (rows.length === 0) break;
      for (const row of rows) sum.add(row);
      yield { head: { kind: 'rows', table: name }, body: Buffer.from(JSON.stringify(rows)) };
    }
    await sql('close dump');
    sums[name] = sum.value();
  }
  const sequences = await sql(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
     where schemaname in ('public', 'auth', 'private', 'storage') and last_value is not null`,
  );
  yield { head: { kind: 'sequences' }, body: Buffer.from(JSON.stringify(sequences)) };
}

/** Reads the rows of a database again and returns their sums. */
export async function sumTables(sql: Sql): Promise<BackupSums['tables']> {
  const sums: Record<string, { rows: number; sum: string }> = {};
  for await (const record of dumpTables(sql, sums)) void record;
  return sums;
}

const FOREIGN_KEYS = `
select format('alter table %s alter constraint %I', c.conrelid::regclass, c.conname) as change,
  case when c.condeferred then 'deferrable initially deferred' when c.condeferrable then 'deferrable initially immediate' else 'not deferrable' end as before
from pg_constraint c join pg_namespace n on n.oid = c.connamespace
where c.contype = 'f' and c.conparentid = 0 and n.nspname in ('public', 'auth', 'private', 'storage')`;

/** Prepares an empty, migrated database for rows in any order: nothing but constraints acts on them. Returns what ends that. */
export async function beginLoading(sql: Sql): Promise<() => Promise<void>> {
  const tables = await tablesOf(sql);
  const keys = (await sql(FOREIGN_KEYS)).map(({ change, before }) => ({
    change: String(change),
    before: String(before),
  }));
  for (const { name } of tables) await sql(`alter table ${name} disable trigger user`);
  for (const { change } of keys) await sql(`${change} deferrable initially deferred`);
  const [password] = await sql(`select value::text as value from private.settings where name = 'login_password'`);
  await sql(`truncate ${tables.map(({ name }) => name).join(', ')} cascade`);
  if (password)
    await sql(`insert into private.settings (name, value) values ('login_password', $1::jsonb)`, [password['value']]);
  return async () => {
    await sql('set constraints all immediate');
    for (const { change, before } of keys) await sql(`${change} ${before}`);
    for (const { name } of tables) await sql(`alter table ${name} enable trigger user`);
  };
}

/** Writes the rows of one record. */
export async function loadRows(sql: Sql, table: string, rows: readonly string[]): Promise<void> {
  const found = (await tablesOf(sql)).find(({ name }) => name === table);
  if (!found) throw new Error(`the backup has the table ${table}, which this version does not know`);
  const columns = found.columns.split(', ');
  await sql(
    `insert into ${table} (${found.columns}) overriding system value
     select ${columns.map((column) => `(r).${column}`).join(', ')} from (select unnest($1::text[])::${table} as r) x`,
    [rows],
  );
}

export async function loadSequences(sql: Sql, sequences: readonly { name: string; value: string }[]): Promise<void> {
  for (const { name, value } of sequences) await sql('select setval($1::regclass, $2::bigint)', [name, value]);
}
