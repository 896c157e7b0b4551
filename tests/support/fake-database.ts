import type { Database } from '#server/db/database.ts';

type FakeDatabase = {
  queryRow<T>(text: string, values?: readonly unknown[]): Promise<T | null>;
  query<T>(text: string, values?: readonly unknown[]): Promise<{ rows: T[]; count: number }>;
};

/** Creates a database that answers every `one` with `row` and every `query` with no rows. `values`: the parameters of each statement. */
export function createFakeDatabase(row: unknown): { db: FakeDatabase; values: (readonly unknown[])[] } {
  const values: (readonly unknown[])[] = [];
  const db: FakeDatabase = {
    queryRow: async <T>(_text: string, given: readonly unknown[] = []) => {
      values.push(given);
      // Cast: the test determines the result of its statement.
      return row as T | null;
    },
    query: async (_text, given = []) => {
      values.push(given);
      return { rows: [], count: 0 };
    },
  };
  return { db, values };
}

type Values = readonly unknown[];
/** What statements read, by a part of their text: a row, a list of rows, null for none, or a function of the parameters that returns one of these. */
export type RowsByText = Readonly<Record<string, unknown>>;

/**
 * Creates a database that answers each statement with the rows of the first part that its text contains, and with none otherwise. Those of
 * a case come before those that all cases have. It records the statements. A statement that names nothing, such as a call of a function
 * without a name, is an error.
 */
export function createRowDatabase(...rows: readonly RowsByText[]): {
  readonly db: Database;
  readonly statements: { readonly text: string; readonly values: Values }[];
} {
  const parts = rows.flatMap((set) => Object.entries(set));
  const statements: { text: string; values: Values }[] = [];
  const read = (text: string, values: Values = []): unknown[] => {
    if (!/\w/.test(text) || /private\.\(/.test(text)) throw new Error(`This statement names nothing: ${text}`);
    statements.push({ text, values });
    const found = parts.find(([part]) => text.includes(part))?.[1] ?? null;
    const row: unknown = typeof found === 'function' ? found(values) : found;
    return row === null ? [] : [row].flat();
  };
  const db = {
    queryRow: async (text: string, values?: Values) => read(text, values)[0] ?? null,
    query: async (text: string, values?: Values) => ({ rows: read(text, values), count: 1 }),
    transaction: (work: (tx: unknown) => Promise<unknown>) => work(db),
  };
  // Cast: operations under test call no other function of the database, and the test determines what their statements read.
  return { db: db as unknown as Database, statements };
}
