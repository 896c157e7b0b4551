import type { Context } from 'hono';
import { storageErrors } from './errors.ts';

/** Bucket and object: what follows `/kind/` in the address, each decoded once. Nothing after the bucket gives the name ''. */
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
    throw storageErrors.path(); // not UTF-8 behind the percent signs
  }
}

/** Hosted Supabase's characters (storage, src/storage/limits.ts); no empty part, no `.` or `..`. Throws `StorageRefusal`. */
export function checkName(name: string): void {
  const fine = name.length <= 1_024 && /^[\w/!\-.*'() &$@=;:+,?]+$/.test(name);
  if (!fine || name.split('/').some((part) => part === '' || part === '.' || part === '..')) throw storageErrors.path();
}
