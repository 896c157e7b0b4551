import { connect } from 'node:net';

export type RawAnswer = { readonly status: number; readonly text: string; readonly seconds: number };

/**
 * Sends a request whose body never ends and returns the server's answer. `sent` is the part of the body that is sent. Rejects if no answer
 * comes within `milliseconds`, or when `signal` aborts.
 */
export function sendUnfinished(
  url: string,
  request: { path: string; headers: Readonly<Record<string, string>>; sent?: string },
  milliseconds = 45_000,
  signal?: AbortSignal,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const began = performance.now();
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${milliseconds} ms`));
    }, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      socket.destroy();
      reject(new Error('not waited for any longer'));
    });
    const head = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.on('connect', () =>
      socket.write(`POST ${request.path} HTTP/1.1\r\nhost: ${hostname}\r\n${head.join('')}\r\n${request.sent ?? ''}`),
    );
    socket.on('data', (part) => {
      text += part.toString();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      if (status === undefined || !text.includes('\r\n\r\n')) return;
      clearTimeout(timer);
      socket.destroy();
      resolve({ status: Number(status), text, seconds: (performance.now() - began) / 1000 });
    });
    socket.on('error', reject);
  });
}

/**
 * Sends `count` requests concurrently whose bodies never end, and returns the first `wanted` statuses. `during` runs while the other
 * requests are open.
 */
export async function firstStatuses(
  count: number,
  expected: number,
  send: (signal: AbortSignal) => Promise<RawAnswer>,
  during: () => Promise<void> = () => Promise.resolve(),
): Promise<number[]> {
  const rest = new AbortController();
  const statuses: number[] = [];
  const enough = Promise.withResolvers<void>();
  const all = Array.from({ length: count }, async () => {
    statuses.push((await send(rest.signal)).status);
    if (statuses.length === expected) enough.resolve();
  });
  const settled = Promise.allSettled(all);
  await Promise.race([enough.promise, settled]);
  const first = [...statuses];
  await during();
  rest.abort();
  await settled;
  return first;
}
