import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedOutSchema, makeImage } from '#tests/support/image.ts';
import { getSources, withSource } from './mutated-schema.ts';
import { recordSample, type RecordedSurvivor } from './record.ts';
import { getFailure } from './report.ts';
import { describeScore, pickSample, computeScore } from './sample.ts';
import { type Migrated, migrateNew } from './sql-database.ts';
import { type SqlMutant, sqlMutants } from './sql-mutants.ts';

/**
 * Mutates migrations and code one fault at a time, creates a database from them and runs the tests on it: `node sql.ts SIZE SEED`.
 * Prints the score and the survivors, and records them in `survivors.json`. With `quick` as the third argument, only the tests that work
 * directly on the database run, which gives a lower bound and is not recorded. Databases are created on the PostgreSQL of
 * TEST_POSTGRES_URL, which takes a second; an embedded one would take a minute. Results are stored: a noticed mutant is not tested
 * again, and a survivor only after the tests have changed.
 */
const [size = '150', seed = '1', extent = 'full'] = process.argv.slice(2);
const folder = join('artefacts', 'mutation');
const workers = Number(process.env['MUTATION_WORKERS'] ?? '2');
/** Tests that work directly on the rows and take seconds. The other tests run only for mutants that these do not notice. */
const DIRECT = 'tests/sql';
const POLICIES = extent === 'quick' ? [] : ['matrix', 'storage-matrix'].map((name) => `tests/policies/${name}.test.ts`);
const LATER = [
  'tests/operations',
  'tests/api',
  'tests/attacks',
  'tests/concurrency',
  'tests/realtime',
  'tests/functions',
  'server',
];
/** Number of further test files that run per mutant: those that name its table or function most often. */
const LATER_FILES = 4;

/** 'without effect' means that the catalogue equals that of the unmutated database. */
type Outcome = 'noticed' | 'survived' | 'does not apply' | 'without effect';
/** `by` is the test that noticed the mutant. `tests` is a hash of the tests that did not notice it. */
type StoredResults = Record<string, { readonly outcome: Outcome; readonly by?: string; readonly tests?: string }>;

const getKey = ({ source, line, column, kind, before, after }: SqlMutant): string =>
  [source, `${line}:${column}`, kind, before, after].join(' | ');

