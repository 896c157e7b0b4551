import { restErrors } from '../core/errors.ts';

/** How deep a body may nest: each level uses some of the database's stack. */
const DEPTH_MAX = 100;
/** The largest exponent of a number: the database keeps 1e100000 and writes out all its digits. */
const EXPONENT_MAX = 308;

const LARGE_EXPONENT = /\d[eE][+-]?0*[1-9]\d{2}/;

/** TypeScript's library does not know the reviver's third argument yet: the source text of a plain value. */
const parse = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** Refuses (PGRST102) JSON that is short to send but costly to store: nested too deeply, or numbers with very many digits. */
export function checkJson(text: string): void {
  checkDepth(text);
  if (!LARGE_EXPONENT.test(text)) return;
  try {
    parse(text, (_, value, { source = '' }) => {
      if (typeof value === 'number' && exponentOf(source) > EXPONENT_MAX)
        throw restErrors.body(`A number has an exponent above ${EXPONENT_MAX}`);
      return value;
    });
  } catch (error) {
    // The reader of the body refuses text that does not parse.
    if (!(error instanceof SyntaxError)) throw error;
  }
}

const exponentOf = (source: string): number => Math.abs(Number(/[eE]([+-]?\d+)$/.exec(source)?.[1] ?? 0));

/** Counts brackets outside strings. */
function checkDepth(text: string): void {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > DEPTH_MAX) throw restErrors.body('The body is nested too deeply');
  }
}
