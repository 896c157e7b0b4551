import { expect, test, vi } from 'vitest';
import { readRooms } from './availability.ts';

const answers = new Map<string, readonly object[]>();
/** The studios that each query of the bookings asked for. */
const asked: unknown[] = [];
/** A query whose filters change nothing. */
const answerOf = (table: string): object => ({
  ...Object.fromEntries(['neq', 'gte', 'lt', 'gt'].map((filter) => [filter, () => answerOf(table)])),
  in: (_column: string, studios: unknown) => {
    if (table === 'bookings') asked.push(studios);
    return Promise.resolve({ data: answers.get(table) ?? [], error: null });
  },
});
vi.mock('#web/data/rest.ts', () => ({ rest: { from: (table: string) => ({ select: () => answerOf(table) }) } }));

const read = (from: string, to: string, studios: readonly string[]) => readRooms(studios, { from, to }, null);
const spans = (count: number): object[] =>
  Array.from({ length: count }, (_, number) => ({
    studio_id: `room-${number}`,
    start_time: '2026-11-21T03:00:00Z',
    end_time: '2026-11-21T04:00:00Z',
    status: 'confirmed',
    user_id: null,
  }));

test.each(['bookings', 'closed_hours'])(
  'an answer of %s with a thousand rows is refused, because it may lack some',
  async (table) => {
    answers.set(table, spans(999));
    expect((await read('2026-11-21', '2026-11-22', ['a'])).size).toBe(999);
    answers.set(table, spans(1_000));
    await expect(read('2026-11-21', '2026-11-22', ['a'])).rejects.toThrow('may lack rows');
    answers.clear();
  },
);

test('as many rooms share a query as fit into one answer with every hour booked, and at least one', async () => {
  for (const [to, groups] of [
    ['2026-11-21', [['a', 'b', 'c']]],
    ['2026-12-05', [['a', 'b'], ['c']]],
    ['2027-01-31', [['a'], ['b'], ['c']]],
  ] as const) {
    asked.length = 0;
    await read('2026-11-21', to, ['a', 'b', 'c']);
    expect(asked).toEqual(groups);
  }
});
