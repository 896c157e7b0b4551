import { readSourceFiles, type Source } from '#tests/support/source-files.ts';

/** A mutation in the source of a page. */
type FoundMutation = {
  /** The path without its extension, and the name of the mutation's variable or, without a variable, of the surrounding function. */
  readonly name: string;
  /** The queries that are reread when the mutation ends. */
  readonly rereads: readonly string[];
  /** Whether the surrounding code reads the mutation's state while it runs, or passes the mutation to code that does. */
  readonly isWatched: boolean;
};

/** Finds all mutations of the pages. */
export function findMutations(): FoundMutation[] {
  const sources = readSourceFiles().filter(({ path }) => path.startsWith('web/') && !/\.test\.tsx?$/.test(path));
  const found = sources.flatMap((source) => ofFile(source, sources));
  // A number distinguishes two mutations with the same name in one file.
  const seen = new Map<string, number>();
  return found.map((mutation) => {
    const count = (seen.get(mutation.name) ?? 0) + 1;
    seen.set(mutation.name, count);
    return count === 1 ? mutation : { ...mutation, name: `${mutation.name} ${count}` };
  });
}

function ofFile(source: Source, sources: readonly Source[]): FoundMutation[] {
  const { text, path } = source;
  return [...text.matchAll(/\buseMutation(?:<[^(]*>)?\(/g)].map(({ index, 0: opening }) => {
    const call = balanced(text, index + opening.length - 1);
    const variable = /(?:const|let) (\w+|\{[^}]*\}) = $/.exec(text.slice(0, index))?.[1] ?? '';
    const around = [...text.slice(0, index).matchAll(/\bfunction (\w+)/g)].at(-1)?.[1] ?? '';
    return {
      name: `${path.replace(/\.tsx?$/, '')} ${/^\w+$/.test(variable) ? variable : around}`,
      rereads: [...new Set(collectKeys(getInvalidates(call, text), source, sources))].toSorted(),
      isWatched: isWatched(variable, text.replace(call, '')),
    };
  });
}

/** Returns the text from an opening bracket to the matching closing one. */
function balanced(text: string, from: number): string {
  let depth = 0;
  for (let index = from; index < text.length; index += 1) {
    if ('([{'.includes(text[index] ?? ' ')) depth += 1;
    if (')]}'.includes(text[index] ?? ' ')) depth -= 1;
    if (depth === 0) return text.slice(from, index + 1);
  }
  throw new Error('a bracket is not closed');
}

/** Returns the expression of `meta.invalidates`, or an empty string. */
function getInvalidates(call: string, text: string): string {
  const named = /\bmeta(?:: (\w+))?,|\bmeta(?:: (\w+))? \}/.exec(call);
  const within = named ? findValue(named[1] ?? named[2] ?? 'meta', text) : call;
  const at = /\binvalidates\b(: )?/.exec(within);
  if (!at) return '';
  if (at[1] === undefined) return 'invalidates';
  const rest = within.slice(at.index + at[0].length);
  return rest.startsWith('[') ? balanced(rest, 0) : (/^[\w.]+/.exec(rest)?.[0] ?? '');
}

/** Returns the value of a constant in a file, or an empty string. */
function findValue(name: string, text: string): string {
  const at = new RegExp(`(?:const|let) ${name}(?:: [^=]+)? = `).exec(text);
  if (!at) return '';
  const from = at.index + at[0].length;
  return '[{'.includes(text[from] ?? ' ') ? balanced(text, from) : (/^[^;]+/.exec(text.slice(from))?.[0] ?? '');
}

/** Returns the names of the queries in an expression, following constants of this file and of the files it imports. */
function collectKeys(expression: string, source: Source, sources: readonly Source[]): string[] {
  const direct = [...expression.matchAll(/queryKeys\.(\w+)\.all/g)].map((match) => match[1] ?? '');
  const constants = [...expression.replace(/queryKeys[\w.]*/g, '').matchAll(/\b([A-Za-z_]\w+)\b/g)].map(
    (match) => match[1] ?? '',
  );
  return [
    ...direct,
    ...constants.flatMap((name) => {
      const home = [source, ...sources].find(({ text }) => findValue(name, text) !== '');
      return home ? collectKeys(findValue(name, home.text), home, sources) : [`unknown: ${name}`];
    }),
  ];
}

function isWatched(variable: string, rest: string): boolean {
  // The mutation is returned or is an argument of a call, so the receiver reads its state.
  if (variable === '') return true;
  if (variable.startsWith('{')) return /isPending|status|\.\.\./.test(variable);
  const handedOn = new RegExp(
    `=\\{${variable}\\}|\\{\\.\\.\\.${variable}|[(,] ?${variable}[,)]|return ${variable};|[{,] ?${variable} ?[,}]|: ${variable}[,\\s]`,
  );
  // A form is busy until `onSend` has ended.
  if (new RegExp(`onSend=\\{[^}]*\\b${variable}\\.mutateAsync`).test(rest)) return true;
  return rest.includes(`${variable}.isPending`) || rest.includes(`${variable}.status`) || handedOn.test(rest);
}
