import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

/** Reads the project's source files and checks their imports against a table, which is in `tests/architecture.test.ts`. */

type Import = {
  /** The specifier as written in the file. */
  readonly specifier: string;
  /** Path from the repository root, or null for a package. */
  readonly target: string | null;
  /** Whether the import disappears with the types. */
  readonly typeOnly: boolean;
};
export type Source = {
  /** Path from the repository root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly functions: readonly MeasuredFunction[];
};
/** A function and its size; `lines` includes the functions inside it. */
type MeasuredFunction = { readonly name: string; readonly line: number; readonly lines: number };

/** One row of the import table. An area is a path without extension and includes everything below it; `*` matches one segment. */
export type Area = {
  readonly area: string;
  readonly may: readonly string[];
  /** Areas whose types it may import. */
  readonly mayType?: readonly string[];
  /** The packages that it may import; all if absent. */
  readonly packages?: readonly string[];
};

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const TREES = [
  'rules',
  'contracts',
  'database',
  'web',
  'bin',
  'server',
  'sandbox',
  'simulation',
  'tests',
  'bench',
  'tools',
  'build',
];

/** Reads all .ts, .tsx and .js files of the project. */
export function readSourceFiles(): Source[] {
  return TREES.flatMap(listFiles)
    .filter((path) => /\.(ts|tsx|js)$/.test(path))
    .map((path) => readSource(path, readFileSync(join(ROOT, path), 'utf8')));
}

/** Lists the project's folders with their number of entries, without test files. */
export function readFolders(): { path: string; entries: number }[] {
  const folders = new Map<string, Set<string>>();
  for (const path of TREES.flatMap(listFiles)) {
    if (/\.test\.tsx?$/.test(path)) continue;
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const folder = parts.slice(0, depth).join('/');
      folders.set(folder, (folders.get(folder) ?? new Set()).add(parts[depth] ?? ''));
    }
  }
  return [...folders].map(([path, entries]) => ({ path, entries: entries.size }));
}

