// `npm start`: everything from a fresh clone to a running studio. With --dev (`npm run dev`), Vite serves the pages
// from their sources as well, on a port of its own.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buildWeb, dataFolder, giveUp, install, loadEnvFile, ownEnv, ownNode, root, say, seconds } from './project.js';

const READY_SECONDS = 90;
const STOP_SECONDS = 15;

loadEnvFile();
const dev = process.argv.includes('--dev');
await install()
  .then(() => dev || buildWeb())
  .catch(giveUp);

const began = Date.now();
// An empty variable counts as unset, as in server/config.ts.
const given = (name) => process.env[name] || undefined;
const port = given('PORT') ?? '3000';
const sandboxPort = given('SANDBOX_PORT') ?? '4010';
const dataDir = dataFolder();
const sandboxOn =
  given('SANDBOX') === undefined
    ? given('STRIPE_SECRET_KEY') === undefined && given('NODE_ENV') !== 'production'
    : given('SANDBOX') === 'on';
const env = {
  ...process.env,
  ...ownEnv(),
  PORT: port,
  SANDBOX_PORT: sandboxPort,
  DATA_DIR: dataDir,
  // Compiled code is kept between starts.
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
};

const children = new Map();
let stopping = false;
let isReady = false;
let serverCode = 0;
let failure = 0;

const over = (child) => child.exitCode !== null || child.signalCode !== null;

/** In a process group of its own: Ctrl-C reaches this program alone, which then stops the others in order. */
function begin(name, args, more = {}) {
  const child = spawn(ownNode(), args, {
    cwd: root,
    env: { ...env, ...more },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  children.set(name, child);
  child.on('exit', (code, signal) => ended(name, code, signal));
  return child;
}

function ended(name, code, signal) {
  if (!stopping) process.stderr.write(`the ${name} stopped (${signal ?? `exit code ${code}`})\n`);
  if (name === 'server') serverCode = code ?? (stopping && signal === 'SIGTERM' ? 0 : 1);
  else if (!stopping) failure = 1;
  // A second start trips over the sandbox's ports first; what the server has to say about DATA_DIR matters more.
  if (name === 'server' || isReady || stopping) stop();
}

/** The server first: its last words may still have to reach the outside world. */
function stop() {
  const server = children.get('server');
  const running = [...children.values()].filter((child) => !over(child));
  if (!stopping) {
    stopping = true;
    if (running.includes(server)) say('stopping ...');
    server.kill('SIGTERM');
    setTimeout(() => running.forEach((child) => child.kill('SIGKILL')), STOP_SECONDS * 1000).unref();
  }
  if (running.includes(server)) return;
  // 75 of the server comes through: another server has this DATA_DIR.
  if (running.length === 0) process.exit(serverCode || failure);
  running.forEach((child) => child.kill('SIGTERM'));
}
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
// Nobody is left to stop it later: the test that began this over a channel has died, or the reader of a pipe has gone.
process.on('disconnect', stop);
process.stdout.on('error', stop);
process.stderr.on('error', stop);

const pause = () => new Promise((done) => setTimeout(done, 30));

/** What the server of this very start wrote down when it was ready; null when it is not. */
function readRuntime(pid) {
  const file = join(dataDir, 'runtime.json');
  const runtime = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  return runtime?.pid === pid ? runtime : null;
}

function answers(onPort) {
  return new Promise((settle) => {
    const socket = connect(Number(onPort), given('SANDBOX_HOST') ?? '127.0.0.1');
    socket.on('connect', () => settle(socket.destroy() !== null));
    socket.on('error', () => settle(false));
  });
}

say(`starting${sandboxOn ? ', with a sandbox in place of the outside world' : ''} ...`);
const server = begin('server', ['server/main.ts']);
if (sandboxOn) {
  begin('sandbox', ['sandbox/main.ts'], {
    APP_URL: (given('SITE_URL') ?? `http://localhost:${port}`).replace(/\/$/, ''),
    SANDBOX_STATE: join(dataDir, 'sandbox.json'),
  });
}

let runtime = null;
while (!stopping && !(runtime = readRuntime(server.pid))) {
  if (Date.now() - began > READY_SECONDS * 1000) {
    process.stderr.write(`The server was not ready after ${READY_SECONDS} seconds; its own lines above may say why.\n`);
    failure = 1;
    stop();
  }
  await pause();
}
if (sandboxOn && !stopping && over(children.get('sandbox'))) stop();
while (sandboxOn && !stopping && !(await answers(sandboxPort))) await pause();
if (!stopping) {
  isReady = true;
  say('');
  say(`  site     ${runtime.apiUrl}`);
  if (sandboxOn)
    say(`  sandbox  ${runtime.sandboxUrl}   mailbox, doors with a keypad, lights, payments, specimen licences`);
  say('');
  say(`ready after ${seconds(began)}. Ctrl-C stops.`);
  if (dev)
    begin('page server', [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), '--config', 'vite.dev.config.ts']);
}
