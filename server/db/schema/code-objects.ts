import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { splitStatements } from './statements.ts';

/**
 * A function, view, trigger or policy of `database/code`, with its grants and comments. `name` is what `drop` takes, such as
 * `function public.total(uuid, integer)` or `trigger total_changed on public.orders`; `hash` changes with any of its statements.
 */
export type CodeObject = {
  readonly name: string;
  readonly kind: Kind;
  readonly statements: readonly string[];
  readonly hash: string;
};
type Kind = 'function' | 'view' | 'trigger' | 'policy';

/** The folder of the functions that constraints, defaults and indexes call. It is loaded before the tables are created. */
const BEFORE_TABLES = 'before-tables';

/** The objects of a folder of code: those that tables need, and all others. */
export type Code = { readonly beforeTables: readonly CodeObject[]; readonly others: readonly CodeObject[] };

/** Reads the objects of all files `<noun>/<topic>.sql`, in the order of their names. Throws if an object is defined twice. */
export async function readCode(folder: string): Promise<Code> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql')).toSorted();
  const code: { beforeTables: CodeObject[]; others: CodeObject[] } = { beforeTables: [], others: [] };
  const homes = new Map<string, string>();
  for (const file of files)
    for (const object of objectsIn(await readFile(join(folder, file), 'utf8'), file)) {
      const other = homes.get(object.name);
      if (other !== undefined) throw new Error(`${object.name} is defined in ${other} and in ${file}`);
      homes.set(object.name, file);
      (file.startsWith(`${BEFORE_TABLES}/`) ? code.beforeTables : code.others).push(object);
    }
  return code;
}

/** Returns the objects of a script. Throws, naming `file`, if a statement belongs to none of them. */
export function objectsIn(sql: string, file: string): CodeObject[] {
  const found: { name: string; kind: Kind; statements: string[] }[] = [];
  for (const { text } of splitStatements(sql)) {
    const defined = definedBy(text);
    if (defined !== null) found.push({ ...defined, statements: [text] });
    else if (/^(grant|revoke|comment on|alter view|insert into rest\.)\b/i.test(text) && found.length > 0)
      found.at(-1)?.statements.push(text);
    else
      throw new Error(
        `${file}: code is made of functions, views, triggers and policies, with their grants: ${text.slice(0, 60)}`,
      );
  }
  return found.map((object) => ({
    ...object,
    hash: createHash('sha256').update(object.statements.join(';\n')).digest('hex'),
  }));
}

function definedBy(text: string): { name: string; kind: Kind } | null {
  const callable = /^create or replace function\s+([\w.]+)\s*\(/i.exec(text);
  if (callable)
    return { kind: 'function', name: `function ${callable[1]}(${argumentTypes(text, callable[0].length).join(', ')})` };
  const view = /^create or replace view\s+([\w.]+)/i.exec(text);
  if (view) return { kind: 'view', name: `view ${view[1]}` };
  const onTable = /^create (?:constraint )?(trigger|policy)\s+(\w+|"[^"]+")[\s\S]*?\son\s+([\w.]+)/i.exec(text);
  if (onTable)
    return {
      kind: onTable[1] === 'policy' ? 'policy' : 'trigger',
      name: `${onTable[1]} ${onTable[2]} on ${onTable[3]}`,
    };
  return null;
}

/**
 * Returns the types of a function's arguments, which are written `name type default value`. `from`: the index after the opening bracket.
 */
function argumentTypes(text: string, from: number): string[] {
  const parts: string[] = [];
  let depth = 1;
  let start = from;
  for (let index = from; depth > 0; index += 1) {
    const sign = text[index];
    if (sign === undefined) throw new Error(`no closing bracket: ${text.slice(0, 60)}`);
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if ((sign === ',' && depth === 1) || depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return parts
    .map((part) =>
      part
        .replace(/--.*$/gm, '')
        .replace(/\b(default\b|=)[\s\S]*$/i, '')
        .trim()
        .split(/\s+/),
    )
    .filter(([name]) => name !== '' && name?.toLowerCase() !== 'out')
    .map(([first = '', ...rest]) => (/^(in|inout|variadic)$/i.test(first) ? rest.slice(1) : rest).join(' '));
}
