import type { Query, Transaction } from './database.ts';

/** Derives `one` from `query`. */
export function toTransaction(query: Query): Transaction {
  return {
    query,
    async queryRow<R>(text: string, values: readonly unknown[] = []) {
      const { rows } = await query<R>(text, values);
      return rows[0] ?? null;
    },
  };
}
