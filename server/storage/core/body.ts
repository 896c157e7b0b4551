import type { z } from 'zod';
import { isJson } from '#server/http/bodies/bodies.ts';
import { parseJson } from '#server/http/bodies/json.ts';
import { storageErrors } from './errors.ts';

/** The largest JSON body, in bytes. Uploads have separate limits. */
const JSON_MAX = 1024 * 1024;
const JSON_LIMITS = { members: 10_000, depth: 32 };

/** Streams a request's bytes. If the client disconnects, throws a `StorageRefusal`, whose answer no client receives. */
export async function* streamBytes(request: Request): AsyncGenerator<Uint8Array> {
  const { body } = request;
  if (body === null) return;
  const reader = body.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw storageErrors.body();
      });
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    // If the consumer stopped early, the rest is cancelled.
    if (!ended) await reader.cancel().catch(() => undefined);
  }
}

/** Collects all bytes. Throws `StorageRefusal` if there are more than `max`. */
export async function collect(bytes: AsyncIterable<Uint8Array>, max: number): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes) {
    size += part.byteLength;
    if (size > max) throw storageErrors.tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Reads a JSON body and checks it against the schema. Throws `StorageRefusal`. */
export async function readJson<S extends z.ZodType>(request: Request, schema: S): Promise<z.output<S>> {
  // The budget of bytes counts only JSON here, because files are streamed.
  if (!isJson(request.headers)) throw storageErrors.body();
  const bytes = await collect(streamBytes(request), JSON_MAX);
  let body: unknown;
  try {
    body = parseJson(bytes, JSON_LIMITS);
  } catch {
    throw storageErrors.body();
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw storageErrors.body();
  return parsed.data;
}
