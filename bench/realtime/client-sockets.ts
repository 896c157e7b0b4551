import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/**
 * WebSocket clients on bare sockets: a costly client would distort the measurement, because server and clients share the machine. They can
 * read the frames that the servers send: short or long, unfragmented and without a mask.
 */
export type ClientSocket = {
  /** Sends a text or a binary frame. */
  send(data: string | Buffer): void;
  close(): void;
};

type SocketEvents = {
  /** Called for a text frame without a mark of its time. */
  onText(text: string): void;
  /** Called for a frame with a mark. `sentAt`: when it was sent, by `microseconds()`. */
  onMarked(sentAt: number): void;
  onClose(): void;
};

/** Returns the time of a clock that all processes of the machine share. */
export const microseconds = (): number => Number(process.hrtime.bigint() / 1000n);

const MARK = '~t';
const MARK_DIGITS = 16;

/** Returns the mark that a measured message carries somewhere in its text. */
export const formatMark = (sentAt: number): string => `${MARK}${String(Math.round(sentAt)).padStart(MARK_DIGITS, '0')}`;

export async function openClientSocket(port: number, path: string, events: SocketEvents): Promise<ClientSocket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  const opened = Promise.withResolvers<void>();
  let rest: Buffer = Buffer.alloc(0);
  let open = false;
  socket.on('data', (chunk: Buffer) => {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (!open) {
      const end = data.indexOf('\r\n\r\n');
      if (end >= 0) {
        open = data.toString('latin1', 9, 12) === '101';
        if (open) opened.resolve();
        else opened.reject(new Error(data.toString('utf8').slice(0, 300)));
        data = data.subarray(end + 4);
      }
    }
    rest = open ? readFrames(data, events) : data;
  });
  socket.once('error', (error) => opened.reject(error));
  socket.once('close', () => {
    opened.reject(new Error('the connection was closed'));
    events.onClose();
  });
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  );
  await opened.promise;
  return { send: (data) => sendFrame(socket, data), close: () => socket.destroy() };
}

/** Reads all complete frames. Returns the remaining bytes. */
function readFrames(data: Buffer, events: SocketEvents): Buffer {
  let at = 0;
  while (data.length - at >= 2) {
    const short = data.readUInt8(at + 1) & 0x7f;
    const head = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (data.length - at < head) break;
    const length = short === 126 ? data.readUInt16BE(at + 2) : short === 127 ? data.readUInt32BE(at + 6) : short;
    if (data.length - at < head + length) break;
    readFrame(data.readUInt8(at) & 15, data.subarray(at + head, at + head + length), events);
    at += head + length;
  }
  return data.subarray(at);
}

const OPCODE_TEXT = 1;
const OPCODE_BINARY = 2;

function readFrame(opcode: number, payload: Buffer, events: SocketEvents): void {
  if (opcode !== OPCODE_TEXT && opcode !== OPCODE_BINARY) return;
  const mark = payload.indexOf(MARK);
  if (mark < 0) return opcode === OPCODE_TEXT ? events.onText(payload.toString('utf8')) : undefined;
  const from = mark + MARK.length;
  events.onMarked(Number(payload.toString('latin1', from, from + MARK_DIGITS)));
}

/** Sends a frame with a mask, as a client must. A mask of zeros changes nothing. */
function sendFrame(socket: Socket, data: string | Buffer): void {
  const payload = typeof data === 'string' ? Buffer.from(data) : data;
  const long = payload.length > 125;
  const head = Buffer.alloc(long ? 8 : 6);
  head.writeUInt8(0x80 | (typeof data === 'string' ? OPCODE_TEXT : OPCODE_BINARY), 0);
  head.writeUInt8(0x80 | (long ? 126 : payload.length), 1);
  if (long) head.writeUInt16BE(payload.length, 2);
  socket.write(Buffer.concat([head, payload]));
}
