import { nameAccounts, removeDemoAccounts } from './demo-accounts.ts';
import { type DatabaseConfig, openDatabase } from './open-database.ts';

/**
 * Runs `npm run remove-demo`: removes the demo accounts from the configured database. Returns the exit code. The embedded database requires
 * that the server is stopped first.
 */
export async function runRemoveDemo(settings: DatabaseConfig, print: (line: string) => void): Promise<number> {
  const db = await openDatabase(settings, { report: print, warn: print });
  try {
    const { accounts, bookings, kept } = await removeDemoAccounts(db);
    print(accounts.length === 0 ? 'There are no demo accounts.' : `Removed ${nameAccounts(accounts)}.`);
    if (bookings > 0) print(`Removed ${bookings} of their bookings.`);
    if (kept > 0) print(`Kept ${kept} bookings that were paid with real money; they no longer have a customer.`);
    return 0;
  } finally {
    await db.close();
  }
}
