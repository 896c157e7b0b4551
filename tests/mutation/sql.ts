import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedOutMigrations, makeImage } from '#tests/support/image.ts';
import { describeScore, pickSample, scoreOf } from './sample.ts';
import { type Migration, type SqlMutant, sqlMutants } from './sql-mutants.ts';

/**
 * Puts one small fault at a time into the migrations, makes a database of them and runs the tests on it: `node sql.ts SIZE SEED`.
 * Prints score and survivors. Results are kept, so that a second run with the same migrations and tests goes on where the first ended.
 */
const [size = '150', seed = '1'] = process.argv.slice(2);
const folder = join('artefacts', 'mutation');
/** Quick and close to the rows first; the tests of whole calls only for what those did not notice. */
const ROUNDS: readonly (readonly string[])[] = [
  ['tests/sql', 'tests/policies'],
  ['tests/wire', 'tests/attacks', 'tests/races', 'server'],
];

type Outcome = 'noticed' | 'survived' | 'does not apply';
type Kept = Record<string, Outcome>;

const keyOf = ({ migration, line, kind, before, after }: SqlMutant): string =>
  [migration, line, kind, before, after].join(' | ');

/** The database that the migrations with this fault make; null when PostgreSQL refuses them. */
async function imageOf(migrations: readonly Migration[], mutant: SqlMutant): Promise<Blob | null> {
  // The checksum stays the real one: the tests must take the faulty database for an up-to-date one.
  const faulty = migrations.map((one) => (one.name === mutant.migration ? { ...one, sql: mutant.sql } : one));
  try {
    return await makeImage(faulty);
  } catch {
    return null;
  }
}

function runTests(files: readonly string[], image: string): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--bail=1', '--reporter=dot', ...files],
    { stdio: 'ignore', env: { ...process.env, TEST_DATABASE_IMAGE: image, TEST_POSTGRES_URL: '', NO_COLOR: '1' } },
  );
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)));
}

async function judge(migrations: readonly Migration[], mutant: SqlMutant): Promise<Outcome> {
  const image = await imageOf(migrations, mutant);
  if (!image) return 'does not apply';
  const file = join(folder, `faulty-${process.pid}.tar`);
  await writeFile(file, image.stream());
  try {
    for (const files of ROUNDS) if (!(await runTests(files, file))) return 'noticed';
    return 'survived';
  } finally {
    await rm(file, { force: true });
  }
}

await mkdir(folder, { recursive: true });
const keptFile = join(folder, `sql-${seed}.json`);
const kept: Kept = JSON.parse(await readFile(keptFile, 'utf8').catch(() => '{}'));
const migrations = await checkedOutMigrations();
const all = sqlMutants(migrations);
// More than asked for: some do not apply and are left out.
const order = pickSample(all, keyOf, seed, all.length);
const counts = { noticed: 0, survived: 0 };
for (const mutant of order) {
  if (counts.noticed + counts.survived >= Number(size)) break;
  const key = keyOf(mutant);
  const outcome = (kept[key] ??= await judge(migrations, mutant));
  await writeFile(keptFile, JSON.stringify(kept, null, 1));
  if (outcome === 'does not apply') continue;
  counts[outcome] += 1;
  process.stdout.write(`${outcome.padEnd(8)} ${key}\n`);
}
process.stdout.write(`${describeScore('SQL', scoreOf(counts.noticed, counts.noticed + counts.survived))}\n`);
