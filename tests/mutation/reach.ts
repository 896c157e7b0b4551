import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder in which `reach-setup.ts` writes one file of calls for each test file. */
export const REACH_FOLDER = 'artefacts/mutation/reach';

/** The number of calls that one test file makes to each function of the server, by path and name. */
export type Calls = Readonly<Record<string, Readonly<Record<string, number>>>>;
/** The calls of every test file, by its path. */
export type Reach = ReadonlyMap<string, Calls>;

/**
 * Runs the tests of the server once on the embedded engine, which takes about six minutes, and returns the calls of each file. The result
 * is stored until a test or a source changes its path, because edits inside files hardly change which function a test is about.
 */
export async function measureReach(): Promise<Reach> {
  const stamp = join(REACH_FOLDER, 'paths.sha256');
  const paths = globSync('{server,contracts,rules,tests}/**/*.ts').toSorted();
  const hash = createHash('sha256').update(paths.join('\n')).digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) !== hash) {
    await rm(REACH_FOLDER, { recursive: true, force: true });
    await runAllTests();
    await writeFile(stamp, hash);
  }
  return new Map(
    globSync(`${REACH_FOLDER}/**/*.json`).map((path) => [
      path.slice(REACH_FOLDER.length + 1, -'.json'.length),
      JSON.parse(readFileSync(path, 'utf8')) as Calls,
    ]),
  );
}

/** Ignores failing tests, which `npm test` reports: their calls are recorded anyway. */
async function runAllTests(): Promise<void> {
  const args = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', '!components'];
  const env = { ...process.env, TEST_PARTS: '1', TEST_POSTGRES_URL: '', TEST_REACH: '1' };
  const child = spawn(process.execPath, args, { stdio: 'ignore', env });
  await new Promise((resolve) => child.once('close', resolve));
}

/**
 * Returns the test files that call the function around a line (counted from one). The files that spend the greatest share of their calls on
 * the function come first, because they test it, while others only pass through.
 */
export function testsReaching(reach: Reach, path: string, text: string, line: number): string[] {
  const name = functionAround(reach, path, text, line);
  return [...reach]
    .map(([file, calls]) => ({ file, share: callsTo(calls, path, name) / total(calls) }))
    .filter(({ share }) => share > 0)
    .toSorted((a, b) => b.share - a.share)
    .map(({ file }) => file);
}

/** Returns the name of the nearest function above a line that any test calls, or null. The engine uses the declared names of functions. */
function functionAround(reach: Reach, path: string, text: string, line: number): string | null {
  const called = new Set([...reach.values()].flatMap((calls) => Object.keys(calls[path] ?? {})));
  for (const above of text.split('\n').slice(0, line).toReversed()) {
    const declared = [...above.matchAll(/\b(?:function\*?|const)\s+(\w+)|^\s+(?:async\s+|get\s+)?(\w+)\(/g)].map(
      ([, first, second]) => first ?? second ?? '',
    );
    const found = declared.find((name) => called.has(name));
    if (found !== undefined) return found;
  }
  return null;
}

function callsTo(calls: Calls, path: string, name: string | null): number {
  const ofFile = calls[path] ?? {};
  return name === null ? sum(Object.values(ofFile)) : (ofFile[name] ?? 0);
}

const total = (calls: Calls): number => sum(Object.values(calls).flatMap((ofFile) => Object.values(ofFile)));
const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);
