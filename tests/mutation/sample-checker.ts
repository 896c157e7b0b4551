import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type CheckResult, CheckStatus, type Checker } from '@stryker-mutator/api/check';
import type { Mutant } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { pickSample } from './sample.ts';

/** Names a mutant by where it is and what it changes; ids change whenever a file does. */
export function keyOf({ fileName, location, mutatorName, replacement }: Omit<Mutant, 'id'>): string {
  const { start, end } = location;
  const path = fileName.replace(/^.*?(?=(rules|server)\/)/, '');
  return [path, start.line, start.column, end.line, end.column, mutatorName, replacement].join('\n');
}

/**
 * Leaves only a seeded sample of the mutants to be tested: `MUTATION_SEED`, `MUTATION_SIZE`. Stryker groups all mutants once, in one of
 * its processes, and checks them in any of them, so the sample is kept in the file `MUTATION_SAMPLE_FILE`. A mutant outside the sample
 * counts as one that does not compile, which leaves it out of the score.
 */
class SampleChecker implements Checker {
  readonly #file = process.env['MUTATION_SAMPLE_FILE'] ?? '';

  async init(): Promise<void> {}

  async group(mutants: Mutant[]): Promise<string[][]> {
    const size = Number(process.env['MUTATION_SIZE'] ?? '150');
    const sample = pickSample(mutants, keyOf, process.env['MUTATION_SEED'] ?? '1', size);
    writeFileSync(this.#file, JSON.stringify(sample.map(keyOf)));
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const sample = new Set<string>(existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : []);
    const leftOut: CheckResult = { status: CheckStatus.CompileError, reason: 'not in the sample' };
    return Object.fromEntries(
      mutants.map((one) => [one.id, sample.has(keyOf(one)) ? { status: CheckStatus.Passed } : leftOut]),
    );
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker)];
