import type { CodeObject } from './code-objects.ts';

const RANK = { function: 0, view: 1, trigger: 2, policy: 3 } as const;

/**
 * Sorts objects so that each follows the objects that PostgreSQL looks up when it creates it: the relations that a view reads, the row
 * types in a function's signature, the function of a trigger. PostgreSQL does not look at the body of a function until it runs.
 */
export function toLoadOrder(objects: readonly CodeObject[]): CodeObject[] {
  const byName = new Map<string, CodeObject[]>();
  for (const object of objects) {
    if (object.kind !== 'function' && object.kind !== 'view') continue;
    const [, name = ''] = /^\w+ ([\w.]+)/.exec(object.name) ?? [];
    byName.set(name, [...(byName.get(name) ?? []), object]);
  }
  const ordered = new Set<CodeObject>();
  const path = new Set<CodeObject>();
  const visit = (object: CodeObject): void => {
    if (ordered.has(object) || path.has(object)) return;
    path.add(object);
    for (const [name] of lookedUpText(object).matchAll(/\b[a-z_]+\.[a-z_]\w*/g)) byName.get(name)?.forEach(visit);
    path.delete(object);
    ordered.add(object);
  };
  objects.toSorted((a, b) => RANK[a.kind] - RANK[b.kind]).forEach(visit);
  return [...ordered];
}

/** Returns the text in which PostgreSQL looks up names when it creates the object: everything except the body of a function. */
function lookedUpText({ kind, statements }: CodeObject): string {
  const text = statements.join(';\n');
  return kind === 'function' ? text.replace(/\$(\w*)\$[\s\S]*\$\1\$/, '') : text;
}
