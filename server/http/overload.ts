import type { IncomingMessage } from 'node:http';
import { createAdaptiveLimit } from './admission/adaptive-limit.ts';
import { createStartQueue } from './admission/start-queue.ts';
import { BUSY_MESSAGE } from './classify-error.ts';

/**
 * The kind of a request, judged by its headers alone because the token is verified later. `urgent`: functions, which include holds and the
 * opening of doors.
 */
const REQUEST_KINDS = ['urgent', 'signed-in', 'guest'] as const;
type RequestKind = (typeof REQUEST_KINDS)[number];

type Incoming = Pick<IncomingMessage, 'url' | 'headers'>;
/** The methods of a response that a refusal uses. */
type Outgoing = {
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  end(body: string): unknown;
  once(event: 'close', listener: () => void): unknown;
};

export type Overload = {
  /** Starts a request and counts it until its response has ended. Refuses it with 503 if too many requests are in progress. */
  admit(incoming: Incoming, outgoing: Outgoing, start: () => void): void;
  /** The requests in progress, by kind. */
  inProgress(): Readonly<Record<RequestKind, number>>;
  /** The requests refused since the start, by kind. */
  refused(): Readonly<Record<RequestKind, number>>;
};

/** Fraction of the limit at which requests of a kind are refused. */
const PARTS: Readonly<Record<RequestKind, number>> = { urgent: 1, 'signed-in': 0.85, guest: 0.6 };
/**
 * Paths whose requests are counted. Files are streamed with separate limits, pages and /healthz always answer, and sockets are not
 * requests.
 */
const COUNTED = /^\/(rest|auth|functions)\/v1\//;
const RETRY_SECONDS = 1;

/**
 * Bounds the requests in progress, so that under overload accepted requests stay fast and the others are refused immediately, before any
 * work is done for them. Functions may use all of `max`; other requests get fewer while answers are slow.
 */
export function createOverload(max: number, now: () => number = () => performance.now()): Overload {
  const running: Record<RequestKind, number> = { urgent: 0, 'signed-in': 0, guest: 0 };
  const refused: Record<RequestKind, number> = { urgent: 0, 'signed-in': 0, guest: 0 };
  const limit = createAdaptiveLimit(max, now);
  const queue = createStartQueue(REQUEST_KINDS.length, now);
  let all = 0;
  return {
    admit(incoming, outgoing, start) {
      const path = incoming.url ?? '/';
      if (!COUNTED.test(path)) return start();
      const kind = getKind(path, incoming);
      if (all >= (kind === 'urgent' ? max : limit.current()) * PARTS[kind]) {
        refused[kind] += 1;
        return refuse(path, outgoing);
      }
      all += 1;
      running[kind] += 1;
      const began = now();
      const forget = queue.add(REQUEST_KINDS.indexOf(kind), start);
      outgoing.once('close', () => {
        forget();
        all -= 1;
        running[kind] -= 1;
        // Functions wait for other systems, so their duration does not show the load.
        if (kind !== 'urgent') limit.add(now() - began);
      });
    },
    inProgress: () => running,
    refused: () => refused,
  };
}

function getKind(path: string, { headers }: Incoming): RequestKind {
  if (path.startsWith('/functions/')) return 'urgent';
  const { authorization } = headers;
  // A guest sends the public key itself as bearer.
  return authorization === undefined || authorization === `Bearer ${String(headers['apikey'])}` ? 'guest' : 'signed-in';
}

/** Builds the response to refused requests. It is built once, because a refusal must be cheap. */
function createRefusal(fault: object): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const body = JSON.stringify(fault);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'retry-after': String(RETRY_SECONDS),
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  };
  return { body, headers };
}
const FAULT = { code: 'server_busy', message: BUSY_MESSAGE };
const REFUSAL = createRefusal(FAULT);
const FUNCTIONS_REFUSAL = createRefusal({ error: { ...FAULT, retryAfter: RETRY_SECONDS } });

function refuse(path: string, outgoing: Outgoing): void {
  const { body, headers } = path.startsWith('/functions/') ? FUNCTIONS_REFUSAL : REFUSAL;
  outgoing.writeHead(503, headers);
  outgoing.end(body);
}
