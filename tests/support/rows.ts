import pg from 'pg';
import { withRollback } from '#server/db/roll-back.ts';
import { decodeValue, encodeValue } from '#server/db/values.ts';
import { recordFunctions } from './databases/executed-functions.ts';
import { openMigratedDatabase } from './image.ts';

type Values = Readonly<Record<string, unknown>>;
export type Row = Record<string, unknown>;
/** The error with which PostgreSQL refused a statement. */
type Refusal = { readonly code: string; readonly constraint: string; readonly message: string };

/** Statements in one transaction, which is rolled back when its test ends. */
export type Rows = {
  /** Runs a statement and returns its rows. */
  query<R = Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
  /** Runs a statement and returns the first value of its first row. */
  value(text: string, values?: readonly unknown[]): Promise<unknown>;
  /** Adds a row from JSON values. Returns the stored row. */
  add(table: string, values: Values): Promise<Row>;
  /** Runs `work` and rolls it back. Returns the error, or null if there was none. */
  refusal(work: () => Promise<unknown>): Promise<Refusal | null>;
  /** Sets the claims that the auth functions read until the test ends. Null means that there is no caller. */
  setClaims(claims: Values | null): Promise<void>;
};

/** Returns a fixed id that contains this number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export type TestRows = {
  /** Runs a test in its own transaction and rolls it back. */
  rolledBack(work: (rows: Rows) => Promise<void>): Promise<void>;
  close(): Promise<void>;
};

type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** All test files of this process share one database, because opening it takes longer than most of them. It closes with the process. */
let shared: ReturnType<typeof openMigratedDatabase> | null = null;

/** Opens a migrated embedded database in which tests are isolated from each other's rows. */
export async function openRows(): Promise<TestRows> {
  // Mutation tests pass a faulty database on a PostgreSQL server, where databases are created and queried many times faster.
  const faulty = process.env['TEST_DATABASE_TEMPLATE'];
  if (faulty) return openServerRows(faulty);
  shared ??= openMigratedDatabase();
  const db = await shared;
  return {
    close: () => recordFunctions(db.query),
    async rolledBack(work) {
      await withRollback<void>(db.transaction, async (tx, rollBack) => {
        await work(createRows((text, values) => tx.query<Row>(text, values).then(({ rows }) => rows)));
        throw rollBack();
      });
    },
  };
}

/** Like `openRows`, but for a migrated database on a PostgreSQL server. Encodes and decodes values as our server does. */
async function openServerRows(url: string): Promise<TestRows> {
  const types = { getTypeParser: (oid: number) => (text: string) => decodeValue(oid, text) };
  const client = new pg.Client({
    connectionString: url,
    // Compiling a plan takes longer than reading these few rows.
    options: '-c jit=off',
    types: types as pg.CustomTypesConfig,
  });
  await client.connect();
  const query: Query = (text, values = []) => client.query<Row>(text, values.map(encodeValue)).then(({ rows }) => rows);
  return {
    close: () => client.end(),
    async rolledBack(work) {
      await query('begin');
      try {
        await work(createRows(query));
      } finally {
        await query('rollback');
      }
    },
  };
}

function createRows(query: Query): Rows {
  const queryAs = async <R>(text: string, values?: readonly unknown[]): Promise<R[]> =>
    // The caller determines the type of its rows.
    (await query(text, values)) as R[];
  return {
    query: queryAs,
    async value(text, values) {
      const [row] = await query(text, values);
      return row === undefined ? undefined : Object.values(row)[0];
    },
    async add(table, values) {
      const columns = Object.keys(values).map((name) => `"${name}"`);
      const [row] = await query(
        `insert into ${table} (${columns.join(', ')})
         select ${columns.join(', ')} from jsonb_populate_record(null::${table}, $1::jsonb) returning *`,
        [JSON.stringify(values)],
      );
      return row ?? {};
    },
    async refusal(work) {
      await query('savepoint refusal');
      try {
        await work();
        return null;
      } catch (error) {
        const { code = '', constraint = '', message = '' } = error as Partial<Refusal>;
        return { code, constraint, message };
      } finally {
        await query('rollback to savepoint refusal');
      }
    },
    async setClaims(claims) {
      await query(`select set_config('request.jwt.claims', $1, true)`, [claims === null ? '' : JSON.stringify(claims)]);
    },
  };
}
