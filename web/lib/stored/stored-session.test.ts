import { expect, it } from 'vitest';
import { dropBrokenSession, dropStoredSession, type Keys } from './stored-session.ts';

function createStorage(entries: Record<string, string>): Keys & { keys: () => string[] } {
  const kept = new Map(Object.entries(entries));
  return {
    get length() {
      return kept.size;
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    removeItem: (key) => void kept.delete(key),
    keys: () => [...kept.keys()],
  };
}

it('signing out removes the legacy key and every auth token, and nothing else [spec 9.34]', () => {
  const storage = createStorage({
    'supabase.auth.token': '{}',
    'sb-localhost-auth-token': '{}',
    'sb-localhost-auth-token-code-verifier': '"x"',
    'sb-other': '1',
    theme: 'dark',
  });
  dropStoredSession(storage);
  expect(storage.keys()).toEqual(['sb-other', 'theme']);
});

it('a session that is not JSON is removed at start, a valid one stays [spec 4.5]', () => {
  const storage = createStorage({
    'supabase.auth.token': 'undefined',
    'sb-a-auth-token': '{"a":',
    'sb-b-auth-token': '{}',
  });
  dropBrokenSession(storage);
  expect(storage.keys()).toEqual(['sb-b-auth-token']);
});
