import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { serialize } from 'pg-protocol';
import { type Engine, openEngine } from '#server/db/engine/engine.ts';
import type { CreateWorker, EngineWorker } from '#server/db/engine/engine-thread.ts';
import { type Owner, runAs } from './owner.ts';

/** The database engine of the simulation, in this thread. It outlives the servers that use it, as files outlive a process. */
export type SimulatedEngine = {
  /** Connects a server. `onMessage` is called before each message that the server sends. */
  connect(owner: Owner, onMessage: () => void): CreateWorker;
  /** Rolls back what a killed server has left open, and forgets its session. */
  forgetSession(): Promise<void>;
  /** Stops the engine without a warning, and opens another one on the files as they are. */
  crash(): Promise<void>;
  image(): Promise<Uint8Array<ArrayBuffer>>;
};

/** Resets the session to the state of a new PostgreSQL connection. */
const FORGET = 'rollback; discard all; select pg_advisory_unlock_all()';

export async function openSimulatedEngine(image: Blob | null): Promise<SimulatedEngine> {
  const program = await WebAssembly.compile(
    await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))),
  );
  const open = (location: Blob | null): Promise<Engine> =>
    openEngine({ location, program, existing: location !== null, sync: false });
  let engine = await open(image);
  /** Messages run one after the other. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work);
    // The failure belongs to the message; the next one runs anyway.
    last = next.catch(() => undefined);
    return next;
  };
  return {
    connect: (owner, onMessage) => () =>
      connectWorker(
        owner,
        onMessage,
        (bytes) => inTurn(() => engine.run(bytes)),
        () => inTurn(() => engine.image()),
      ),
    async forgetSession() {
      for (const statement of FORGET.split('; ')) await inTurn(() => engine.run(serialize.query(statement)));
    },
    crash: () =>
      inTurn(async () => {
        engine = await open(new Blob([await engine.image()]));
      }),
    image: () => inTurn(() => engine.image()),
  };
}

/** Does for the server what a worker thread does. Once the owner has ended, nothing is answered. */
function connectWorker(
  owner: Owner,
  onMessage: () => void,
  run: (bytes: Uint8Array) => Promise<Uint8Array>,
  readImage: () => Promise<Uint8Array>,
): EngineWorker {
  const events = new EventEmitter();
  const emit = (event: string, value?: unknown): void => {
    if (owner.isAlive) runAs(owner, () => events.emit(event, value));
  };
  queueMicrotask(() => emit('message', 'open'));
  return {
    // Cast: each event is emitted with the value that its listeners take.
    on: (event: string, listener: (value: never) => void) => events.on(event, listener as (value: unknown) => void),
    once: (event: string, listener: () => void) => events.once(event, listener),
    postMessage(message: unknown) {
      if (owner.isAlive) onMessage();
      if (!owner.isAlive) return;
      if (message === 'close') return queueMicrotask(() => emit('exit'));
      // Cast: the server sends bytes, except for the two commands.
      const answer = message === 'image' ? readImage() : run(message as Uint8Array);
      answer.then(
        (bytes) => emit('message', bytes),
        (error: unknown) => emit('error', error),
      );
    },
    terminate: () => Promise.resolve(0),
    cpuUsage: () => Promise.resolve({ user: 0, system: 0 }),
  };
}
