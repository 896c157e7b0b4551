import type { Result, Transaction } from './database.ts';

/**
 * Runs `work` in a transaction that `work` may roll back on purpose, with `throw rollBack(value)`. Returns that value, or the result of
 * `work` if it commits. `begin` starts the transaction, such as `db.transaction`.
 */
export async function withRollback<T>(
  begin: (work: (tx: Transaction) => Promise<T>) => Promise<T>,
  work: (tx: Transaction, rollBack: (value: T) => Error) => Promise<T>,
): Promise<T> {
  const rolledBack: { by: { readonly signal: Error; readonly value: T } | null } = { by: null };
  const rollBack = (value: T): Error => {
    const signal = new Error('the transaction is rolled back on purpose');
    rolledBack.by = { signal, value };
    return signal;
  };
  try {
    return await begin((tx) => work(tx, rollBack));
  } catch (error) {
    if (rolledBack.by === null || error !== rolledBack.by.signal) throw error;
    return rolledBack.by.value;
  }
}

/** Runs one statement and rolls it back. Returns its result. */
export function queryAndRollBack<R>(
  begin: (work: (tx: Transaction) => Promise<Result<R>>) => Promise<Result<R>>,
  text: string,
  values: readonly unknown[],
): Promise<Result<R>> {
  return withRollback(begin, async (tx, rollBack) => {
    throw rollBack(await tx.query<R>(text, values));
  });
}
