/** The compressed bytes of script that a page may load before somebody does anything on it, by the name of the page. */
const BUDGETS: Readonly<Record<string, number>> = { '': 80_000, booking: 140_000 };

/** Throws when a page loads more script than its budget. `bytes` returns the compressed size of a file. */
export function checkBudget(page: string, scripts: readonly string[], bytes: (script: string) => number): void {
  const budget = BUDGETS[page];
  const sum = [...new Set(scripts)].reduce((total, script) => total + bytes(script), 0);
  if (budget !== undefined && sum > budget)
    throw new Error(`/${page} loads ${sum} bytes of script before it can be used, more than its budget of ${budget}`);
}
