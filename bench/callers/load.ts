import { connect, type Socket } from 'node:net';

/** The requests, how many per second, and their median time, with `connections` keep-alive connections for `seconds`. */
export type Load = {
  readonly count: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly failed: number;
};

/** The median, which other load on the machine disturbs least; of an even count the mean of the middle two. NaN for none. */
export function median(all: readonly number[]): number {
  const sorted = all.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** Times in milliseconds that 50, 95 and 99 of a hundred do not exceed. */
export type Latencies = { readonly p50: number; readonly p95: number; readonly p99: number };

export function latenciesOf(milliseconds: readonly number[]): Latencies {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

export type LoadRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/**
 * Sends requests as fast as they are answered. `make` returns each request. Uses HTTP/1.1 on bare sockets: client, server and database
 * share the machine, and a costly client would distort the measurement. Answers have a content-length, as ours do, or are empty and chunked.
 */
export async function load(
  url: string,
  options: { connections: number; seconds: number; make: (at: number) => LoadRequest },
): Promise<Load> {
  const { hostname, port } = new URL(url);
  const times: number[] = [];
  let failed = 0;
  let at = 0;
  const end = performance.now() + options.seconds * 1000;
  await Promise.all(
    Array.from({ length: options.connections }, async () => {
      const connection = await openConnection(hostname, Number(port));
      while (performance.now() < end) {
        const began = performance.now();
        const status = await connection.send(written(options.make(at++), hostname));
        if (status >= 400) failed += 1;
        times.push(performance.now() - began);
      }
      connection.socket.destroy();
    }),
  );
  return { count: times.length, perSecond: times.length / options.seconds, medianMs: median(times), failed };
}

function written({ method, path, headers, body = '' }: LoadRequest, host: string): string {
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${headerLines.join('')}${length}\r\n${body}`;
}

/** The body of an empty chunked answer. */
const NO_CHUNKS = Buffer.from('0\r\n\r\n');

/** Opens one connection; `send` resolves with the status when the whole answer has arrived. */
async function openConnection(
  host: string,
  port: number,
): Promise<{ socket: Socket; send(text: string): Promise<number> }> {
  const socket = connect({ host, port, noDelay: true });
  let received: Buffer = Buffer.alloc(0);
  let waiting: { resolve: (status: number) => void; reject: (reason: Error) => void } | null = null;
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const head = received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const text = received.toString('latin1', 0, head);
    const length = /transfer-encoding: chunked/i.test(text)
      ? NO_CHUNKS.length
      : Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) waiting?.reject(new Error(`an answer without content-length: ${text.slice(0, 200)}`));
    if (received.length < head + 4 + length) return;
    const body = received.subarray(head + 4, head + 4 + length);
    if (length === NO_CHUNKS.length && /chunked/i.test(text) && !body.equals(NO_CHUNKS))
      waiting?.reject(new Error('a chunked answer that is not empty'));
    received = received.subarray(head + 4 + length);
    waiting?.resolve(Number(text.slice(9, 12)));
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the connection was closed')));
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return {
    socket,
    send: (text) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(text);
      }),
  };
}
