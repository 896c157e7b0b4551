import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { AREAS } from './areas.ts';
import { recordSample, type RecordedSurvivor } from './record.ts';
import { describeScore, computeRank, computeScore } from './sample.ts';
import { getKey } from './sample-checker.ts';
import { tryFurther } from './survivors.ts';

/**
 * Runs Stryker over a seeded sample of one area's mutants, prints the score and the survivors, and records them in `survivors.json`:
 * `node stryker.ts AREA SIZE SEED`.
 */

const [name = '', size = '150', seed = '1'] = process.argv.slice(2);
const area = AREAS.find((area) => area.name === name);
if (!area) throw new Error(`There is no area ${name}; there are ${AREAS.map((area) => area.name).join(', ')}.`);
const folder = join('artefacts', 'mutation');
await mkdir(folder, { recursive: true });
// Stored results fit only the sample that they were made with.
const remembered = join(folder, `${area.name}-${size}-${seed}.json`);
const sampleFile = join(process.cwd(), folder, `${area.name}-${size}-${seed}-sample.txt`);
if (!existsSync(remembered) || !existsSync(sampleFile))
  for (const file of [remembered, sampleFile]) await rm(file, { force: true });
Object.assign(process.env, {
  MUTATION_AREA: area.name,
  MUTATION_SIZE: size,
  MUTATION_SEED: seed,
  MUTATION_SAMPLE_FILE: sampleFile,
  // The tests use only the embedded engine; a second one would double the time and add little.
  TEST_POSTGRES_URL: '',
});

const results = await new Stryker({
  mutate: [...area.mutate],
  plugins: ['@stryker-mutator/vitest-runner', './tests/mutation/sample-checker.ts'],
  checkers: ['sample'],
  testRunner: 'vitest',
  // The tests run in separate processes: V8 aborts when a thread that ran the embedded engine's WebAssembly ends.
  vitest: { configFile: 'tests/mutation/vitest-config.ts', related: false, pool: 'forks' },
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: remembered,
  reporters: ['progress-append-only'],
  ignorePatterns: ['artefacts', 'data', 'dist', 'docs', 'web/public'],
  tempDirName: join(folder, 'tmp'),
  concurrency: Number(process.env['MUTATION_WORKERS'] ?? '2'),
  // The timeout is long, so that a busy machine is not mistaken for a mutant that never ends. With 30 seconds, 12 of 60 mutants timed out
  // on a busy machine.
  timeoutMS: 300_000,
  // The dry run executes all tests of an area once, possibly on a busy machine.
  dryRunTimeoutMinutes: 30,
  logLevel: process.env['MUTATION_LOG'] ?? 'warn',
  allowConsoleColors: false,
  disableTypeChecks: false,
  // Stryker would rewrite paths in tsconfig.json with TypeScript's old API; ours has none to rewrite.
  tsconfigFile: 'none',
} as ConstructorParameters<typeof Stryker>[0]).runMutationTest();

// Stryker also reports stored results of mutants outside the sample.
const last = await readFile(sampleFile, 'utf8');
const tested = results.filter(
  (mutant) =>
    ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(mutant.status) &&
    computeRank(getKey(countedFromZero(mutant)), seed) <= last,
);
if (tested.length === 0) throw new Error('No mutant of the sample was tested: nothing was measured.');
const missed = tested.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
const survivors = missed.map(({ fileName, location: { start, end }, replacement }) => ({
  path: fileName.replace(`${process.cwd()}/`, ''),
  start,
  end,
  replacement,
}));
const unnoticed: RecordedSurvivor[] = [];
await tryFurther(survivors, ({ path, start, replacement }, by) => {
  const place = `${path}:${start.line}:${start.column}`;
  const fault = replacement.split('\n')[0] ?? '';
  if (by === null) unnoticed.push({ place, fault });
  process.stdout.write(
    by === null ? `survived ${place}: ${fault}\n` : `noticed  ${place}: ${fault}\n         by ${by}\n`,
  );
});
const alone = describeScore(
  `${area.name}, by its own tests`,
  computeScore(tested.length - missed.length, tested.length),
);
const all = describeScore(area.name, computeScore(tested.length - unnoticed.length, tested.length));
process.stdout.write(`${alone}\n${all}\n`);
await recordSample(`${area.name}, seed ${seed}`, Number(size), tested.length, unnoticed);

/** Converts positions of a report, which count from one, to those of checkers, which count from zero. */
function countedFromZero<T extends (typeof results)[number]>(mutant: T): T {
  const { start, end } = mutant.location;
  const location = {
    start: { line: start.line - 1, column: start.column - 1 },
    end: { line: end.line - 1, column: end.column - 1 },
  };
  return { ...mutant, location };
}
