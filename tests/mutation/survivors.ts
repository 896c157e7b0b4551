import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { Area } from './areas.ts';
import { failuresOf } from './report.ts';

/** A change that the tests of an area did not notice. Lines and columns count from one. */
export type Survivor = {
  readonly path: string;
  readonly start: Place;
  readonly end: Place;
  readonly replacement: string;
};
type Place = { readonly line: number; readonly column: number };

/** How many further test files run for a change: those that name what it touches most often. */
const FILES_MAX = 5;
const LEFT_OUT = ['node_modules', '.git', 'artefacts', 'data', 'dist'];

/**
 * Puts changes into a copy of the project, one at a time, and runs the area's further tests, which start servers. Calls `told` with each change and the
 * test that notices it, or null.
 */
export async function tryFurther(
  survivors: readonly Survivor[],
  area: Area,
  told: (survivor: Survivor, by: string | null) => void,
): Promise<void> {
  const root = process.cwd();
  const copy = mkdtempSync(join(tmpdir(), 'mutation-'));
  try {
    await cp(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(relative(root, path)) });
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    const passing = new Map<string, boolean>();
    const passes = async (file: string): Promise<boolean> => {
      const known = passing.get(file) ?? (await runTests(copy, file)) === null;
      passing.set(file, known);
      return known;
    };
    for (const survivor of survivors) {
      const file = join(copy, survivor.path);
      const text = await readFile(file, 'utf8');
      let by: string | null = null;
      for (const test of furtherFiles(survivor.path, area)) {
        if (!(await passes(test))) continue;
        await writeFile(file, changed(text, survivor));
        by = await runTests(copy, test);
        await writeFile(file, text);
        if (by !== null) break;
      }
      told(survivor, by);
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Returns the text with a change. */
export function changed(text: string, { start, end, replacement }: Omit<Survivor, 'path'>): string {
  const lines = text.split('\n');
  const offset = ({ line, column }: Place): number =>
    lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
  return text.slice(0, offset(start)) + replacement + text.slice(offset(end));
}

/** The further tests of an area that name the exports of a file, or the functions of /functions/v1 that use it, most often. */
function furtherFiles(path: string, area: Area): string[] {
  const words = namesAround(path);
  const counted = globSync([...area.further])
    .toSorted()
    .map((file) => ({ file, times: countWords(readFileSync(file, 'utf8'), words) }));
  return counted
    .toSorted((a, b) => b.times - a.times)
    .slice(0, FILES_MAX)
    .map(({ file }) => file);
}

function countWords(text: string, words: readonly string[]): number {
  return words.reduce((sum, word) => sum + text.split(word).length - 1, 0);
}

/** The exports of a file, and the names of the functions of /functions/v1 that reach it by imports. */
function namesAround(path: string): string[] {
  const sources = globSync('server/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const texts = new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]));
  const reached = new Set([path]);
  for (const file of reached)
    for (const [importer, text] of texts) if (text.includes(`/${basename(file)}'`)) reached.add(importer);
  const functions = [...reached].filter((file) => file.startsWith('server/functions/'));
  const exported = [...(texts.get(path) ?? '').matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)];
  return [
    ...exported.map(([, name = '']) => name),
    // A file that most functions use says nothing about one of them.
    ...(functions.length <= 5 ? functions.map((file) => basename(file, '.ts')) : []),
  ];
}

/** Runs one test file on the embedded database. Returns what failed, or null. */
async function runTests(folder: string, file: string): Promise<string | null> {
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
      file,
    ],
    { cwd: folder, stdio: 'ignore', env: { ...process.env, TEST_PARTS: '1', TEST_POSTGRES_URL: '', NO_COLOR: '1' } },
  );
  const code = await new Promise((resolve) => child.once('close', resolve));
  const failed = code === 0 ? null : failuresOf(await readFile(report, 'utf8').catch(() => ''));
  await rm(report, { force: true });
  return failed;
}
