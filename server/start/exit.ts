import { DirectoryLocked } from '#server/db/directory-lock.ts';
import { MigrationRefused } from '#server/db/migrate.ts';
import { ConfigRefused } from '#server/settings/config-refused.ts';

/** The program's exit codes, after sysexits.h: EX_CONFIG and EX_TEMPFAIL. Any other failure is 1. */
const EXIT_CONFIG = 78;
const EXIT_LOCKED = 75;

/** Returns the exit code for a failure that the operator can mend, and its lines for stderr; null for any other error. */
export function expectedFailure(error: unknown): { readonly code: number; readonly lines: readonly string[] } | null {
  if (error instanceof ConfigRefused)
    return { code: EXIT_CONFIG, lines: error.faults.map((fault) => `configuration: ${fault}`) };
  if (error instanceof MigrationRefused) return { code: EXIT_CONFIG, lines: [error.message] };
  return error instanceof DirectoryLocked ? { code: EXIT_LOCKED, lines: [error.message] } : null;
}
