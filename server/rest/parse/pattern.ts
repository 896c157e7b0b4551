/** Maximum length of a pattern, in characters. */
export const PATTERN_MAX = 100;
/** Maximum number of repetitions of a counted quantifier such as `a{20}`. */
const REPEAT_MAX = 20;
/** Maximum number of parts of a pattern after its counted repetitions are written out. Compiling costs more than the square of this. */
const PARTS_MAX = 120;
/** Maximum number of anchors such as `^` or `\\m`, which match no character. PostgreSQL can take many seconds to compile a few of them. */
const ANCHORS_MAX = 4;
/** Maximum number of character ranges such as `a-z`. Each may contain thousands of characters, in both cases. */
const RANGES_MAX = 4;

/**
 * Returns why a PostgreSQL regular expression could cost too much, in words that complete "The pattern …", or null if it is acceptable.
 * Stricter than PostgreSQL: refuses everything that changes how the rest of the pattern is read (directors, options).
 */
export function regexFault(text: string): string | null {
  const tooLong = lengthFault(text);
  if (tooLong !== null) return tooLong;
  if (text.startsWith('***')) return 'begins with a director (***)';
  if (/\(\?(?!:)/.test(text)) return 'has options or looks ahead or behind';
  return new PatternReader(text).fault();
}

/** Returns why a LIKE pattern could cost too much, or null. Matching time grows with pattern length × text length. */
export const likeFault = (text: string): string | null => lengthFault(text);

/** PostgreSQL answers words over 2,046 bytes, and nesting beyond the depth of its stack, with an internal error. */
const SEARCH_BYTES_MAX = 2_000;
const SEARCH_BRACKETS_MAX = 100;
/** PostgreSQL keeps at most 32 operators that wait for their operand. */
const NEGATIONS = /(?:[!-][\s("']*){17}/;

/** Returns why PostgreSQL cannot read a text search, or null if it can. Applies to all callers. */
export function searchFault(text: string): string | null {
  if (Buffer.byteLength(text) > SEARCH_BYTES_MAX) return `is longer than ${SEARCH_BYTES_MAX} bytes`;
  if (text.split('(').length - 1 > SEARCH_BRACKETS_MAX) return `has more than ${SEARCH_BRACKETS_MAX} brackets`;
  return NEGATIONS.test(text) ? 'has more than 16 negations in a row' : null;
}

const lengthFault = (text: string): string | null =>
  text.length > PATTERN_MAX ? `is longer than ${PATTERN_MAX} characters` : null;

/** A bracketed group: the number of its parts, the number of anchors among them, and whether any part repeats. */
type Group = { parts: number; anchors: number; repeats: boolean };
type Quantifier = { readonly length: number; readonly most: number; readonly repeats: boolean };

const PART: Group = { parts: 1, anchors: 0, repeats: false };
const ANCHOR: Group = { parts: 1, anchors: 1, repeats: false };

class PatternReader {
  readonly #text: string;
  #at = 0;
  #ranges = 0;
  readonly #open: Group[] = [{ parts: 0, anchors: 0, repeats: false }];

  constructor(text: string) {
    this.#text = text;
  }

  fault(): string | null {
    while (this.#at < this.#text.length) {
      const atom = this.#atom();
      if (typeof atom === 'string') return atom;
      if (atom === null) continue;
      const fault = this.#repeat(atom);
      if (fault !== null) return fault;
    }
    return null;
  }

  /**
   * Skips one atom and returns its counts. Returns null if there is no atom (an opening bracket, an alternative), or an error message if
   * the atom is not acceptable.
   */
  #atom(): Group | string | null {
    const char = this.#text[this.#at];
    this.#at += 1;
    switch (char) {
      case '(':
        if (this.#text.startsWith('?:', this.#at)) this.#at += 2;
        this.#open.push({ parts: 0, anchors: 0, repeats: false });
        return null;
      case ')':
        // PostgreSQL itself refuses a surplus closing bracket.
        return this.#open.length > 1 ? (this.#open.pop() ?? null) : null;
      case '|':
        return null;
      case '[':
        return this.#brackets();
      case '\\':
        if (/[1-9]/.test(this.#text[this.#at] ?? '')) return 'refers back to a part of itself';
        this.#at += 1;
        return /[AZmMyY]/.test(this.#text[this.#at - 1] ?? '') ? ANCHOR : PART;
      case '^':
      case '$':
        return ANCHOR;
      default:
        return PART;
    }
  }

  /** Skips `[…]`. A `]` does not close it right after the opening bracket, within a class (`[:alpha:]`), or if it is escaped. */
  #brackets(): Group | string {
    const found = /^\^?\]?(?:\[([:.=]).*?\1\]|\\.|[^\]\\])*\]/s.exec(this.#text.slice(this.#at));
    const inside = found?.[0] ?? this.#text.slice(this.#at);
    this.#at += inside.length;
    this.#ranges += inside.split('-').length - 1;
    return this.#ranges > RANGES_MAX ? `has more than ${RANGES_MAX} ranges of characters` : this.#wordBoundary(inside);
  }

  /** `[[:<:]]` and `[[:>:]]` are anchors, not characters. */
  #wordBoundary(inside: string): Group {
    return inside.includes('[:<:]') || inside.includes('[:>:]') ? ANCHOR : PART;
  }

  /** Adds an atom and its quantifier to the enclosing group. Returns an error message if they are not acceptable, otherwise null. */
  #repeat(atom: Group): string | null {
    const quantifier = readQuantifier(this.#text.slice(this.#at));
    this.#at += quantifier.length;
    if (quantifier.most > REPEAT_MAX) return `repeats a part more than ${REPEAT_MAX} times`;
    if (quantifier.repeats && atom.repeats) return 'repeats a part that itself repeats';
    if (quantifier.repeats && atom.anchors > 0) return 'repeats the beginning or end of a text or word';
    if (readQuantifier(this.#text.slice(this.#at)).length > 0) return 'repeats a repetition';
    const around = this.#open.at(-1);
    if (!around) return null;
    around.parts += Math.max(1, atom.parts) * Math.max(1, quantifier.most);
    around.anchors += atom.anchors;
    if (around.anchors > ANCHORS_MAX) return `names more than ${ANCHORS_MAX} beginnings or ends of a text or word`;
    around.repeats ||= atom.repeats || quantifier.repeats;
    return around.parts > PARTS_MAX ? `has more than ${PARTS_MAX} parts once its repetitions are written out` : null;
  }
}

/** Reads `*`, `+`, `?`, `{m}`, `{m,}` or `{m,n}`, each with an optional `?` for the shortest match. Length 0 if there is no quantifier. */
function readQuantifier(text: string): Quantifier {
  const found = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(text);
  if (!found) return { length: 0, most: 1, repeats: false };
  const [whole, least, , most] = found;
  const counted = Math.max(Number(least ?? 1), Number(most ?? 0));
  return { length: whole.length, most: counted, repeats: !whole.startsWith('?') };
}

/**
 * Reads the members of a PostgreSQL array (`{a,"b,c"}`) of any depth. Returns null for other text. Removes quotes and escapes, so that the
 * caller gets each member as the database reads it.
 */
export function readArray(text: string): string[] | null {
  if (!/^\s*\{.*\}\s*$/s.test(text)) return null;
  const members: string[] = [];
  let member = '';
  let quoted = false;
  let inside = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (char === '\\') {
      index += 1;
      member += text[index] ?? '';
    } else if (char === '"') {
      inside = !inside;
      quoted = true;
    } else if (!inside && /[{},]/.test(char)) {
      if (quoted || member.trim() !== '') members.push(quoted ? member : member.trim());
      member = '';
      quoted = false;
    } else member += char;
  }
  return inside ? null : members;
}
