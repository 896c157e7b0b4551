import type { Database } from '#server/db/database.ts';
import { findDemoAccounts, nameAccounts } from './demo-accounts.ts';

type CheckedParts = {
  readonly production: boolean;
  /** Null without the sandbox. */
  readonly sandboxUrl: string | null;
  /** Lock ids by studio name. */
  readonly igloohome: { readonly locks: ReadonlyMap<string, string> };
};

/** Lists the faults of the configuration on this database, one line each. Runs before the server listens. */
export async function startFaults(db: Database, config: CheckedParts): Promise<string[]> {
  return [...(await lockFaults(db, config)), ...(await demoFaults(db, config))];
}

/** A studio without a lock could be booked and paid for, but not opened. The sandbox has locks for its own studios only. */
async function lockFaults(db: Database, config: CheckedParts): Promise<string[]> {
  if (config.sandboxUrl !== null) return [];
  const { rows } = await db.query<{ name: string; active: boolean; lock: string | null }>(
    `select s.name, s.active, l.lock_id as lock from public.studios s left join private.studio_lock l on l.studio_id = s.id order by s.name`,
  );
  const { locks } = config.igloohome;
  const missing = rows
    .filter(({ name, active, lock }) => active && lock === null && !locks.has(name))
    .map(({ name }) => name);
  // A renamed room keeps the lock that was configured under its old name.
  const unknown = [...locks].flatMap(([name, lock]) =>
    rows.some((row) => row.name === name || row.lock === lock) ? [] : [name],
  );
  return [
    ...(missing.length > 0 ? [`IGLOOHOME_LOCKS: names no lock for ${missing.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`IGLOOHOME_LOCKS: there is no studio called ${unknown.join(', ')}`] : []),
  ];
}

/** The passwords of the demo accounts are public, and one of the accounts is an admin. */
async function demoFaults(db: Database, config: CheckedParts): Promise<string[]> {
  if (!config.production) return [];
  const found = await findDemoAccounts(db);
  if (found.length === 0) return [];
  return [
    `DATABASE: has the demo accounts ${nameAccounts(found)}, whose passwords are public; run: npm run remove-demo`,
  ];
}
