import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { migratedFolder } from './image.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { freePorts } from './test-server.ts';
import { openInspector } from './used-memory.ts';

/** The server as a separate process on the embedded database, so that its memory can be measured without that of the test. */
export type MeasuredServer = {
  readonly url: string;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  readonly dataDir: string;
  readonly service: SupabaseClient<Database>;
  /** A person who has just signed up. */
  readonly person: { readonly id: string; readonly token: string; readonly client: SupabaseClient<Database> };
  /** Resident memory of the server, in bytes, with the garbage that is not collected yet. */
  memory(): Promise<number>;
  /** Bytes that the objects and buffers of the server's main thread use, after a garbage collection that takes up to 0.2 seconds. */
  usedMemory(): Promise<number>;
  /** Processor time of the server since it started, in seconds over all threads. Unlike elapsed time, other programs do not affect it. */
  processorSeconds(): Promise<number>;
  /** Everything it printed. */
  output(): string;
  close(): Promise<void>;
};

export async function startMeasuredServer(env: Readonly<Record<string, string>> = {}): Promise<MeasuredServer> {
  const ports = await freePorts();
  const dataDir = await mkdtemp(join(tmpdir(), 'measured-'));
  await migratedFolder(join(dataDir, 'database'));
  const program: ServerProcess = await startServer({
    PORT: String(ports + 7),
    SANDBOX_PORT: String(ports),
    DATA_DIR: dataDir,
    RATE_LIMIT_FACTOR: '100000',
    ID_READ_SECONDS: '60',
    AUTH_AUTOCONFIRM: 'true',
    NODE_OPTIONS: '--inspect=0',
    ...env,
  });
  const { apiUrl, anonKey, serviceRoleKey } = program.runtime;
  const clientOf = (key: string): SupabaseClient<Database> =>
    createClient<Database>(apiUrl, anonKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: { headers: { authorization: `Bearer ${key}` } },
    });
  const auth = createClient<Database>(apiUrl, anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  }).auth;
  const who = { email: `measured-${ports}@example.com`, password: 'a long enough secret 7!' };
  const data = { full_name: 'Alex Citizen', phone: '+61400000000', date_of_birth: '1998-04-03' };
  const added = await auth.signUp({ ...who, options: { data } });
  const signed = await auth.signInWithPassword(who);
  const token = signed.data.session?.access_token;
  if (!token || !signed.data.user) {
    await program.kill();
    throw new Error(`nobody could sign up: ${added.error?.message} ${signed.error?.message}`);
  }
  await untilIdle(program.runtime.pid);
  const inspector = await openInspector(program.output());
  return {
    url: apiUrl,
    anonKey,
    serviceRoleKey,
    dataDir,
    service: clientOf(serviceRoleKey),
    person: { id: signed.data.user.id, token, client: clientOf(token) },
    memory: () => residentBytes(program.runtime.pid),
    usedMemory: () => inspector.usedBytes(),
    processorSeconds: () => processorSeconds(program.runtime.pid),
    output: () => program.output(),
    async close() {
      inspector.close();
      await program.kill('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** How long a server may be busy after its start, and what an idle one uses at most in a second. */
const BUSY_MAX_MS = 60_000;
const IDLE_SECONDS = 0.15;

/**
 * Waits until a server has nothing to do. For some seconds after its start, the engine's code is optimised in the background, which takes up to
 * 500 MB of memory until it is done.
 */
async function untilIdle(pid: number): Promise<void> {
  const end = performance.now() + BUSY_MAX_MS;
  let used = Number.POSITIVE_INFINITY;
  while (used > IDLE_SECONDS && performance.now() < end) {
    const before = await processorSeconds(pid);
    await setTimeout(1_000);
    used = (await processorSeconds(pid)) - before;
  }
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
  const text = status === null ? execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString() : status;
  return Number(/(?:VmRSS:)?\s*(\d+)/.exec(status === null ? text : text.slice(text.indexOf('VmRSS:')))?.[1]) * 1024;
}

/** User and system time of a process, from /proc where it exists, otherwise from ps. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat !== null) {
    // The program's name, in brackets, can contain spaces. Times are in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }
  const [minutes = '0', seconds = '0'] = execFileSync('ps', ['-o', 'time=', '-p', String(pid)])
    .toString()
    .trim()
    .split(':')
    .slice(-2);
  return Number(minutes) * 60 + Number(seconds);
}
