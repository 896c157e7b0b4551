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

/**
 * Runs `work` in a transaction that is always rolled back, and returns its result. `begin` starts the transaction: it must roll back when
 * the function it gets throws.
 */
export async function rolledBack<T>(
  begin: (work: (tx: Transaction) => Promise<never>) => Promise<never>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const undo = new Undo();
  let outcome: { readonly result: T } | null = null;
  try {
    return await begin(async (tx) => {
      outcome = { result: await work(tx) };
      throw undo;
    });
  } catch (error) {
    if (error !== undo || outcome === null) throw error;
    // TypeScript does not see the assignment in the callback.
    return (outcome as { readonly result: T }).result;
  }
}

/** Thrown to end a transaction with a rollback. */
class Undo extends Error {
  override readonly name = 'Undo';
}
