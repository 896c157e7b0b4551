import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedOutMigrations, makeImage, openImage } from '#tests/support/image.ts';
import { describeCatalogue } from './catalogue.ts';
import { describeScore, pickSample, scoreOf } from './sample.ts';
import { type Migration, type SqlMutant, sqlMutants } from './sql-mutants.ts';

/**
 * Puts one small fault at a time into the migrations, makes a database of them and runs the tests on it: `node sql.ts SIZE SEED`.
 * Prints score and survivors. With a third word `quick` only the tests straight on the database are run, which gives a lower bound.
 * Results are kept, so that a second run with the same migrations and tests goes on where the first ended.
 */
const [size = '150', seed = '1', extent = 'full'] = process.argv.slice(2);
const folder = join('artefacts', 'mutation');
/** Quick and close to the rows first; the tests of whole calls only for what those did not notice. */
const FIRST = extent === 'quick' ? ['tests/sql'] : ['tests/sql', 'tests/policies'];
const LATER = ['tests/wire', 'tests/attacks', 'tests/races', 'server'];
/** How many files of whole calls are run for one mutant: those that name its table or function most often. */
const LATER_FILES = 4;

/** 'without effect': the database has the very same catalogue as without the fault, since a later migration replaces what it changes. */
type Outcome = 'noticed' | 'survived' | 'does not apply' | 'without effect';
type Kept = Record<string, Outcome>;

const keyOf = ({ migration, line, column, kind, before, after }: SqlMutant): string =>
  [migration, `${line}:${column}`, kind, before, after].join(' | ');

type Made = { readonly image: Blob; readonly catalogue: string };

/** A database without any migration, from which every other one is made: making an empty one takes the most time. */
const empty = await makeImage([]);
async function make(migrations: readonly Migration[]): Promise<Made> {
  const db = await openImage(empty, migrations);
  try {
    return { catalogue: await describeCatalogue(db), image: await db.image() };
  } finally {
    await db.close();
  }
}

/** The database that the migrations with this fault make; null when PostgreSQL refuses them. */
function makeFaulty(migrations: readonly Migration[], mutant: SqlMutant): Promise<Made | null> {
  // The checksum stays the real one: the tests must take the faulty database for an up-to-date one.
  const faulty = migrations.map((one) => (one.name === mutant.migration ? { ...one, sql: mutant.sql } : one));
  return make(faulty).catch(() => null);
}

/** Runs test files on a database image, or on the right one; true when all pass. */
function runTests(files: readonly string[], image: string | null): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--bail=1', '--reporter=dot', ...files],
    {
      stdio: 'ignore',
      env: { ...process.env, TEST_DATABASE_IMAGE: image ?? '', TEST_POSTGRES_URL: '', NO_COLOR: '1' },
    },
  );
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)));
}

const passing = new Map<string, Promise<boolean>>();
/** Whether the files pass without any fault, looked at once: only such files can notice one. */
function passWithoutFault(files: readonly string[]): Promise<boolean> {
  const key = files.join(' ');
  const known = passing.get(key) ?? runTests(files, null);
  passing.set(key, known);
  return known;
}

const laterFiles: { path: string; text: string }[] = [];
for (const tree of LATER)
  for await (const path of glob(`${tree}/**/*.test.ts`)) laterFiles.push({ path, text: readFileSync(path, 'utf8') });

/** The test files that name the faulty table or function most often, most first. */
function filesAbout({ subject }: SqlMutant): string[] {
  if (subject === '' || extent === 'quick') return [];
  const word = new RegExp(`\\b${subject}\\b`, 'g');
  const counted = laterFiles.map(({ path, text }) => ({ path, times: text.match(word)?.length ?? 0 }));
  const about = counted.filter(({ times }) => times > 0).toSorted((a, b) => b.times - a.times);
  return about.slice(0, LATER_FILES).map(({ path }) => path);
}

async function judge(migrations: readonly Migration[], mutant: SqlMutant, catalogue: string): Promise<Outcome> {
  const made = await makeFaulty(migrations, mutant);
  if (!made) return 'does not apply';
  // What changes rows has none to change in an empty database: there a catalogue says nothing.
  if (!mutant.changesRows && made.catalogue === catalogue) return 'without effect';
  const file = join(folder, `faulty-${process.pid}.tar`);
  await writeFile(file, made.image.stream());
  try {
    for (const files of FIRST) if (!(await runTests([files], file))) return 'noticed';
    for (const path of filesAbout(mutant))
      if ((await passWithoutFault([path])) && !(await runTests([path], file))) return 'noticed';
    return 'survived';
  } finally {
    await rm(file, { force: true });
  }
}

await mkdir(folder, { recursive: true });
for (const files of FIRST)
  if (!(await passWithoutFault([files]))) throw new Error(`${files} fails without any fault: nothing can be measured.`);
const keptFile = join(folder, extent === 'quick' ? `sql-quick-${seed}.json` : `sql-${seed}.json`);
const kept: Kept = JSON.parse(await readFile(keptFile, 'utf8').catch(() => '{}'));
const migrations = await checkedOutMigrations();
const { catalogue } = await make(migrations);
const all = sqlMutants(migrations);
// More than asked for: some do not apply and are left out.
const order = pickSample(all, keyOf, seed, all.length);
const counts = { noticed: 0, survived: 0, 'does not apply': 0, 'without effect': 0 };
for (const mutant of order) {
  if (counts.noticed + counts.survived >= Number(size)) break;
  const key = keyOf(mutant);
  const outcome = (kept[key] ??= await judge(migrations, mutant, catalogue));
  await writeFile(keptFile, JSON.stringify(kept, null, 1));
  counts[outcome] += 1;
  process.stdout.write(`${outcome.padEnd(14)} ${key}\n`);
}
process.stdout.write(
  `Left out: ${counts['does not apply']} that PostgreSQL refuses, ${counts['without effect']} without effect.\n${describeScore('SQL', scoreOf(counts.noticed, counts.noticed + counts.survived))}\n`,
);
