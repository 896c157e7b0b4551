import { type Context, Hono } from 'hono';
import { CallerStopped, DatabaseError } from '#server/db/database.ts';
import { type Caller, type Env, type ReadCaller, TokenRefused } from '#server/http/caller.ts';
import { CallerSuspended } from '#server/http/suspension.ts';
import { addBuckets } from './buckets.ts';
import { StorageRefusal, storageErrors } from './errors.ts';
import { addLinks } from './link-routes.ts';
import { createLinks, type LinksDependencies } from './links.ts';
import type { StoreContext } from './store.ts';
import { addObjects } from './object-routes.ts';
import { createObjects } from './objects.ts';
import { addRendering } from './pictures/render.ts';
import { createResumable } from './resumable.ts';
import { addResumable } from './resumable-routes.ts';
import { createCleanup } from './cleanup.ts';

export type StorageRouterDependencies = StoreContext & LinksDependencies & { readonly readCaller: ReadCaller };
export type StorageRouter = {
  readonly router: Hono<Env>;
  /** Deletes objects past their retention, and bytes that no row refers to. */
  readonly cleanup: () => Promise<void>;
};

/** Creates the router of `/storage/v1`: buckets and objects for supabase-js. Policies decide what a caller may do. */
export function createStorageRouter(dependencies: StorageRouterDependencies): StorageRouter {
  const links = createLinks(dependencies);
  const context = { ...dependencies, links };
  const objects = createObjects(context);
  const router = new Hono<Env>();
  const getCaller = (c: Context<Env>): Promise<Caller> => context.readCaller(c.req.raw, c.var.ip);
  addBuckets(router, context, getCaller);
  addResumable(router, { ...context, resumable: createResumable(context) }, getCaller);
  addLinks(router, { ...context, objects }, getCaller);
  addRendering(router, { ...context, objects }, getCaller);
  addObjects(router, { ...context, objects }, getCaller);
  router.all('*', () => Promise.reject(storageErrors.off()));
  router.onError((error, c) => {
    const refusal = refusalOf(error);
    if (refusal) {
      const answer = errorResponse(refusal, c.req.raw.method);
      if (error instanceof CallerSuspended || error instanceof CallerStopped)
        answer.headers.set('retry-after', String(error.retryAfter));
      return answer;
    }
    c.var.log.error({ err: error, path: c.req.path }, 'a storage request failed');
    return errorResponse(storageErrors.broken(c.var.requestId), c.req.raw.method);
  });
  return { router, cleanup: createCleanup(context) };
}

function refusalOf(error: unknown): StorageRefusal | null {
  if (error instanceof StorageRefusal) return error;
  if (error instanceof TokenRefused) return storageErrors.token();
  if (error instanceof CallerSuspended || error instanceof CallerStopped) return storageErrors.tooMany();
  if (!(error instanceof DatabaseError)) return null;
  if (error.code === '42501') return storageErrors.denied();
  // Values the database cannot store, such as a name with a NUL byte.
  return error.code.startsWith('22') || error.code.startsWith('23') ? storageErrors.body() : null;
}

function errorResponse({ statusCode, code, error, message, status }: StorageRefusal, method: string): Response {
  return Response.json(method === 'HEAD' ? null : { statusCode, code, error, message }, { status });
}
