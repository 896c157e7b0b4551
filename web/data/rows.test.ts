import { expect, test } from 'vitest';
import { rowsWith } from './rows.ts';

test('rows with null in a required column are left out, and other columns may be null', () => {
  const rows = [
    { id: 'a', note: null },
    { id: null, note: 'b' },
  ];
  expect(rowsWith(rows, 'id')).toEqual([{ id: 'a', note: null }]);
  expect(rowsWith(rows, 'id', 'note')).toEqual([]);
});
