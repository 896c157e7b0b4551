import { readSchema } from '#server/db/schema/schema.ts';
import { restoreDump } from '#server/db/postgres/restore-dump.ts';
import { ConfigRefused } from '#server/config/config-refused.ts';
import { DATABASE, type DatabaseConfig } from './open-database.ts';

/** `npm run restore -- FILE`: restores the plain text of `pg_dump` into the empty database of DATABASE_URL. */
export async function runRestore(
  { databaseUrl, databaseWaitSeconds }: DatabaseConfig,
  file: string | undefined,
  print: (line: string) => void,
): Promise<number> {
  if (file === undefined) throw new Error('Name a file: npm run restore -- dump.sql');
  if (databaseUrl === null)
    throw new ConfigRefused([
      'DATABASE_URL: is needed for the text of pg_dump; the file is no backup of npm run backup',
    ]);
  await restoreDump(databaseUrl, file, {
    schema: await readSchema(DATABASE),
    seconds: databaseWaitSeconds,
    report: print,
  });
  print('restored; npm start migrates what is newer');
  return 0;
}
