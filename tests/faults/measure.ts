import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { checkedOutSchema, makeImage } from '#tests/support/image.ts';
import { CATALOGUE, occurrences } from './catalogue.ts';
import type { Fault } from './fault.ts';

/**
 * Applies the faults of tests/faults one at a time, runs the tests that should notice each, and prints which were noticed: `node
 * tests/faults/measure.ts [AREA | PART OF A TITLE …]`. It changes files below the working directory, so bin/test-faults.js starts it in a
 * copy of the project. Tests run on the embedded database only.
 */
const words = process.argv.slice(2);
const root = process.cwd();
const REPORT = join(root, 'faults-report.json');
const IMAGE = join(root, 'faults-image.tar');
const FAULTY_IMAGE = join(root, 'faults-faulty-image.tar');

type Failure = { readonly file: string; readonly title: string };
type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
};

/** Runs test files until the first failure. Returns the failure, or null if all passed. */
async function runTests(files: readonly string[], image: string): Promise<Failure | null> {
  await rm(REPORT, { force: true });
  const child = spawn(
    process.execPath,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--bail=1',
      '--maxWorkers=2',
      // The timeout is generous, so that a busy machine does not fail a test.
      '--testTimeout=120000',
      '--hookTimeout=120000',
      '--reporter=json',
      `--outputFile=${REPORT}`,
      ...files,
    ],
    {
      stdio: 'ignore',
      env: { ...process.env, TEST_PARTS: '1', TEST_DATABASE_IMAGE: image, TEST_POSTGRES_URL: '', NO_COLOR: '1' },
    },
  );
  const code = await new Promise((resolve) => child.once('close', resolve));
  return code === 0 ? null : failureIn(await readFile(REPORT, 'utf8').catch(() => ''));
}

function failureIn(json: string): Failure {
  if (json === '') return { file: '', title: 'no report was written' };
  const { testResults }: Report = JSON.parse(json);
  for (const { name, message, status, assertionResults } of testResults) {
    const failed = assertionResults.find((assertion) => assertion.status === 'failed');
    if (failed || (status === 'failed' && message !== ''))
      return { file: relative(root, name), title: failed?.title ?? message.split('\n')[0] ?? '' };
  }
  return { file: '', title: 'an error outside of the tests' };
}

const sound = new Map<string, boolean>();
/** Returns whether a test file passes without a fault. Only such files can notice a fault. */
async function passesWithoutFault(file: string): Promise<boolean> {
  const passes = sound.get(file) ?? (await runTests([file], IMAGE)) === null;
  sound.set(file, passes);
  return passes;
}

/** Returns the failure that noticed the fault, or null. */
async function findFailure(fault: Fault): Promise<Failure | null> {
  const path = join(root, fault.file);
  const text = await readFile(path, 'utf8');
  const isSql = fault.file.endsWith('.sql');
  let files = fault.tests.flatMap((glob) => globSync(glob).toSorted());
  for (;;) {
    await writeFile(
      path,
      text.replace(fault.find, () => fault.replace),
    );
    let failure: Failure | null;
    try {
      if (isSql) await writeImage(FAULTY_IMAGE);
      failure = await runTests(files, isSql ? FAULTY_IMAGE : IMAGE);
    } finally {
      await writeFile(path, text);
    }
    if (failure === null || failure.file === '' || (await passesWithoutFault(failure.file))) return failure;
    process.stdout.write(
      `           left out, because it fails without a fault too: ${failure.file}: ${failure.title}\n`,
    );
    const { file } = failure;
    files = files.filter((other) => other !== file);
  }
}

async function writeImage(path: string): Promise<void> {
  await writeFile(path, await makeImage(await checkedOutSchema()));
}

const chosen = Object.entries(CATALOGUE).flatMap(([area, faults]) =>
  faults
    .filter(
      ({ title }) =>
        words.length === 0 || words.some((word) => (word in CATALOGUE ? word === area : title.includes(word))),
    )
    .map((fault) => ({ area, fault })),
);
if (chosen.length === 0) {
  process.stderr.write(`There is no such area or title; the areas are ${Object.keys(CATALOGUE).join(', ')}.\n`);
  process.exit(1);
}
let stale = 0;
for (const { fault } of chosen) {
  const count = occurrences(await readFile(join(root, fault.file), 'utf8').catch(() => ''), fault);
  if (count === 1) continue;
  stale += 1;
  process.stderr.write(`“${fault.title}” cannot be applied: its text occurs ${count} times in ${fault.file}.\n`);
}
if (stale > 0) process.exit(1);

await writeImage(IMAGE);
let noticed = 0;
for (const { area, fault } of chosen) {
  const began = Date.now();
  const failure = await findFailure(fault);
  if (failure !== null) noticed += 1;
  const took = `${((Date.now() - began) / 1000).toFixed(0)} s`;
  process.stdout.write(`${failure === null ? 'UNNOTICED ' : 'noticed   '} ${area}: ${fault.title} (${took})\n`);
  if (failure !== null) process.stdout.write(`           by ${failure.file}: ${failure.title}\n`);
}
process.stdout.write(`${noticed} of ${chosen.length} faults were noticed.\n`);
process.exit(0);
