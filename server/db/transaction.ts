import type { Query, Transaction } from './database.ts';

/** Derives `one` from `query`. */
export function transactionOf(query: Query): Transaction {
  return {
    query,
    async one<R>(text: string, values: readonly unknown[] = []) {
      const { rows } = await query<R>(text, values);
      return rows[0] ?? null;
    },
  };
}
