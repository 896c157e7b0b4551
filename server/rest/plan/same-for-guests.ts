import type { PlannedLevel } from './read.ts';

/**
 * Whether a read returns the same rows to every guest for the same values: the database declares this for its relation (rest.shared_read),
 * and the read embeds no other relation.
 */
export function isSameForGuests({ table, items }: PlannedLevel): boolean {
  return table.sameForGuests && items.every(({ kind }) => kind === 'field' || kind === 'count');
}
