import { connect, type Socket } from 'node:net';

/** Answers per second and the median time of one, from `lines` keep-alive connections for `seconds`. */
export type Load = { readonly perSecond: number; readonly medianMs: number; readonly failed: number };

/** The median: what a noisy neighbour disturbs least. */
export function middle(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}

export type Ask = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/**
 * Asks an address as fast as it answers. `make` gives each request its method, headers and body.
 * It speaks HTTP/1.1 over bare sockets: client, server and database share the machine, and a client that costs as much as the
 * server would be measured along with it. Answers must carry a content-length, as ours do.
 */
export async function load(
  url: string,
  options: { lines: number; seconds: number; make: (at: number) => Ask },
): Promise<Load> {
  const { hostname, port } = new URL(url);
  const times: number[] = [];
  let failed = 0;
  let at = 0;
  const end = performance.now() + options.seconds * 1000;
  await Promise.all(
    Array.from({ length: options.lines }, async () => {
      const line = await openLine(hostname, Number(port));
      while (performance.now() < end) {
        const began = performance.now();
        const status = await line.ask(written(options.make(at++), hostname));
        if (status >= 400) failed += 1;
        times.push(performance.now() - began);
      }
      line.socket.destroy();
    }),
  );
  return { perSecond: times.length / options.seconds, medianMs: middle(times), failed };
}

function written({ method, path, headers, body = '' }: Ask, host: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}${length}\r\n${body}`;
}

/** One connection; `ask` answers the status once the whole answer is here. */
async function openLine(host: string, port: number): Promise<{ socket: Socket; ask(text: string): Promise<number> }> {
  const socket = connect({ host, port, noDelay: true });
  let heard: Buffer = Buffer.alloc(0);
  let waiting: { resolve: (status: number) => void; reject: (reason: Error) => void } | null = null;
  socket.on('data', (chunk: Buffer) => {
    heard = heard.length === 0 ? chunk : Buffer.concat([heard, chunk]);
    const head = heard.indexOf('\r\n\r\n');
    if (head < 0) return;
    const text = heard.toString('latin1', 0, head);
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) waiting?.reject(new Error(`an answer without content-length: ${text.slice(0, 200)}`));
    if (heard.length < head + 4 + length) return;
    heard = heard.subarray(head + 4 + length);
    waiting?.resolve(Number(text.slice(9, 12)));
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the connection was closed')));
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return {
    socket,
    ask: (text) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(text);
      }),
  };
}
