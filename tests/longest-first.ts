import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, in this order: they try hundreds of orders of events, read pictures, or start and kill processes. They run last
 * in `npm test`, but first among their group, so that no core waits for a long one.
 */
const LONG = [
  'remove-demo',
  'kills',
  'simulator',
  'storage-load',
  'outages',
  'program',
  'hung-provider',
  'embedded-watchdog',
  'identity-hostile',
  'storage-matrix',
  'interleaving',
  'engine',
  'theft',
  'licence',
  'vision',
  'fuzz',
];

/** Returns whether a test file takes long. */
export function isLong(path: string): boolean {
  return LONG.includes(getName(path));
}

/** Orders test files within their project: the long ones first, then as Vitest does. The project of long files comes before the others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const rank = (file: TestSpecification): number => {
      const at = LONG.indexOf(getName(file.moduleId));
      return at === -1 ? LONG.length : at;
    };
    const projects = [...new Set(usual.map(({ project }) => project.name))];
    const place = (file: TestSpecification): number =>
      file.project.name === 'long' ? -1 : projects.indexOf(file.project.name);
    return usual.toSorted(
      (file, other) => getOrder(file) - getOrder(other) || place(file) - place(other) || rank(file) - rank(other),
    );
  }
}

const getName = (path: string): string => basename(path, '.test.ts');
const getOrder = (file: TestSpecification): number => file.project.config.sequence.groupOrder;
