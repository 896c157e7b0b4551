/** A view column (by number) that is a column of a table or of another view. */
export type Origin = { readonly column: number; readonly fromTable: number; readonly fromColumn: number };

/** The end of a target entry: its number and its origin, which is 0 for an expression. */
const ENTRY = /:resno (\d+) .*:resorigtbl (\d+) :resorigcol (\d+) :resjunk false/s;

/**
 * Reads from a view's stored rule (`pg_rewrite.ev_action`) which columns come unchanged from another relation, as PostgREST does. Only
 * target entries of the outermost query count. The branches of a `union` are one query further down: a column there has one origin for each
 * branch that names one, and `agreedOrigins` decides.
 */
export function readOrigins(rule: string): Origin[] {
  const { outer, branches, union } = readEntries(rule);
  return union ? branches : outer;
}

/** Keeps one origin per column, and none if the branches of a union differ. The origins must already be traced to their tables. */
export function agreedOrigins(origins: readonly Origin[]): Origin[] {
  const found = new Map<number, Origin | null>();
  for (const origin of origins) {
    const earlier = found.get(origin.column);
    const same = earlier?.fromTable === origin.fromTable && earlier.fromColumn === origin.fromColumn;
    found.set(origin.column, earlier === undefined || same ? origin : null);
  }
  return [...found.values()].filter((origin) => origin !== null);
}

/** Parses the rule's nested nodes `{NAME :field value …}`; a backslash escapes the next character. */
function readEntries(rule: string): { outer: Origin[]; branches: Origin[]; union: boolean } {
  const outer: Origin[] = [];
  const branches: Origin[] = [];
  let union = false;
  // `own` is a node's text without its nested nodes.
  const open: { name: string; own: string }[] = [];
  let from = 0;
  for (let index = 0; index < rule.length; index += 1) {
    const char = rule[index];
    if (char === '\\') index += 1;
    if (char !== '{' && char !== '}') continue;
    const around = open.at(-1);
    if (around) around.own += rule.slice(from, index);
    from = index + 1;
    if (char === '{') {
      open.push({ name: /\w+/.exec(rule.slice(from, from + 32))?.[0] ?? '', own: '' });
      continue;
    }
    const node = open.pop();
    const path = open.map((entry) => entry.name).join('/');
    if (node?.name === 'SETOPERATIONSTMT' && path === 'QUERY') union = true;
    if (node?.name !== 'TARGETENTRY') continue;
    const [column = 0, fromTable = 0, fromColumn = 0] = (ENTRY.exec(node.own) ?? []).slice(1).map(Number);
    if (fromTable === 0 || fromColumn === 0) continue;
    if (path === 'QUERY') outer.push({ column, fromTable, fromColumn });
    if (path === 'QUERY/RANGETBLENTRY/QUERY') branches.push({ column, fromTable, fromColumn });
  }
  return { outer, branches, union };
}
