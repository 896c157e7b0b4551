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
