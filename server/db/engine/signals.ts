declare global {
  /** Declares only the part that is used here: Node's types leave WebAssembly to the browser's types. */
  namespace WebAssembly {
    type Module = object;
    function compile(bytes: Uint8Array): Promise<Module>;
  }
}

/** Values that the main thread and the worker share: indexes into one Int32Array, accessed with `Atomics`. */
export const SIGNALS = {
  /** The number of pipelines that the worker has finished: the watchdog must not stop one whose answer is on its way. */
  finished: 0,
  /** The engine's memory in megabytes; it never shrinks while the worker lives. */
  heapMegabytes: 1,
} as const;

export const SIGNALS_BYTES = 8;

/** The data a worker starts with. */
export type EngineStart = {
  /** A folder, or a database in memory: empty (null) or from an image. */
  readonly location: string | Blob | null;
  /** The compiled WebAssembly module, so that a restarted worker runs code that is already optimised. */
  readonly program: WebAssembly.Module;
  readonly signals: SharedArrayBuffer;
  /** Whether every commit waits until it is on disk. Applies only to a folder. */
  readonly sync: boolean;
  /** Whether the folder has held a database before. If it is missing now, the worker fails instead of creating an empty one. */
  readonly existing: boolean;
};

/** Messages to the worker: the bytes of a pipeline, one at a time, or a command. */
export type ToEngine = Uint8Array<ArrayBuffer> | 'image' | 'close';

/** Messages from the worker: `open` once, the answer's bytes for each pipeline, an image, and `closed` at the end. */
export type FromEngine = 'open' | 'closed' | Uint8Array<ArrayBuffer>;
