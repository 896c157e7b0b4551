import type { CodeObject } from './code-objects.ts';
import { toLoadOrder } from './load-order.ts';
import type { CodeRecord } from './records.ts';
import type { Release } from './schema.ts';

/**
 * Compares the code of this version with the records in a database. The loader acts on the results of these functions; a preview reports
 * them.
 */

/** Whether version `1.2.3` is newer than another. */
export function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}

/** Whether a newer version has loaded its code, which also serves this version: this version then changes nothing. */
export function hasNewerCode(records: readonly CodeRecord[], release: string): boolean {
  return records.some((record) => isNewer(record.release, release));
}

/** Returns the objects to load, in order: those whose text differs from what was loaded last. */
export function getObjectsToLoad(
  objects: readonly CodeObject[],
  records: readonly CodeRecord[],
  release: string,
): CodeObject[] {
  if (hasNewerCode(records, release)) return [];
  const loaded = new Map(records.map(({ name, hash }) => [name, hash]));
  return toLoadOrder(objects.filter(({ name, hash }) => loaded.get(name) !== hash));
}

/**
 * Names of objects: those that this release retires, those that are part of the code again, and those to drop because an earlier release
 * retired them.
 */
export type Retirement = {
  readonly retired: readonly string[];
  readonly restored: readonly string[];
  readonly dropped: readonly string[];
};

/** Decides which recorded objects to retire, restore or drop. `objects`: all of the code. */
export function getRetirement(
  objects: readonly CodeObject[],
  records: readonly CodeRecord[],
  release: string,
): Retirement {
  if (hasNewerCode(records, release)) return { retired: [], restored: [], dropped: [] };
  const names = new Set(objects.map(({ name }) => name));
  const gone = records.filter(({ name }) => !names.has(name));
  return {
    retired: namesWhere(gone, ({ retiredIn }) => retiredIn === null),
    restored: namesWhere(records, ({ name, retiredIn }) => names.has(name) && retiredIn !== null),
    dropped: namesWhere(gone, ({ retiredIn }) => retiredIn !== null && isNewer(release, retiredIn)),
  };
}

function namesWhere(records: readonly CodeRecord[], matches: (record: CodeRecord) => boolean): readonly string[] {
  return records.filter(matches).map(({ name }) => name);
}

/** Returns the records of views, triggers and policies that a database of an earlier release has but never recorded. */
export function getAdoptedRecords(records: readonly CodeRecord[], { version, code = {} }: Release): CodeRecord[] {
  const recorded = new Set(records.map(({ name }) => name));
  return Object.entries(code)
    .filter(([name]) => !recorded.has(name))
    .map(([name, hash]) => ({ name, hash, release: version, retiredIn: null }));
}
