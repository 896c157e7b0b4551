import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const CACHE = process.env['SIMULATION_CACHE'] ?? join(ROOT, 'node_modules', '.cache');

/** The file of the migrated database. It changes with the packages, the database and the server that migrates it. */
export function findImage(): string {
  const hash = createHash('sha256');
  const files = globSync(['package-lock.json', 'database/**/*.sql', 'server/db/**/*.ts'], { cwd: ROOT }).toSorted();
  for (const file of files) hash.update(file).update(readFileSync(join(ROOT, file)));
  return join(CACHE, `simulation-${hash.digest('hex').slice(0, 16)}.tar`);
}

export const readImage = (path: string): Blob | null => (existsSync(path) ? new Blob([readFileSync(path)]) : null);

/** Stores an image. It appears whole, because another run may read it at the same moment. */
export function writeImage(path: string, bytes: Uint8Array): void {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(`${path}.${process.pid}`, bytes);
  renameSync(`${path}.${process.pid}`, path);
}