function listFiles(folder: string): string[] {
  const full = join(ROOT, folder);
  let entries;
  try {
    entries = readdirSync(full, { withFileTypes: true });
  } catch (error) {
    // The folder does not exist yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

/** Parses one file. Throws if it is not valid TypeScript. */
export function readSource(path: string, text: string): Source {
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const add = (specifier: string, typeOnly: boolean): void =>
    void imports.push({ specifier, target: resolveTarget(path, specifier), typeOnly });
  for (const staticImport of module.staticImports) {
    add(
      staticImport.moduleRequest.value,
      staticImport.entries.length > 0 && staticImport.entries.every((entry) => entry.isType),
    );
  }
  for (const { entries } of module.staticExports) {
    const source = entries[0]?.moduleRequest?.value;
    if (source !== undefined)
      add(
        source,
        entries.every((entry) => entry.isType),
      );
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const written = text.slice(moduleRequest.start, moduleRequest.end);
    const quoted = /^(['"`])([^'"`$]*)\1$/.exec(written);
    add(quoted?.[2] ?? `computed: ${written}`, false);
  }
  const functions: MeasuredFunction[] = [];
  const lineAt = lineCounter(text);
  visit(program, null, (node, named) => {
    if (node.type === 'TSImportType' && isNode(node['source'])) add(String(node['source']['value']), true);
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return;
    const line = lineAt(node.start);
    functions.push({
      name: findName(node['id']) ?? named ?? '(without a name)',
      line,
      lines: lineAt(node.end) - line + 1,
    });
  });
  return { path, text, lines: text.split('\n').length - 1, imports, functions };
}

type Node = { type: string; start: number; end: number; [key: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Visits a node and all nodes inside it; `named` is the variable or property that the node is the value of. */
function visit(value: unknown, named: string | null, onNode: (node: Node, named: string | null) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) onNode(value, named);
  const own = isNode(value) ? (findName(value['id']) ?? findName(value['key'])) : null;
  for (const child of Object.values(value)) visit(child, own, onNode);
}

const findName = (id: unknown): string | null => (isNode(id) && typeof id['name'] === 'string' ? id['name'] : null);

function lineCounter(text: string): (offset: number) => number {
  const starts = [...text.matchAll(/\n/g)].map((match) => match.index);
  return (offset) => starts.filter((start) => start < offset).length + 1;
}

function resolveTarget(from: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier));
  return null;
}

/** Lists each pair of folders that import each other, as `a <> b`. */
export function mutualFolders(sources: readonly Source[]): string[] {
  const edges = new Set(
    sources.flatMap(({ path, imports }) =>
      imports.flatMap(({ target }) => (target === null ? [] : [`${dirname(path)} ${dirname(target)}`])),
    ),
  );
  return [...edges]
    .map((edge) => edge.split(' '))
    .filter(([from = '', to = '']) => from < to && edges.has(`${to} ${from}`))
    .map((pair) => pair.join(' <> '))
    .toSorted();
}

/** Lists the cycles of files that import each other, including imports of types. Each cycle lists its files in the order of the imports. */
export function importCycles(sources: readonly Source[]): string[][] {
  const targets = new Map(
    sources.map(({ path, imports }) => [path, imports.flatMap(({ target }) => (target === null ? [] : [target]))]),
  );
  const done = new Set<string>();
  const cycles: string[][] = [];
  const follow = (path: string, chain: readonly string[]): void => {
    if (chain.includes(path)) return void cycles.push(chain.slice(chain.indexOf(path)));
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) follow(target, [...chain, path]);
    done.add(path);
  };
  for (const path of targets.keys()) follow(path, []);
  return cycles;
}

/** Whether the path is in the area: `server/rest/parse.ts` is in `server/rest` and in `server/*`. */
export function isIn(path: string, area: string): boolean {
  const here = path
    .replace(/\.\w+$/, '')
    .replace(/\.(test|e2e)$/, '')
    .split('/');
  const there = area.split('/');
  return there.length <= here.length && there.every((part, index) => part === '*' || part === here[index]);
}

/**
 * Returns the folder within which imports are relative: `web/features/auth`, `server/rest`, `sandbox`; for `server/main.ts` the whole of
 * `server`.
 */
function getHome(path: string): string {
  const parts = path.split('/');
  const [tree = '', area = ''] = parts;
  if (!['web', 'server', 'tests'].includes(tree)) return tree;
  const depth = tree === 'web' && area === 'features' ? 3 : 2;
  return parts.slice(0, Math.min(depth, parts.length - 1)).join('/');
}

/** Lists the forbidden imports of one file, one sentence each. The first row of the table that contains the file applies. */
export function importFaults(source: Source, table: readonly Area[]): string[] {
  const row = table.find(({ area }) => isIn(source.path, area));
  if (row === undefined) return [`${source.path} is in no row of the table`];
  const isTest = /\.test\.tsx?$/.test(source.path);
  return source.imports.flatMap(({ specifier, target, typeOnly }) => {
    const says = (what: string): string[] => [`${source.path} imports ${specifier}: ${what}`];
    if (specifier.startsWith('computed: ')) return says('the name of a module must be a literal');
    if (target === null) {
      const name = /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0] ?? '';
      const allowed =
        isTest ||
        row.packages === undefined ||
        row.packages.some((prefix) => prefix === name || specifier.startsWith(prefix));
      return allowed ? [] : says(`${row.area} may not use this package`);
    }
    const faults: string[] = [];
    const atHome = target.startsWith(`${getHome(source.path)}/`);
    if (specifier.startsWith('.') && !atHome) faults.push(...says('import another area by its # name'));
    if (specifier.startsWith('#') && atHome) faults.push(...says('import its own area by a relative path'));
    // In `server/functions/*` each file or folder is its own area.
    const sameArea = isIn(target, fill(row.area, source.path));
    const allowedAreas = [...row.may, ...(typeOnly ? (row.mayType ?? []) : []), ...(isTest ? ['tests/support'] : [])];
    if (!sameArea && !allowedAreas.some((area) => isIn(target, area))) faults.push(...says(`${row.area} may not`));
    return faults;
  });
}

/** Replaces each star of an area with the segment that the path has in its place. */
function fill(area: string, path: string): string {
  const here = path
    .replace(/\.\w+$/, '')
    .replace(/\.(test|e2e)$/, '')
    .split('/');
  return area
    .split('/')
    .map((part, index) => (part === '*' ? here[index] : part))
    .join('/');
}
