/** Beginnings that only variables of ours have. */
const PREFIXES =
  /^(?:AUTH|REST|PGRST|STRIPE|IGLOOHOME|STORAGE|TWILIO|SANDBOX|VISION|SHELLY|SMTP|MAIL|METRICS|HOLD|RATE_LIMIT)_/;

/** One line for each variable that looks like ours and is not, so that a slip of the pen does not leave a default in force unnoticed. */
export function unknownVariables(given: readonly string[], known: readonly string[]): string[] {
  return given
    .filter((name) => PREFIXES.test(name) && !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return `${name}: is not a setting${near === null ? '' : `; did you mean ${near}?`}`;
    });
}

const FARTHEST = 3;

function nearest(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let least = FARTHEST + 1;
  for (const one of known) {
    const far = distance(name, one);
    if (far < least) [best, least] = [one, far];
  }
  return best;
}

/** Letters to add, drop or change (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
