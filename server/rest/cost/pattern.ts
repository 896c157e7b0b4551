/** How long a pattern may be, in characters. */
export const PATTERN_MAX = 100;
/** How often a counted repetition such as `a{20}` may repeat. */
const REPEAT_MAX = 20;
/** How many parts a pattern may have once its counted repetitions are written out: compiling costs more than their square. */
const PARTS_MAX = 120;
/** Places such as `^` or `\\m`, which match no character: a pattern of few of them may take PostgreSQL many seconds to compile. */
const PLACES_MAX = 4;
/** Ranges of characters such as `a-z`: each may stand for thousands of characters, in both cases. */
const RANGES_MAX = 4;

/**
 * Says why a regular expression of PostgreSQL could cost too much, in words that complete "The pattern …"; null when it cannot. It is
 * read more strictly than PostgreSQL reads it: whatever could change how the rest is read (directors, options) is refused.
 */
export function regexFault(text: string): string | null {
  const tooLong = lengthFault(text);
  if (tooLong !== null) return tooLong;
  if (text.startsWith('***')) return 'begins with a director (***)';
  if (/\(\?(?!:)/.test(text)) return 'has options or looks ahead or behind';
  return new PatternReader(text).fault();
}

/** Says why a LIKE pattern could cost too much; null when it cannot. Its time grows with its length times the text's. */
export const likeFault = (text: string): string | null => lengthFault(text);

const lengthFault = (text: string): string | null =>
  text.length > PATTERN_MAX ? `is longer than ${PATTERN_MAX} characters` : null;

/** What stands between two brackets: how many parts it has, how many of them are places, and whether any of it repeats. */
type Group = { parts: number; places: number; repeats: boolean };
type Quantifier = { readonly length: number; readonly most: number; readonly repeats: boolean };

const PART: Group = { parts: 1, places: 0, repeats: false };
const PLACE: Group = { parts: 1, places: 1, repeats: false };

class PatternReader {
  readonly #text: string;
  #at = 0;
  #ranges = 0;
  readonly #open: Group[] = [{ parts: 0, places: 0, repeats: false }];

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

  /** Passes one atom; null for what is none (an opening bracket, an alternative), a text for a fault. */
  #atom(): Group | string | null {
    const char = this.#text[this.#at];
    this.#at += 1;
    switch (char) {
      case '(':
        if (this.#text.startsWith('?:', this.#at)) this.#at += 2;
        this.#open.push({ parts: 0, places: 0, repeats: false });
        return null;
      case ')':
        // A bracket too many is PostgreSQL's to refuse.
        return this.#open.length > 1 ? (this.#open.pop() ?? null) : null;
      case '|':
        return null;
      case '[':
        return this.#brackets();
      case '\\':
        if (/[1-9]/.test(this.#text[this.#at] ?? '')) return 'refers back to a part of itself';
        this.#at += 1;
        return /[AZmMyY]/.test(this.#text[this.#at - 1] ?? '') ? PLACE : PART;
      case '^':
      case '$':
        return PLACE;
      default:
        return PART;
    }
  }

  /** `[…]`: a bracket right after the opening one, classes (`[:alpha:]`) and escapes do not close it. */
  #brackets(): Group | string {
    const found = /^\^?\]?(?:\[([:.=]).*?\1\]|\\.|[^\]\\])*\]/s.exec(this.#text.slice(this.#at));
    const inside = found?.[0] ?? this.#text.slice(this.#at);
    this.#at += inside.length;
    this.#ranges += inside.split('-').length - 1;
    return this.#ranges > RANGES_MAX ? `has more than ${RANGES_MAX} ranges of characters` : this.#wordEdge(inside);
  }

  /** `[[:<:]]` and `[[:>:]]` are places, not characters. */
  #wordEdge(inside: string): Group {
    return inside.includes('[:<:]') || inside.includes('[:>:]') ? PLACE : PART;
  }

  /** Adds an atom with the quantifier that follows it to the group around it; answers what is wrong with it, or null. */
  #repeat(atom: Group): string | null {
    const quantifier = readQuantifier(this.#text.slice(this.#at));
    this.#at += quantifier.length;
    if (quantifier.most > REPEAT_MAX) return `repeats a part more than ${REPEAT_MAX} times`;
    if (quantifier.repeats && atom.repeats) return 'repeats a part that itself repeats';
    if (quantifier.repeats && atom.places > 0) return 'repeats the beginning or end of a text or word';
    if (readQuantifier(this.#text.slice(this.#at)).length > 0) return 'repeats a repetition';
    const around = this.#open.at(-1);
    if (!around) return null;
    around.parts += Math.max(1, atom.parts) * Math.max(1, quantifier.most);
    around.places += atom.places;
    if (around.places > PLACES_MAX) return `names more than ${PLACES_MAX} beginnings or ends of a text or word`;
    around.repeats ||= atom.repeats || quantifier.repeats;
    return around.parts > PARTS_MAX ? `has more than ${PARTS_MAX} parts once its repetitions are written out` : null;
  }
}

/** `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`, each with a `?` for the shortest match; length 0 when none is there. */
function readQuantifier(text: string): Quantifier {
  const found = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(text);
  if (!found) return { length: 0, most: 1, repeats: false };
  const [whole, least, , most] = found;
  const counted = Math.max(Number(least ?? 1), Number(most ?? 0));
  return { length: whole.length, most: counted, repeats: !whole.startsWith('?') };
}

/**
 * Reads the members of an array as PostgreSQL writes it (`{a,"b,c"}`), whatever its depth; null for text that is no such array. Escapes
 * are taken out, so that a member reads as the database will see it.
 */
export function readArray(text: string): string[] | null {
  if (!/^\s*\{.*\}\s*$/s.test(text)) return null;
  const members: string[] = [];
  let member = '';
  let quoted = false;
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\\') {
      at += 1;
      member += text[at] ?? '';
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
