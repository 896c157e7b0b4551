import type { KeyName, Keys } from '#server/crypto/keys.ts';
import type { Queryable } from '#server/db/database.ts';

const NAMES: readonly KeyName[] = ['APP_SECRET', 'JWT_SECRET', 'AUTH_SIGNING_KEYS_FILE'];
/** The name of the row in `private.settings` that holds the fingerprint of a key. */
export const getRowName = (name: KeyName): string => `key_fingerprint.${name}`;

/**
 * Compares the keys with those that the database was used with before, and records them at the first start. Returns one
 * line if keys do not match: sessions would end, and encrypted data would be unreadable. An accepted earlier key matches.
 */
export async function keyFaults(db: Queryable, { fingerprints }: Pick<Keys, 'fingerprints'>): Promise<string[]> {
  const wrong: KeyName[] = [];
  for (const name of NAMES) {
    const accepted = fingerprints[name];
    const noted = await noteFirst(db, name, accepted[0] ?? '');
    if (!accepted.includes(noted)) wrong.push(name);
    // Stored data does not depend on these keys.
    else if (name !== 'APP_SECRET') await noteKey(db, name, accepted[0] ?? '');
  }
  if (wrong.length === 0) return [];
  return [
    `KEYS: this database was used with another ${wrong.join(', ')}. Start with its previous APP_SECRET, or its previous keys.json in DATA_DIR ` +
      `(docs/running.md, Keys); if those keys are lost, run: npm run accept-keys`,
  ];
}

/** Records the fingerprint of the key that is used from now on. */
export async function noteKey(db: Queryable, name: KeyName, fingerprint: string): Promise<void> {
  await db.query(
    `insert into private.settings as s (name, value) values ($1, to_jsonb($2::text))
     on conflict (name) do update set value = excluded.value where s.value <> excluded.value`,
    [getRowName(name), fingerprint],
  );
}

/** Records the fingerprint unless one is recorded. Returns the recorded one. If several servers start at once, the first one wins. */
async function noteFirst(db: Queryable, name: KeyName, fingerprint: string): Promise<string> {
  await db.query(
    'insert into private.settings (name, value) values ($1, to_jsonb($2::text)) on conflict (name) do nothing',
    [getRowName(name), fingerprint],
  );
  const row = await db.queryRow<{ value: string }>(
    `select value #>> '{}' as value from private.settings where name = $1`,
    [getRowName(name)],
  );
  return row?.value ?? '';
}
