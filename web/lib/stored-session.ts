/** The part of the browser's storage these functions need. */
export type Keys = Pick<Storage, 'getItem' | 'removeItem' | 'key' | 'length'>;

/** Where older versions of the auth client kept a session. */
const LEGACY_KEY = 'supabase.auth.token';

function authKeys(storage: Keys): string[] {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '');
  return keys.filter((key) => key === LEGACY_KEY || (key.startsWith('sb-') && key.includes('auth-token')));
}

/** Whether somebody seems to be signed in here, without asking the auth client, which is large. */
export function hasStoredSession(storage: Keys): boolean {
  return authKeys(storage).some((key) => !key.endsWith('-code-verifier'));
}

/** Forgets every session kept here: the legacy key and all that start with sb- and contain auth-token (spec section 9). */
export function dropStoredSession(storage: Keys): void {
  for (const key of authKeys(storage)) storage.removeItem(key);
}

/** Forgets what is not valid JSON, so that a cut-off entry cannot keep somebody from signing in (spec section 4). */
export function dropBrokenSession(storage: Keys): void {
  for (const key of authKeys(storage)) if (!isJson(storage.getItem(key))) storage.removeItem(key);
}

function isJson(text: string | null): boolean {
  try {
    return text !== null && JSON.parse(text) !== undefined;
  } catch {
    return false; // that is the question
  }
}
