import { createHash } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import type { BackupRecord, BackupSums, TableSum } from './records.ts';

const BATCH = 1_000;
/**
 * Lists all tables except the records of the schema, data that ends with a process or a connection, and uploads in progress. `columns`: the
 * columns that can be written. `fields`: the same columns of a row `r`.
 */
const TABLES = `
select format('%I.%I', n.nspname, c.relname) as name, columns, fields
from pg_class c join pg_namespace n on n.oid = c.relnamespace, lateral (
  select string_agg(format('%I', a.attname), ', ' order by a.attnum) as columns,
    string_agg(format('(r).%I', a.attname), ', ' order by a.attnum) as fields
  from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') a
where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname in ('public', 'auth', 'private', 'storage')
  and (n.nspname, c.relname) not in (('private', 'migrations'), ('private', 'code_object'), ('storage', 'uploads'), ('storage', 'upload_parts'), ('storage', 'deletion_queue'))
order by 1`;
/** Every database has its own password for its logins, so it is not copied. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([['private.settings', `where t.name <> 'login_password'`]]);

type Table = { readonly name: string; readonly columns: string; readonly fields: string };
export type Sequence = { readonly name: string; readonly value: string };

/** The settings that determine the text of a row. */
const TEXT_SETTINGS = [
  `set local timezone to 'UTC'`,
  `set local datestyle to 'ISO, MDY'`,
  `set local intervalstyle to 'iso_8601'`,
  `set local bytea_output to 'hex'`,
  'set local extra_float_digits to 1',
];

/** Adds up the hashes of rows, so that the order of the rows does not matter. */
function createSum() {
  let count = 0;
  const sum = new BigUint64Array(4);
  return {
    add(rows: readonly string[]): void {
      count += rows.length;
      for (const row of rows) {
        const hash = createHash('sha256').update(row).digest();
        for (let index = 0; index < 4; index += 1)
          sum[index] = BigInt.asUintN(64, (sum[index] ?? 0n) + hash.readBigUInt64BE(index * 8));
      }
    },
    value: (): TableSum => ({ rows: count, sum: [...sum].map((part) => part.toString(16).padStart(16, '0')).join('') }),
  };
}

/** Reads all rows in a transaction that sees a single snapshot. Returns the sums of the tables. */
export async function* dumpTables(tx: Transaction): AsyncGenerator<BackupRecord, BackupSums['tables']> {
  for (const setting of TEXT_SETTINGS) await tx.query(setting);
  const sums = new Map<string, TableSum>();
  for (const { name } of (await tx.query<Table>(TABLES)).rows) {
    const sum = createSum();
    await tx.query(
      `declare dump no scroll cursor for select t::text as row from ${name} t ${LEFT_OUT.get(name) ?? ''}`,
    );
    for (;;) {
      const rows = (await tx.query<{ row: string }>(`fetch ${BATCH} from dump`)).rows.map(({ row }) => row);
      if (rows.length === 0) break;
      sum.add(rows);
      yield { head: { kind: 'rows', table: name }, body: Buffer.from(JSON.stringify(rows)) };
    }
    await tx.query('close dump');
    sums.set(name, sum.value());
  }
  const { rows: sequences } = await tx.query<Sequence>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
     where schemaname in ('public', 'auth', 'private', 'storage') and last_value is not null`,
  );
  yield { head: { kind: 'sequences' }, body: Buffer.from(JSON.stringify(sequences)) };
  return Object.fromEntries(sums);
}

/** Reads the rows of a database again and returns their sums. */
export async function sumTables(tx: Transaction): Promise<BackupSums['tables']> {
  const records = dumpTables(tx);
  for (;;) {
    const { done, value } = await records.next();
    if (done) return value;
  }
}

const FOREIGN_KEYS = `
select format('alter table %s alter constraint %I', c.conrelid::regclass, c.conname) as change,
  case when c.condeferred then 'deferrable initially deferred' when c.condeferrable then 'deferrable initially immediate' else 'not deferrable' end as before
from pg_constraint c join pg_namespace n on n.oid = c.connamespace
where c.contype = 'f' and c.conparentid = 0 and n.nspname in ('public', 'auth', 'private', 'storage')`;

/** Writes rows into a database. Call `finish` after the last row. */
export type Loader = {
  rows(table: string, rows: readonly string[]): Promise<void>;
  sequences(sequences: readonly Sequence[]): Promise<void>;
  finish(): Promise<void>;
};

/**
 * Prepares a migrated database for rows in any order: triggers do not run, only constraints apply. Loading replaces all rows, so this
 * throws if the database has been used.
 */
export async function beginLoading(tx: Transaction): Promise<Loader> {
  const { count: used } = await tx.query('select from auth.users union all select from private.booking limit 1');
  if (used > 0) throw new Error('the database is not empty; restore into a new one');
  for (const setting of TEXT_SETTINGS) await tx.query(setting);
  const { rows: tables } = await tx.query<Table>(TABLES);
  const { rows: keys } = await tx.query<{ change: string; before: string }>(FOREIGN_KEYS);
  for (const { name } of tables) await tx.query(`alter table ${name} disable trigger user`);
  for (const { change } of keys) await tx.query(`${change} deferrable initially deferred`);
  const others = tables.filter(({ name }) => name !== 'private.settings').map(({ name }) => name);
  await tx.query(`delete from private.settings where name <> 'login_password'`);
  await tx.query(`truncate ${others.join(', ')} cascade`);
  return {
    async rows(name, rows) {
      const table = tables.find((each) => each.name === name);
      if (!table) throw new Error(`the backup has the table ${name}, which this version does not know`);
      await tx.query(
        `insert into ${name} (${table.columns}) overriding system value
         select ${table.fields} from (select unnest($1::text[])::${name} as r) x`,
        [rows],
      );
    },
    async sequences(sequences) {
      for (const { name, value } of sequences) await tx.query('select setval($1::regclass, $2::bigint)', [name, value]);
    },
    async finish() {
      await tx.query('set constraints all immediate');
      for (const { change, before } of keys) await tx.query(`${change} ${before}`);
      for (const { name } of tables) await tx.query(`alter table ${name} enable trigger user`);
    },
  };
}
