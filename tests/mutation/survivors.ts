import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { measureReach, testsReaching } from './reach.ts';
import { getFailure } from './report.ts';

/** A change that the tests of an area did not notice. Lines and columns count from one. */
export type Survivor = {
  readonly path: string;
  readonly start: Place;
  readonly end: Place;
  readonly replacement: string;
};
type Place = { readonly line: number; readonly column: number };

/** Number of further test files that run per change: those that test most directly the function that it touches. */
const FILES_MAX = 10;
const LEFT_OUT = ['node_modules', '.git', 'artefacts', 'data', 'dist'];

/**
 * Applies changes to a copy of the project, one at a time, and runs the tests of the whole project that call the changed function. Calls
 * `told` with each change and the test that notices it, or null.
 */
export async function tryFurther(
  survivors: readonly Survivor[],
  report: (survivor: Survivor, by: string | null) => void,
): Promise<void> {
  if (survivors.length === 0) return;
  const reach = await measureReach();
  const root = process.cwd();
  const copy = mkdtempSync(join(tmpdir(), 'mutation-'));
  try {
    await cp(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(relative(root, path)) });
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    const passing = new Map<string, boolean>();
    const passes = async (file: string): Promise<boolean> => {
      const isPassing = passing.get(file) ?? (await runTests(copy, [file])) === null;
      passing.set(file, isPassing);
      return isPassing;
    };
    for (const survivor of survivors) {
      const file = join(copy, survivor.path);
      const text = await readFile(file, 'utf8');
      const tests: string[] = [];
      for (const test of testsReaching(reach, survivor.path, text, survivor.start.line).slice(0, FILES_MAX))
        if (await passes(test)) tests.push(test);
      await writeFile(file, changed(text, survivor));
      report(survivor, tests.length === 0 ? null : await runTests(copy, tests));
      await writeFile(file, text);
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Returns the text with the change applied. */
export function changed(text: string, { start, end, replacement }: Omit<Survivor, 'path'>): string {
  const lines = text.split('\n');
  const offset = ({ line, column }: Place): number =>
    lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
  return text.slice(0, offset(start)) + replacement + text.slice(offset(end));
}

/** Runs test files on the embedded database. Returns the first failure, or null. */
async function runTests(folder: string, files: readonly string[]): Promise<string | null> {
  const report = join(folder, 'mutation-report.json');
  const child = spawn(
    process.execPath,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--bail=1',
      '--testTimeout=120000',
      '--hookTimeout=120000',
      '--reporter=json',
      `--outputFile=${report}`,
      ...files,
    ],
    { cwd: folder, stdio: 'ignore', env: { ...process.env, TEST_PARTS: '1', TEST_POSTGRES_URL: '', NO_COLOR: '1' } },
  );
  const code = await new Promise((resolve) => child.once('close', resolve));
  const failed = code === 0 ? null : getFailure(await readFile(report, 'utf8').catch(() => ''));
  await rm(report, { force: true });
  return failed;
}
