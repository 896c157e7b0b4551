import { readFile } from 'node:fs/promises';
import { importUsers } from '#server/auth/import/import-users.ts';
import { type DatabaseConfig, openDatabase } from './open-database.ts';

/**
 * Runs `npm run import-users FILE`: imports the accounts of a hosted project into the configured database. Returns the exit code: 1 if
 * accounts were refused. The embedded database requires that the server is stopped first.
 */
export async function runImportUsers(
  settings: DatabaseConfig,
  file: string | undefined,
  print: (line: string) => void,
): Promise<number> {
  if (file === undefined)
    throw new Error('Name a file: npm run import-users FILE (a dump of auth.users and auth.identities)');
  const dump = await readFile(file, 'utf8');
  const db = await openDatabase(settings, { report: print, warn: print, limits: { server: null } });
  try {
    const { users, identities, skipped, refused } = await importUsers(db, dump, new Date());
    if (users + skipped + refused.length === 0) throw new Error(`There are no accounts in ${file}.`);
    for (const line of refused) print(`refused ${line}`);
    print(
      `${users} accounts and ${identities} further identities imported, ${skipped} already existed, ${refused.length} refused`,
    );
    return refused.length > 0 ? 1 : 0;
  } finally {
    await db.close();
  }
}
