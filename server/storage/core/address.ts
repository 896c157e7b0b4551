import type { Context } from 'hono';
import { storageErrors } from './errors.ts';

/** Reads bucket and object name from the path after `/kind/` and decodes each once. The name is '' if the path names no object. */
export function parseAddress(c: Context, kind: string): { bucketId: string; name: string } {
  const { pathname } = new URL(c.req.url);
  const start = `/${kind}/`;
  const rest = pathname.slice(pathname.indexOf(start) + start.length);
  const slash = rest.indexOf('/');
  try {
    return slash < 0
      ? { bucketId: decodeURIComponent(rest), name: '' }
      : { bucketId: decodeURIComponent(rest.slice(0, slash)), name: decodeURIComponent(rest.slice(slash + 1)) };
  } catch {
    throw storageErrors.path(); // the percent-encoded bytes are not UTF-8
  }
}

/**
 * Checks an object's name: it may contain the characters that hosted Supabase allows (storage, src/storage/limits.ts), but no empty part,
 * `.` or `..`. Throws `StorageRefusal`.
 */
export function checkName(name: string): void {
  const fine = name.length <= 1_024 && /^[\w/!\-.*'() &$@=;:+,?]+$/.test(name);
  if (!fine || name.split('/').some((part) => part === '' || part === '.' || part === '..')) throw storageErrors.path();
}
