/** The most bytes of compressed script that a page may load before a visitor uses it, by the name of the page. */
export const BUDGETS = { '': 80_000, booking: 123_500 } as const;

/** Throws if a page loads more script than its budget. `bytes` returns the compressed size of a file. */
export function checkBudget(page: string, scripts: readonly string[], bytes: (script: string) => number): void {
  const budget = (BUDGETS as Readonly<Record<string, number>>)[page];
  const sum = sumBytes(scripts, bytes);
  if (budget !== undefined && sum > budget)
    throw new Error(`/${page} loads ${sum} bytes of script before it can be used, more than its budget of ${budget}`);
}

/** The most bytes of compressed script that may load before the first paint. */
const START_BUDGET = 5_000;

/** Throws if more script than the budget loads before the first paint, because it competes with the styles and the picture. */
export function checkStart(scripts: readonly string[], bytes: (script: string) => number): void {
  const sum = sumBytes(scripts, bytes);
  if (sum > START_BUDGET)
    throw new Error(`${sum} bytes of script load before the first paint, more than the budget of ${START_BUDGET}`);
}

/**
 * The most bytes of the font that pages load first. After the page itself a connection carries about twenty packets of 1,460 bytes at once
 * (RFC 6928 begins with ten, and each round trip doubles them), so a larger font takes another round trip.
 */
const FONT_BUDGET = 29_000;

/** Throws if the font would take another round trip. */
export function checkFont(bytes: number): void {
  if (bytes > FONT_BUDGET)
    throw new Error(`The font has ${bytes} bytes, more than the budget of ${FONT_BUDGET}: see tools/fonts.ts`);
}

function sumBytes(scripts: readonly string[], bytes: (script: string) => number): number {
  return [...new Set(scripts)].reduce((total, script) => total + bytes(script), 0);
}
