import { expect, test, vi } from 'vitest';
import { readDays, readRooms } from './availability.ts';

type Row = Readonly<Record<string, string | null>>;
const answers = new Map<string, readonly Row[]>();
/** The studios that each query of the bookings was filtered by. */
const queried: unknown[] = [];
/** Creates a query that applies its filters, except the filter on studios. */
const createQuery = (table: string, keep: (row: Row) => boolean = () => true): object => {
  const and = (passes: (value: string, than: string) => boolean) => (column: string, than: string) =>
    createQuery(table, (row) => keep(row) && passes(row[column] ?? '', than));
  const answer = (_column: string, studios: unknown) => {
    if (table === 'bookings') queried.push(studios);
    return Promise.resolve({ data: (answers.get(table) ?? []).filter(keep), error: null });
  };
  return {
    neq: and((value, than) => value !== than),
    gte: and((value, than) => value >= than),
    lt: and((value, than) => value < than),
    gt: and((value, than) => value > than),
    eq: answer,
    in: answer,
  };
};
vi.mock('#web/data/rest.ts', () => ({ rest: { from: (table: string) => ({ select: () => createQuery(table) }) } }));

const read = (from: string, to: string, studios: readonly string[]) => readRooms(studios, { from, to }, null);
const booked = (studio: string, start: string, end: string): Row => ({
  studio_id: studio,
  start_time: `${start}:00:00.000Z`,
  end_time: `${end}:00:00.000Z`,
  status: 'confirmed',
  user_id: null,
});
const spans = (count: number): Row[] =>
  Array.from({ length: count }, (_, number) => booked(`room-${number}`, '2026-11-21T03', '2026-11-21T04'));

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
    ['2026-12-30', [['a'], ['b'], ['c']]],
  ] as const) {
    queried.length = 0;
    await read('2026-11-21', to, ['a', 'b', 'c']);
    expect(queried).toEqual(groups);
  }
});

test('more days than fit into one answer are read in parts, and what reaches from one part into the next is listed once', async () => {
  // The second request begins with New Year's Day in Sydney, 13:00 UTC.
  const all = [
    ['2026-12-31T11', '2026-12-31T12'],
    ['2026-12-31T12', '2026-12-31T14'],
    ['2026-12-31T14', '2026-12-31T15'],
  ] as const;
  answers.set(
    'bookings',
    all.map(([start, end]) => booked('a', start, end)),
  );
  queried.length = 0;
  const taken = await readDays('a', { from: '2026-11-22', to: '2027-01-20' }, null);
  answers.clear();
  expect(queried).toEqual(['a', 'a']);
  expect(taken.get('a')?.map(({ start }) => start.toISOString())).toEqual(all.map(([start]) => `${start}:00:00.000Z`));
});
