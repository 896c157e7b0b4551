import { beforeEach, expect, it, vi } from 'vitest';
import { drafts, hasShape, isDraft } from './drafts.ts';

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

it('a valid draft is read back [spec 3.8, 3.10]', () => {
  expect(isDraft(draft)).toBe(true);
  expect(isDraft(JSON.parse(JSON.stringify(draft)))).toBe(true);
});

it('an invalid draft is ignored', () => {
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

function stubStorage(name: 'sessionStorage' | 'localStorage'): void {
  const kept = new Map<string, string>();
  vi.stubGlobal(name, {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (at: number) => [...kept.keys()][at] ?? null,
    get length() {
      return kept.size;
    },
  });
}
beforeEach(() => {
  stubStorage('sessionStorage');
  stubStorage('localStorage');
});

it('a booking in navigation state counts until it is booked or removed [spec 2.42]', () => {
  const state = { booking: draft, chosenAt: Date.now() - 1_000 };
  expect(drafts.fromState(state)).toEqual(draft);
  drafts.removeBooking();
  expect(drafts.fromState(state)).toBeNull();
  // The same hours are chosen again later, which is a new booking.
  expect(drafts.fromState({ booking: draft, chosenAt: Date.now() + 1_000 })).toEqual(draft);
  expect(drafts.fromState(drafts.toState(draft))).toEqual(draft);
  for (const other of [null, 'x', {}, { booking: draft }, { booking: {}, chosenAt: 1 }])
    expect(drafts.fromState(other)).toBeNull();
});

it('typed values are removed with their booking, and all at a sign-out', () => {
  sessionStorage.setItem('typed:checkout:1', '{}');
  sessionStorage.setItem('typed:sign-up', '{}');
  drafts.removeBooking();
  expect([sessionStorage.getItem('typed:checkout:1'), sessionStorage.getItem('typed:sign-up')]).toEqual([null, '{}']);
  drafts.removeAll();
  expect(sessionStorage.getItem('typed:sign-up')).toBeNull();
});

it('a stored form is accepted when fields and types match', () => {
  const sample = { name: '', one: false, birth: { day: '' } };
  expect(hasShape({ name: 'Robin', one: true, birth: { day: '3' } }, sample)).toBe(true);
  for (const other of [null, [], {}, { ...sample, one: 'yes' }, { ...sample, birth: null }, { ...sample, name: 7 }])
    expect(hasShape(other, sample)).toBe(false);
});
