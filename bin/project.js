// What start and test share: an install that is up to date, the project's own Node, and the built web app.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Ends with a clear line instead of a stack. */
export function giveUp(line) {
  process.stderr.write(`\n${line}\n`);
  process.exit(1);
}

/** Runs a command to its end; answers its exit code and, when asked, what it printed. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: options.quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...options.env } });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: 1, output: String(error) }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Installs what package-lock.json names, unless that has been done for this very lock file. */
export async function install() {
  if (Number(process.versions.node.split('.')[0]) < 18) giveUp(`Node 18 or newer is needed to begin; this is ${process.version}.`);
  const lock = createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
  const stamp = join(root, 'node_modules', '.stamp');
  if (stampOf(stamp) === lock) return;
  say('installing packages (a few minutes the first time) ...');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { code, output } = await run(npm, ['ci', '--no-audit', '--no-fund', '--engine-strict=false'], { quiet: true, env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' } });
  if (code !== 0) giveUp(`The packages could not be installed. Is the npm registry reachable?\n\n${output.slice(-2000)}`);
  writeFileSync(stamp, lock);
}

/** The project's own Node 24: packages bring it, so whatever Node began this does not matter. */
export function ownNode() {
  const found = [join(root, 'node_modules', 'node', 'bin', 'node'), join(root, 'node_modules', '.bin', 'node')].find((path) => existsSync(path));
  if (!found) giveUp('The project brings its own Node, but it is not installed: delete node_modules and try again.');
  return found;
}

export function ownEnv() {
  return { PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}` };
}

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]));
}

/** Builds the web app when anything it is made of has changed. */
export async function buildWeb() {
  const sources = [...files(join(root, 'web')), ...files(join(root, 'rules')), join(root, 'vite.config.ts'), join(root, 'package-lock.json')].filter((file) => statSync(file).isFile() && !file.endsWith('.test.ts')).sort();
  const hash = createHash('sha256');
  for (const file of sources) hash.update(file.slice(root.length)).update(readFileSync(file));
  const stamp = join(root, 'dist', 'web', '.stamp');
  const wanted = hash.digest('hex');
  if (stampOf(stamp) === wanted) return;
  say('building the web app ...');
  const { code, output } = await run(ownNode(), [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'], { quiet: true, env: ownEnv() });
  if (code !== 0) giveUp(`The web app could not be built.\n\n${output.slice(-3000)}`);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** Reads KEY=value lines of a .env file; what is set already wins. */
export function loadEnvFile() {
  const file = join(root, '.env');
  if (!existsSync(file)) return;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const match = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (match && process.env[match[1]] === undefined) process.env[match[1]] = match[2].replace(/^(["'])(.*)\1$/, '$2');
  }
}
