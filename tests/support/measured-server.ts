import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { migratedFolder } from './image.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { freePorts } from './test-server.ts';

/** The server as a separate process on the embedded database, so that its memory is measured without that of the test. */
export type MeasuredServer = {
  readonly url: string;
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  readonly dataDir: string;
  readonly service: SupabaseClient<Database>;
  /** A person who has just signed up. */
  readonly person: { readonly id: string; readonly token: string; readonly client: SupabaseClient<Database> };
  /** Returns the resident memory of the server in bytes, including garbage that is not collected yet. */
  memory(): Promise<number>;
  /**
   * Returns the bytes that the objects and buffers of the server's main thread use. If they exceed `enough`, garbage is collected first,
   * which stops the server for up to 0.2 seconds.
   */
  usedMemory(enough?: number): Promise<number>;
  /** Returns the server's processor time since its start, in seconds over all threads. Other programs do not affect it. */
  processorSeconds(): Promise<number>;
  /** Returns everything that the server has printed. */
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
  const openClient = (key: string): SupabaseClient<Database> =>
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
    service: openClient(serviceRoleKey),
    person: { id: signed.data.user.id, token, client: openClient(token) },
    memory: () => residentBytes(program.runtime.pid),
    usedMemory: (enough) => inspector.usedBytes(enough),
    processorSeconds: () => processorSeconds(program.runtime.pid),
    output: () => program.output(),
    async close() {
      inspector.close();
      await program.kill('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** How long a server may be busy after its start, and how much processor time an idle one uses at most in a second. */
const BUSY_MAX_MS = 60_000;
const IDLE_SECONDS = 0.15;

/**
 * Waits until a server is idle. For some seconds after its start, the engine's code is optimised in the background, which takes up to 500
 * MB of memory until it is done.
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

/** Returns the user and system time of a process, from /proc if it exists, otherwise from ps. */
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

/** The connection to the inspector of a process that was started with NODE_OPTIONS=--inspect=0. */
type Inspector = {
  /** Returns the bytes that JavaScript objects and buffers of the main thread use. If they exceed `enough`, garbage is collected first. */
  usedBytes(enough?: number): Promise<number>;
  close(): void;
};

type Reply = {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: { readonly result?: { readonly value?: number } };
};

/** Connects to the inspector whose address a process has printed. Throws if it has printed none. */
async function openInspector(printed: string): Promise<Inspector> {
  const address = /Debugger listening on (ws:\/\/\S+)/.exec(printed)?.[1];
  if (address === undefined) throw new Error('the process has printed no address of an inspector');
  const socket = new WebSocket(address);
  const waiting = new Map<number, PromiseWithResolvers<Reply>>();
  let sent = 0;
  socket.addEventListener('message', ({ data }) => {
    const reply: Reply = JSON.parse(String(data));
    waiting.get(reply.id ?? 0)?.resolve(reply);
    waiting.delete(reply.id ?? 0);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspector has closed'));
  });
  await once(socket, 'open');

  const send = async (method: string, params: object = {}): Promise<Reply> => {
    sent += 1;
    const answer = Promise.withResolvers<Reply>();
    waiting.set(sent, answer);
    socket.send(JSON.stringify({ id: sent, method, params }));
    const reply = await answer.promise;
    if (reply.error) throw new Error(reply.error.message);
    return reply;
  };
  const read = async (): Promise<number> => {
    const expression = '((used) => used.heapUsed + used.external)(process.memoryUsage())';
    const { result } = await send('Runtime.evaluate', { expression, returnByValue: true });
    const bytes = result?.result?.value;
    if (typeof bytes !== 'number') throw new Error('the process did not say how much memory it uses');
    return bytes;
  };
  return {
    async usedBytes(enough = 0) {
      const bytes = await read();
      if (bytes <= enough) return bytes;
      await send('HeapProfiler.collectGarbage');
      return read();
    },
    close: () => socket.close(),
  };
}
