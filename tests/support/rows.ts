import { openMigratedDatabase } from './image.ts';

type Values = Readonly<Record<string, unknown>>;
export type Row = Record<string, unknown>;
/** Why PostgreSQL refused a statement. */
export type Refusal = { readonly code: string; readonly constraint: string; readonly message: string };

/** The statements of one transaction, which is undone when its test ends. */
export type Rows = {
  /** Runs a statement and answers its rows. */
  ask<R = Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
  /** Runs a statement and answers the first value of its first row. */
  value(text: string, values?: readonly unknown[]): Promise<unknown>;
  /** Adds a row; the values are read as JSON reads them. Answers the row as it was stored. */
  add(table: string, values: Values): Promise<Row>;
  /** Runs something and undoes it: the refusal, or null when nothing was refused. */
  refusal(work: () => Promise<unknown>): Promise<Refusal | null>;
  /** Sets the claims that the auth functions read, until the test ends; null: nobody. */
  act(claims: Values | null): Promise<void>;
};

/** A fixed id with this number in it. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

class Undo extends Error {}

export type TestRows = {
  /** Runs a test in a transaction of its own and undoes everything. */
  undone(work: (rows: Rows) => Promise<void>): Promise<void>;
  close(): Promise<void>;
};

/** Opens a migrated embedded database whose tests see nothing of each other. */
export async function openRows(): Promise<TestRows> {
  const db = await openMigratedDatabase();
  return {
    close: () => db.close(),
    async undone(work) {
      const run = db.transaction(async (tx) => {
        await work(rowsOf((text, values) => tx.query<Row>(text, values).then(({ rows }) => rows)));
        throw new Undo();
      });
      await run.catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error;
      });
    },
  };
}

function rowsOf(query: (text: string, values?: readonly unknown[]) => Promise<Row[]>): Rows {
  const ask = async <R>(text: string, values?: readonly unknown[]): Promise<R[]> => (await query(text, values)) as R[];
  return {
    ask,
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
    async act(claims) {
      await query(`select set_config('request.jwt.claims', $1, true)`, [claims === null ? '' : JSON.stringify(claims)]);
    },
  };
}
