import { beforeEach, expect, test } from 'vitest';
import type { Transaction } from './database.ts';
import { withRollback } from './roll-back.ts';

/** A transaction that only records how it ended. */
let ends: string[] = [];
beforeEach(() => {
  ends = [];
});
async function begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  const never = (): Promise<never> => Promise.reject(new Error('not asked in this test'));
  try {
    const outcome = await work({ query: never, queryRow: never });
    ends.push('commit');
    return outcome;
  } catch (error) {
    ends.push('rollback');
    throw error;
  }
}

test('work that returns is committed', async () => {
  expect(await withRollback(begin, () => Promise.resolve('done'))).toBe('done');
  expect(ends).toEqual(['commit']);
});

test('work that throws what rollBack returns is rolled back, and its value is returned', async () => {
  const undone = withRollback<string | null>(begin, (_tx, rollBack) => {
    throw rollBack(null);
  });
  expect(await undone).toBeNull();
  expect(ends).toEqual(['rollback']);
});

test('an error stays an error, also after a rollBack that was not thrown', async () => {
  const failing = withRollback(begin, (_tx, rollBack: (value: string) => Error) => {
    rollBack('unused');
    throw new Error('down');
  });
  await expect(failing).rejects.toThrow('down');
  expect(ends).toEqual(['rollback']);
});
