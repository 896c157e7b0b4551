import { Agent, request } from 'node:http';

/** Answers per second and the median time of one, from `lines` keep-alive connections for `seconds`. */
export type Load = { readonly perSecond: number; readonly medianMs: number; readonly failed: number };

/** Asks an address as fast as it answers. `make` gives each request its method, headers and body. */
export async function load(
  url: string,
  options: {
    lines: number;
    seconds: number;
    make: (at: number) => { method: string; path: string; headers: Record<string, string>; body?: string };
  },
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.lines });
  const base = new URL(url);
  const times: number[] = [];
  let failed = 0;
  let at = 0;
  const end = performance.now() + options.seconds * 1000;
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const { method, path, headers, body } = options.make(at);
      at += 1;
      const began = performance.now();
      const asked = request(
        {
          host: base.hostname,
          port: base.port,
          agent,
          method,
          path,
          headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
        },
        (response) => {
          response.resume();
          response.on('end', () => {
            if ((response.statusCode ?? 500) >= 400) failed += 1;
            times.push(performance.now() - began);
            resolve();
          });
        },
      );
      asked.on('error', () => {
        failed += 1;
        resolve();
      });
      asked.end(body);
    });
  await Promise.all(
    Array.from({ length: options.lines }, async () => {
      while (performance.now() < end) await one();
    }),
  );
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  return { perSecond: times.length / options.seconds, medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, failed };
}
