// `npm test`: runs everything from a fresh clone and ends with one line, `N passed, N failed`.
// `npm test -- unit e2e` runs only those steps, `npm test -- path/to/one.test.ts` only those files. `--long` sets TEST_LONG=1, which runs
// tests at their full size.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, startPostgres } from './machine.js';
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
/** Journeys run on this many servers side by side, each with a share of the files. */
const SERVERS = 2;
const E2E_PORT = Number(process.env.E2E_PORT ?? 3390);
const E2E_SANDBOX_PORT = Number(process.env.E2E_SANDBOX_PORT ?? 4390);
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const only = words.filter((word) => STEPS.includes(word));
const files = words.filter((word) => !STEPS.includes(word)).map((word) => word.replace(/^\.\//, ''));
const unknown = files.filter((file) => !/\.(test|e2e)\.ts$/.test(file) || !existsSync(join(root, file)));
if (unknown.length > 0)
  exitWithError(
    new SetupError(`There is no step or test file ${unknown.join(', ')}; the steps are ${STEPS.join(', ')}.`),
  );
const testFiles = files.filter((file) => file.endsWith('.test.ts'));
const journeyFiles = files.filter((file) => file.endsWith('.e2e.ts'));
if (testFiles.length > 0) only.push('unit');
if (journeyFiles.length > 0) only.push('e2e');
const wanted = (step) => only.length === 0 || only.includes(step);

const began = Date.now();
const totals = { passed: 0, failed: 0 };
const scratch = mkdtempSync(join(tmpdir(), 'npm-test-'));
const env = {
  ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
  ...(process.argv.includes('--long') ? { TEST_LONG: '1' } : {}),
};
let postgres = null;

/** Stops all children and deletes temporary files. */
async function end(code) {
  // SIGINT, as from Ctrl-C, so that test runners stop the programs they started.
  await Promise.all(
    [...running].map((child) => {
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
      return new Promise((done) => child.once('close', done));
    }),
  );
  await postgres?.stop();
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
  say(`${bad ? 'FAIL' : 'ok  '} ${title}: ${counts.passed} passed, ${counts.failed} failed (${seconds(since)})`);
}

/** Runs one check that passes or fails as a whole: one or more commands of the project's own Node. */
async function check(step, title, ...commands) {
  if (!wanted(step) || interrupted) return;
  say(`     ${title} ...`);
  const since = Date.now();
  let failures = '';
  for (const args of commands) {
    const { code, output } = await run(ownNode(), args, env);
    if (code !== 0) failures += output || `${args.join(' ')}: exit code ${code}\n`;
  }
  report(title, failures === '' ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, since, failures.slice(-8_000));
}

/**
 * Runs a test suite and reads its counts from the JSON report. `parts`: the environment of each process; all run side by side.
 * `args` gets the path of the report and the number of the part, from 0.
 */
async function suite(title, args, read, parts = [{}]) {
  if (interrupted) return;
  say(`     ${title} ...`);
  const since = Date.now();
  const runPart = async (more, part) => {
    const report = join(scratch, `${title.split(' ')[0]}-${part}.json`);
    const result = await run(ownNode(), args(report, part), { ...env, ...more, CI: '1', REPORT_FILE: report });
    const counts = existsSync(report) ? read(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, failed: 1 };
    // A failure that belongs to no single test, such as an error between tests.
    if (result.code !== 0 && counts.failed === 0) counts.failed = 1;
    return { ...counts, output: result.output };
  };
  const results = await Promise.all(parts.map(runPart));
  const sum = (key) => results.reduce((total, one) => total + one[key], 0);
  const output = results.filter((one) => one.failed > 0).map((one) => one.output.slice(-16_000));
  report(title, { passed: sum('passed'), failed: sum('failed') }, since, output.join('\n'));
}

const tool = (...path) => join(root, 'node_modules', ...path);

await install().catch(exitWithError);
Object.assign(env, ownEnv());

await check(
  'types',
  'types',
  ...['rules', 'node', 'web'].map((part) => [tool('typescript', 'bin', 'tsc'), '-p', `tsconfig.${part}.json`]),
);
await check('lint', 'lint', [tool('oxlint', 'bin', 'oxlint'), '--type-aware']);
await check('format', 'format', [tool('oxfmt', 'bin', 'oxfmt'), '--check', '.']);

if (wanted('unit') && !interrupted) {
  postgres = await startPostgres();
  if (postgres) {
    Object.assign(env, { TEST_POSTGRES_URL: postgres.url, TEST_POSTGRES_BIN: postgres.bin });
    say(`     tests run on the embedded database and on PostgreSQL (${postgres.version})`);
  } else {
    say('     NOTE: PostgreSQL 15 is not available, so every test runs on the embedded database only');
  }
  await suite(
    'tests in Node: unit, wire, policies, contracts',
    (report) => [
      tool('vitest', 'vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...testFiles,
    ],
    (report) => ({
      passed: report.numPassedTests,
      // A file that fails to load has no tests that could fail, so count the file.
      failed:
        report.numFailedTests +
        report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length,
    }),
  );
}

if ((wanted('build') || wanted('e2e')) && !interrupted) {
  const since = Date.now();
  await buildWeb().then(
    () => report('web build', { passed: 1, failed: 0 }, since),
    (error) => report('web build', { passed: 0, failed: 1 }, since, error.message),
  );
}

if (wanted('e2e') && !interrupted) {
  const chromium = await findChromium();
  if (chromium === null) {
    report(
      'browser',
      { passed: 0, failed: 1 },
      Date.now(),
      'No browser is available: set CHROMIUM_PATH to a Chromium.',
    );
  } else {
    await suite(
      'journeys in a browser',
      (_report, part) => [
        tool('@playwright', 'test', 'cli.js'),
        'test',
        '--pass-with-no-tests',
        `--shard=${part + 1}/${SERVERS}`,
        ...journeyFiles,
      ],
      (report) => ({ passed: report.stats.expected + report.stats.flaky, failed: report.stats.unexpected }),
      Array.from({ length: SERVERS }, (_, part) => ({
        CHROMIUM_PATH: chromium,
        E2E_PORT: String(E2E_PORT + 20 * part),
        E2E_SANDBOX_PORT: String(E2E_SANDBOX_PORT + 20 * part),
        E2E_OUTPUT: join('artefacts', `e2e-${part + 1}`),
      })),
    );
  }
}

if (!interrupted) {
  say(`\ntotal time ${seconds(began)}`);
  say(`${totals.passed} passed, ${totals.failed} failed`);
  await end(totals.failed === 0 ? 0 : 1);
}
