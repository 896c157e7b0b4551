import { join } from 'node:path';
import { ConfigRefused, readConfig } from '#server/config.ts';
import { DirectoryLocked, lockDirectory } from '#server/db/directory-lock.ts';
import { readMigrations } from '#server/db/migrate.ts';
import { openEmbedded, openPostgres } from '#server/db/open.ts';
import { removeDemoAccounts } from './demo-accounts.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const EXIT_CONFIG = 78;
const EXIT_LOCKED = 75;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * `npm run remove-demo`: removes the demo accounts from the configured database.
 * Stop the server first if the database is the embedded one.
 */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const migrations = await readMigrations(join(ROOT, 'database', 'migrations'));
  const unlock = config.databaseUrl === null ? await lockDirectory(config.dataDir) : null;
  const db =
    config.databaseUrl === null
      ? await openEmbedded(join(config.dataDir, 'database'), { migrations, say, warn: say })
      : await openPostgres(config.databaseUrl, { migrations, say, warn: say, poolSize: config.poolSize });
  try {
    const { accounts, bookings, kept } = await removeDemoAccounts(db);
    say(accounts.length === 0 ? 'There are no demo accounts.' : `Removed ${accounts.join(' and ')}.`);
    if (bookings > 0) say(`Removed ${bookings} of their bookings.`);
    if (kept > 0) say(`Kept ${kept} bookings that were paid with real money; they no longer have a customer.`);
  } finally {
    await db.close();
    await unlock?.();
  }
}

await main().catch((error: unknown) => {
  const lines =
    error instanceof ConfigRefused ? error.faults.map((fault) => `configuration: ${fault}`) : [String(error)];
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exitCode = error instanceof ConfigRefused ? EXIT_CONFIG : error instanceof DirectoryLocked ? EXIT_LOCKED : 1;
});
