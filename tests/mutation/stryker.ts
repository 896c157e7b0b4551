import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { AREAS } from './areas.ts';
import { describeScore, scoreOf } from './sample.ts';
import { keyOf } from './sample-checker.ts';

/** Runs Stryker over a seeded sample of one area's mutants and prints score and survivors: `node stryker.ts AREA SIZE SEED`. */

const [name = '', size = '150', seed = '1'] = process.argv.slice(2);
const area = AREAS.find((one) => one.name === name);
if (!area) throw new Error(`There is no area ${name}; there are ${AREAS.map((one) => one.name).join(', ')}.`);
const folder = join('artefacts', 'mutation');
await mkdir(folder, { recursive: true });
Object.assign(process.env, {
  MUTATION_AREA: area.name,
  MUTATION_SIZE: size,
  MUTATION_SEED: seed,
  MUTATION_SAMPLE_FILE: join(process.cwd(), folder, `${area.name}-sample.json`),
  // The embedded engine alone decides here: a second engine would double the time and add little.
  TEST_POSTGRES_URL: '',
});

const results = await new Stryker({
  mutate: [...area.mutate],
  plugins: ['@stryker-mutator/vitest-runner', './tests/mutation/sample-checker.ts'],
  checkers: ['sample'],
  testRunner: 'vitest',
  // In processes of their own: V8 aborts when a thread that ran the embedded engine's WebAssembly ends.
  vitest: { configFile: 'tests/mutation/vitest-config.ts', related: false, pool: 'forks' },
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: join(folder, `${area.name}-${size}-${seed}.json`),
  reporters: ['progress-append-only'],
  ignorePatterns: ['artefacts', 'data', 'dist', 'art', 'docs', 'web/public'],
  tempDirName: join(folder, 'tmp'),
  concurrency: Number(process.env['MUTATION_WORKERS'] ?? '2'),
  timeoutMS: 30_000,
  logLevel: process.env['MUTATION_LOG'] ?? 'warn',
  allowConsoleColors: false,
  disableTypeChecks: false,
  // Stryker would rewrite paths in tsconfig.json with TypeScript's old API; ours has none to rewrite.
  tsconfigFile: 'none',
} as ConstructorParameters<typeof Stryker>[0]).runMutationTest();

/** The key of a result, as the checker wrote it: results count lines and columns from 1, the checker's mutants from 0. */
function keyOfResult(one: (typeof results)[number]): string {
  const { start, end } = one.location;
  return keyOf({
    ...one,
    location: {
      start: { line: start.line - 1, column: start.column - 1 },
      end: { line: end.line - 1, column: end.column - 1 },
    },
  } as Parameters<typeof keyOf>[0]);
}

// Stryker also reports what it remembers of earlier samples.
const sample = new Set<string>(JSON.parse(await readFile(process.env['MUTATION_SAMPLE_FILE'] ?? '', 'utf8')));
const tested = results.filter(
  (one) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(one.status) && sample.has(keyOfResult(one)),
);
if (tested.length === 0) throw new Error('No mutant of the sample was tested: nothing was measured.');
const missed = tested.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
for (const { fileName, location, replacement, mutatorName, status } of missed) {
  const path = fileName.replace(`${process.cwd()}/`, '');
  process.stdout.write(
    `${status} ${path}:${location.start.line}:${location.start.column} ${mutatorName}: ${replacement ?? ''}\n`,
  );
}
process.stdout.write(`${describeScore(area.name, scoreOf(tested.length - missed.length, tested.length))}\n`);
