import { expect, test } from 'vitest';
import type { Queryable, Row } from '#server/db/database.ts';
import { callJson, callRows, callSql } from './call-sql.ts';

const NOW = new Date('2031-01-01T00:00:00Z');

function answering(rows: readonly Row[]): { db: Queryable; calls: (readonly unknown[])[] } {
  const calls: (readonly unknown[])[] = [];
  const query = async (...call: readonly unknown[]): Promise<{ rows: never[]; count: number }> => {
    calls.push(call);
    return { rows: rows as never[], count: rows.length };
  };
  return { calls, db: { query, queryRow: async (...call) => (await query(...call)).rows[0] ?? null } };
}

test('a function is called with its arguments by name, in one text for each set of arguments', async () => {
  const { db, calls } = answering([{ value: true }]);
  expect(await callSql(db, 'is_blocked', { p_user: 'somebody', p_now: NOW })).toBe(true);
  await callSql(db, 'is_blocked', { p_user: null, p_now: NOW });
  const text = 'select private.is_blocked(p_user => $1, p_now => $2) as value';
  expect(calls).toEqual([
    [text, ['somebody', NOW]],
    [text, [null, NOW]],
  ]);
});

test('JSON is read by the given function, except null', async () => {
  const read = ({ id }: { readonly id: string }): string => id.toUpperCase();
  const args = { p_booking: 'a' };
  expect(await callJson(answering([{ value: { id: 'a' } }]).db, 'lock_booking', args, read)).toBe('A');
  expect(await callJson(answering([{ value: null }]).db, 'lock_booking', args, read)).toBeNull();
});

test('rows have the columns of the function', async () => {
  const { db, calls } = answering([{ id: 'a', token_hash: null }]);
  const args = { p_id: 'a', p_studio: 'b', p_hash: 'c', p_actor: null, p_now: NOW };
  expect(await callRows(db, 'open_calendar_feed', args)).toEqual([{ id: 'a', token_hash: null }]);
  expect(calls[0]?.[0]).toMatch(/^select \* from private\.open_calendar_feed\(p_id => \$1, .*, p_now => \$5\)$/);
});

/** Never called. Each line below must fail to compile; otherwise `@ts-expect-error` is itself an error. */
export async function callsThatDoNotCompile(db: Queryable): Promise<void> {
  // @ts-expect-error: no such function
  await callSql(db, 'is_locked', {});
  // @ts-expect-error: an argument is missing
  await callSql(db, 'is_blocked', { p_user: null });
  // @ts-expect-error: no such argument
  await callSql(db, 'is_blocked', { p_user: null, p_now: NOW, p_booking: null });
  // @ts-expect-error: a wrong type
  await callSql(db, 'is_blocked', { p_user: null, p_now: '2031-01-01' });
  // @ts-expect-error: its result is JSON
  await callSql(db, 'lock_booking', { p_booking: null });
  // @ts-expect-error: its result is a value
  await callRows(db, 'is_blocked', { p_user: null, p_now: NOW });
  // @ts-expect-error: an array is not a JSON object
  await callSql(db, 'set_room', { p_studio: null, p_room: ['a'], p_actor: null, p_now: NOW });
  await callSql(db, 'set_room', { p_studio: null, p_room: { name: 'A', from: NOW }, p_actor: null, p_now: NOW });
}
