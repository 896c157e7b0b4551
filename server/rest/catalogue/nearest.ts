/** The name most like `asked`, for "Perhaps you meant"; null when none is close. */
export function nearest(asked: string, names: Iterable<string>): string | null {
  if (asked.length > 63) return null;
  let best: string | null = null;
  let least = Math.max(2, Math.ceil(asked.length / 3)) + 1;
  for (const name of names) {
    const steps = distance(asked, name);
    if (steps < least) [best, least] = [name, steps];
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
