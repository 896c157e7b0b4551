import { parentPort, workerData } from 'node:worker_threads';
import { openEngine } from './engine.ts';
import { type EngineStart, type FromEngine, SIGNALS, type ToEngine } from './signals.ts';

/**
 * Runs the embedded engine in a worker thread: receives the bytes of one pipeline at a time and returns the engine's bytes; the main thread
 * encodes and decodes both. An error here ends the worker, and the main thread starts another.
 */

const port = parentPort;
if (port === null) throw new Error('this file is a worker');
// Cast: the main thread always starts this file with an `EngineStart`.
const start = workerData as EngineStart;
const signals = new Int32Array(start.signals);
const engine = await openEngine(start);

const send = (message: FromEngine): void =>
  port.postMessage(message, message instanceof Uint8Array ? [message.buffer] : []);

const noteHeap = (): void => void Atomics.store(signals, SIGNALS.heapMegabytes, engine.heapMegabytes());

async function runPipeline(bytes: Uint8Array): Promise<void> {
  const answer = await engine.run(bytes);
  noteHeap();
  Atomics.add(signals, SIGNALS.finished, 1);
  send(answer);
}

async function sendImage(): Promise<void> {
  const bytes = await engine.image();
  Atomics.add(signals, SIGNALS.finished, 1);
  send(bytes);
}

async function close(): Promise<void> {
  await engine.close();
  send('closed');
  port?.close();
}

port.on('message', (message: ToEngine) => {
  // A failure ends the worker, because the engine's state is unknown after it.
  const fail = (error: unknown): void => {
    setImmediate(() => {
      throw error;
    });
  };
  if (message === 'close') close().catch(fail);
  else if (message === 'image') sendImage().catch(fail);
  else runPipeline(message).catch(fail);
});
noteHeap();
send('open');
