import { EngineNotOpened } from '#server/db/engine/engine-thread.ts';
import { DirectoryLocked } from '#server/db/directory-lock.ts';
import { MigrationRefused } from '#server/db/schema/upgrade-plan.ts';
import { DatabaseRefused, DatabaseUnreachable } from '#server/db/postgres/refused.ts';
import { ConfigRefused } from '#server/config/config-refused.ts';
import { FolderUnwritable } from './data-dir/require-writable.ts';

/** The program's exit codes, after sysexits.h: EX_CONFIG and EX_TEMPFAIL. Any other failure exits with 1. */
const EXIT_CONFIG = 78;
const EXIT_LOCKED = 75;

/** Error codes of the file system, and of PostgreSQL about its files. */
const DISK = new Map([
  ['ENOSPC', 'The disk is full'],
  ['EDQUOT', 'The disk quota is used up'],
  ['EROFS', 'The disk is read-only'],
  ['EACCES', 'This user is not allowed to read or write here'],
  ['EPERM', 'This user is not allowed to read or write here'],
  ['53100', 'The disk of the database is full'],
]);

/** Returns the exit code of a failure that the operator can mend, and its lines for stderr; null for any other error. */
export function expectedFailure(error: unknown): { readonly code: number; readonly lines: readonly string[] } | null {
  if (error instanceof ConfigRefused)
    return { code: EXIT_CONFIG, lines: error.faults.map((fault) => `configuration: ${fault}`) };
  if (error instanceof DatabaseRefused) return { code: EXIT_CONFIG, lines: error.lines };
  if (error instanceof FolderUnwritable) return { code: EXIT_CONFIG, lines: [error.message] };
  if (error instanceof DatabaseUnreachable) return { code: 1, lines: [error.message] };
  if (error instanceof MigrationRefused) return { code: EXIT_CONFIG, lines: [error.message] };
  if (error instanceof EngineNotOpened)
    return { code: 1, lines: [`The embedded database in DATA_DIR cannot be opened: ${error.message}`] };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const disk = error instanceof Error ? DISK.get(code) : undefined;
  if (disk !== undefined) return { code: 1, lines: [`${disk}: ${error instanceof Error ? error.message : code}`] };
  return error instanceof DirectoryLocked ? { code: EXIT_LOCKED, lines: [error.message] } : null;
}

/** Describes in one line any other error that ends a command. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && path !== undefined) return `There is no file ${path}.`;
  if (code === 'EISDIR') return 'This is a folder. Name a file.';
  return error.message;
}

/** Describes in one line why the server cannot listen on a port. */
export function describePortFault(error: NodeJS.ErrnoException, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} is in use; set PORT to another one.`;
  if (error.code === 'EACCES') return `This user is not allowed to listen on port ${port}; set PORT to one above 1023.`;
  return error.message;
}
