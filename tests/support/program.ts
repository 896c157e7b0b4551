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
/** The number of the sandbox's ports: home page, Stripe, igloohome, plugs, vision model, SMTP, identity provider, SMS. */
const SANDBOX_PORTS = 8;

export type ProgramOptions = {
  /** Variables as in .env.example. All others have their defaults. */
  readonly env?: Readonly<Record<string, string>>;
  /** An existing folder, for a restart. By default a new folder, which `stop` and `kill` remove. */
  readonly dataDir?: string;
  /** Whether to begin with the migrated image instead of an empty embedded database, which the program would take a second to migrate. */
  readonly migrated?: boolean;
  /** A `postgres://` URL. Without it the program uses the embedded database. */
  readonly databaseUrl?: string;
  /** The ports of an earlier program, for a restart at the same addresses. */
  readonly ports?: { readonly port: number; readonly sandboxPort: number };
};

/** The program that `npm start` starts, on free ports. */
export type Program = {
  readonly apiUrl: string;
  readonly sandboxUrl: string;
  readonly databaseUrl: string;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  readonly dataDir: string;
  readonly ports: { readonly port: number; readonly sandboxPort: number };
  /** The process of bin/start.js. The server and the sandbox are its children. */
  readonly child: ChildProcess;
  /** The process id of the server. */
  readonly serverPid: number;
  /** Returns everything printed so far. */
  output(): string;
  /** Sends SIGTERM and waits for the end. Returns the exit code. */
  stop(): Promise<number>;
  /** Sends SIGKILL to the server, like a power cut, and waits until everything has ended. The sandbox keeps its state. */
  kill(): Promise<void>;
};

/** Starts the program and waits until it is ready. Throws with its output if it ends before that. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'studio-')));
  if (options.migrated) {
    // The module is imported here because it loads the database engine, which few journeys need.
    const { migratedFolder } = await import('./image.ts');
    await migratedFolder(join(dataDir, 'database'));
  }
  const ports = options.ports ?? { port: await freePorts(1), sandboxPort: await freePorts(SANDBOX_PORTS) };
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'start.js')], {
    env: environment(options, dataDir, ports),
    // The IPC channel closes when this process ends, and the program then stops.
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

/** Reads the file of `npm run -s status`. Throws if the server has not written it. */
function readRuntime(dataDir: string): Runtime {
  const file = join(dataDir, 'runtime.json');
  if (!existsSync(file)) throw new Error(`the program left no ${file}`);
  return JSON.parse(readFileSync(file, 'utf8')) as Runtime;
}

/**
 * Returns every variable of .env.example as empty, so that neither this machine's settings nor real keys in .env reach a test. An empty
 * variable counts as unset and overrides .env.
 */
export function emptyConfig(): Record<string, string> {
  const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
  return Object.fromEntries([...example.matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => [name, '']));
}

function environment(options: ProgramOptions, dataDir: string, ports: Program['ports']): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    ...emptyConfig(),
    LOG_LEVEL: 'warn',
    DATA_DIR: dataDir,
    DATABASE_URL: options.databaseUrl ?? '',
    PORT: String(ports.port),
    SANDBOX_PORT: String(ports.sandboxPort),
    ...options.env,
  };
}

/** Returns the first of `count` consecutive free ports. */
async function freePorts(count: number): Promise<number> {
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
