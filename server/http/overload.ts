import type { IncomingMessage } from 'node:http';
import { BUSY_MESSAGE } from './unavailable.ts';

/** Who a request seems to be from, by its headers alone: the token is verified later. `urgent`: the functions, which hold and open. */
const REQUEST_KINDS = ['urgent', 'signed-in', 'guest'] as const;
type RequestKind = (typeof REQUEST_KINDS)[number];

type Incoming = Pick<IncomingMessage, 'url' | 'headers'>;
/** The parts of a response that a refusal uses. */
type Outgoing = {
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  end(body: string): unknown;
  once(event: 'close', listener: () => void): unknown;
};

export type Overload = {
  /** Counts a request until its answer is over. Answers it with 503 and returns false when too many are in progress. */
  admit(incoming: Incoming, outgoing: Outgoing): boolean;
  /** Requests in progress, and refused since the start, by kind. */
  inProgress(): Readonly<Record<RequestKind, number>>;
  refused(): Readonly<Record<RequestKind, number>>;
};

/** The part of all requests in progress at which a kind is refused. */
const PARTS: Readonly<Record<RequestKind, number>> = { urgent: 1, 'signed-in': 0.85, guest: 0.6 };
/** Files are streamed with limits of their own, pages and /healthz always answer, and sockets are not requests. */
const COUNTED = /^\/(rest|auth|functions)\/v1\//;
const RETRY_SECONDS = 1;

/**
 * Bounds the requests in progress, so that under overload those that are accepted stay fast and the others are refused at once, before
 * anything is read or looked up for them.
 */
export function createOverload(max: number): Overload {
  const running: Record<RequestKind, number> = { urgent: 0, 'signed-in': 0, guest: 0 };
  const refused: Record<RequestKind, number> = { urgent: 0, 'signed-in': 0, guest: 0 };
  let all = 0;
  return {
    admit(incoming, outgoing) {
      const path = incoming.url ?? '/';
      if (!COUNTED.test(path)) return true;
      const kind = kindOf(path, incoming);
      if (all >= max * PARTS[kind]) {
        refused[kind] += 1;
        refuse(path, outgoing);
        return false;
      }
      all += 1;
      running[kind] += 1;
      outgoing.once('close', () => {
        all -= 1;
        running[kind] -= 1;
      });
      return true;
    },
    inProgress: () => running,
    refused: () => refused,
  };
}

function kindOf(path: string, { headers }: Incoming): RequestKind {
  if (path.startsWith('/functions/')) return 'urgent';
  const { authorization } = headers;
  // A guest's bearer is the public key itself.
  return authorization === undefined || authorization === `Bearer ${String(headers['apikey'])}` ? 'guest' : 'signed-in';
}

function refuse(path: string, outgoing: Outgoing): void {
  const fault = { code: 'server_busy', message: BUSY_MESSAGE };
  const body = JSON.stringify(
    path.startsWith('/functions/') ? { error: { ...fault, retryAfter: RETRY_SECONDS } } : fault,
  );
  outgoing.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'retry-after': String(RETRY_SECONDS),
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  });
  outgoing.end(body);
}
