import { collect } from './body.ts';
import { storageErrors } from './errors.ts';

/** One part of a form. Its bytes must be read before the next part is requested. `file`: whether it has a file name, or no field name. */
export type Part = {
  readonly name: string;
  readonly file: boolean;
  readonly type: string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
};

const HEAD_MAX = 8_192;
const PARTS_MAX = 100;
const EMPTY = Buffer.alloc(0);

/** Streams the parts of a `multipart/form-data` body (RFC 7578) one by one; memory holds at most one chunk. Throws `StorageRefusal`. */
export async function* readParts(source: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Part> {
  const input = source[Symbol.asyncIterator]();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first boundary has no line break before it. Prepending one makes all boundaries alike.
  let held: Buffer = Buffer.from('\r\n');

  async function more(): Promise<void> {
    const { done, value } = await input.next();
    if (done) throw storageErrors.body(); // the body ends before its last boundary
    held =
      held.length === 0 ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.concat([held, value]);
  }
  /** Yields everything up to the next boundary and consumes the boundary. */
  async function* untilBoundary(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = held.indexOf(delimiter);
      if (at >= 0) {
        const last = held.subarray(0, at);
        held = held.subarray(at + delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end of the chunk may be the start of a boundary.
      const safe = held.length - delimiter.length + 1;
      if (safe > 0) {
        const first = held.subarray(0, safe);
        held = held.subarray(safe);
        yield first;
      }
      await more();
    }
  }
  async function upTo(mark: string, max: number): Promise<string> {
    for (;;) {
      const at = held.indexOf(mark);
      if (at > max || (at < 0 && held.length > max)) throw storageErrors.body();
      if (at >= 0) {
        const text = held.toString('utf8', 0, at);
        held = held.subarray(at + mark.length);
        return text;
      }
      await more();
    }
  }

  try {
    await collect(untilBoundary(), HEAD_MAX); // skip the preamble
    for (let count = 0; count < PARTS_MAX; count += 1) {
      while (held.length < 2) await more();
      if (held.toString('latin1', 0, 2) === '--') return;
      const padding = await upTo('\r\n', 64);
      if (padding.trim() !== '') throw storageErrors.body();
      held = Buffer.concat([Buffer.from('\r\n'), held]); // lets a part without headers end them like any other part
      const head = await upTo('\r\n\r\n', HEAD_MAX);
      const bytes = untilBoundary();
      yield { ...readHead(head), bytes };
      for await (const _ of bytes); // skip the bytes that the caller did not read
    }
    throw storageErrors.body();
  } finally {
    held = EMPTY;
    await input.return?.();
  }
}

function readHead(head: string): { name: string; file: boolean; type: string | null } {
  const disposition = /^content-disposition:\s*form-data\b(.*)$/im.exec(head)?.[1] ?? '';
  const name = /;\s*name="([^"]*)"/i.exec(disposition)?.[1] ?? '';
  const file = /;\s*filename\*?=/i.test(disposition) || name === '';
  return { name, file, type: /^content-type:\s*(\S.*?)\s*$/im.exec(head)?.[1] ?? null };
}
