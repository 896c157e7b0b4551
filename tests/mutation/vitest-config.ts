import { matchesGlob, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { AREAS } from './areas.ts';

const area = AREAS.find(({ name }) => name === process.env['MUTATION_AREA']);
if (!area) throw new Error('MUTATION_AREA names no area');

/** Runs test files in the order of the area's list. The first failure ends a run, so the fastest tests come first. */
class FastestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number =>
      area?.tests.findIndex((glob) => matchesGlob(relative(process.cwd(), moduleId), glob)) ?? 0;
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1)));
  }
}

export default defineConfig({
  test: {
    include: [...area.tests],
    // The timeouts are as long as in `survivors.ts`, so that a test delayed by a busy machine does not count as noticing a mutant.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 5_000 } },
    sequence: { sequencer: FastestFirst },
  },
});
