/** Minimum similarity of a suggested name, from 0 (nothing in common) to 1 (identical). */
const SIMILARITY_MIN = 0.33;
/** The number of candidates that are compared letter by letter: those with the most sequences of letters in common. */
const COMPARED_MAX = 50;

/**
 * Finds the most similar name for "Perhaps you meant", as PostgREST does. Returns null if none is close. A close name shares three letters
 * in a row with `requested`, or two if no close name shares three. Case does not matter.
 */
export function nearest(requested: string, names: Iterable<string>): string | null {
  if (requested.length > 200) return null;
  const key = requested.toLowerCase();
  const candidates = new Map([...names].map((name) => [name.toLowerCase(), name]));
  const same = candidates.get(key);
  if (same !== undefined) return same;
  for (const size of [3, 2]) {
    const own = countGrams(key, size);
    const [best] = [...candidates]
      .map(([folded, name]) => ({ folded, name, shared: similarity(own, countGrams(folded, size)) }))
      .filter(({ shared }) => shared > 0)
      .sort((a, b) => b.shared - a.shared)
      .slice(0, COMPARED_MAX)
      .map(({ folded, name }) => ({ name, score: 1 - distance(key, folded) / Math.max(key.length, folded.length, 1) }))
      .filter(({ score }) => score >= SIMILARITY_MIN)
      .sort((a, b) => b.score - a.score);
    if (best) return best.name;
  }
  return null;
}

/** Counts each run of `size` characters in a name. Start and end count as a dash; punctuation is left out. */
function countGrams(name: string, size: number): Map<string, number> {
  const text = `-${name.replace(/[^\p{L}\p{N}\s,]/gu, '')}-`;
  const counts = new Map<string, number>();
  for (let index = 0; index + size <= text.length; index += 1) {
    const gram = text.slice(index, index + size);
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

/** Returns the cosine similarity of two counts: 0 if they have nothing in common. */
function similarity(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const length = (counts: ReadonlyMap<string, number>): number =>
    Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0));
  const product = [...a].reduce((sum, [gram, count]) => sum + count * (b.get(gram) ?? 0), 0);
  return product === 0 ? 0 : product / (length(a) * length(b));
}

/** PostgreSQL suggests a column that differs in at most this many letters. */
const LETTERS_MAX = 3;

/** Returns the one or two most similar columns, like PostgreSQL; none if over half of the letters differ or more than two columns tie. */
export function nearestColumns(requested: string, names: Iterable<string>): string[] {
  if (requested.length > 63) return [];
  const max = Math.min(LETTERS_MAX, Math.floor(requested.length / 2));
  const near = [...names]
    .map((name) => ({ name, letters: distance(requested, name) }))
    .filter(({ letters }) => letters <= max);
  const closest = Math.min(...near.map(({ letters }) => letters));
  const found = near.filter(({ letters }) => letters === closest).map(({ name }) => name);
  return found.length > 2 ? [] : found;
}

/** Returns the Levenshtein distance: the number of letters to change, add or remove. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
