import { type RawData, WebSocket } from 'ws';

/** A text frame as sent by the server. Serializer 1.0.0 does not have `join_ref`. */
export type ReceivedFrame = {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: Record<string, unknown>;
};

/** A client of the realtime protocol without supabase-js. It can send any frame and sees every answer. */
export type RealtimeClient = {
  readonly frames: readonly ReceivedFrame[];
  /** The binary frames, as received. */
  readonly binary: readonly Buffer[];
  send(joinRef: string | null, ref: string | null, topic: string, event: string, payload: unknown): void;
  sendRaw(data: string | Uint8Array): void;
  /** Joins `realtime:<name>` and returns the reply. */
  join(name: string, config?: object, token?: string): Promise<ReceivedFrame>;
  /** Waits for a matching frame, which may already have been received. */
  frame(matches: (frame: ReceivedFrame) => boolean): Promise<ReceivedFrame>;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  close(): void;
};

const WAIT_MAX_MS = 10_000;

/** Connects with the given serializer. Serializer 1.0.0 receives broadcasts as text. */
export async function connectRealtime(
  url: string,
  key: string,
  vsn: '1.0.0' | '2.0.0' = '2.0.0',
): Promise<RealtimeClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/realtime/v1/websocket?apikey=${key}&vsn=${vsn}`);
  const frames: ReceivedFrame[] = [];
  const binary: Buffer[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: RawData, isBinary) => {
    if (isBinary) {
      binary.push(toBytes(data));
      for (const check of waiting) check();
      return;
    }
    const parsed = JSON.parse(toText(data));
    const [joinRef, ref, topic, event, payload] =
      vsn === '2.0.0' ? parsed : [null, parsed.ref, parsed.topic, parsed.event, parsed.payload];
    frames.push({ joinRef, ref, topic, event, payload });
    for (const check of waiting) check();
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  let refs = 0;
  const client: RealtimeClient = {
    frames,
    binary,
    closed,
    send: (joinRef, ref, topic, event, payload) =>
      socket.send(
        JSON.stringify(
          vsn === '2.0.0' ? [joinRef, ref, topic, event, payload] : { join_ref: joinRef, ref, topic, event, payload },
        ),
      ),
    sendRaw: (data) => socket.send(data),
    async join(name, config = {}, token) {
      const ref = String((refs += 1));
      client.send(ref, ref, `realtime:${name}`, 'phx_join', { config, ...(token ? { access_token: token } : {}) });
      return client.frame((frame) => frame.event === 'phx_reply' && frame.ref === ref);
    },
    frame: (matches) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`no such frame; received: ${JSON.stringify(frames).slice(0, 2_000)}`));
        }, WAIT_MAX_MS);
        const check = (): void => {
          const found = frames.find(matches);
          if (!found) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    close: () => socket.close(),
  };
  return client;
}

/** Requests a WebSocket and returns how the request was refused. */
export function refusedUpgrade(url: string, query: string): Promise<{ status: number; body: unknown }> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${query}`);
  return new Promise((resolve, reject) => {
    socket.once('open', () => reject(new Error('the connection was accepted')));
    socket.once('error', () => undefined);
    socket.once('unexpected-response', (_request, response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const body: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
  });
}

function toBytes(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

const toText = (data: RawData): string => toBytes(data).toString('utf8');
