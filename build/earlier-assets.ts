import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

/** The time for which files of a replaced build stay available to open tabs, in milliseconds. */
const KEPT_MS = 7 * 86_400_000;

/**
 * Keeps the hashed files of the build that is about to be replaced: copies `assets` into `earlier`, dated `now`, and deletes files that
 * were replaced more than seven days ago. Either folder may be missing.
 */
export function keepEarlierAssets(assets: string, earlier: string, now: Date): void {
  mkdirSync(earlier, { recursive: true });
  for (const name of existsSync(assets) ? readdirSync(assets) : []) {
    copyFileSync(join(assets, name), join(earlier, name));
    // The seven days of a file begin now, because the next build replaces it.
    utimesSync(join(earlier, name), now, now);
  }
  for (const name of readdirSync(earlier)) {
    if (now.getTime() - statSync(join(earlier, name)).mtimeMs > KEPT_MS) rmSync(join(earlier, name));
  }
}
