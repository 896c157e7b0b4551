import { restErrors, type RestRefusal } from '../core/errors.ts';

/** A position in one parameter's text that reads it piece by piece. */
export type Cursor = {
  /** Creates the refusal (PGRST100) that names the current position. */
  wrong(): RestRefusal;
  peek(part: string): boolean;
  take(part: string): boolean;
  /** Consumes `part`, or throws the refusal. */
  expect(part: string): void;
  /** Skips spaces. */
  spaces(): void;
  /** Whether the end of the text is reached. */
  atEnd(): boolean;
  /** Throws the refusal if text is left. */
  end(): void;
  /** Matches a sticky pattern at the current position. */
  match(pattern: RegExp): RegExpExecArray | null;
  position(): number;
  /** Returns the text from an earlier position to the current one. */
  since(position: number): string;
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
    match(pattern) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found) at += found[0].length;
      return found;
    },
    position: () => at,
    since: (position) => text.slice(position, at),
  };
}
