import { describe, expect, test } from 'vitest';
import { DatabaseBusy, DatabaseError } from '#server/db/database.ts';
import type { Member } from '../core/token.ts';
import { evaluateConditions } from './evaluate-conditions.ts';
import type { Change } from './outbox.ts';

const TABLE = { schema: 'public', name: 'item' };
const GUEST: Member = { token: '', role: 'anon', claims: {}, identity: 'anon', sessionId: null, expiresAt: 0 };
const CHANGE: Change = {
  id: 1,
  relation: '1',
  kind: 'INSERT',
  record: { id: '1' },
  oldRecord: null,
  at: new Date('2026-12-09T00:00:00Z'),
};
const stopped = (): DatabaseError => new DatabaseError({ code: '57014', message: 'stopped' });

/** Evaluates the filters `expensive` and `cheap`. `fails` returns the error of a statement, given its conditions. */
function evaluate(fails: (conditions: string) => Error | null) {
  const as = async <R>(_principal: unknown, text: string): Promise<{ rows: R[]; count: number }> => {
    const conditions = [...text.matchAll(/coalesce\((\w+), false\)/g)].map(([, condition]) => condition ?? '');
    const error = fails(conditions.join(' '));
    if (error) throw error;
    // Cast: the function under test selects one column of this shape.
    return { rows: [{ results: [conditions.map(() => true)] } as R], count: 1 };
  };
  const context = { db: { as, inClass: () => ({ as }) }, log: { warn: () => undefined } };
  const conditions = new Map([
    ['expensive', GUEST],
    ['cheap', GUEST],
  ]);
  return evaluateConditions(context, TABLE, [CHANGE], conditions);
}

describe('conditions of filters', () => {
  test('a condition that is stopped alone, while another is not, is slow, and the other one counts', async () => {
    const { holds, slow } = await evaluate((conditions) => (conditions.includes('expensive') ? stopped() : null));
    expect([...slow]).toEqual(['expensive']);
    expect([holds(CHANGE, 'expensive'), holds(CHANGE, 'cheap')]).toEqual([false, true]);
  });

  test('no condition is slow when a statement without one is stopped too', async () => {
    await expect(evaluate(() => stopped())).rejects.toThrow('stopped');
  });

  test('a condition that the database refuses matches nothing and is not slow', async () => {
    const refused = new DatabaseError({ code: '22P02', message: 'invalid' });
    const { holds, slow } = await evaluate((conditions) => (conditions.includes('expensive') ? refused : null));
    expect([...slow]).toEqual([]);
    expect([holds(CHANGE, 'expensive'), holds(CHANGE, 'cheap')]).toEqual([false, true]);
  });

  test.each([
    ['busy', new DatabaseBusy(1)],
    ['out of reach', new DatabaseError({ code: '08006', message: 'lost' })],
  ])('nothing is decided while the database is %s', async (_title, error) => {
    const evaluating = evaluate((conditions) => (conditions === 'expensive cheap' ? stopped() : error));
    await expect(evaluating).rejects.toBe(error);
  });
});
