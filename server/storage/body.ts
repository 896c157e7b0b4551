import type { z } from 'zod';
import { storageErrors } from './errors.ts';

/** A question is small; only uploads are not. */
const QUESTION_MAX = 1024 * 1024;

/** Bytes of a request as they come. A sender who goes away ends it with a refusal nobody will read. */
export async function* bytesOf(request: Request): AsyncGenerator<Uint8Array> {
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
    // Whoever stops reading does not want the rest.
    if (!ended) await reader.cancel().catch(() => undefined);
  }
}

/** All of them at once, at most `max` bytes. Throws `StorageRefusal`. */
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

/** A JSON body of this shape. Throws `StorageRefusal`. */
export async function readJson<S extends z.ZodType>(request: Request, schema: S): Promise<z.output<S>> {
  const text = (await collect(bytesOf(request), QUESTION_MAX)).toString('utf8');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw storageErrors.body();
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw storageErrors.body();
  return parsed.data;
}
