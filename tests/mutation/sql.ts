import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedOutMigrations, makeImage } from '#tests/support/image.ts';
import { failuresOf } from './report.ts';
import { describeScore, pickSample, scoreOf } from './sample.ts';
import { type Migrated, migrateNew } from './sql-database.ts';
import { type Migration, type SqlMutant, sqlMutants } from './sql-mutants.ts';

/**
 * Puts one small fault at a time into the migrations, makes a database of them and runs the tests on it: `node sql.ts SIZE SEED`.
 * Prints score and survivors. With a third word `quick` only the tests straight on the database are run, which gives a lower bound.
 * The databases are made on the PostgreSQL of TEST_POSTGRES_URL, which takes a second; an embedded one would take a minute.
 * Results are kept: what was noticed is not tried again, what survived is when the tests have changed since.
 */
const [size = '150', seed = '1', extent = 'full'] = process.argv.slice(2);
const folder = join('artefacts', 'mutation');
const workers = Number(process.env['MUTATION_WORKERS'] ?? '2');
/** Straight on the rows, in seconds; the others only for what these did not notice. */
const DIRECT = 'tests/sql';
const POLICIES = extent === 'quick' ? [] : ['matrix', 'storage-matrix'].map((name) => `tests/policies/${name}.test.ts`);
const LATER = ['tests/api', 'tests/attacks', 'tests/concurrency', 'server'];
/** How many files of whole calls are run for one mutant: those that name its table or function most often. */
const LATER_FILES = 4;

/** 'without effect': the database has the very same catalogue as without the fault, since a later migration replaces what it changes. */
type Outcome = 'noticed' | 'survived' | 'does not apply' | 'without effect';
/** `by`: the test that noticed it. `tests`: which tests did not, as a hash of their text. */
type Kept = Record<string, { readonly outcome: Outcome; readonly by?: string; readonly tests?: string }>;

const keyOf = ({ migration, line, column, kind, before, after }: SqlMutant): string =>
  [migration, `${line}:${column}`, kind, before, after].join(' | ');

/** The migrations with this fault. The checksum stays the real one: the tests must take the faulty database for an up-to-date one. */
const faulty = (migrations: readonly Migration[], mutant: SqlMutant): Migration[] =>
  migrations.map((one) => (one.name === mutant.migration ? { ...one, sql: mutant.sql } : one));

let runs = 0;
/** Runs test files on a database, and on an image of one where a test needs it embedded; answers what failed, null when all passed. */
async function runTests(files: readonly string[], url: string, image = ''): Promise<string | null> {
  runs += 1;
  const report = join(folder, `report-${process.pid}-${runs}.json`);
  const child = spawn(
    process.execPath,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--bail=1',
      // Files of rows share one process: most of what they cost is its start.
      ...(files[0] === DIRECT ? ['--no-isolate', '--maxWorkers=1'] : []),
      // Only a fault may fail a test, never a busy machine.
      '--testTimeout=300000',
      '--hookTimeout=300000',
      '--reporter=json',
      `--outputFile=${report}`,
      ...files,
    ],
    {
      stdio: 'ignore',
      env: {
        ...process.env,
        TEST_DATABASE_TEMPLATE: url,
        TEST_DATABASE_IMAGE: image,
        TEST_POSTGRES_URL: '',
        NO_COLOR: '1',
      },
    },
  );
  const code = await new Promise((resolve) => child.once('close', resolve));
  const failed = code === 0 ? null : failuresOf(await readFile(report, 'utf8').catch(() => ''));
  await rm(report, { force: true });
  return failed;
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

