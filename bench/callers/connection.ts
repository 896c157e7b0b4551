import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type CallerRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};
/** `status` is 0 if the connection ended before an answer. */
export type Answer = {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | null;
  readonly body: Buffer;
};

export type Connection = { send(request: CallerRequest, since?: number): Promise<Answer>; close(): void };

/** The end of an empty chunked answer. */
const NO_CHUNKS = Buffer.from('0\r\n\r\n');
const NOTHING = Buffer.alloc(0);

/**
 * Opens one keep-alive connection for one request at a time, on a bare socket: a costly client would distort the measurement, because
 * client, server and database share the machine. Answers must have a content-length, as the server's do, or be empty and chunked; any other
 * answer counts as the end of the connection. `since`: the start of the measured time, by default now. A connection that the server has
 * closed while idle is reopened.
 */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  let waiting: ((head: string, body: Buffer) => void) | null = null;
  const finish = (head: string, body: Buffer = NOTHING): void => {
    const resolve = waiting;
    waiting = null;
    resolve?.(head, body);
  };
  let current: Socket | null = null;
  const open = async (): Promise<Socket> => {
    const opened = connect({ host: hostname, port: Number(port), noDelay: true });
    current = opened;
    let received: Buffer = NOTHING;
    opened.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = received.toString('latin1', 0, end);
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      const until = end + 4 + (length === undefined ? NO_CHUNKS.length : Number(length));
      if (received.length < until) return;
      const body = received.subarray(end + 4, until);
      received = received.subarray(until);
      if (length === undefined && !body.equals(NO_CHUNKS)) opened.destroy(new Error('an answer without a length'));
      else finish(head, length === undefined ? NOTHING : body);
    });
    const over = (): void => {
      opened.destroy();
      if (current === opened) finish('');
    };
    for (const event of ['error', 'end', 'close']) opened.on(event, over);
    await once(opened, 'connect').catch(() => undefined);
    return opened;
  };
  let socket = await open();
  return {
    async send(request, since = performance.now()) {
      if (socket.destroyed) socket = await open();
      const [head, body] = await new Promise<[string, Buffer]>((resolve) => {
        waiting = (...answer) => resolve(answer);
        if (socket.destroyed) finish('');
        else socket.write(written(request, hostname));
      });
      const retryAfter = /retry-after: (\d+)/i.exec(head)?.[1] ?? null;
      return { status: Number(head.slice(9, 12)), ms: performance.now() - since, retryAfter, body };
    },
    close: () => void socket.destroy(),
  };
}

function written({ method, path, headers, body = '' }: CallerRequest, host: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}${length}\r\n${body}`;
}

/** Returns a quantile: the value below which this fraction of all values lies. NaN if there are no values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Sends one request after another until `until` (by `performance.now()`), with a pause between them. */
export async function callSteadily(
  url: string,
  options: { readonly until: number; readonly pauseMs: number; readonly make: (at: number) => CallerRequest },
): Promise<Answer[]> {
  const connection = await openConnection(url);
  const answers: Answer[] = [];
  while (performance.now() < options.until) {
    answers.push(await connection.send(options.make(answers.length)));
    if (options.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, options.pauseMs));
  }
  connection.close();
  return answers;
}

/**
 * Sends requests at a fixed rate, whether or not earlier ones are answered. Times count from the moment when each is sent, or when its
 * connection is opened. `connections` are opened beforehand, and more when all are busy.
 */
export async function callAtRate(
  url: string,
  options: {
    readonly connections: number;
    readonly perSecond: number;
    readonly seconds: number;
    readonly make: (at: number) => CallerRequest;
  },
): Promise<Answer[]> {
  const all: Connection[] = [];
  while (all.length < options.connections)
    all.push(...(await Promise.all(Array.from({ length: 50 }, () => openConnection(url)))));
  const idle = [...all];
  const pending: Promise<void>[] = [];
  const answers: Answer[] = [];
  const began = performance.now();
  const total = Math.floor(options.perSecond * options.seconds);
  const sendRequest = async (at: number): Promise<void> => {
    const sent = performance.now();
    let connection = idle.pop();
    if (connection === undefined) {
      connection = await openConnection(url);
      all.push(connection);
    }
    const answer = await connection.send(options.make(at), sent);
    answers.push(answer);
    if (answer.status !== 0) idle.push(connection);
  };
  for (let index = 0; index < total;) {
    const dueBy = Math.min(total, Math.ceil(((performance.now() - began) / 1_000) * options.perSecond));
    for (; index < dueBy; index += 1) pending.push(sendRequest(index));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(pending);
  for (const connection of all) connection.close();
  return answers;
}
