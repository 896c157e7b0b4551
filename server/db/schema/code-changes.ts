import type { CodeObject } from './code-objects.ts';
import { toLoadOrder } from './load-order.ts';
import type { CodeRecord } from './records.ts';
import type { Release } from './schema.ts';

/** Compares the code of this version with what a database records. The loader does what these functions return, and a preview counts it. */

/** Whether version `1.2.3` is newer than another. */
export function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}

/** Whether a newer version has loaded its code, which serves this version too: then this one changes nothing. */
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

/** Names of objects: those that this release retires, those that the code has again, and those to drop because an earlier release retired them. */
export type Retirement = {
  readonly retired: readonly string[];
  readonly restored: readonly string[];
  readonly dropped: readonly string[];
};

/** Returns what becomes of the recorded objects that are no longer part of the code. `objects`: all of the code. */
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

/** Returns the records that a database of an earlier release lacks, of views, triggers and policies that it has. */
export function getAdoptedRecords(records: readonly CodeRecord[], { version, code = {} }: Release): CodeRecord[] {
  const recorded = new Set(records.map(({ name }) => name));
  return Object.entries(code)
    .filter(([name]) => !recorded.has(name))
    .map(([name, hash]) => ({ name, hash, release: version, retiredIn: null }));
}
