import { join } from 'node:path';

type Graph = { readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null };

const WEB = join(import.meta.dirname, '..', 'web');
/** This module loads before the first paint, so a chunk with its imports may contain nothing else. */
const START = join(WEB, 'start.ts');

/**
 * Returns a group of Rolldown's `codeSplitting`: one chunk for those `files` of the project that `entry` imports. Without the group, each
 * of them would be a small file, which compresses badly.
 */
export function sharedChunk(name: string, options: { entry: string; files: RegExp; priority: number }) {
  const imports = new Map<string, ReadonlySet<string>>();
  const getImports = (entry: string, graph: Graph): ReadonlySet<string> => {
    const collected = imports.get(entry) ?? collectImports(entry, graph);
    imports.set(entry, collected);
    return collected;
  };
  const entry = join(WEB, options.entry);
  return {
    // The entry itself is left out: web/main.tsx awaits parts that import this chunk.
    name: (id: string, graph: Graph): string | null =>
      id !== entry && getImports(entry, graph).has(id) && (entry === START || !getImports(START, graph).has(id))
        ? name
        : null,
    test: options.files,
    priority: options.priority,
  };
}

/** Collects an entry and all its static imports, recursively. */
function collectImports(id: string, graph: Graph, seen = new Set<string>()): Set<string> {
  if (seen.has(id)) return seen;
  seen.add(id);
  for (const next of graph.getModuleInfo(id)?.importedIds ?? []) collectImports(next, graph, seen);
  return seen;
}
