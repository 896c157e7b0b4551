import { type KeyConfig, openKeys } from '#server/crypto/keys.ts';

type Config = {
  readonly dataDir: string;
  readonly keys: Omit<KeyConfig, 'signingKeysFile'>;
  readonly auth: Pick<KeyConfig, 'signingKeysFile'>;
};

/** `npm run -s client-keys`: prints the keys that other programs use to call the APIs. Returns the exit code. */
export async function runClientKeys(config: Config, print: (line: string) => void): Promise<number> {
  const { signingKeysFile } = config.auth;
  const { anonKey, serviceRoleKey } = await openKeys(config.dataDir, { ...config.keys, signingKeysFile });
  print(`ANON_KEY=${anonKey}`);
  print(`SERVICE_ROLE_KEY=${serviceRoleKey}`);
  return 0;
}
