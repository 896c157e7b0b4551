import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { inflateSync } from 'node:zlib';

export const FONT_FAMILY = 'Roboto Mono';
const SCRIPTS = ['latin', 'latin-ext', 'vietnamese'];
const WEIGHTS = [400, 700];

let files: string[] | null = null;

/**
 * Returns the paths of the fonts for specimens, unpacked from the web fonts so that the result does not depend on installed fonts. resvg
 * reads fonts only from files; the paths are always the same, so that restarts leave no files behind.
 */
export function licenceFonts(): string[] {
  if (files) return files;
  const require = createRequire(import.meta.url);
  const folder = join(tmpdir(), `specimen-fonts-${process.getuid?.() ?? 0}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  files = SCRIPTS.flatMap((script) =>
    WEIGHTS.map((weight) => {
      const name = `roboto-mono-${script}-${weight}-normal`;
      const path = join(folder, `${name}.ttf`);
      const half = `${path}.${process.pid}.${threadId}`;
      writeFileSync(half, unpackWoff(readFileSync(require.resolve(`@fontsource/roboto-mono/files/${name}.woff`))));
      // The file is renamed in one step, because another sandbox may be reading it.
      renameSync(half, path);
      return path;
    }),
  );
  return files;
}

/** Unpacks WOFF 1.0 (w3.org/TR/WOFF): a table directory, each table optionally deflated. */
function unpackWoff(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const head = Buffer.alloc(12 + count * 16);
  head.writeUInt32BE(woff.readUInt32BE(4), 0);
  head.writeUInt16BE(count, 4);
  const power = Math.floor(Math.log2(count));
  head.writeUInt16BE(2 ** power * 16, 6);
  head.writeUInt16BE(power, 8);
  head.writeUInt16BE(count * 16 - 2 ** power * 16, 10);
  const tables: Buffer[] = [];
  let offset = head.length;
  for (let index = 0; index < count; index += 1) {
    const entry = 44 + index * 20;
    const start = woff.readUInt32BE(entry + 4);
    const packed = woff.readUInt32BE(entry + 8);
    const size = woff.readUInt32BE(entry + 12);
    const bytes = woff.subarray(start, start + packed);
    const table = packed < size ? inflateSync(bytes) : Buffer.from(bytes);
    woff.copy(head, 12 + index * 16, entry, entry + 4);
    head.writeUInt32BE(woff.readUInt32BE(entry + 16), 12 + index * 16 + 4);
    head.writeUInt32BE(offset, 12 + index * 16 + 8);
    head.writeUInt32BE(size, 12 + index * 16 + 12);
    const padded = Buffer.alloc(Math.ceil(size / 4) * 4);
    table.copy(padded);
    tables.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([head, ...tables]);
}
