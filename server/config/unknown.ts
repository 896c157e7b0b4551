/** Prefixes that only our variables have. */
const PREFIXES =
  /^(?:AUTH|REST|REALTIME|PGRST|STRIPE|IGLOOHOME|STORAGE|TWILIO|SANDBOX|VISION|SHELLY|SMTP|MAIL|WALLET|METRICS|HOLD|HSTS|RATE_LIMIT)_/;

/**
 * Finds typos, which would silently leave a default in force. Adds a fault for each unknown variable with one of our prefixes, and a
 * warning for each other variable that is one edit away from a setting, because that one may belong to another program.
 */
export function unknownVariables(
  given: readonly string[],
  supported: readonly string[],
): { faults: string[]; warnings: string[] } {
  const others = given.filter((name) => !supported.includes(name));
  return {
    faults: others.filter((name) => PREFIXES.test(name)).map((name) => describe(name, nearest(name, supported, 3))),
    warnings: others.flatMap((name) => {
      const suggestion = PREFIXES.test(name) ? null : nearest(name, supported, 1);
      return suggestion === null ? [] : [describe(name, suggestion)];
    }),
  };
}

const describe = (name: string, suggestion: string | null): string =>
  `${name}: is not a setting${suggestion === null ? '' : `; did you mean ${suggestion}?`}`;

function nearest(name: string, supported: readonly string[], most: number): string | null {
  let best: string | null = null;
  let fewest = most + 1;
  for (const candidate of supported) {
    const steps = distance(name, candidate);
    if (steps < fewest) [best, fewest] = [candidate, steps];
  }
  return best;
}

/** Returns the optimal string alignment distance: the number of characters to add, drop or change and of neighbours to exchange. */
function distance(a: string, b: string): number {
  let above: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (above[j - 2] ?? changed) + 1 : changed;
      next.push(Math.min(changed, exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    above = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
