/** How alike two names must be to be offered: nothing that only guesses at what else there is. */
const LIKE = 0.75;

/** The name most like `asked`, for "Perhaps you meant"; null when none is close. `least`: from 0 (nothing in common) to 1 (the same). */
export function nearest(asked: string, names: Iterable<string>, least: number = LIKE): string | null {
  if (asked.length > 200) return null;
  let best: string | null = null;
  let most = least;
  for (const name of names) {
    const alike = 1 - distance(asked.toLowerCase(), name.toLowerCase()) / Math.max(asked.length, name.length, 1);
    if (alike >= most && (best === null || alike > most)) [best, most] = [name, alike];
  }
  return best;
}

/** How many letters to change, add or take away (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
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
