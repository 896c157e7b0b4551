// Shared by start, test and status: the install, the project's own Node, and the built web app.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const computeStamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** A failure whose message addresses the person at the terminal. */
export class SetupError extends Error {}

export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Exits with a clear line for a `SetupError`. Any other error is a bug and keeps its stack. */
export function exitWithError(error) {
  process.stderr.write(`\n${error instanceof SetupError ? error.message : error.stack}\n`);
  process.exit(1);
}

export const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** The running commands, so that Ctrl-C can stop them. */
export const running = new Set();

/** Runs a command to its end without showing its output: `{ code, output }`. Prints a line every half minute while it runs. */
export function run(command, args, env = {}) {
  return new Promise((settle) => {
    const began = Date.now();
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    const pulse = setInterval(() => say(`     ... still running (${seconds(began)})`), 30_000);
    running.add(child);
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const end = (code, more = '') => {
      clearInterval(pulse);
      running.delete(child);
      settle({ code, output: output + more });
    };
    child.on('error', (error) => end(1, String(error)));
    child.on('close', (code) => end(code ?? 1));
  });
}

/**
 * Installs the packages of package-lock.json, once per lock file. npm writes node_modules/.package-lock.json last, so if that is newer than
 * the lock file, a person has completed an install by hand.
 */
export async function install() {
  if (major() < 18) {
    throw new SetupError(`Node 18 or newer is needed to begin with; this is ${process.version}.`);
  }
  const lockFile = join(root, 'package-lock.json');
  const lock = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  const stamp = join(root, 'node_modules', '.stamp');
  if (computeStamp(stamp) === lock) return;
  const byHand = join(root, 'node_modules', '.package-lock.json');
  if (computeStamp(stamp) !== '' || !existsSync(byHand) || statSync(byHand).mtimeMs < statSync(lockFile).mtimeMs) {
    const began = Date.now();
    say('installing packages (up to a few minutes the first time) ...');
    // With NODE_ENV=production npm would omit the packages that build the web app.
    const options = ['--include=dev', '--no-audit', '--no-fund', '--engine-strict=false'];
    const { code, output } = await run('npm', ['ci', ...options], {
      PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    });
    if (code !== 0) throw new SetupError(`The packages could not be installed. ${npmFault(output)}`);
    say(`packages installed in ${seconds(began)}`);
  }
  writeFileSync(stamp, lock);
}

/** Returns the error lines of npm's output, without its help text. */
function npmFault(output) {
  const lines = output.split('\n').filter((line) => line.startsWith('npm error'));
  const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|npm error code E[45]\d\d/.test(
    output,
  );
  const advice = unreachable ? 'The npm registry cannot be reached from here, or refuses; npm says:' : 'npm says:';
  return `${advice}\n\n${(lines.length === 0 ? output.split('\n') : lines).slice(0, 12).join('\n')}`;
}

const NODE = 24;
const major = () => Number(process.versions.node.split('.')[0]);

/**
 * Returns the path of the project's own Node 24, whatever Node started this script. It is the real binary, so that signals reach it.
 * Without it (`npm ci --omit=dev`) the Node that runs this script must be new enough.
 */
export function ownNode() {
  const found = join(root, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(found)) return found;
  if (major() >= NODE) return process.execPath;
  throw new SetupError(
    `Node ${NODE} or newer is needed with "npm ci --omit=dev"; this is ${process.version}. Without that option the project brings its own: delete node_modules and try again.`,
  );
}

export const ownEnv = () => ({ PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}` });

/** Returns the folder of the server's data. */
export const dataFolder = () => resolve(root, process.env.DATA_DIR || './data');

/**
 * Returns the file that the server with this DATA_DIR wrote when it was ready. Returns null if there is none, or if the server has stopped.
 */
export function readRuntime() {
  const file = join(dataFolder(), 'runtime.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** Whether a process exists. A server that was killed leaves its file behind. */
export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return error.code === 'EPERM';
  }
}

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

/** Builds the web app into dist/web if one of its sources has changed. */
export async function buildWeb() {
  const sources = ['web', 'rules', 'build']
    .flatMap((folder) => files(join(root, folder)))
    .concat(join(root, 'vite.config.ts'), join(root, 'package-lock.json'))
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .sort((a, b) => (a < b ? -1 : 1));
  const hash = createHash('sha256');
  for (const file of sources) hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  const required = hash.digest('hex');
  const stamp = join(root, 'dist', 'web', '.stamp');
  if (computeStamp(stamp) === required) return;
  if (!existsSync(join(root, 'node_modules', 'vite')))
    throw new SetupError(
      `${computeStamp(stamp) === '' ? 'The web app is not built' : 'The sources of the web app have changed'}, and what builds it is left out by "npm ci --omit=dev". Run "npm ci && npm run build", or copy dist/web from where it was built.`,
    );
  const began = Date.now();
  say('building the web app ...');
  const { code, output } = await run(ownNode(), [join(root, 'build', 'site.ts')], ownEnv());
  if (code !== 0) throw new SetupError(`The web app could not be built.\n\n${output.slice(-3000)}`);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, required);
  say(`web app built in ${seconds(began)}`);
}

/** Prepares the embedded database of a first start. If this fails, the server makes its database itself, which takes longer. */
export async function prepareDatabase(folder = join(root, 'dist', 'prepared')) {
  say('preparing the database ...');
  await run(ownNode(), [join(root, 'server', 'start', 'data-dir', 'prepare-database.ts'), folder], ownEnv());
}

/** Reads the KEY=value lines of .env. Variables that are already set take precedence. */
export function loadEnvFile() {
  const file = join(root, '.env');
  if (!existsSync(file)) return;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const match = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (match && process.env[match[1]] === undefined) process.env[match[1]] = match[2].replace(/^(["'])(.*)\1$/, '$2');
  }
}
