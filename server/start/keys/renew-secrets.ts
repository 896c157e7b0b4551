import { createEncryption, type Encryption } from '#server/crypto/encryption.ts';
import type { Keys } from '#server/crypto/keys.ts';
import { type Database, isUniqueViolation, type Queryable } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import type { Task } from '#server/queue/scheduler.ts';
import { noteKey } from './check-keys.ts';
import { createSecrets, type Secrets } from './secrets.ts';

/** `unreadable`: texts that no accepted key can decrypt. */
export type Renewed = { readonly renewed: number; readonly unreadable: number };

const BATCH = 500;
const HOUR_MS = 3_600_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The columns with encrypted text. The id of a row is the context of its encryption. */
const PLACES = [
  { table: 'auth.mfa_factors', id: 'id', column: 'secret' },
  { table: 'private.access_secret', id: 'code_id', column: 'pin_encrypted' },
  { table: 'private.staff_code', id: 'id', column: 'pin_encrypted' },
  { table: 'private.crew_code', id: 'id', column: 'pin_encrypted' },
] as const;
type Place = (typeof PLACES)[number];

/**
 * While an earlier key is accepted, re-encrypts all stored text with the current key, at the start and every hour: another server may still
 * write with the earlier key.
 */
export function renewalTasks(keys: Keys, { db, log }: { readonly db: Database; readonly log: Log }): readonly Task[] {
  const [current, ...earlier] = keys.fingerprints.APP_SECRET;
  if (current === undefined || earlier.length === 0) return [];
  const run = async (stop: () => boolean): Promise<void> => {
    const found = await renewSecrets(db, keys, stop);
    if (stop()) return;
    await noteKey(db, 'APP_SECRET', current);
    log.warn(
      found,
      'everything stored is encrypted with the current key; the earlier one is still accepted (docs/running.md, Keys)',
    );
  };
  return [{ name: 'encrypt with the current key', everyMs: HOUR_MS, run }];
}

/** Re-encrypts all stored text with the current key, in short statements. */
export async function renewSecrets(db: Queryable, keys: Keys, stop: () => boolean = () => false): Promise<Renewed> {
  const secrets = createSecrets(keys);
  const totp = createEncryption(...keys.deriveAll('totp-secret'));
  const count = { renewed: 0, unreadable: 0 };
  for (const place of PLACES) {
    const encryption = place.column === 'secret' ? totp : secrets.doorCodes;
    let after = FIRST_ID;
    while (!stop()) {
      const { rows } = await readBatch(db, place, after);
      for (const { id, encrypted } of rows) {
        const renewed = renewText(encryption, encrypted, id);
        if (renewed === undefined) count.unreadable += 1;
        else if (renewed !== null) {
          await store(db, place, { id, encrypted, renewed }, secrets);
          count.renewed += 1;
        }
      }
      after = rows.at(-1)?.id ?? after;
      if (rows.length < BATCH) break;
    }
  }
  return count;
}

function readBatch(db: Queryable, { table, id, column }: Place, after: string) {
  return db.query<{ id: string; encrypted: string }>(
    `select ${id}::text as id, ${column} as encrypted from ${table}
     where ${column} is not null and ${id} > $1::uuid order by ${table}.${id} limit ${BATCH}`,
    [after],
  );
}

/** Returns null if the current key encrypted the text, and undefined if no accepted key can decrypt it. */
function renewText(encryption: Encryption, encrypted: string, id: string): string | null | undefined {
  try {
    return encryption.renew(encrypted, id);
  } catch {
    return undefined;
  }
}

type Change = { readonly id: string; readonly encrypted: string; readonly renewed: string };

/** Stores the re-encrypted text unless the row has changed since. */
async function store(db: Queryable, place: Place, change: Change, secrets: Secrets): Promise<void> {
  const { table, id, column } = place;
  const same = `where ${id} = $1::uuid and ${column} = $2`;
  const values = [change.id, change.encrypted, change.renewed];
  if (column === 'secret') {
    // The secret stays the same, so its owner is not emailed about a change.
    await db.query(
      `update ${table} set ${column} = $3 from (select set_config('auth.same_secret', 'on', true)) unchanged ${same}`,
      values,
    );
    return;
  }
  const print = secrets.doorFingerprint(secrets.doorCodes.decrypt(change.renewed, change.id));
  try {
    await db.query(`update ${table} set ${column} = $3, pin_fingerprint = $4 ${same}`, [...values, print]);
  } catch (error) {
    // In the meantime, another code of this lock has been given the same digits under the new key. The older code keeps its fingerprint.
    if (!isUniqueViolation(error)) throw error;
    await db.query(`update ${table} set ${column} = $3 ${same}`, values);
  }
}
