import { collect } from './body.ts';
import { storageErrors } from './errors.ts';

/** One part of a form; its bytes are read before the next part is asked for. `file`: it has a file's name or none at all. */
export type Part = {
  readonly name: string;
  readonly file: boolean;
  readonly type: string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
};

const HEAD_MAX = 8_192;
const PARTS_MAX = 100;
const EMPTY = Buffer.alloc(0);

/** Parts of a `multipart/form-data` body (RFC 7578), one after another and never more of it in memory than came at once. Throws `StorageRefusal`. */
export async function* readParts(source: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Part> {
  const input = source[Symbol.asyncIterator]();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first boundary has no line before it; one is made up, so that all look alike.
  let held: Buffer = Buffer.from('\r\n');

  async function more(): Promise<void> {
    const { done, value } = await input.next();
    if (done) throw storageErrors.body(); // it ends before its last boundary
    held =
      held.length === 0 ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.concat([held, value]);
  }
  /** Everything before the next boundary, which is taken away with it. */
  async function* untilBoundary(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = held.indexOf(delimiter);
      if (at >= 0) {
        const last = held.subarray(0, at);
        held = held.subarray(at + delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end of what is here may be the beginning of a boundary.
      const sure = held.length - delimiter.length + 1;
      if (sure > 0) {
        const first = held.subarray(0, sure);
        held = held.subarray(sure);
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
    await collect(untilBoundary(), HEAD_MAX); // a preamble is for nobody
    for (let count = 0; count < PARTS_MAX; count += 1) {
      while (held.length < 2) await more();
      if (held.toString('latin1', 0, 2) === '--') return;
      const padding = await upTo('\r\n', 64);
      if (padding.trim() !== '') throw storageErrors.body();
      held = Buffer.concat([Buffer.from('\r\n'), held]); // so that a part without headers ends them like any other
      const head = await upTo('\r\n\r\n', HEAD_MAX);
      const bytes = untilBoundary();
      yield { ...readHead(head), bytes };
      for await (const _ of bytes); // what was not wanted
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
