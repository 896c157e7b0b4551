/** Returns the median of the numbers, or NaN if there are none. */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

/** Returns the longest time between two consecutive moments, in seconds. */
export const longestPause = (moments: readonly number[]): number =>
  moments.reduce((longest, index, n) => Math.max(longest, index - (moments[n - 1] ?? index)), 0) / 1_000;

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
