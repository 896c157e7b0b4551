import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Throws `FolderUnwritable` unless the server can write to DATA_DIR. On PostgreSQL, nothing else would detect the fault before the server
 * is ready.
 */
export async function requireWritable(dataDir: string): Promise<void> {
  const probe = join(dataDir, `.write-${process.pid}`);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFile(probe, '');
    await rm(probe, { force: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && FAULTS.has(String(error.code)))
      throw new FolderUnwritable(`DATA_DIR ${dataDir} cannot be written: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A full disk is a different fault: `expectedFailure` has its own message for it. */
const FAULTS: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EEXIST',
  'ENOENT',
  'ENAMETOOLONG',
]);

export class FolderUnwritable extends Error {
  override readonly name = 'FolderUnwritable';
}
