import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { openSocket, type Socket, type Wire } from './channels/socket.ts';
import type { RealtimeContext } from './channels/context.ts';
import { HandshakeRefused } from './core/refusals.ts';
import type { Member } from './core/token.ts';
import { admitOrigin, type Handshake, isRealtimePath, readHandshake, refuseUpgrade } from './handshake.ts';

/** All connected clients of this process. */
export type Sockets = {
  /** Answers the upgrade requests of an HTTP server. */
  attach(server: Server): void;
  /** Ends the channels whose session has ended and those that may no longer read. `concerns`: selects the members to check. */
  checkChannels(concerns: (member: Member) => boolean): Promise<void>;
  /** Makes every channel join again, because messages may be missing. */
  rejoin(message: string): void;
  count(): number;
  channels(): number;
  /** Refuses new connections, tells every client to reconnect, and closes all connections. */
  close(): Promise<void>;
};

const FRAME_MAX = 5_000_000;
const SWEEP_MS = 10_000;
/** Pause between two clients that are dismissed, and the maximum total time for all of them, in milliseconds. */
const DISMISS_MS = 2;
const DISMISS_MAX_MS = 5_000;
/** How long a client has to reply to a close frame, in milliseconds. Then its connection is cut. */
const GOODBYE_MS = 1_000;

export function createSockets(context: RealtimeContext, getAddress: (request: IncomingMessage) => string): Sockets {
  const wss = new WebSocketServer({ noServer: true, maxPayload: FRAME_MAX, perMessageDeflate: false });
  const sockets = new Set<Socket>();
  const perAddress = new Map<string, number>();
  let closed: Promise<void> | null = null;
  const sweep = setInterval(() => {
    const now = context.clock().getTime();
    for (const socket of sockets) socket.sweep(now);
  }, SWEEP_MS);
  sweep.unref();

  function admit(address: string): void {
    if (closed) throw new HandshakeRefused(503, 'Realtime is restarting, please standby');
    const { socketsMax, socketsPerAddress } = context.settings;
    if (sockets.size >= socketsMax || (perAddress.get(address) ?? 0) >= socketsPerAddress)
      throw new HandshakeRefused(429, 'Too many connected users');
  }

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    stream.on('error', () => stream.destroy());
    try {
      if (!isRealtimePath(request.url)) return refuseUpgrade(stream, 404, 'Not found');
      const address = getAddress(request);
      admit(address);
      admitOrigin(request.headers, context.siteUrl, context.settings.origins);
      const handshake = await readHandshake(request, context.tokens, context.clock());
      admit(address);
      wss.handleUpgrade(request, stream, head, (wire) => {
        const socket = open(wire, handshake, address);
        countArriving(stream, wire, socket);
      });
    } catch (error) {
      context.counts.refused += 1;
      if (error instanceof HandshakeRefused) return refuseUpgrade(stream, error.status, error.message);
      context.log.error({ err: error }, 'a realtime connection could not be opened; the client got an error');
      refuseUpgrade(stream, 500, 'Something went wrong on our side');
    }
  }

  function open(wire: WebSocket, handshake: Handshake, address: string): Socket {
    const socket = openSocket(context, toWire(wire), handshake, address);
    sockets.add(socket);
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
    wire.on('message', (data, isBinary) => socket.receive({ bytes: toBuffer(data), isBinary }));
    wire.on('error', () => wire.terminate());
    wire.once('close', () => {
      socket.end();
      sockets.delete(socket);
      const remaining = (perAddress.get(address) ?? 1) - 1;
      if (remaining > 0) perAddress.set(address, remaining);
      else perAddress.delete(address);
    });
    return socket;
  }

  return {
    attach(server) {
      server.on('upgrade', (request, stream, head) => void upgrade(request, stream, head));
    },
    async checkChannels(concerns) {
      await Promise.all([...sockets].map((socket) => socket.checkChannels(concerns)));
    },
    rejoin(message) {
      for (const socket of sockets) socket.rejoin(message);
    },
    count: () => sockets.size,
    channels: () => [...sockets].reduce((total, socket) => total + socket.channels(), 0),
    close() {
      closed ??= closeAll(sockets, wss).finally(() => clearInterval(sweep));
      return closed;
    },
  };
}

/** Dismisses the clients one after the other, so that they do not all reconnect at once. */
async function closeAll(sockets: ReadonlySet<Socket>, wss: WebSocketServer): Promise<void> {
  const pause = Math.min(DISMISS_MS, DISMISS_MAX_MS / Math.max(1, sockets.size));
  let waited = 0;
  for (const socket of sockets) {
    socket.dismiss();
    waited += pause;
    if (waited < 1) continue;
    await new Promise((done) => setTimeout(done, waited));
    waited = 0;
  }
  // The last bytes need time to leave before the connections are cut.
  for (const end = performance.now() + GOODBYE_MS; wss.clients.size > 0 && performance.now() < end;)
    await new Promise((done) => setTimeout(done, 10));
  for (const wire of wss.clients) wire.terminate();
  wss.close();
}

/**
 * Counts the bytes of a message while it arrives. ws has only one maximum size for all clients of a server, but clients sign in after the
 * connection is open. Bytes are counted before ws reads them, so bytes that follow a message in the same chunk are not counted.
 */
function countArriving(stream: Duplex, wire: WebSocket, socket: Socket): void {
  let bytes = 0;
  stream.prependListener('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  stream.on('data', () => socket.arriving(bytes));
  wire.on('message', () => {
    bytes = 0;
  });
}

const toWire = (socket: WebSocket): Wire => ({
  send: (data) => socket.send(data),
  close: (code, reason) => socket.close(code, reason),
  refuse(code, reason) {
    socket.close(code, reason);
    socket.pause();
    setTimeout(() => socket.terminate(), GOODBYE_MS).unref();
  },
  unsent: () => socket.bufferedAmount,
});

const toBuffer = (data: RawData): Buffer => {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
};
