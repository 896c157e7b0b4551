/** Request bodies: how large, how slow and how many at once. What is refused here is refused before it is read. */

/** A body that is not read, or not to its end. `code` is a word for programs. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  readonly status: 408 | 413 | 415 | 429 | 503;
  readonly code: string;
  /** Seconds, for 429 and 503. */
  readonly retryAfter: number | null;
  constructor(status: BodyRefused['status'], code: string, message: string, retryAfter: number | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export const bodyRefusals = {
  tooLarge: () => new BodyRefused(413, 'request_too_large', 'The request is too large'),
  tooSlow: () => new BodyRefused(408, 'request_timeout', 'The request took too long to arrive'),
  notJson: () => new BodyRefused(415, 'unsupported_media_type', 'Send JSON, with content-type: application/json'),
  tooManyOfSender: () =>
    new BodyRefused(429, 'too_many_requests', 'Too much is being sent at once. Please try again in a moment.', 2),
  busy: () => new BodyRefused(503, 'server_busy', 'The server is busy. Please try again in a moment.', 2),
};

/** Bytes that may be on their way into memory at once, over all and from one sender. */
export type BodyBudget = {
  /** Sets `bytes` aside for a body of `sender` and returns how to give them back. Throws `BodyRefused` 429 or 503. */
  reserve(sender: string, bytes: number): () => void;
  /** Bytes set aside at this moment. */
  reserved(): number;
};

export function createBodyBudget({ total, perSender }: { total: number; perSender: number }): BodyBudget {
  let inUse = 0;
  const bySender = new Map<string, number>();
  return {
    reserve(sender, bytes) {
      const own = bySender.get(sender) ?? 0;
      if (own + bytes > perSender) throw bodyRefusals.tooManyOfSender();
      if (inUse + bytes > total) throw bodyRefusals.busy();
      inUse += bytes;
      bySender.set(sender, own + bytes);
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        inUse -= bytes;
        const left = (bySender.get(sender) ?? 0) - bytes;
        if (left > 0) bySender.set(sender, left);
        else bySender.delete(sender);
      };
    },
    reserved: () => inUse,
  };
}

const GRACE_MS = 10_000;
const SLOWEST_BYTES_PER_SECOND = 50_000;

/** Milliseconds a body of at most `bytes` may take: ten seconds and what a slow phone needs. */
export const bodyTimeLimit = (bytes: number): number => GRACE_MS + (bytes / SLOWEST_BYTES_PER_SECOND) * 1000;

/** The announced length in bytes; null where the sender announces none. */
export function announcedLength(headers: Headers): number | null {
  // With a transfer-encoding the announced length does not count (RFC 9112, 6.3).
  if (headers.has('transfer-encoding')) return null;
  const length = headers.get('content-length');
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** Whether a body follows the headers. */
export const hasBody = (headers: Headers): boolean =>
  headers.has('transfer-encoding') || (announcedLength(headers) ?? 0) > 0;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
export const isJson = (headers: Headers): boolean => JSON_TYPE.test(headers.get('content-type') ?? '');

/** Passes a body of unknown length on until it has more than `max` bytes; then the reader gets `BodyRefused` 413, and `onTooLarge` is called. */
export function atMost(max: number, onTooLarge?: () => void): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(part, controller) {
      size += part.byteLength;
      if (size <= max) return controller.enqueue(part);
      onTooLarge?.();
      controller.error(bodyRefusals.tooLarge());
    },
  });
}

/** Waits for `work` at most `milliseconds`. Throws `BodyRefused` 408. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(bodyRefusals.tooSlow()), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a whole body of at most `max` bytes, in the time such a body may take. Throws `BodyRefused`. */
export async function readBytes(request: Request, max: number, milliseconds = bodyTimeLimit(max)): Promise<Buffer> {
  const length = announcedLength(request.headers);
  if (length !== null && length > max) throw bodyRefusals.tooLarge();
  if (length !== null || request.body === null) return Buffer.from(await within(milliseconds, request.arrayBuffer()));
  const counted = new Response(request.body.pipeThrough(atMost(max)));
  return Buffer.from(await within(milliseconds, counted.arrayBuffer()));
}
