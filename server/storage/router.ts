import { Hono } from 'hono';
import { DatabaseError } from '#server/db/database.ts';
import type { Env } from '#server/http/caller.ts';
import { classifyError } from '#server/http/classify-error.ts';
import { addBuckets } from './buckets.ts';
import { StorageRefusal, storageErrors } from './core/errors.ts';
import { addLinks } from './objects/link-routes.ts';
import { createLinks, type LinksDependencies } from './core/links.ts';
import type { StorageContext } from './core/context.ts';
import type { Pictures } from './pictures/pictures.ts';
import { addObjects } from './objects/routes.ts';
import { addRendering } from './pictures/render.ts';
import { addResumable } from './resumable/routes.ts';
import { createCleanup } from './cleanup.ts';

export type StorageRouter = {
  readonly router: Hono<Env>;
  /** Deletes objects past their retention, and bytes that no row refers to. */
  readonly cleanup: () => Promise<void>;
};

/** Creates the router of `/storage/v1`: buckets and objects for supabase-js. Policies decide what a caller may do. */
export function createStorageRouter(
  dependencies: Omit<StorageContext, 'links'> & LinksDependencies & { readonly pictures: Pictures },
): StorageRouter {
  const context = { ...dependencies, links: createLinks(dependencies) };
  const router = new Hono<Env>();
  addBuckets(router, context);
  addResumable(router, context);
  addLinks(router, context);
  addRendering(router, context, dependencies.pictures);
  addObjects(router, context);
  router.all('*', () => Promise.reject(storageErrors.off()));
  router.onError((error, c) => {
    const refusal = toRefusal(error);
    if (refusal) {
      const answer = errorResponse(refusal, c.req.raw.method);
      const found = classifyError(error);
      if ('retryAfter' in found) answer.headers.set('retry-after', String(found.retryAfter));
      return answer;
    }
    c.var.log.error({ err: error, path: c.req.path }, 'a storage request failed');
    return errorResponse(storageErrors.broken(c.var.requestId), c.req.raw.method);
  });
  return { router, cleanup: createCleanup(context) };
}

function toRefusal(error: unknown): StorageRefusal | null {
  if (error instanceof StorageRefusal) return error;
  const { kind } = classifyError(error);
  if (kind === 'token') return storageErrors.token();
  if (kind === 'suspended') return storageErrors.tooMany();
  if (kind === 'busy') return storageErrors.databaseBusy();
  if (!(error instanceof DatabaseError)) return null;
  if (error.code === '42501') return storageErrors.denied();
  // The database cannot store the value, such as a name with a NUL byte.
  return error.code.startsWith('22') || error.code.startsWith('23') ? storageErrors.body() : null;
}

function errorResponse({ statusCode, code, error, message, status }: StorageRefusal, method: string): Response {
  return Response.json(method === 'HEAD' ? null : { statusCode, code, error, message }, { status });
}
