// `npm test`: runs everything from a fresh clone and ends with one line, `N passed, N failed`. `npm test -- unit e2e` runs only those
// steps, `npm test -- path/to/one.test.ts` only those files. `--long` sets TEST_LONG=1, which runs tests at their full size.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describeFailures, failuresInBrowser, failuresInNode, longestFiles } from './test-reports.js';
import { findChromium, findPromtool, startPostgres, temporaryFolder } from './machine.js';
import {
  buildWeb,
  exitWithError,
  install,
  ownEnv,
  ownNode,
  root,
  run,
  running,
  say,
  seconds,
  SetupError,
} from './project.js';

const STEPS = ['types', 'lint', 'format', 'unit', 'build', 'e2e'];
const STOP_MS = 20_000;
/** The number of servers on which journeys run in parallel. A browser and its server wait for each other half of the time. */
const SERVERS = Math.min(2 * availableParallelism(), 8);
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const only = words.filter((word) => STEPS.includes(word));
const files = words.filter((word) => !STEPS.includes(word)).map((word) => word.replace(/^\.\//, ''));
const unknown = files.filter((file) => !/\.(test\.tsx?|e2e\.ts)$/.test(file) || !existsSync(join(root, file)));
if (unknown.length > 0)
  exitWithError(
    new SetupError(`There is no step or test file ${unknown.join(', ')}; the steps are ${STEPS.join(', ')}.`),
  );
const testFiles = files.filter((file) => /\.test\.tsx?$/.test(file));
const journeyFiles = files.filter((file) => file.endsWith('.e2e.ts'));
if (testFiles.length > 0) only.push('unit');
if (journeyFiles.length > 0) only.push('e2e');
const isSelected = (step) => only.length === 0 || only.includes(step);

const began = Date.now();
const totals = { passed: 0, failed: 0 };
/** The failed tests, for the end of the output. */
const failures = [];
const scratch = mkdtempSync(join(temporaryFolder(), 'npm-test-'));
// PostgreSQL runs under another account, which must reach its own folder below this one.
chmodSync(scratch, 0o711);
const env = {
  // Parallel runs reserve their ports in one place.
  TEST_PORTS_FOLDER: join(tmpdir(), 'test-ports'),
  // Without the cache every process of the tests would compile the server and the database engine again.
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
  ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
  ...(process.argv.includes('--long') || journeyFiles.some((file) => file.includes('/long/'))
    ? { TEST_LONG: '1' }
    : {}),
};
// Files that the tests leave behind are deleted with this folder.
process.env.TMPDIR = scratch;
/** The PostgreSQL of this run: null, or a promise of it. */
let starting = null;

/** Stops all children and deletes temporary files. */
async function end(code) {
  // SIGINT, as sent by Ctrl-C, makes test runners stop the programs that they started.
  await Promise.all(
    [...running].map((child) => {
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
      return new Promise((done) => child.once('close', done));
    }),
  );
  await (await starting)?.stop();
  rmSync(scratch, { recursive: true, force: true });
  process.exit(code);
}
let interrupted = false;
const interrupt = () => {
  if (interrupted) return;
  interrupted = true;
  say('\ninterrupted');
  void end(130);
};
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);

/** Prints the result of a step and adds it to the totals. */
function report(title, counts, since, output) {
  if (interrupted) return;
  totals.passed += counts.passed;
  totals.failed += counts.failed;
  const bad = counts.failed > 0;
  if (bad && output) say(output);
  if (bad) failures.push(...(counts.failures ?? [{ title, message: output ?? '' }]));
  say(`${bad ? 'FAIL' : 'ok  '} ${title}: ${counts.passed} passed, ${counts.failed} failed (${seconds(since)})`);
}

/** Runs one check that passes or fails as a whole: one or more commands of the project's own Node, in parallel. */
async function check(step, title, ...commands) {
  if (!isSelected(step) || interrupted) return;
  say(`     ${title} ...`);
  const since = Date.now();
  const results = await Promise.all(
    commands.map(async (args) => {
      const { code, output } = await run(ownNode(), args, env);
      return code === 0 ? '' : output || `${args.join(' ')}: exit code ${code}\n`;
    }),
  );
  const printed = results.join('');
  report(title, printed === '' ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, since, printed.slice(-8_000));
}

/** Runs a test suite and reads its counts from the JSON report. `args` gets the path of the report. */
async function suite(name, title, args, read, more = {}) {
  if (interrupted) return;
  say(`     ${title} ...`);
  const since = Date.now();
  const file = join(scratch, `${name}.json`);
  const { code, output } = await run(ownNode(), args(file), { ...env, ...more, CI: '1', REPORT_FILE: file });
  const json = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  const counts = json === null ? { passed: 0, failed: 1 } : read(json);
  // The failure belongs to no single test, such as an error between tests.
  if (code !== 0 && counts.failed === 0) {
    counts.failed = 1;
    delete counts.failures;
  }
  report(title, counts, since, output.slice(-16_000));
  if (json !== null && !interrupted) process.stdout.write(longestFiles(json).replaceAll(`${root}/`, ''));
}

/** The number of tests of each file in the parts that ran, including skipped tests. */
const testsOfFiles = new Map();

/** Fails if the tests of a file belong to no part, because no part would run them. */
function requireTests() {
  const forgotten = [...testsOfFiles].filter(([, count]) => count === 0).map(([path]) => relative(root, path));
  // Without PostgreSQL, files about it have no tests.
  if (forgotten.length === 0 || interrupted || !env.TEST_POSTGRES_URL) return;
  const lines = forgotten.map((path) => `${path}: none of its tests belongs to a part of vitest.config.ts\n`);
  report('every file has tests', { passed: 0, failed: forgotten.length }, Date.now(), lines.join(''));
}

/**
 * Checks that tests execute every function. PostgreSQL has only parsed a function that no test executes, so it may fail on its first call.
 */
function requireExecutedFunctions() {
  const script = join(root, 'tests', 'support', 'databases', 'unexecuted-functions.ts');
  return check('unit', 'tests execute every PL/pgSQL function', [script]);
}

/** Runs parts of the tests in Node (see vitest.config.ts), or only the named files. */
async function nodeTests(name, title, parts) {
  await suite(
    name,
    title,
    (file) => [
      tool('vitest', 'vitest.mjs'),
      'run',
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...parts.map((part) => `--project=${part}`),
      ...testFiles,
    ],
    (result) => {
      for (const { name: path, assertionResults } of result.testResults)
        testsOfFiles.set(path, (testsOfFiles.get(path) ?? 0) + assertionResults.length);
      return {
        passed: result.numPassedTests,
        failures: failuresInNode(result),
        // A file that fails to load has no tests that could fail, so the file itself is counted.
        failed:
          result.numFailedTests +
          result.testResults.filter(
            ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
          ).length,
      };
    },
    { TEST_PARTS: '1' },
  );
}

const tool = (...path) => join(root, 'node_modules', ...path);

await install().catch(exitWithError);
Object.assign(env, ownEnv());

if (isSelected('unit') && !interrupted) {
  // The run's hundred databases live for a few seconds each, so vacuuming them is pointless.
  starting = startPostgres('autovacuum=off', 'track_functions=pl');
}
// The checks run in parallel, because none of them alone keeps two cores busy.
await Promise.all([
  check(
    'types',
    'types',
    ...['rules', 'node', 'web'].map((part) => [tool('typescript', 'bin', 'tsc'), '-p', `tsconfig.${part}.json`]),
  ),
  // Knip reports unused files, exports and dependencies.
  check(
    'lint',
    'lint',
    [tool('oxlint', 'bin', 'oxlint'), '--type-aware'],
    [tool('knip', 'bin', 'knip.js'), '--no-progress'],
  ),
  check('format', 'format', [tool('oxfmt', 'bin', 'oxfmt'), '--check', '.']),
  build(),
  makeImage(),
]);

async function build() {
  // Tests of the running program need the pages too, and would otherwise build them.
  const needed = ['build', 'e2e'].some(isSelected) || (isSelected('unit') && testFiles.length === 0);
  if (!needed || interrupted) return;
  const since = Date.now();
  await buildWeb().then(
    () => report('web build', { passed: 1, failed: 0 }, since),
    (error) => report('web build', { passed: 0, failed: 1 }, since, error.message),
  );
}

/**
 * Makes the embedded database with which test servers begin. This takes ten seconds of processor time, which several processes would
 * otherwise spend in parallel.
 */
async function makeImage() {
  if (!['unit', 'e2e'].some(isSelected) || interrupted) return;
  // A failure is ignored here, because a test that needs the database reports the cause.
  await run(ownNode(), [join(root, 'tests', 'support', 'databases', 'make-image.ts')], env);
}

if (starting) {
  const postgres = await starting;
  // This waits for PostgreSQL, because apt-get can run only once at a time.
  env.PROMTOOL = await findPromtool();
  if (postgres) {
    Object.assign(env, { TEST_POSTGRES_URL: postgres.url, TEST_POSTGRES_BIN: postgres.bin });
    say(`     tests run on the embedded database and on PostgreSQL (${postgres.version})`);
  } else {
    say('     NOTE: PostgreSQL 15 is not available, so every test runs on the embedded database only');
  }
}
const allInNode = starting !== null && testFiles.length === 0;
if (allInNode) {
  env.TEST_EXECUTED_FUNCTIONS = join(scratch, 'executed-functions');
  mkdirSync(env.TEST_EXECUTED_FUNCTIONS);
}
if (allInNode) await nodeTests('first', 'rules, units, and API on the embedded database', ['units', 'embedded']);
else if (starting) await nodeTests('files', 'tests in Node', []);
// The suites run one after the other: in parallel they take as long, and waits exceed their limits.
if (allInNode) await restOfNodeTests();
requireTests();
if (allInNode) await requireExecutedFunctions();
if (isSelected('e2e')) await journeys();

function restOfNodeTests() {
  const parts = ['long', 'mocked', 'components', 'others', 'PostgreSQL'];
  return nodeTests('rest', 'API on PostgreSQL, policies, races, attacks and processes', parts);
}

/** Runs journeys in a browser, with one of several servers each. */
async function journeys() {
  if (interrupted) return;
  const chromium = await findChromium();
  if (chromium === null) {
    const message = 'No browser is available: set CHROMIUM_PATH to a Chromium.';
    return report('browser', { passed: 0, failed: 1 }, Date.now(), message);
  }
  const side = journeyFiles.length > 0 ? Math.min(journeyFiles.length, SERVERS) : SERVERS;
  await suite(
    'journeys',
    'journeys in a browser',
    () => [tool('@playwright', 'test', 'cli.js'), 'test', ...journeyFiles],
    (result) => ({
      passed: result.stats.expected + result.stats.flaky,
      failures: failuresInBrowser(result),
      failed: result.stats.unexpected,
    }),
    { CHROMIUM_PATH: chromium, E2E_SERVERS: String(side) },
  );
}

if (!interrupted) {
  say(`\n${describeFailures(failures)}total time ${seconds(began)}`);
  say(`${totals.passed} passed, ${totals.failed} failed`);
  await end(totals.failed === 0 ? 0 : 1);
}
