/** Limits for request bodies: size, speed and memory in use. Bodies over a limit are refused before they are read. */

/** Thrown for a body that was refused before it was read completely. `code` is for programs. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  readonly status: 408 | 413 | 415 | 429 | 503;
  readonly code: string;
  /** Seconds until the client may retry, for 429 and 503; otherwise null. */
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
  tooManyBytes: (seconds: number, code = 'over_request_rate_limit') =>
    new BodyRefused(429, code, 'Too much has been sent in a short time. Please try again later.', seconds),
  busy: () => new BodyRefused(503, 'server_busy', 'The server is busy. Please try again in a moment.', 2),
};

/** Limits the memory that request bodies use at the same time, in total and per sender. */
export type BodyBudget = {
  /** Reserves `bytes` for a body of `sender` and returns the function that releases them. Throws `BodyRefused` 429 or 503. */
  reserve(sender: string, bytes: number): () => void;
  /** Returns the number of bytes that are currently reserved. */
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
        const remaining = (bySender.get(sender) ?? 0) - bytes;
        if (remaining > 0) bySender.set(sender, remaining);
        else bySender.delete(sender);
      };
    },
    reserved: () => inUse,
  };
}

const GRACE_MS = 10_000;
const SLOWEST_BYTES_PER_SECOND = 50_000;

/**
 * Returns the time limit of a body of at most `bytes`, in milliseconds: ten seconds, plus its size at 50 kB/s, the speed of a slow phone.
 */
export const bodyTimeLimit = (bytes: number): number => GRACE_MS + (bytes / SLOWEST_BYTES_PER_SECOND) * 1000;

/** Returns the `content-length` in bytes, or null if the sender gives none. */
export function announcedLength(headers: Headers): number | null {
  // A transfer-encoding overrides content-length (RFC 9112, section 6.3).
  if (headers.has('transfer-encoding')) return null;
  const length = headers.get('content-length');
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** Whether a body follows the headers. */
export const hasBody = (headers: Headers): boolean =>
  headers.has('transfer-encoding') || (announcedLength(headers) ?? 0) > 0;

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
export const isJson = (headers: Headers): boolean => JSON_TYPE.test(headers.get('content-type') ?? '');

/** Counts the bytes of a body of unknown length. Beyond `max` bytes it calls `onTooLarge`, and the reader gets `BodyRefused` 413. */
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

/** Waits for `work` for at most `milliseconds`. Throws `BodyRefused` 408 after that. */
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

/** Reads a whole body of at most `max` bytes within its time limit. Throws `BodyRefused`. */
export async function readBytes(request: Request, max: number, milliseconds = bodyTimeLimit(max)): Promise<Buffer> {
  const length = announcedLength(request.headers);
  if (length !== null && length > max) throw bodyRefusals.tooLarge();
  if (length !== null || request.body === null) return Buffer.from(await within(milliseconds, request.arrayBuffer()));
  const counted = new Response(request.body.pipeThrough(atMost(max)));
  return Buffer.from(await within(milliseconds, counted.arrayBuffer()));
}
