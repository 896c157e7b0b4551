// `npm start`: goes from a fresh clone to a running studio. With --dev (`npm run dev`), Vite also serves the pages from their sources, on a
// separate port.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { watchLauncher } from './launcher.js';
import {
  buildWeb,
  dataFolder,
  exitWithError,
  install,
  isRunning,
  loadEnvFile,
  ownEnv,
  ownNode,
  prepareDatabase,
  readRuntime,
  root,
  say,
  seconds,
} from './project.js';

const READY_SECONDS = 90;
const STOP_SECONDS = 15;
/** The exit code of the server if another one uses this DATA_DIR; this script uses the same. */
const LOCKED = 75;

loadEnvFile();
const dev = process.argv.includes('--dev');
// An empty variable counts as unset, as in server/config.ts.
const variable = (name) => process.env[name] || undefined;
const dataDir = dataFolder();
const isFirstStart =
  (variable('DATABASE_URL') ?? variable('DATABASE_URL_FILE')) === undefined && !existsSync(join(dataDir, 'database'));
await install()
  .then(() => Promise.all([dev || buildWeb(), isFirstStart && prepareDatabase()]))
  .catch(exitWithError);

const began = Date.now();
const port = variable('PORT') ?? '3000';
const sandboxPort = variable('SANDBOX_PORT') ?? '4010';
const sandboxOn =
  variable('SANDBOX') === undefined
    ? (variable('STRIPE_SECRET_KEY') ?? variable('STRIPE_SECRET_KEY_FILE')) === undefined &&
      variable('NODE_ENV') !== 'production'
    : variable('SANDBOX') === 'on';
const env = {
  ...process.env,
  ...ownEnv(),
  PORT: port,
  SANDBOX_PORT: sandboxPort,
  DATA_DIR: dataDir,
  // Compiled code is cached between starts.
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
};

const children = new Map();
let stopping = false;
let isReady = false;
let sandboxUp = false;
let serverCode = 0;
let failure = 0;

const hasExited = (child) => child.exitCode !== null || child.signalCode !== null;

/** Starts a child in a separate process group. Ctrl-C reaches only this program, which then stops the children in order. */
function startChild(name, args, more = {}) {
  const child = spawn(ownNode(), args, {
    cwd: root,
    env: { ...env, ...more },
    // The channel closes when this program ends in any way, and the child then stops.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  children.set(name, child);
  child.on('exit', (code, signal) => onExit(name, code, signal));
  return child;
}

/** Kills a child and the processes that it started, which form a process group. */
function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Windows has no process groups.
    child.kill('SIGKILL');
  }
}

function onExit(name, code, signal) {
  // Until the sandbox is ready, its own output explains why it ended.
  const explained = name === 'sandbox' && !sandboxUp;
  if (!stopping && !explained) process.stderr.write(`the ${name} stopped (${signal ?? `exit code ${code}`})\n`);
  if (name === 'server') serverCode = code ?? (stopping && signal === 'SIGTERM' ? 0 : 1);
  else if (!stopping) failure = explained ? refuseSecondStart() : 1;
  stop();
}

/**
 * Explains the failure of a second start on the same folder. It fails at the sandbox's ports first, but the important message is that the
 * folder is in use. Returns the exit code.
 */
function refuseSecondStart() {
  const runtime = readRuntime();
  if (runtime === null || !isRunning(runtime.pid) || !runtime.sandboxUrl?.endsWith(`:${sandboxPort}`)) return 1;
  process.stderr.write(
    `another server is running on ${dataDir}; stop it first, or set DATA_DIR to another folder and other ports\n`,
  );
  return LOCKED;
}

/** Stops the server first, because its last requests may still need the sandbox. */
function stop() {
  const server = children.get('server');
  const running = [...children.values()].filter((child) => !hasExited(child));
  if (!stopping) {
    stopping = true;
    if (running.includes(server) && isReady) say('stopping ...');
    server.kill('SIGTERM');
    setTimeout(() => running.forEach(killGroup), STOP_SECONDS * 1000).unref();
  }
  if (running.includes(server)) return;
  // The server's exit code is passed on: 75 means that another server uses this DATA_DIR.
  if (running.length === 0) process.exit(serverCode || failure);
  running.forEach((child) => child.kill('SIGTERM'));
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
// This program also stops when nothing else could stop it later: the parent test or npm died, or the reader of a pipe is gone.
process.on('disconnect', stop);
if (process.env.npm_lifecycle_event !== undefined) watchLauncher(stop);
process.stdout.on('error', stop);
process.stderr.on('error', stop);

const pause = () => new Promise((done) => setTimeout(done, 30));

/** Returns the file that the server of this start wrote when it was ready; null before that. */
function readOwnRuntime(pid) {
  const runtime = readRuntime();
  return runtime?.pid === pid ? runtime : null;
}

say(`starting${sandboxOn ? ', with a sandbox in place of outside providers' : ''} ...`);
const server = startChild('server', ['server/main.ts', ...(sandboxOn ? ['after-sandbox'] : [])]);
if (sandboxOn) {
  startChild('sandbox', ['sandbox/main.ts'], {
    APP_URL: (variable('SITE_URL') ?? `http://localhost:${port}`).replace(/\/$/, ''),
    SANDBOX_STATE: join(dataDir, 'sandbox.json'),
  }).once('message', () => {
    // The server has loaded in the meantime and only now opens the database. Earlier, the ports of the sandbox might have been in use.
    sandboxUp = true;
    if (!stopping && server.connected) server.send('begin');
  });
}

let runtime = null;
while (!stopping && !(runtime = readOwnRuntime(server.pid))) {
  if (Date.now() - began > READY_SECONDS * 1000) {
    process.stderr.write(`The server was not ready after ${READY_SECONDS} seconds; see its lines above.\n`);
    failure = 1;
    stop();
  }
  await pause();
}
if (!stopping) {
  isReady = true;
  say('');
  say(`  site     ${runtime.apiUrl}`);
  if (sandboxOn)
    say(`  sandbox  ${runtime.sandboxUrl}   mailbox, doors with a keypad, lights, payments, specimen licences`);
  say('');
  say(`ready after ${seconds(began)}. Ctrl-C stops.`);
  if (dev)
    startChild('page server', [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), '--config', 'vite.dev.config.ts']);
}
