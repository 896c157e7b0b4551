// `npm start`: everything from a fresh clone to a running studio.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildWeb, giveUp, install, loadEnvFile, ownEnv, ownNode, root, say } from './project.js';

loadEnvFile();
await install();
await buildWeb();

const port = process.env.PORT || '3000';
const sandboxPort = process.env.SANDBOX_PORT || '4010';
const dataDir = resolve(root, process.env.DATA_DIR || './data');
const production = process.env.NODE_ENV === 'production';
const sandboxOn = process.env.SANDBOX === 'on' || (process.env.SANDBOX === undefined && !process.env.STRIPE_SECRET_KEY && !production);
const env = { ...process.env, ...ownEnv(), PORT: port, SANDBOX_PORT: sandboxPort, DATA_DIR: dataDir, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile') };

const children = [];
let stopping = false;
let exitCode = 0;

function child(name, args, more = {}) {
  const started = spawn(ownNode(), args, { cwd: root, env: { ...env, ...more }, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  children.push(started);
  started.on('exit', (code, signal) => {
    started.over = true;
    if (!stopping && code !== 0) process.stderr.write(`the ${name} stopped (${signal ?? `exit ${code}`})\n`);
    if (!stopping || name === 'server') exitCode = code ?? 1;
    stop();
  });
  return started;
}

function stop() {
  if (!stopping) {
    stopping = true;
    // The server first: its last words may still go outside.
    children[0]?.kill('SIGTERM');
    setTimeout(() => children.forEach((one) => one.over || one.kill('SIGKILL')), 15_000).unref();
  }
  if (children[0]?.over) children.slice(1).forEach((one) => one.over || one.kill('SIGTERM'));
  if (children.every((one) => one.over)) process.exit(exitCode);
}
process.on('SIGINT', stop);
process.on('SIGTERM', stop);

const began = Date.now();
say(`starting${sandboxOn ? ' with the sandbox as the outside world' : ''} ...`);
const server = child('server', ['server/main.ts']);
if (sandboxOn) {
  child('sandbox', ['sandbox/main.ts'], { APP_URL: (process.env.SITE_URL || `http://localhost:${port}`).replace(/\/$/, ''), SANDBOX_STATE: join(dataDir, 'sandbox.json') });
}

/** Ready when the server of this very start says so. */
async function ready() {
  const runtime = join(dataDir, 'runtime.json');
  for (let tries = 0; tries < 1200 && !stopping; tries += 1) {
    if (existsSync(runtime) && JSON.parse(readFileSync(runtime, 'utf8')).pid === server.pid) return JSON.parse(readFileSync(runtime, 'utf8'));
    await new Promise((done) => setTimeout(done, 50));
  }
  if (!stopping) giveUp('The server did not get ready within a minute.');
  return null;
}
const runtime = await ready();
if (runtime) {
  say('');
  say(`  site     ${runtime.apiUrl}`);
  if (sandboxOn) say(`  outside  http://localhost:${sandboxPort}   (mailbox, doors, payments, specimen licences)`);
  say('');
  say(`ready in ${((Date.now() - began) / 1000).toFixed(1)} s; Ctrl-C stops.`);
}
