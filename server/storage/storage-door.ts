import { type Context, Hono } from 'hono';
import { CallerStopped, DatabaseError } from '#server/db/database.ts';
import { type Caller, type Env, type ReadCaller, TokenRefused } from '#server/http/caller.ts';
import { CallerSuspended } from '#server/http/suspension.ts';
import { addBuckets } from './buckets.ts';
import { StorageRefusal, storageErrors } from './errors.ts';
import { addLinks } from './link-routes.ts';
import { createLinks, type LinksParts } from './links.ts';
import type { KeepParts } from './keep.ts';
import { addObjects } from './object-routes.ts';
import { createObjects } from './objects.ts';
import { addRendering } from './pictures/render.ts';
import { createResumable } from './resumable.ts';
import { addResumable } from './resumable-routes.ts';
import { createSweep } from './sweep.ts';

export type StorageDoorParts = KeepParts & LinksParts & { readonly readCaller: ReadCaller };
export type StorageDoor = {
  readonly door: Hono<Env>;
  /** Deletes what has been kept long enough, and bytes that belong to nothing. */
  readonly sweep: () => Promise<void>;
};

/** `/storage/v1`: buckets and objects as supabase-js speaks of them (wire.md 4). What a caller may do is said by policies. */
export function createStorageDoor(given: StorageDoorParts): StorageDoor {
  const links = createLinks(given);
  const parts = { ...given, links };
  const objects = createObjects(parts);
  const door = new Hono<Env>();
  const caller = (c: Context<Env>): Promise<Caller> => parts.readCaller(c.req.raw, c.var.ip);
  addBuckets(door, parts, caller);
  addResumable(door, { ...parts, resumable: createResumable(parts) }, caller);
  addLinks(door, { ...parts, objects }, caller);
  addRendering(door, { ...parts, objects }, caller);
  addObjects(door, { ...parts, objects }, caller);
  door.all('*', () => Promise.reject(storageErrors.off()));
  door.onError((error, c) => {
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
  return { door, sweep: createSweep(parts) };
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
