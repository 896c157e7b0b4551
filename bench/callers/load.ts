import { type CallerRequest, openConnection } from './connection.ts';

/** The result of a measurement: the number of requests, requests per second, their median time, and how many failed. */
export type Load = {
  readonly count: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly failed: number;
};

/** Returns the median, which other load disturbs least. For an even count it is the mean of the middle two. NaN if there are none. */
export function median(all: readonly number[]): number {
  const sorted = all.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** The 50th, 95th and 99th percentiles, in milliseconds. */
export type Latencies = { readonly p50: number; readonly p95: number; readonly p99: number };

export function toLatencies(milliseconds: readonly number[]): Latencies {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/**
 * Sends requests as fast as they are answered. `make` returns each request. Throws if the server ends a connection instead of answering.
 */
export async function load(
  url: string,
  options: { connections: number; seconds: number; make: (at: number) => CallerRequest },
): Promise<Load> {
  const times: number[] = [];
  let failed = 0;
  let at = 0;
  const end = performance.now() + options.seconds * 1000;
  await Promise.all(
    Array.from({ length: options.connections }, async () => {
      const connection = await openConnection(url);
      while (performance.now() < end) {
        const { status, ms } = await connection.send(options.make(at++));
        if (status === 0) throw new Error('the connection was closed');
        if (status >= 400) failed += 1;
        times.push(ms);
      }
      connection.close();
    }),
  );
  return { count: times.length, perSecond: times.length / options.seconds, medianMs: median(times), failed };
}
