import type { Source } from './mutated-schema.ts';

/** A small fault in one migration or code object. `line` and `column` count from 1. */
export type SqlMutant = {
  readonly source: string;
  readonly line: number;
  readonly column: number;
  readonly kind:
    | 'check'
    | 'policy'
    | 'trigger'
    | 'comparison'
    | 'junction'
    | 'null test'
    | 'unique'
    | 'row level security'
    | 'revoke';
  readonly before: string;
  readonly after: string;
  /** The table, function, view or index that the mutated statement concerns, without its schema, or an empty string. */
  readonly subject: string;
  /** Whether the mutated statement changes rows rather than the schema. */
  readonly changesRows: boolean;
  /** Whether the mutated statement creates a role. */
  readonly makesRole: boolean;
  readonly sql: string;
};

type Statement = { readonly start: number; readonly end: number; readonly text: string };

const STRINGS_AND_COMMENTS = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g;
const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** Replaces strings and comments by blanks, so that positions in the remaining SQL stay the same. */
function codeOnly(sql: string): string {
  return sql.replace(STRINGS_AND_COMMENTS, blank);
}

/** Splits at `;` outside `$$` bodies. */
function splitStatements(sql: string): Statement[] {
  const code = codeOnly(sql).replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, (body) => body.replaceAll(';', ' '));
  const found: Statement[] = [];
  let start = 0;
  for (const { index } of code.matchAll(/;/g)) {
    const lead = /^\s*/.exec(code.slice(start))?.[0].length ?? 0;
    if (start + lead < index)
      found.push({ start: start + lead, end: index + 1, text: sql.slice(start + lead, index + 1) });
    start = index + 1;
  }
  return found;
}

/** Returns the table, function or view that a statement concerns, without its schema. */
function findSubject(text: string): string {
  const code = codeOnly(text);
  const on = /^create\s+(?:policy|trigger|constraint\s+trigger|unique\s+index|index)\b[\s\S]*?\bon\s+([\w.]+)/i.exec(
    text,
  );
  const named = /\b(?:function|table|view|insert\s+into|update)\s+([\w.]+)/i.exec(code);
  return (on?.[1] ?? named?.[1] ?? '').split('.').at(-1) ?? '';
}

const FLIPPED: Readonly<Record<string, string>> = { '=': '<>', '<>': '=', '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** Returns the position of the bracket that closes the one at `open`. */
function closing(code: string, open: number): number {
  let depth = 0;
  for (let index = open; index < code.length; index += 1) {
    if (code[index] === '(') depth += 1;
    if (code[index] === ')') depth -= 1;
    if (depth === 0) return index;
  }
  return code.length - 1;
}

type Edit = { readonly kind: SqlMutant['kind']; readonly from: number; readonly to: number; readonly text: string };

function findEdits(code: string): Edit[] {
  const edits: Edit[] = [];
  const each = (pattern: RegExp, edit: (match: RegExpExecArray) => Edit | null): void => {
    for (const match of code.matchAll(pattern)) {
      const found = edit(match as RegExpExecArray);
      if (found) edits.push(found);
    }
  };
  if (/^create\s+policy\b/i.test(code)) edits.push({ kind: 'policy', from: 0, to: code.length, text: ';' });
  if (/^create\s+(constraint\s+)?trigger\b/i.test(code))
    edits.push({ kind: 'trigger', from: 0, to: code.length, text: ';' });
  if (/^revoke\b/i.test(code)) edits.push({ kind: 'revoke', from: 0, to: code.length, text: ';' });
  if (/^alter\s+table\s+\S+\s+(enable|force)\s+row\s+level\s+security/i.test(code))
    edits.push({ kind: 'row level security', from: 0, to: code.length, text: ';' });
  each(/\bcheck\s*\(/gi, ({ index, 0: { length } }) => {
    if (/\bwith\s+$/i.test(code.slice(0, index))) return null; // This is the check of a policy.
    const open = index + length - 1;
    return { kind: 'check', from: open, to: closing(code, open) + 1, text: '(true)' };
  });
  each(/\bunique\b/gi, ({ index }) => {
    const inIndex = /^create\s+$/i.test(code.slice(0, index));
    const list = /^unique\s*\(/i.exec(code.slice(index));
    const to = list ? closing(code, index + list[0].length - 1) + 1 : index + 'unique'.length;
    return { kind: 'unique', from: index, to, text: inIndex || !list ? '' : 'check (true)' };
  });
  each(/\bexclude\s+using\s+gist\s*\(/gi, ({ index, 0: { length } }) => {
    const end = closing(code, index + length - 1) + 1;
    const where = /^\s*where\s*\(/i.exec(code.slice(end));
    const to = where ? closing(code, end + where[0].length - 1) + 1 : end;
    return { kind: 'unique', from: index, to, text: 'check (true)' };
  });
  each(/(?<=\s)(=|<>|<=|>=|<|>)(?=\s)/g, ({ index, 1: sign = '' }) => ({
    kind: 'comparison',
    from: index,
    to: index + sign.length,
    text: FLIPPED[sign] ?? sign,
  }));
  each(/\b(and|or)\b(?!\s+replace\b)/gi, ({ index, 1: word = '' }) => {
    const isBetween = /\bbetween\s+\S+\s+$/i.test(code.slice(0, index));
    if (isBetween) return null;
    return {
      kind: 'junction',
      from: index,
      to: index + word.length,
      text: word.toLowerCase() === 'and' ? 'or' : 'and',
    };
  });
  each(/\bis\s+(not\s+)?null\b/gi, ({ index, 0: text, 1: not }) => ({
    kind: 'null test',
    from: index,
    to: index + text.length,
    text: not ? 'is null' : 'is not null',
  }));
  return edits;
}

/**
 * Returns every mutant of the sources that create the database: those without a check, policy, trigger, unique rule, row level security or
 * revoke, and those with an inverted comparison, `and`/`or` or null test. Mutated assignments are included; they do not compile and are
 * excluded later.
 */
export function sqlMutants(sources: readonly Source[]): SqlMutant[] {
  return sources.flatMap(({ name, sql }) =>
    splitStatements(sql).flatMap(({ start, text }) =>
      findEdits(codeOnly(text)).map(({ kind, from, to, text: after }) => ({
        source: name,
        line: sql.slice(0, start + from).split('\n').length,
        column: start + from - sql.lastIndexOf('\n', start + from - 1),
        kind,
        before: text.slice(from, Math.min(to, from + 100)),
        after,
        subject: findSubject(text),
        changesRows: /^(insert|update|delete|with|do)\b/i.test(text),
        makesRole: /\bcreate\s+role\b/i.test(text),
        sql: sql.slice(0, start + from) + after + sql.slice(start + to),
      })),
    ),
  );
}
