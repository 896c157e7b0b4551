declare global {
  /** As much of it as is used here: the types of Node leave it to those of the browser. */
  namespace WebAssembly {
    type Module = object;
    function compile(bytes: Uint8Array): Promise<Module>;
  }
}

/** What main thread and worker share without messages: places in one Int32Array, read and written with `Atomics`. */
export const SIGNALS = {
  /** Flights the worker has finished, so that the watchdog does not stop one whose answer is on its way. */
  finished: 0,
  /** Size of the engine's memory in megabytes; it never shrinks while the worker lives. */
  heapMegabytes: 1,
} as const;

export const SIGNALS_BYTES = 8;

/** What a worker is started with. */
export type EngineStart = {
  /** A folder, or memory in which it begins empty (null) or as an image has it. */
  readonly location: string | Blob | null;
  /** The engine's program, compiled once per process: a restarted worker starts with the code already optimised. */
  readonly program: WebAssembly.Module;
  readonly signals: SharedArrayBuffer;
  /** The folder has held a database before: one that is missing now is a fault, and no reason to begin an empty one. */
  readonly again: boolean;
};

/** To the worker. A flight's bytes go as they are, without an envelope; there is one at a time. */
export type ToEngine = Uint8Array<ArrayBuffer> | 'image' | 'close';

/** From the worker: `open` once, an answer's bytes to each flight, a whole image, `closed` at the end. */
export type FromEngine = 'open' | 'closed' | Uint8Array<ArrayBuffer>;
