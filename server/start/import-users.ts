import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importUsers } from '#server/auth/import/import-users.ts';
import { ConfigRefused, readConfig } from '#server/config.ts';
import { lockDirectory } from '#server/db/directory-lock.ts';
import { readMigrations } from '#server/db/migrate.ts';
import { openEmbedded, openPostgres } from '#server/db/open.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * `npm run import-users FILE`: imports the accounts of a hosted project into the configured database.
 * Stop the server first if the database is the embedded one.
 */
async function main(): Promise<void> {
  const file = process.argv[2];
  if (file === undefined)
    throw new Error('Name a file: npm run import-users FILE (a dump of auth.users and auth.identities)');
  const config = readConfig(process.env);
  const dump = await readFile(file, 'utf8');
  const migrations = await readMigrations(join(ROOT, 'database', 'migrations'));
  const unlock = config.databaseUrl === null ? await lockDirectory(config.dataDir) : null;
  const db =
    config.databaseUrl === null
      ? await openEmbedded(join(config.dataDir, 'database'), { migrations, say, warn: say, limits: { server: null } })
      : await openPostgres(config.databaseUrl, { migrations, say, warn: say, poolSize: config.poolSize });
  try {
    const done = await importUsers(db, dump, new Date());
    for (const line of done.refused) say(`refused ${line}`);
    say(
      `${done.users} accounts and ${done.identities} further identities came in, ${done.skipped} were there already, ${done.refused.length} refused`,
    );
    process.exitCode = done.refused.length > 0 ? 1 : 0;
  } finally {
    await db.close();
    await unlock?.();
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigRefused || error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
