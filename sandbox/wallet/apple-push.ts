import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * A simulated Apple Push Notification service for passes, over HTTP/2 and TLS. Like Apple's it knows senders by the certificate of their pass type
 * and lets them push for that type only.
 */
export type ApplePush = {
  readonly url: string;
  /** What was pushed: the tokens of the phones, in their order. */
  readonly pushed: string[];
  /** Tokens of phones that have no pass any more. */
  readonly gone: Set<string>;
  /** Answers the next pushes with this status and reason. */
  failNext(times: number, status: number, reason: string): void;
  close(): Promise<void>;
};

type Refusal = { readonly status: number; readonly reason: string };

/** All as PEM. `senders`: the authority that issued the certificates of pass types. */
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
        let refusal = refusalOf(request, token, body);
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
  // A sender without a certificate ends here.
  server.on('sessionError', () => undefined);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    // A TCP server has an AddressInfo once it listens.
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

function refusalOf(request: Http2ServerRequest, token: string, body: string): Refusal | null {
  const topic = request.headers['apns-topic'];
  if (request.method !== 'POST') return { status: 405, reason: 'MethodNotAllowed' };
  if (!/^[\da-f]{64}$/.test(token)) return { status: 400, reason: 'BadDeviceToken' };
  if (typeof topic !== 'string') return { status: 400, reason: 'MissingTopic' };
  if (topic !== typeOf(request)) return { status: 400, reason: 'TopicDisallowed' };
  if (!/^\d{1,10}$/.test(String(request.headers['apns-expiration'] ?? '0')))
    return { status: 400, reason: 'BadExpirationDate' };
  return body === '{}' ? null : { status: 400, reason: 'PayloadEmpty' };
}

/** The pass type in the sender's certificate. The session's socket is a proxy that passes this call on to the TLS socket. */
function typeOf({ stream }: Http2ServerRequest): string | null {
  const socket = stream.session?.socket as TLSSocket | undefined;
  return /^UID=(.+)$/m.exec(socket?.getPeerX509Certificate()?.subject ?? '')?.[1] ?? null;
}

function answer(response: Http2ServerResponse, refusal: Refusal | null): void {
  response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json' });
  response.end(refusal === null ? '' : JSON.stringify({ reason: refusal.reason }));
}
