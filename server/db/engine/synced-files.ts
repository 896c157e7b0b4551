import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type InitOptions = Parameters<NodeFS['init']>[1];
/** The part of Emscripten's file system in Node that is used here. */
type Stream = { readonly nfd?: number; readonly node: unknown };
type NodeFiles = {
  realPath(node: unknown): string;
  readonly stream_ops: { fsync?: (stream: Stream) => number };
};

/** The engine's files in a folder. When the engine asks for a sync, its data is on disk before the engine continues, as with PostgreSQL. */
export class SyncedFiles extends NodeFS {
  override async init(pg: PGlite, options: InitOptions): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const preRun = [
      // Cast: the package's types for Emscripten lack the operations of its streams.
      (module: { NODEFS: unknown }): void => addSync(module.NODEFS as NodeFiles),
      ...(emscriptenOpts.preRun ?? []),
    ];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

function addSync(files: NodeFiles): void {
  files.stream_ops.fsync = (stream) => {
    if (stream.nfd !== undefined) fdatasyncSync(stream.nfd);
    else syncFolder(files.realPath(stream.node));
    return 0;
  };
}

/** A new file is durable only once its folder is synced. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
