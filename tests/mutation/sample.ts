import { createHash } from 'node:crypto';

/** Returns the rank of a key for a seed: 64 hexadecimal digits, in an order unrelated to the keys. */
export const computeRank = (key: string, seed: string): string =>
  createHash('sha256').update(`${seed}\n${key}`).digest('hex');

/** Picks `size` of `all`, always the same ones for the same seed. `key` must be stable, so that new items displace few others. */
export function pickSample<T>(all: readonly T[], key: (item: T) => string, seed: string, size: number): T[] {
  const ranked = all.map((item) => ({ item, rank: computeRank(key(item), seed) }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, size).map(({ item }) => item);
}

export type Score = {
  readonly caught: number;
  readonly total: number;
  readonly share: number;
  readonly from: number;
  readonly to: number;
};

/** Returns the share of caught mutants with its 95 % interval (Wilson), which shows how little a small sample proves. */
export function computeScore(caught: number, total: number): Score {
  if (total === 0) return { caught, total, share: 0, from: 0, to: 1 };
  const z = 1.96;
  const share = caught / total;
  const middle = (share + (z * z) / (2 * total)) / (1 + (z * z) / total);
  const half = (z / (1 + (z * z) / total)) * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  return { caught, total, share, from: middle - half, to: middle + half };
}

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

export function describeScore(area: string, { caught, total, share, from, to }: Score): string {
  return `${area}: ${caught} of ${total} mutants noticed, ${percent(share)} (95 % interval ${percent(from)} to ${percent(to)})`;
}
