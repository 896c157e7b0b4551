import { expect, test } from 'vitest';
import { draftOf } from './draft.ts';

const studio = { id: '5a000000-0000-4000-8000-00000000000a', name: 'Studio A' };

test('a selection over midnight goes to checkout as instants and dollars', () => {
  const draft = draftOf(studio, [
    { date: '2026-11-22', hour: 0 },
    { date: '2026-11-21', hour: 22 },
    { date: '2026-11-21', hour: 23 },
  ]);
  expect(draft).toMatchObject({
    studio_id: studio.id,
    studio_name: 'Studio A',
    start_time: '2026-11-21T11:00:00.000Z',
    end_time: '2026-11-21T14:00:00.000Z',
    total_hours: 3,
    base_cost: 207,
    discount_amount: 21,
    final_cost: 186,
  });
  expect(draft.slots.map((slot) => slot.label)).toEqual(['10 PM', '11 PM', '12 AM']);
});
