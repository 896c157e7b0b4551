import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

/** How long a tab that was opened before a new build still finds its files, in milliseconds. */
const KEPT_MS = 7 * 86_400_000;

/**
 * Keeps the hashed files of the build that is about to be replaced: copies `assets` into `earlier`, dated `now`,
 * and deletes what was replaced more than seven days before. Both are folders; either may not exist yet.
 */
export function keepEarlierAssets(assets: string, earlier: string, now: Date): void {
  mkdirSync(earlier, { recursive: true });
  for (const name of existsSync(assets) ? readdirSync(assets) : []) {
    copyFileSync(join(assets, name), join(earlier, name));
    // From today on it is no longer part of the newest build: its week begins.
    utimesSync(join(earlier, name), now, now);
  }
  for (const name of readdirSync(earlier)) {
    if (now.getTime() - statSync(join(earlier, name)).mtimeMs > KEPT_MS) rmSync(join(earlier, name));
  }
}
