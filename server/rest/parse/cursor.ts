import { restErrors, type RestRefusal } from '../errors.ts';

/** One arrow of `data->a->>b`. */
export type Step = { readonly key: string; readonly asText: boolean };
export type Field = { readonly name: string; readonly path: readonly Step[] };

/** A position in one parameter's text that reads it piece by piece. Throws PGRST100 where the grammar does not match. */
export type Cursor = {
  wrong(): RestRefusal;
  peek(part: string): boolean;
  take(part: string): boolean;
  expect(part: string): void;
  /** Skips blanks. */
  spaces(): void;
  /** Whether nothing is left. */
  atEnd(): boolean;
  /** Refuses when something is left. */
  end(): void;
  /** Matches a sticky pattern at the current position. */
  match(pattern: RegExp): RegExpExecArray | null;
  /** A name, plain or in double quotes. A dash is part of it unless it starts an arrow. */
  name(): string;
  /** `column->a->>b` */
  field(): Field;
  path(): Step[];
  /** The value of a nested condition: quoted, a bracketed list, or up to the next comma or bracket. */
  value(): string;
  /** A member of a list. */
  member(): string;
};

/** Creates a cursor at the start of `text`. `what` names the text in refusals, e.g. `select parameter`. */
export function createCursor(text: string, what: string): Cursor {
  let at = 0;

  const wrong = (): RestRefusal => restErrors.query(what, text, at);
  const peek = (part: string): boolean => text.startsWith(part, at);
  const take = (part: string): boolean => {
    if (!peek(part)) return false;
    at += part.length;
    return true;
  };
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found;
  };
  const quoted = (): string => {
    const found = match(/"((?:[^"\\]|\\.)*)"/sy);
    if (!found) throw wrong();
    return (found[1] ?? '').replace(/\\(.)/gs, '$1');
  };
  const name = (): string => {
    if (peek('"')) return quoted();
    const found = match(/(?:[^\s"(),.:!>-]|-(?!>)| (?=[^\s,)]))+/y);
    if (!found) throw wrong();
    return found[0];
  };
  const path = (): Step[] => {
    const steps: Step[] = [];
    for (;;) {
      const asText = take('->>');
      if (!asText && !take('->')) return steps;
      const key = peek('"') ? quoted() : match(/(?:[^"(),.:!>-]|-(?!>))+/y)?.[0];
      if (key === undefined) throw wrong();
      steps.push({ key, asText });
    }
  };
  const balanced = (open: string, close: string): string => {
    const from = at;
    let depth = 0;
    while (at < text.length) {
      if (peek('"')) {
        quoted();
        continue;
      }
      const char = text[at];
      at += 1;
      if (char === open) depth += 1;
      if (char === close && (depth -= 1) === 0) return text.slice(from, at);
    }
    throw wrong();
  };

  return {
    wrong,
    peek,
    take,
    expect(part) {
      if (!take(part)) throw wrong();
    },
    spaces() {
      while (text[at] === ' ') at += 1;
    },
    atEnd: () => at === text.length,
    end() {
      if (at !== text.length) throw wrong();
    },
    match,
    name,
    field: () => ({ name: name(), path: path() }),
    path,
    value() {
      if (peek('"')) return quoted();
      if (peek('(')) return balanced('(', ')');
      if (peek('{')) return balanced('{', '}');
      return match(/[^,()]*/y)?.[0] ?? '';
    },
    member() {
      while (text[at] === ' ') at += 1;
      return peek('"') ? quoted() : (match(/[^,"]*/y)?.[0] ?? '');
    },
  };
}
