/** The part of the browser's storage that these functions need. */
export type Keys = Pick<Storage, 'getItem' | 'removeItem' | 'key' | 'length'>;

/** The key under which older versions of the auth client kept a session. */
const LEGACY_KEY = 'supabase.auth.token';

function authKeys(storage: Keys): string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  return keys.filter((key) => key === LEGACY_KEY || (key.startsWith('sb-') && key.includes('auth-token')));
}

/** Whether a session is stored in this browser. Avoids loading the large auth client. */
export function hasStoredSession(storage: Keys): boolean {
  return authKeys(storage).some((key) => !key.endsWith('-code-verifier'));
}

/** Removes every stored session: the legacy key and all keys that start with sb- and contain auth-token. */
export function dropStoredSession(storage: Keys): void {
  for (const key of authKeys(storage)) storage.removeItem(key);
}

/** Removes stored sessions that are not valid JSON, so that a truncated entry cannot block signing in. */
export function dropBrokenSession(storage: Keys): void {
  for (const key of authKeys(storage)) if (!isJson(storage.getItem(key))) storage.removeItem(key);
}

function isJson(text: string | null): boolean {
  try {
    return text !== null && JSON.parse(text) !== undefined;
  } catch {
    return false; // The text is not valid JSON.
  }
}
