import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';

const compress = promisify(brotliCompress);

/**
 * Writes a compressed copy next to each file, such as `main.js.br` next to `main.js`, and returns their sizes. The strongest compression is
 * too slow to do it during a request.
 */
export async function compressFiles(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const copy = await compress(readFileSync(path));
      writeFileSync(`${path}.br`, copy);
      return [path, copy.length] as const;
    }),
  );
  return new Map(sizes);
}
