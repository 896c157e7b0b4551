import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const READY_MS = 90_000;
/** Home page, Stripe, igloohome, plugs, vision model, SMTP, sign-in by others, SMS. */
const SANDBOX_PORTS = 8;

export type ProgramOptions = {
  /** Variables as in .env.example; what is not given has its default. */
  readonly env?: Readonly<Record<string, string>>;
  /** Kept when given, so that a second program can go on with it; otherwise a new folder, removed by `stop` and `kill`. */
  readonly dataDir?: string;
  /** `postgres://` address; without it the embedded database. */
  readonly databaseUrl?: string;
  /** Ports of an earlier program, for a restart whose addresses must not change. */
  readonly ports?: { readonly port: number; readonly sandboxPort: number };
};

/** What `npm start` starts, running on spare ports of this machine. */
export type Program = {
  readonly apiUrl: string;
  readonly sandboxUrl: string;
  readonly databaseUrl: string;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  readonly dataDir: string;
  readonly ports: { readonly port: number; readonly sandboxPort: number };
  /** bin/start.js; the server and the sandbox are its children. */
  readonly child: ChildProcess;
  /** Process id of the server itself. */
  readonly serverPid: number;
  /** Everything printed so far. */
  output(): string;
  /** SIGTERM and the end of it all; answers the exit code. */
  stop(): Promise<number>;
  /** SIGKILL for the server, as a power cut would; the sandbox keeps what it knows. Answers when everything has ended. */
  kill(): Promise<void>;
};

/** Starts the whole program and waits until it is ready. Throws what it printed when it ends before that. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'studio-')));
  const ports = options.ports ?? { port: await freePorts(1), sandboxPort: await freePorts(SANDBOX_PORTS) };
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'start.js')], {
    env: environment(options, dataDir, ports),
    // The channel closes with this process, however it ends, and then the program stops by itself.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : 1));
  const tidy = async (): Promise<void> => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };

  const began = Date.now();
  while (!printed.includes('\nready after ')) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() - began > READY_MS) {
      child.kill('SIGTERM');
      await ended;
      await tidy();
      throw new Error(`the program did not get ready:\n${printed}`);
    }
    await new Promise((done) => setTimeout(done, 30));
  }
  const runtime = readRuntime(dataDir);
  return {
    apiUrl: runtime.apiUrl,
    sandboxUrl: runtime.sandboxUrl,
    databaseUrl: runtime.databaseUrl,
    anonKey: runtime.anonKey,
    serviceRoleKey: runtime.serviceRoleKey,
    dataDir,
    ports,
    child,
    serverPid: runtime.pid,
    output: () => printed,
    async stop() {
      child.kill('SIGTERM');
      const code = await ended;
      await tidy();
      return code;
    },
    async kill() {
      if (child.exitCode === null && child.signalCode === null) process.kill(runtime.pid, 'SIGKILL');
      await ended;
      await tidy();
    },
  };
}

type Runtime = { [name in 'apiUrl' | 'sandboxUrl' | 'databaseUrl' | 'anonKey' | 'serviceRoleKey']: string } & {
  pid: number;
};

/** What `npm run -s status` reads too. Throws when the server has not written it. */
function readRuntime(dataDir: string): Runtime {
  const file = join(dataDir, 'runtime.json');
  if (!existsSync(file)) throw new Error(`the program left no ${file}`);
  return JSON.parse(readFileSync(file, 'utf8')) as Runtime;
}

/**
 * Of this machine's own settings nothing may leak into a test, least of all real keys from a .env file: every variable
 * .env.example names, empty, which counts as unset and wins over .env.
 */
export function emptySettings(): Record<string, string> {
  const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
  return Object.fromEntries([...example.matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => [name, '']));
}

function environment(options: ProgramOptions, dataDir: string, ports: Program['ports']): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    ...emptySettings(),
    LOG_LEVEL: 'warn',
    DATA_DIR: dataDir,
    DATABASE_URL: options.databaseUrl ?? '',
    PORT: String(ports.port),
    SANDBOX_PORT: String(ports.sandboxPort),
    ...options.env,
  };
}

/** The first of `count` ports in a row that nothing listens on just now. */
export async function freePorts(count: number): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} free ports in a row`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once('error', () => settle(false));
    probe.listen(port, () => probe.close(() => settle(true)));
  });
}
