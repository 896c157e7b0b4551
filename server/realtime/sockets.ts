import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { openSocket, type Socket, type Wire } from './channels/socket.ts';
import type { RealtimeContext } from './channels/context.ts';
import { HandshakeRefused } from './core/refusals.ts';
import { type Handshake, isRealtimePath, readHandshake, refuseUpgrade } from './handshake.ts';

/** All connected clients of this process. */
export type Sockets = {
  /** Answers the upgrade requests of an HTTP server. */
  attach(server: Server): void;
  /** Ends the channels whose session is among these. */
  endSessions(): Promise<void>;
  count(): number;
  channels(): number;
  /** Tells every client to connect again, spread over `milliseconds`, and closes all connections. */
  close(milliseconds: number): Promise<void>;
};

const FRAME_MAX = 5_000_000;
const SWEEP_MS = 10_000;

export function createSockets(context: RealtimeContext, addressOf: (request: IncomingMessage) => string): Sockets {
  const wss = new WebSocketServer({ noServer: true, maxPayload: FRAME_MAX, perMessageDeflate: false });
  const sockets = new Set<Socket>();
  const perAddress = new Map<string, number>();
  let closing = false;
  const sweep = setInterval(() => {
    const now = context.clock().getTime();
    for (const socket of sockets) socket.sweep(now);
  }, SWEEP_MS);
  sweep.unref();

  function admit(address: string): void {
    if (closing) throw new HandshakeRefused(503, 'Realtime is restarting, please standby');
    const { socketsMax, socketsPerAddress } = context.settings;
    if (sockets.size >= socketsMax || (perAddress.get(address) ?? 0) >= socketsPerAddress)
      throw new HandshakeRefused(429, 'Too many connected users');
  }

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    stream.on('error', () => stream.destroy());
    try {
      if (!isRealtimePath(request.url)) return refuseUpgrade(stream, 404, 'Not found');
      const address = addressOf(request);
      admit(address);
      const handshake = await readHandshake(request, context.verify, context.clock());
      admit(address);
      wss.handleUpgrade(request, stream, head, (wire) => open(wire, handshake, address));
    } catch (error) {
      context.counts.refused += 1;
      if (error instanceof HandshakeRefused) return refuseUpgrade(stream, error.status, error.message);
      context.log.error({ err: error }, 'a realtime connection could not be opened');
      refuseUpgrade(stream, 500, 'Something went wrong on our side');
    }
  }

  function open(wire: WebSocket, { serializer, keyHolder }: Handshake, address: string): void {
    const socket = openSocket(context, wireOf(wire), serializer, keyHolder);
    sockets.add(socket);
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
    wire.on('message', (data, isBinary) => socket.receive(isBinary ? bytesOf(data) : bytesOf(data).toString('utf8')));
    wire.on('error', () => wire.terminate());
    wire.once('close', () => {
      socket.end();
      sockets.delete(socket);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
  }

  return {
    attach(server) {
      server.on('upgrade', (request, stream, head) => void upgrade(request, stream, head));
    },
    async endSessions() {
      await Promise.all([...sockets].map((socket) => socket.checkSessions()));
    },
    count: () => sockets.size,
    channels: () => [...sockets].reduce((total, socket) => total + socket.channels(), 0),
    async close(milliseconds) {
      closing = true;
      clearInterval(sweep);
      const pause = milliseconds / Math.max(1, sockets.size);
      for (const socket of sockets) {
        socket.dismiss();
        if (pause >= 1) await new Promise((done) => setTimeout(done, pause));
      }
      for (const wire of wss.clients) wire.terminate();
      wss.close();
    },
  };
}

const wireOf = (socket: WebSocket): Wire => ({
  send: (data) => socket.send(data),
  close: (code, reason) => socket.close(code, reason),
  unsent: () => socket.bufferedAmount,
});

const bytesOf = (data: RawData): Buffer => {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
};
