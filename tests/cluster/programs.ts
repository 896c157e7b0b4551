import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program of the drill, in a separate process group. */
export type Program = {
  /** Sends SIGKILL to the program and everything that it started. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

export type ProgramOptions = {
  readonly log: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether to run as the system account `postgres` if this program runs as root. */
  readonly asPostgres?: boolean;
};

const STOP_MS = 10_000;

/** Starts a program and writes its output to `log`. */
export function startProgram(command: string, args: readonly string[], options: ProgramOptions): Program {
  const out = openSync(options.log, 'a');
  const account = options.asPostgres ? postgresAccount() : {};
  const child = spawn(command, args, {
    ...account,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/tmp', LANG: 'C.UTF-8', ...options.env },
    stdio: ['ignore', out, out],
    detached: true,
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    signalGroup(child, signal);
    const late = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
  };
  return { kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid ?? 0), signal);
  } catch {
    child.kill(signal); // The group has ended.
  }
}

const readId = (kind: string): number => Number(spawnSync('id', [kind, 'postgres'], { encoding: 'utf8' }).stdout);

/** Returns the account for programs of PostgreSQL, which refuse to run as root. */
export function postgresAccount(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: readId('-u'), gid: readId('-g') } : {};
}

/**
 * Sends SIGKILL to all processes of the PostgreSQL of a data folder. The first process is stopped beforehand, because a connection that it
 * accepted in the meantime would outlive the others and might wait for one of their locks forever.
 */
export function killPostgres(folder: string): void {
  const file = join(folder, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  sendSignal(pid, 'SIGSTOP');
  const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout;
  for (const target of [...children.trim().split(/\s+/).map(Number), pid])
    if (target > 0) sendSignal(target, 'SIGKILL');
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended: those of connections end when the first one does.
  }
}

/** Calls `ask` until it returns true, and returns the seconds that this took. Throws an error with `what` after `seconds`. */
export async function untilTrue(what: string, seconds: number, ask: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  for (;;) {
    if (await ask().catch(() => false)) return (performance.now() - began) / 1000;
    if (performance.now() - began > seconds * 1000) throw new Error(`${what}: not within ${seconds} seconds`);
    await new Promise((done) => setTimeout(done, 200));
  }
}
