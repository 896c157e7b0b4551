import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Serializer, SERIALIZERS } from './core/frames.ts';
import { HandshakeRefused } from './core/refusals.ts';
import { isFault, type Member, readMember, type TokenVerifier } from './core/token.ts';

export type Handshake = { readonly serializer: Serializer; readonly keyHolder: Member };

const PATH = /^\/realtime\/v1\/websocket\/?$/;

/** Whether an upgrade request is for this API. */
export const isRealtimePath = (url: string | undefined): boolean => PATH.test((url ?? '').split('?', 1)[0] ?? '');

/**
 * Throws `HandshakeRefused` 403 for a page of another site. Browsers send no preflight for sockets, so this is the only check. Programs
 * send no origin. `origins`: other sites whose pages are allowed.
 */
export function admitOrigin(headers: IncomingHttpHeaders, siteUrl: string, origins: readonly string[]): void {
  const origin = headers.origin?.toLowerCase();
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return;
  const site = new URL(siteUrl);
  if (origin === site.origin) return;
  // A site without https also has other names, such as the local network name of its machine.
  if (site.protocol === 'http:' && origin === `http://${headers.host?.toLowerCase()}`) return;
  throw new HandshakeRefused(403, 'Pages of this origin are not allowed to connect');
}

/**
 * Reads the key and the serializer of an upgrade request: `apikey` and `vsn` of the query. The header `x-api-key` takes precedence over the
 * query. Throws `HandshakeRefused`.
 */
export async function readHandshake(request: IncomingMessage, tokens: TokenVerifier, now: Date): Promise<Handshake> {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const header = request.headers['x-api-key'];
  const key = (typeof header === 'string' ? header : (query.get('apikey') ?? '')).replaceAll(/\s/g, '');
  if (key === '') throw new HandshakeRefused(401, 'API key is missing');
  const vsn = query.get('vsn') ?? '1.0.0';
  const serializer = SERIALIZERS.find((name) => name === vsn);
  if (serializer === undefined) throw new HandshakeRefused(403, 'The requested serializer version is not supported');
  const keyHolder = await readMember(tokens, key, now);
  if (!isFault(keyHolder)) return { serializer, keyHolder };
  const expired = keyHolder.message.startsWith('Token has expired');
  throw new HandshakeRefused(401, expired ? 'Token has expired' : keyHolder.message);
}

/** Answers an upgrade request with an HTTP error and closes its connection. */
export function refuseUpgrade(stream: Duplex, status: number, message: string): void {
  const body = JSON.stringify({ error: message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_TEXTS[status] ?? 'Error'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
  ];
  stream.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
