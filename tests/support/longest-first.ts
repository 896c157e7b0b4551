import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, in this order. The last files of a run should be short, so that no core waits for a long one. */
const LONG = ['kills', 'outages', 'storage-load', 'program', 'hung-provider', 'remove-demo', 'embedded-watchdog'];

/** Orders test files within their project: those named above first, then as Vitest does. Files of processes come before the others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const rank = (file: TestSpecification): number => {
      const at = LONG.indexOf(basename(file.moduleId, '.test.ts'));
      return at === -1 ? LONG.length : at;
    };
    const projects = [...new Set(usual.map(({ project }) => project.name))];
    const place = (file: TestSpecification): number =>
      file.project.name === 'processes' ? -1 : projects.indexOf(file.project.name);
    return usual.toSorted(
      (one, other) => orderOf(one) - orderOf(other) || place(one) - place(other) || rank(one) - rank(other),
    );
  }
}

const orderOf = (file: TestSpecification): number => file.project.config.sequence.groupOrder;
