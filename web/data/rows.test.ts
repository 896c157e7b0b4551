import { expect, test } from 'vitest';
import { rowsWith } from './rows.ts';

test('a null in a required column is an error: without its row, a taken hour could look free; other columns may be null', () => {
  const rows = [
    { id: 'a', note: null },
    { id: null, note: 'b' },
  ];
  expect(rowsWith(rows.slice(0, 1), 'id')).toEqual([{ id: 'a', note: null }]);
  expect(() => rowsWith(rows, 'id')).toThrow('a row of the answer has no id');
  expect(() => rowsWith(rows.slice(0, 1), 'id', 'note')).toThrow('a row of the answer has no note');
  expect(rowsWith([], 'id')).toEqual([]);
});