let runs = 0;
/** Runs test files on a database, and on its image if a test needs the embedded engine. Returns the failure, or null. */
async function runTests(files: readonly string[], url: string, image = ''): Promise<string | null> {
  runs += 1;
  const report = join(folder, `report-${process.pid}-${runs}.json`);
  const child = spawn(
    process.execPath,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--bail=1',
      // Row tests share one process, because most of their time is spent on its start.
      ...(files[0] === DIRECT ? ['--no-isolate', '--maxWorkers=1'] : []),
      // The timeouts are generous, so that a busy machine does not fail a test.
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
  const failed = code === 0 ? null : getFailure(await readFile(report, 'utf8').catch(() => ''));
  await rm(report, { force: true });
  return failed;
}

const laterFiles: { path: string; text: string }[] = [];
for (const tree of LATER)
  for await (const path of glob(`${tree}/**/*.test.ts`)) laterFiles.push({ path, text: readFileSync(path, 'utf8') });

/** Returns the test files that name the mutated table or function most often, most frequent first. */
function filesAbout({ subject }: SqlMutant): string[] {
  if (subject === '' || extent === 'quick') return [];
  const word = new RegExp(`\\b${subject}\\b`, 'g');
  const counted = laterFiles.map(({ path, text }) => ({ path, times: text.match(word)?.length ?? 0 }));
  const about = counted.filter(({ times }) => times > 0).toSorted((a, b) => b.times - a.times);
  return about.slice(0, LATER_FILES).map(({ path }) => path);
}

/** Returns a hash of the tests that run for every mutant. */
function hashOfTests(): string {
  const hash = createHash('sha256').update(extent);
  const trees = [DIRECT, ...(extent === 'quick' ? [] : ['tests/policies'])];
  for (const path of globSync(trees.map((tree) => `${tree}/**/*.ts`)).toSorted()) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

await mkdir(folder, { recursive: true });
const resultsFile = join(folder, `sql-${seed}.json`);
const results: StoredResults = JSON.parse(await readFile(resultsFile, 'utf8').catch(() => '{}'));
const schema = await checkedOutSchema();
const withMutant = ({ source, sql }: SqlMutant) => withSource(schema, { name: source, sql });
const tests = hashOfTests();
const original = await migrateNew(schema);

const passing = new Map<string, Promise<boolean>>();
/** Returns whether a test file passes without a mutant, which is checked only once. Only such files can notice a mutant. */
function passesUnmutated(file: string): Promise<boolean> {
  const cached = passing.get(file);
  if (cached) return cached;
  const checked = runTests([file], original.url).then((failed) => {
    if (failed !== null) process.stdout.write(`excluded, because it fails without a mutant: ${failed}\n`);
    return failed === null;
  });
  passing.set(file, checked);
  return checked;
}

async function findFailure(mutant: SqlMutant, { url }: Migrated): Promise<string | null> {
  const noticed = await runTests([DIRECT], url);
  if (noticed !== null || extent === 'quick') return noticed;
  const image = join(folder, `mutated-${process.pid}-${runs}.tar`);
  try {
    await writeFile(image, await makeImage(withMutant(mutant)));
    for (const file of [...POLICIES, ...filesAbout(mutant)]) {
      const failed = (await passesUnmutated(file)) ? await runTests([file], url, image) : null;
      if (failed !== null) return failed;
    }
    return null;
  } finally {
    await rm(image, { force: true });
  }
}

async function testMutant(mutant: SqlMutant): Promise<StoredResults[string]> {
  // The database may fail to be created: a mutant may leave grants without their object.
  const database = await Promise.resolve(mutant)
    .then((resolved) => migrateNew(withMutant(resolved)))
    .catch(() => null);
  if (!database) return { outcome: 'does not apply' };
  try {
    // The PostgreSQL server already has the roles, so only an embedded database shows whether they are created.
    const isMade = !mutant.makesRole || (await makeImage(withMutant(mutant)).catch(() => null));
    if (!isMade) return { outcome: 'does not apply' };
    // If the statement changes rows, an equal catalogue proves nothing, because the database is empty.
    if (!mutant.changesRows && database.catalogue === original.catalogue) return { outcome: 'without effect' };
    const by = await findFailure(mutant, database);
    return by === null ? { outcome: 'survived', tests } : { outcome: 'noticed', by };
  } finally {
    await database.drop();
  }
}

if (!(await passesUnmutated(DIRECT))) throw new Error(`${DIRECT} fails without a mutant: nothing can be measured.`);
const counted = new Set<Outcome>(['noticed', 'survived']);
// All mutants are ranked, because those that do not apply are replaced by the next ones.
const all = sqlMutants(getSources(schema));
const order = pickSample(all, getKey, seed, all.length);
let next = 0;
let measured = 0;

async function work(): Promise<void> {
  while (measured < Number(size)) {
    const mutant = order[next];
    if (!mutant) return;
    next += 1;
    const key = getKey(mutant);
    const stored = results[key];
    const isNew = !stored || (stored.outcome === 'survived' && stored.tests !== tests);
    const result = isNew ? await testMutant(mutant) : stored;
    results[key] = result;
    if (isNew) writeFileSync(resultsFile, JSON.stringify(results, null, 1));
    if (counted.has(result.outcome)) measured += 1;
    process.stdout.write(
      `${result.outcome.padEnd(14)} ${key}\n${result.by === undefined ? '' : `               by ${result.by}\n`}`,
    );
  }
}
await Promise.all(Array.from({ length: workers }, work));
await original.drop();

// Parallel workers may have tested a few more, so only mutants up to the sample's size are counted.
const counts = { noticed: 0, survived: 0, 'does not apply': 0, 'without effect': 0 };
const missed: string[] = [];
const unnoticed: RecordedSurvivor[] = [];
for (const mutant of order) {
  const key = getKey(mutant);
  const result = results[key];
  if (!result || counts.noticed + counts.survived >= Number(size)) break;
  counts[result.outcome] += 1;
  if (result.outcome !== 'survived') continue;
  missed.push(key);
  const { source, line, column, before, after } = mutant;
  unnoticed.push({ place: `${source}:${line}:${column}`, fault: `${before} → ${after}` });
}
process.stdout.write(
  `Survivors:\n${missed.join('\n')}\nExcluded: ${counts['does not apply']} that PostgreSQL refuses, ${counts['without effect']} without effect.\n${describeScore('SQL', computeScore(counts.noticed, counts.noticed + counts.survived))}\n`,
);
if (extent !== 'quick')
  await recordSample(`sql, seed ${seed}`, Number(size), counts.noticed + counts.survived, unnoticed);