/** A hash of the tests that are run for every mutant. */
function hashOfTests(): string {
  const hash = createHash('sha256').update(extent);
  const trees = [DIRECT, ...(extent === 'quick' ? [] : ['tests/policies'])];
  for (const path of globSync(trees.map((tree) => `${tree}/**/*.ts`)).toSorted()) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

await mkdir(folder, { recursive: true });
const keptFile = join(folder, `sql-${seed}.json`);
const kept: Kept = JSON.parse(await readFile(keptFile, 'utf8').catch(() => '{}'));
const migrations = await checkedOutMigrations();
const tests = hashOfTests();
const right = await migrateNew(migrations);

const passing = new Map<string, Promise<boolean>>();
/** Whether the files pass without any fault, looked at once: only such files can notice one. */
function passWithoutFault(files: string): Promise<boolean> {
  const known = passing.get(files);
  if (known) return known;
  const looked = runTests([files], right.url).then((failed) => {
    if (failed !== null) process.stdout.write(`left out, since it fails without any fault: ${failed}\n`);
    return failed === null;
  });
  passing.set(files, looked);
  return looked;
}

async function lookFor(mutant: SqlMutant, { url }: Migrated): Promise<string | null> {
  const noticed = await runTests([DIRECT], url);
  if (noticed !== null || extent === 'quick') return noticed;
  const file = join(folder, `faulty-${process.pid}-${runs}.tar`);
  try {
    await writeFile(file, (await makeImage(faulty(migrations, mutant))).stream());
    for (const files of [...POLICIES, ...filesAbout(mutant)]) {
      const failed = (await passWithoutFault(files)) ? await runTests([files], url, file) : null;
      if (failed !== null) return failed;
    }
    return null;
  } finally {
    await rm(file, { force: true });
  }
}

async function judge(mutant: SqlMutant): Promise<Kept[string]> {
  const made = await migrateNew(faulty(migrations, mutant)).catch(() => null);
  if (!made) return { outcome: 'does not apply' };
  try {
    // The server has the roles since the first database: only an embedded one shows whether they are made.
    const isMade = !mutant.makesRole || (await makeImage(faulty(migrations, mutant)).catch(() => null));
    if (!isMade) return { outcome: 'does not apply' };
    // What changes rows has none to change in an empty database: there a catalogue says nothing.
    if (!mutant.changesRows && made.catalogue === right.catalogue) return { outcome: 'without effect' };
    const by = await lookFor(mutant, made);
    return by === null ? { outcome: 'survived', tests } : { outcome: 'noticed', by };
  } finally {
    await made.drop();
  }
}

if (!(await passWithoutFault(DIRECT))) throw new Error(`${DIRECT} fails without any fault: nothing can be measured.`);
const counted = new Set<Outcome>(['noticed', 'survived']);
// More than asked for: some do not apply and are left out.
const all = sqlMutants(migrations);
const order = pickSample(all, keyOf, seed, all.length);
let next = 0;
let measured = 0;

async function work(): Promise<void> {
  while (measured < Number(size)) {
    const mutant = order[next];
    if (!mutant) return;
    next += 1;
    const key = keyOf(mutant);
    const known = kept[key];
    const isNew = !known || (known.outcome === 'survived' && known.tests !== tests);
    const result = isNew ? await judge(mutant) : known;
    kept[key] = result;
    if (isNew) writeFileSync(keptFile, JSON.stringify(kept, null, 1));
    if (counted.has(result.outcome)) measured += 1;
    process.stdout.write(
      `${result.outcome.padEnd(14)} ${key}\n${result.by === undefined ? '' : `               by ${result.by}\n`}`,
    );
  }
}
await Promise.all(Array.from({ length: workers }, work));
await right.drop();

// The workers may have measured a few more: the sample ends with the mutant that makes it full.
const counts = { noticed: 0, survived: 0, 'does not apply': 0, 'without effect': 0 };
const missed: string[] = [];
for (const key of order.map(keyOf)) {
  const one = kept[key];
  if (!one || counts.noticed + counts.survived >= Number(size)) break;
  counts[one.outcome] += 1;
  if (one.outcome === 'survived') missed.push(key);
}
process.stdout.write(
  `Survivors:\n${missed.join('\n')}\nLeft out: ${counts['does not apply']} that PostgreSQL refuses, ${counts['without effect']} without effect.\n${describeScore('SQL', scoreOf(counts.noticed, counts.noticed + counts.survived))}\n`,
);
