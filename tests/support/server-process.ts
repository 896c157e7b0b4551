import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const ROOT = new URL('../../', import.meta.url).pathname;
const READY_MS = 90_000;

/** The environment of every program of this project that a test starts. Compiled code is cached, as in `npm start`. */
export const PROGRAM_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'compile'),
};

export type Runtime = {
  readonly pid: number;
  readonly apiUrl: string;
  readonly sandboxUrl: string;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
};
/** The server as a separate process, which a test can kill at any moment. */
export type ServerProcess = {
  readonly runtime: Runtime;
  readonly child: ChildProcess;
  output(): string;
  kill(signal?: NodeJS.Signals): Promise<number | null>;
};

/**
 * Starts server/main.ts, or another program, with these variables and waits until it is ready. If it ends earlier, throws with its output.
 */
export async function startServer(
  env: Readonly<Record<string, string>>,
  main = join(ROOT, 'server', 'main.ts'),
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [main], {
    cwd: dirname(dirname(main)),
    env: { ...PROGRAM_ENV, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const end = Date.now() + READY_MS;
  for (;;) {
    const runtime = await readRuntime(env['DATA_DIR'] ?? '');
    if (runtime !== null && runtime.pid === child.pid && printed.includes('ready on')) {
      return {
        runtime,
        child,
        output: () => printed,
        kill: (signal = 'SIGKILL') => {
          child.kill(signal);
          return exited;
        },
      };
    }
    if (child.exitCode !== null || Date.now() > end) {
      child.kill('SIGKILL');
      throw Object.assign(new Error(`the server did not start: ${printed.slice(-2_000)}`), {
        exitCode: child.exitCode,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function readRuntime(dataDir: string): Promise<Runtime | null> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'runtime.json'), 'utf8'));
  } catch {
    return null; // not written yet
  }
}
