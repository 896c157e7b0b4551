import { join } from 'node:path';

type Graph = { readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null };

const WEB = join(import.meta.dirname, '..', 'web');
/** Loads before the first paint, so what it imports may not be in a chunk with anything else. */
const START = join(WEB, 'start.ts');

/**
 * Returns a group of Rolldown's `codeSplitting`: one chunk for those `files` of ours that `entry` imports. Without it, each of them would be a
 * small file of its own, which compresses badly.
 */
export function sharedChunk(name: string, options: { entry: string; files: RegExp; priority: number }) {
  const imports = new Map<string, ReadonlySet<string>>();
  const importsOf = (entry: string, graph: Graph): ReadonlySet<string> => {
    const known = imports.get(entry) ?? collectImports(entry, graph);
    imports.set(entry, known);
    return known;
  };
  const entry = join(WEB, options.entry);
  return {
    // Without the entry itself: web/main.tsx awaits parts that import this chunk.
    name: (id: string, graph: Graph): string | null =>
      id !== entry && importsOf(entry, graph).has(id) && (entry === START || !importsOf(START, graph).has(id))
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
