import type { PlannedLevel } from './read.ts';

/** Whether a read gives every guest the same rows for the same values: the database says so of its relation (rest.shared_read), and it is alone. */
export function isSameForGuests({ table, items }: PlannedLevel): boolean {
  return table.sameForGuests && items.every(({ kind }) => kind === 'field' || kind === 'count');
}
