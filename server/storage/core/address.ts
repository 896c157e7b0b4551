import type { Context } from 'hono';
import { storageErrors } from './errors.ts';

/** Reads bucket and object name from the path after `/kind/`, each decoded once. Without an object the name is ''. */
export function addressOf(c: Context, kind: string): { bucketId: string; name: string } {
  const { pathname } = new URL(c.req.url);
  const start = `/${kind}/`;
  const rest = pathname.slice(pathname.indexOf(start) + start.length);
  const slash = rest.indexOf('/');
  try {
    return slash < 0
      ? { bucketId: decodeURIComponent(rest), name: '' }
      : { bucketId: decodeURIComponent(rest.slice(0, slash)), name: decodeURIComponent(rest.slice(slash + 1)) };
  } catch {
    throw storageErrors.path(); // percent-encoded bytes that are not UTF-8
  }
}

/** Checks an object's name: hosted Supabase's characters (storage, src/storage/limits.ts), no empty part, no `.` or `..`. Throws `StorageRefusal`. */
export function checkName(name: string): void {
  const fine = name.length <= 1_024 && /^[\w/!\-.*'() &$@=;:+,?]+$/.test(name);
  if (!fine || name.split('/').some((part) => part === '' || part === '.' || part === '..')) throw storageErrors.path();
}
