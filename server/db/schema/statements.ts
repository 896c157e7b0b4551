/** A statement of a script, with the comment lines before it. */
export type Statement = { readonly comment: string; readonly text: string };

const DOLLAR_QUOTE = /\$\w*\$/y;

/**
 * Splits a script into its statements, without the semicolons that end them. Handles strings, quoted names, dollar quotes and comments from
 * `--` to the end of a line.
 */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  let start = 0;
  let at = 0;
  while (at < sql.length) {
    if (sql[at] === ';') {
      add(statements, sql.slice(start, at));
      start = at + 1;
    }
    at = endOfToken(sql, at);
  }
  add(statements, sql.slice(start));
  return statements;
}

function add(statements: Statement[], part: string): void {
  const comment = /^(?:\s*--.*(?:\n|$)|\s*\n)*/.exec(part)?.[0] ?? '';
  const text = part.slice(comment.length).trim();
  if (text !== '') statements.push({ comment: comment.trim(), text });
}

/** Returns the end of the string, name, comment or character that begins at `at`. */
function endOfToken(sql: string, at: number): number {
  const after = (closing: string, from: number): number => {
    const end = sql.indexOf(closing, from);
    return end === -1 ? sql.length : end + closing.length;
  };
  // A doubled quote within a string is treated as the end of one string and the start of the next, which has the same effect.
  if (sql[at] === "'") return after("'", at + 1);
  if (sql[at] === '"') return after('"', at + 1);
  if (sql.startsWith('--', at)) return after('\n', at);
  DOLLAR_QUOTE.lastIndex = at;
  const [quote] = DOLLAR_QUOTE.exec(sql) ?? [];
  return quote === undefined ? at + 1 : after(quote, at + quote.length);
}
