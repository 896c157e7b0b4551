// `npm test`: everything from a fresh clone to one last line, `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWeb, install, loadEnvFile, ownEnv, ownNode, root, run, say } from './project.js';

const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const long = process.argv.includes('--long');
const isRoot = process.getuid?.() === 0;
const totals = { passed: 0, failed: 0 };
const wanted = (step) => only.length === 0 || only.includes(step);

loadEnvFile();
await install();
const node = ownNode();
const env = { ...ownEnv(), CI: '1', ...(long ? { TEST_LONG: '1' } : {}) };
const tool = (name, ...path) => [join(root, 'node_modules', name, ...path)];

/** One check that passes or fails as a whole. */
async function check(step, title, args) {
  if (!wanted(step)) return;
  const began = Date.now();
  const { code, output } = await run(node, args, { quiet: true, env });
  totals[code === 0 ? 'passed' : 'failed'] += 1;
  say(`${code === 0 ? 'ok  ' : 'FAIL'} ${title} (${((Date.now() - began) / 1000).toFixed(0)} s)`);
  if (code !== 0) say(output.slice(-6000));
}

/** Tests that count for themselves; `read` finds the counts in what they wrote. */
async function suite(step, title, args, read, more = {}) {
  if (!wanted(step)) return;
  const began = Date.now();
  const report = join(mkdtempSync(join(tmpdir(), 'report-')), 'report.json');
  const { code, output } = await run(node, args(report), {
    quiet: true,
    env: { ...env, ...more, REPORT_FILE: report },
  });
  const counts = existsSync(report) ? read(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, failed: 1 };
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  totals.passed += counts.passed;
  totals.failed += counts.failed;
  say(
    `${counts.failed === 0 ? 'ok  ' : 'FAIL'} ${title}: ${counts.passed} passed, ${counts.failed} failed (${((Date.now() - began) / 1000).toFixed(0)} s)`,
  );
  if (counts.failed > 0 || counts.note) say(output.slice(-12_000));
}

function which(names) {
  return names.find((name) => (name.includes('/') ? existsSync(name) : spawnSync('which', [name]).status === 0));
}

async function aptInstall(what) {
  say(`installing ${what} ...`);
  await run('apt-get', ['update', '-q'], { quiet: true });
  return (
    (
      await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', what], {
        quiet: true,
        env: { DEBIAN_FRONTEND: 'noninteractive' },
      })
    ).code === 0
  );
}

/** A Chromium: given, installed, from the system's packages, or Playwright's own. Null when none can be had. */
async function findChromium() {
  const names = [
    process.env.CHROMIUM_PATH,
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ].filter(Boolean);
  const path = (name) => (name.includes('/') ? name : spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim());
  const found = which(names);
  if (found) return path(found);
  if (isRoot && which(['apt-get']) && (await aptInstall('chromium')) && which(['chromium'])) return path('chromium');
  say('downloading a browser ...');
  return (await run(node, [...tool('playwright', 'cli.js'), 'install', 'chromium'], { quiet: true, env })).code === 0
    ? ''
    : null;
}

function findPostgres() {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base)
    ? readdirSync(base)
        .filter((name) => Number(name) >= 15)
        .sort((a, b) => Number(b) - Number(a))
    : [];
  const folder = versions.map((name) => join(base, name, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  if (folder) return folder;
  const config = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  return config.status === 0 && existsSync(join(config.stdout.trim(), 'initdb')) ? config.stdout.trim() : null;
}

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/** A PostgreSQL of our own in a temporary folder; null when there is none on this machine. */
async function startPostgres() {
  let bin = findPostgres();
  if (!bin && isRoot && which(['apt-get']) && (await aptInstall('postgresql-15'))) bin = findPostgres();
  if (!bin) return null;
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const identity = {};
  if (isRoot) {
    // PostgreSQL refuses to run as root.
    const user = ['postgres', 'nobody'].find((name) => spawnSync('id', ['-u', name]).status === 0);
    identity.uid = Number(spawnSync('id', ['-u', user], { encoding: 'utf8' }).stdout);
    identity.gid = Number(spawnSync('id', ['-g', user], { encoding: 'utf8' }).stdout);
    chownSync(folder, identity.uid, identity.gid);
  }
  const data = join(folder, 'data');
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    { ...identity, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) {
    say(made.stderr);
    return null;
  }
  const port = await freePort();
  const server = spawn(
    join(bin, 'postgres'),
    [
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      folder,
      '-c',
      'fsync=off',
      '-c',
      'max_connections=300',
      '-c',
      'shared_buffers=256MB',
    ],
    { ...identity, cwd: folder, stdio: 'ignore' },
  );
  for (let tries = 0; tries < 100; tries += 1) {
    if (spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status === 0) break;
    await new Promise((done) => setTimeout(done, 100));
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    bin,
    stop() {
      server.kill('SIGINT');
      setTimeout(() => rmSync(folder, { recursive: true, force: true }), 1000);
    },
  };
}

const postgres = wanted('unit') || long ? await startPostgres() : null;
const quit = () => {
  postgres?.stop();
  setTimeout(() => process.exit(1), 1200);
};
process.on('SIGINT', quit);
process.on('SIGTERM', quit);
if (postgres) {
  env.TEST_POSTGRES_URL = postgres.url;
  env.TEST_POSTGRES_BIN = postgres.bin;
} else if (wanted('unit')) say('no PostgreSQL here: the database tests run on the embedded database only');

for (const part of ['node', 'web', 'rules'])
  await check('types', `types, ${part}`, [...tool('typescript', 'bin', 'tsc'), '-p', `tsconfig.${part}.json`]);
await check('lint', 'lint', [...tool('oxlint', 'bin', 'oxlint'), '--type-aware']);
await check('format', 'format', [...tool('oxfmt', 'bin', 'oxfmt'), '--check', '.']);
if (wanted('unit') || wanted('e2e')) await buildWeb();
await suite(
  'unit',
  'unit, wire, policies, races, kills',
  (report) => [
    ...tool('vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ],
  (report) => ({
    passed: report.numPassedTests,
    failed:
      report.numFailedTests +
      report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length,
  }),
);
if (wanted('e2e')) {
  const chromium = await findChromium();
  if (chromium === null) {
    totals.failed += 1;
    say('FAIL no browser could be had for the journeys: set CHROMIUM_PATH to an installed Chromium');
  } else {
    await suite(
      'e2e',
      'journeys in a browser',
      () => [...tool('@playwright', 'test', 'cli.js'), 'test'],
      (report) => ({ passed: report.stats.expected + report.stats.flaky, failed: report.stats.unexpected }),
      chromium === '' ? {} : { CHROMIUM_PATH: chromium },
    );
  }
}

postgres?.stop();
say('');
say(`${totals.passed} passed, ${totals.failed} failed`);
setTimeout(() => process.exit(totals.failed === 0 ? 0 : 1), postgres ? 1200 : 0);
