import { type Context, Hono } from 'hono';
import { CallerStopped, DatabaseError } from '#server/db/database.ts';
import { type Caller, type Env, type ReadCaller, TokenRefused } from '#server/http/caller.ts';
import { CallerSuspended } from '#server/http/suspension.ts';
import { addBuckets } from './buckets.ts';
import { StorageRefusal, storageErrors } from './errors.ts';
import { addLinks } from './link-routes.ts';
import { createLinks, type LinksParts } from './links.ts';
import type { StoreContext } from './store.ts';
import { addObjects } from './object-routes.ts';
import { createObjects } from './objects.ts';
import { addRendering } from './pictures/render.ts';
import { createResumable } from './resumable.ts';
import { addResumable } from './resumable-routes.ts';
import { createCleanup } from './cleanup.ts';

export type StorageRouterParts = StoreContext & LinksParts & { readonly readCaller: ReadCaller };
export type StorageRouter = {
  readonly router: Hono<Env>;
  /** Deletes what has been kept long enough, and bytes that belong to nothing. */
  readonly cleanup: () => Promise<void>;
};

/** `/storage/v1`: buckets and objects as supabase-js speaks of them (wire.md 4). What a caller may do is said by policies. */
export function createStorageRouter(given: StorageRouterParts): StorageRouter {
  const links = createLinks(given);
  const parts = { ...given, links };
  const objects = createObjects(parts);
  const router = new Hono<Env>();
  const caller = (c: Context<Env>): Promise<Caller> => parts.readCaller(c.req.raw, c.var.ip);
  addBuckets(router, parts, caller);
  addResumable(router, { ...parts, resumable: createResumable(parts) }, caller);
  addLinks(router, { ...parts, objects }, caller);
  addRendering(router, { ...parts, objects }, caller);
  addObjects(router, { ...parts, objects }, caller);
  router.all('*', () => Promise.reject(storageErrors.off()));
  router.onError((error, c) => {
    const told = refusalOf(error);
    if (told) {
      const answer = refusal(told, c.req.raw.method);
      if (error instanceof CallerSuspended || error instanceof CallerStopped)
        answer.headers.set('retry-after', String(error.retryAfter));
      return answer;
    }
    c.var.log.error({ err: error, path: c.req.path }, 'a storage request failed');
    return refusal(storageErrors.broken(c.var.requestId), c.req.raw.method);
  });
  return { router, cleanup: createCleanup(parts) };
}

function refusalOf(error: unknown): StorageRefusal | null {
  if (error instanceof StorageRefusal) return error;
  if (error instanceof TokenRefused) return storageErrors.token();
  if (error instanceof CallerSuspended || error instanceof CallerStopped) return storageErrors.tooMany();
  if (!(error instanceof DatabaseError)) return null;
  if (error.code === '42501') return storageErrors.denied();
  // A value the database cannot hold, such as a name with a zero byte.
  return error.code.startsWith('22') || error.code.startsWith('23') ? storageErrors.body() : null;
}

function refusal({ statusCode, code, error, message, status }: StorageRefusal, method: string): Response {
  return Response.json(method === 'HEAD' ? null : { statusCode, code, error, message }, { status });
}
