import { posix } from 'node:path';
import { parseSync } from 'vite';

/** Finds the English in a file: comments, Markdown, and texts that people see. */

export type Passage = {
  readonly kind: 'comment' | 'page' | 'text';
  /** The line of the file on which the passage starts. */
  readonly line: number;
  /** The words, with the line breaks of the file, but without comment signs and code in backticks. */
  readonly text: string;
};

/** Returns the passages of a file. In files of an unknown kind, a comment begins with `#`, `;` or `//`. Throws if a script is invalid. */
export function readProse(path: string, source: string): Passage[] {
  const extension = posix.extname(path);
  if (/^\.(ts|tsx|js)$/.test(extension)) return readScript(path, source);
  if (extension === '.sql') return readSql(source);
  if (extension === '.md') return readMarkdown(source);
  if (extension === '.css') return matchAll(source, /\/\*.*?\*\//gs).map((span) => toPassage(source, span));
  if (extension === '.html') return matchAll(source, /(?<=<!--).*?(?=-->)/gs).map((span) => toPassage(source, span));
  return joinLines(source, matchAll(source, /(?<=^|\s)(?:[#;]|\/\/) .*$/gm));
}

type Span = { readonly start: number; readonly end: number; readonly kind?: Passage['kind'] };

const matchAll = (source: string, pattern: RegExp): Span[] =>
  [...source.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length }));

/** Joins comments on consecutive lines, because their sentences continue. */
function joinLines(source: string, spans: readonly Span[]): Passage[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const previous = joined.at(-1);
    const between = previous && source.slice(previous.end, span.start);
    if (previous && /^[ \t]*\n[ \t]*$/.test(between ?? '')) joined[joined.length - 1] = { ...previous, end: span.end };
    else joined.push(span);
  }
  return joined.map((span) => toPassage(source, span));
}

/** Removes the comment signs and the code in backticks, so that only words remain. */
function toPassage(source: string, { start, end, kind = 'comment' }: Span): Passage {
  const text = source
    .slice(start, end)
    .replaceAll(/^[ \t]*(?:\/\*+|\*+\/?|\/\/+|--+|#+|;)|\*+\/$/gm, '')
    .replaceAll(/`[^`]*`/g, (code) => `\`code\`${code.replaceAll(/[^\n]/g, '')}`);
  return { kind, line: source.slice(0, start).split('\n').length, text };
}

function readScript(path: string, source: string): Passage[] {
  const { program, comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const texts: Span[] = [];
  collectTexts(program, (span) => texts.push({ ...span, kind: 'text' }));
  const lines = comments.filter(({ type }) => type === 'Line').map(({ start, end }) => ({ start, end }));
  const others = [
    ...comments.filter(({ type }) => type === 'Block').map(({ start, end }) => ({ start, end })),
    ...texts,
  ];
  return [...joinLines(source, lines), ...others.map((span) => toPassage(source, span))];
}

/** A shorter text is a name or a value. */
const hasWords = (text: string): boolean => /[a-z]\s+[a-z]/i.test(text);

/** Calls `found` with each literal and JSX text that has at least two words. */
function collectTexts(value: unknown, found: (span: Span) => void): void {
  if (typeof value !== 'object' || value === null) return;
  const { type, start, end } = value as { type?: unknown; start: number; end: number };
  if (type === 'ImportDeclaration') return;
  const { value: literal } = value as { value?: unknown };
  const words =
    type === 'TemplateElement'
      ? (literal as { cooked?: unknown }).cooked
      : type === 'Literal' || type === 'JSXText'
        ? literal
        : null;
  if (typeof words === 'string' && hasWords(words)) found({ start, end });
  for (const child of Object.values(value)) collectTexts(child, found);
}

/** The title of a test, after the file that has it. */
const CITED_TEST = /(?<=\.tsx?) › [^|<\n]*/g;

/** Removes code and titles of tests, and keeps the numbers of lines. Each paragraph, list item or row is a passage. */
function readMarkdown(source: string): Passage[] {
  const words = source
    .replaceAll(/^```.*?^```/gms, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(CITED_TEST, '');
  return matchAll(words, /\S(?:.|\n(?![ \t]*(?:\n|[-*|#>]|\d+\. )))*/g).map((span) =>
    toPassage(words, { ...span, kind: 'page' }),
  );
}

const DOLLAR_QUOTE = /\$\w*\$/y;

/** Reads comments and strings, also those in the bodies of functions. Comment signs inside strings and quoted names begin no comment. */
function readSql(sql: string): Passage[] {
  const comments: Span[] = [];
  const strings: Span[] = [];
  const after = (closing: string, from: number): number => {
    const end = sql.indexOf(closing, from);
    return end === -1 ? sql.length : end + closing.length;
  };
  let at = 0;
  while (at < sql.length) {
    const start = at;
    DOLLAR_QUOTE.lastIndex = at;
    const sign = sql[at] ?? '';
    if (sql.startsWith('--', at)) {
      at = after('\n', at);
      comments.push({ start, end: sql[at - 1] === '\n' ? at - 1 : at });
    } else if (sign === "'" || sign === '"') {
      at = after(sign, at + 1);
      if (sign === "'" && hasWords(sql.slice(start, at))) strings.push({ start, end: at, kind: 'text' });
    } else {
      // The body of a function is SQL again, so only its quotes are skipped.
      at += DOLLAR_QUOTE.exec(sql)?.[0].length ?? 1;
    }
  }
  return [...joinLines(sql, comments), ...strings.map((span) => toPassage(sql, span))];
}
