import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

/** A mask of zeros for masked frames (RFC 6455 section 5.2), which leaves the bytes unchanged. */
const MASK = Buffer.alloc(4);
const createHead = (first: number, size: number): Buffer => {
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, MASK]);
};
const TEXT = 0x1;
const FINAL = 0x80;

/**
 * The beginning of a text message of 4.7 MB: the first `sent` bytes of one frame that announces the whole length, or of frames that never
 * end the message.
 */
export const UNFINISHED: Readonly<Record<string, (sent: number) => Buffer>> = {
  'one frame': (sent) => Buffer.concat([createHead(FINAL | TEXT, 4_700_000), Buffer.alloc(sent, ' ')]),
  'parts of a kilobyte': (sent) =>
    Buffer.concat(
      Array.from({ length: sent / 1000 }, (_, index) =>
        Buffer.concat([createHead(index === 0 ? TEXT : 0, 1000), Buffer.alloc(1000, ' ')]),
      ),
    ),
};

/** Opens a WebSocket by hand and sends only these bytes. Returns the code with which the server closes it, or null after `milliseconds`. */
export function readCloseCode(url: string, path: string, bytes: Buffer, milliseconds: number): Promise<number | null> {
  const { hostname, port } = new URL(url);
  const key = randomBytes(16).toString('base64');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => end(null), milliseconds);
    const end = (code: number | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(code);
    };
    let received = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('connect', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
          `sec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
      ),
    );
    socket.on('data', (part) => {
      if (received.length === 0) socket.write(bytes);
      received = Buffer.concat([received, part]);
      const frame = received.subarray(received.indexOf('\r\n\r\n') + 4);
      if (frame[0] === 0x88 && frame.length >= 4) end(frame.readUInt16BE(2));
    });
  });
}
