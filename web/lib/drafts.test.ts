import { expect, it } from 'vitest';
import { isDraft } from './drafts.ts';

const draft = {
  studio_id: '7d9f0c0e-0000-4000-8000-000000000001',
  studio_name: 'Studio A',
  start_time: '2026-12-05T19:00:00+11:00',
  end_time: '2026-12-05T21:00:00+11:00',
  total_hours: 2,
  base_cost: 138,
  discount_amount: 0,
  final_cost: 138,
  slots: [
    { hour: 19, label: '7 PM', date: '2026-12-05', price: 69 },
    { hour: 20, label: '8 PM', date: '2026-12-05', price: 69 },
  ],
};

it('a whole draft is taken up again', () => {
  expect(isDraft(draft)).toBe(true);
  expect(isDraft(JSON.parse(JSON.stringify(draft)))).toBe(true);
});

it('what is no draft is not taken for one', () => {
  for (const other of [
    null,
    7,
    'draft',
    [],
    {},
    { ...draft, slots: null },
    { ...draft, slots: [{ hour: '19', date: 1 }] },
    { ...draft, start_time: undefined },
    { ...draft, studio_id: 4 },
  ])
    expect(isDraft(other)).toBe(false);
});
