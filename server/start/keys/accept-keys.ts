import { type KeyConfig, openKeys } from '#server/crypto/keys.ts';
import type { Database } from '#server/db/database.ts';
import { type DatabaseConfig, openDatabase } from '../open-database.ts';
import { noteKey } from './check-keys.ts';
import { renewSecrets } from './renew-secrets.ts';

type Config = DatabaseConfig & { readonly keys: Omit<KeyConfig, 'signingKeysFile'> } & {
  readonly auth: Pick<KeyConfig, 'signingKeysFile'>;
};

/**
 * `npm run accept-keys`: uses the present keys from now on, after the keys of a database were lost. Returns the exit code. `memory`: a
 * database that is already open.
 */
export async function runAcceptKeys(config: Config, print: (line: string) => void, memory?: Database): Promise<number> {
  const db = await openDatabase(config, { report: print, warn: print, memory });
  try {
    const keys = await openKeys(config.dataDir, { ...config.keys, signingKeysFile: config.auth.signingKeysFile });
    const { unreadable } = await renewSecrets(db, keys);
    for (const name of ['APP_SECRET', 'JWT_SECRET', 'AUTH_SIGNING_KEYS_FILE'] as const)
      await noteKey(db, name, keys.fingerprints[name][0] ?? '');
    print('The present keys are the keys of this database from now on. All users must sign in again.');
    if (unreadable > 0)
      print(
        `${unreadable} authenticator apps and door codes cannot be read any more: remove the second factors, and make the codes again.`,
      );
    return 0;
  } finally {
    await db.close();
  }
}
