import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgres } from './postgres.ts';

/** Encodes messages of the server in the wire protocol (postgresql.org/docs/current/protocol-message-formats.html). */
const message = (kind: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), length, body]);
};
const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const TERMINATED = message(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  url = `postgres://someone@127.0.0.1:${address.port}/anything`;
});
afterAll(() => new Promise((closed) => server.close(closed)));

test('a connection that the server ends in the packet that opens it fails its statement, and no error is unhandled', async () => {
  const unhandled: Error[] = [];
  const record = (error: Error): void => void unhandled.push(error);
  process.prependListener('uncaughtException', record);
  const db = createPostgres({ backendUrl: url, authenticatorUrl: url, poolSize: 1, warn: () => undefined });
  await expect(db.query('select 1')).rejects.toThrow();
  await db.close();
  process.off('uncaughtException', record);
  expect(unhandled).toEqual([]);
});
