import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * A simulated Apple Push Notification service for passes, over HTTP/2 and TLS. Like Apple's service, it identifies senders by the
 * certificate of their pass type and lets them push only for that type.
 */
export type ApplePush = {
  readonly url: string;
  /** The tokens of the phones that got pushes, in order. */
  readonly pushed: string[];
  /** Tokens of phones that no longer have a pass. */
  readonly gone: Set<string>;
  /** Makes the next `times` pushes fail with this status and reason. */
  failNext(times: number, status: number, reason: string): void;
  close(): Promise<void>;
};

type Refusal = { readonly status: number; readonly reason: string };

/** Starts the service. The options are PEM texts. `senders`: the authority that issued the certificates of pass types. */
export async function startApplePush(options: {
  key: string;
  certificate: string;
  senders: string;
}): Promise<ApplePush> {
  const pushed: string[] = [];
  const gone = new Set<string>();
  const sessions = new Set<ServerHttp2Session>();
  let failures = { times: 0, status: 500, reason: '' };
  const server = createSecureServer(
    {
      key: options.key,
      cert: options.certificate,
      ca: options.senders,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
    },
    (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (part: string) => (body += part));
      request.on('end', () => {
        const token = /^\/3\/device\/(.*)$/.exec(request.url)?.[1] ?? '';
        let refusal = findRefusal(request, token, body);
        if (refusal === null && failures.times > 0) {
          failures.times -= 1;
          refusal = failures;
        }
        if (refusal === null && gone.has(token)) refusal = { status: 410, reason: 'Unregistered' };
        if (refusal === null) pushed.push(token);
        answer(response, refusal);
      });
    },
  );
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  // A session of a sender without a certificate ends with this error.
  server.on('sessionError', () => undefined);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    // The address of a listening TCP server is an AddressInfo.
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    pushed,
    gone,
    failNext: (times, status, reason) => void (failures = { times, status, reason }),
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

function findRefusal(request: Http2ServerRequest, token: string, body: string): Refusal | null {
  const topic = request.headers['apns-topic'];
  if (request.method !== 'POST') return { status: 405, reason: 'MethodNotAllowed' };
  if (!/^[\da-f]{64}$/.test(token)) return { status: 400, reason: 'BadDeviceToken' };
  if (typeof topic !== 'string') return { status: 400, reason: 'MissingTopic' };
  if (topic !== getPassType(request)) return { status: 400, reason: 'TopicDisallowed' };
  if (!/^\d{1,10}$/.test(String(request.headers['apns-expiration'] ?? '0')))
    return { status: 400, reason: 'BadExpirationDate' };
  return body === '{}' ? null : { status: 400, reason: 'PayloadEmpty' };
}

/** Returns the pass type in the sender's certificate. The session's socket is a proxy that passes this call on to the TLS socket. */
function getPassType({ stream }: Http2ServerRequest): string | null {
  const socket = stream.session?.socket as TLSSocket | undefined;
  return /^UID=(.+)$/m.exec(socket?.getPeerX509Certificate()?.subject ?? '')?.[1] ?? null;
}

function answer(response: Http2ServerResponse, refusal: Refusal | null): void {
  response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json' });
  response.end(refusal === null ? '' : JSON.stringify({ reason: refusal.reason }));
}
