/** Prefixes that only our variables have. */
const PREFIXES =
  /^(?:AUTH|REST|REALTIME|PGRST|STRIPE|IGLOOHOME|STORAGE|TWILIO|SANDBOX|VISION|SHELLY|SMTP|MAIL|WALLET|METRICS|HOLD|RATE_LIMIT)_/;

/** Returns one line for each unknown variable with one of our prefixes, so that a typo does not silently leave a default in force. */
export function unknownVariables(given: readonly string[], known: readonly string[]): string[] {
  return given
    .filter((name) => PREFIXES.test(name) && !known.includes(name))
    .map((name) => {
      const suggestion = nearest(name, known);
      return `${name}: is not a setting${suggestion === null ? '' : `; did you mean ${suggestion}?`}`;
    });
}

const MAX_DISTANCE = 3;

function nearest(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = MAX_DISTANCE + 1;
  for (const one of known) {
    const steps = distance(name, one);
    if (steps < fewest) [best, fewest] = [one, steps];
  }
  return best;
}

/** Levenshtein distance: the characters to add, drop or change. */
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
