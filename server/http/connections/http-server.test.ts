import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpServer } from './http-server.ts';

/** The server's limits, shortened for the test. */
const LIMITS = { headersTimeout: 100, requestTimeout: 400, connectionsCheckingInterval: 20 };

let port: number;
let server: ReturnType<typeof startHttpServer>;
beforeAll(async () => {
  port = await new Promise((resolve) => {
    server = startHttpServer(
      async (request) => new Response(await request.text()),
      { port: 0, host: '127.0.0.1' },
      resolve,
      LIMITS,
    );
  });
});
afterAll(() => void server.close());

/** Sends the text, keeps the connection open, and returns the status line once the server has closed it. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (part) => void (answer += part.toString()));
    socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
    socket.on('error', reject);
  });
}

test('headers that never end are answered with 408 and the connection is closed', async () => {
  expect(await send('GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ')).toBe('HTTP/1.1 408 Request Timeout');
});

test('a body that never ends is answered with 408 and the connection is closed', async () => {
  expect(await send('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nabc')).toMatch(
    /^HTTP\/1\.1 408|^$/,
  );
});

test('more than 16 KB of headers are answered with 431', async () => {
  expect(await send(`GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(17_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431/,
  );
});
