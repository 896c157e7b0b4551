import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type CheckResult, CheckStatus, type Checker } from '@stryker-mutator/api/check';
import type { Mutant } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { pickSample, computeRank } from './sample.ts';

/** Returns a key for a mutant from its position and replacement, because Stryker's ids change whenever a file changes. */
export function getKey({ fileName, location, mutatorName, replacement }: Omit<Mutant, 'id'>): string {
  const { start, end } = location;
  const path = fileName.replace(/^.*?(?=(rules|server)\/)/, '');
  return [path, start.line, start.column, end.line, end.column, mutatorName, replacement].join('\n');
}

/**
 * A Stryker checker that tests only a seeded sample of the mutants, set by `MUTATION_SEED` and `MUTATION_SIZE`. A mutant belongs to the
 * sample if its rank is at most that of the last one chosen. The first run, over all mutants, stores that rank in `MUTATION_SAMPLE_FILE`,
 * because Stryker runs several processes and later runs pass only changed mutants. Other mutants are reported as not compiling, which
 * excludes them from the score.
 */
class SampleChecker implements Checker {
  readonly #file = process.env['MUTATION_SAMPLE_FILE'] ?? '';
  readonly #seed = process.env['MUTATION_SEED'] ?? '1';

  async init(): Promise<void> {}

  async group(mutants: Mutant[]): Promise<string[][]> {
    if (!existsSync(this.#file)) {
      const last = pickSample(mutants, getKey, this.#seed, Number(process.env['MUTATION_SIZE'] ?? '150')).at(-1);
      writeFileSync(this.#file, last === undefined ? '' : computeRank(getKey(last), this.#seed));
    }
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const last = existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : '';
    const excluded: CheckResult = { status: CheckStatus.CompileError, reason: 'not in the sample' };
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        computeRank(getKey(mutant), this.#seed) <= last ? { status: CheckStatus.Passed } : excluded,
      ]),
    );
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker)];
