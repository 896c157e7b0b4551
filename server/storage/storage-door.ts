import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type Database, DatabaseError } from '#server/db/database.ts';
import { type Caller, type Env, type ReadCaller, TokenRefused } from '#server/http/caller.ts';
import { StorageRefusal, storageErrors } from './errors.ts';
import { listingSchema } from './listing.ts';
import type { Objects, StoredObject } from './objects.ts';
import { sendObject } from './send.ts';
import { readUpload } from './upload.ts';

export type StorageDoorParts = { readonly objects: Objects; readonly db: Database; readonly readCaller: ReadCaller };

/** `/storage/v1`: buckets and objects as supabase-js speaks of them (wire.md 4). What a caller may do is said by policies. */
export function createStorageDoor(parts: StorageDoorParts): Hono<Env> {
  const door = new Hono<Env>();
  const caller = (c: Context<Env>): Promise<Caller> => parts.readCaller(c.req.raw, c.var.ip);
  addBuckets(door, parts, caller);
  addLinks(door, parts.objects, caller);
  addObjects(door, parts.objects, caller);
  door.all('*', () => Promise.reject(storageErrors.off()));
  door.onError((error, c) => {
    const told = refusalOf(error);
    if (told) return refusal(told, c.req.method);
    c.var.log.error({ err: error, path: c.req.path }, 'a storage request failed');
    return refusal(storageErrors.broken(c.var.requestId), c.req.method);
  });
  return door;
}

type ReadHere = (c: Context<Env>) => Promise<Caller>;

const BUCKET =
  'select id, name, owner, public, file_size_limit, allowed_mime_types, created_at, updated_at from storage.buckets';

function addBuckets(door: Hono<Env>, { db }: StorageDoorParts, caller: ReadHere): void {
  door.get('/bucket', async (c) => {
    const who = await caller(c);
    const page = z.object({ limit: count(1_000, 100), offset: count(1_000_000, 0) }).safeParse(c.req.query());
    if (!page.success) throw storageErrors.body();
    const { rows } = await db.as(
      { role: who.role, claims: who.claimsJson },
      `${BUCKET} where strpos(id, $1) > 0 or $1 = '' order by name limit $2::int offset $3::int`,
      [c.req.query('search') ?? '', page.data.limit, page.data.offset],
    );
    return c.json(rows);
  });
  door.get('/bucket/:id', async (c) => {
    const who = await caller(c);
    const { rows } = await db.as({ role: who.role, claims: who.claimsJson }, `${BUCKET} where id = $1`, [
      c.req.param('id'),
    ]);
    if (!rows[0]) throw storageErrors.noBucket();
    return c.json(rows[0]);
  });
}

const count = (max: number, otherwise: number) => z.coerce.number().int().min(0).max(max).default(otherwise);
const secondsSchema = z.number().int().positive().max(1_000_000_000);

function addLinks(door: Hono<Env>, objects: Objects, caller: ReadHere): void {
  door.get('/object/sign/:bucket/*', async (c) => {
    const found = await objects.readSigned(c.req.param('bucket'), nameIn(c, 'object/sign'), c.req.query('token') ?? '');
    return sendObject(c.req.raw, found, false);
  });
  door.post('/object/sign/:bucket', async (c) => {
    const who = await caller(c);
    const { paths, expiresIn } = await read(
      c,
      z.looseObject({ expiresIn: secondsSchema, paths: z.array(z.string().max(1_024)).max(100) }),
    );
    const signed = paths.map(async (path) => {
      try {
        return { error: null, path, signedURL: await objects.sign(who, c.req.param('bucket'), path, expiresIn) };
      } catch (error) {
        if (error instanceof StorageRefusal)
          return { error: 'Either the object does not exist or you do not have access to it', path, signedURL: null };
        throw error;
      }
    });
    return c.json(await Promise.all(signed));
  });
  door.post('/object/sign/:bucket/*', async (c) => {
    const who = await caller(c);
    const { expiresIn } = await read(c, z.looseObject({ expiresIn: secondsSchema }));
    return c.json({
      signedURL: await objects.sign(who, c.req.param('bucket'), nameIn(c, 'object/sign'), expiresIn),
    });
  });
}

function addObjects(door: Hono<Env>, objects: Objects, caller: ReadHere): void {
  door.post('/object/list/:bucket', async (c) => {
    const who = await caller(c);
    return c.json(await objects.list(who, c.req.param('bucket'), await read(c, listingSchema)));
  });
  for (const kind of ['info/authenticated', 'info'])
    door.get(`/object/${kind}/:bucket/*`, async (c) =>
      c.json(toInfo(await objects.info(await caller(c), c.req.param('bucket'), nameIn(c, `object/${kind}`)))),
    );
  door.on(['GET', 'HEAD'], '/object/public/:bucket/*', async (c) =>
    sendObject(c.req.raw, await objects.readPublic(c.req.param('bucket'), nameIn(c, 'object/public')), true),
  );
  for (const kind of ['object/authenticated', 'object'])
    door.on(['GET', 'HEAD'], `/${kind}/:bucket/*`, async (c) => {
      const found = await objects.read(await caller(c), c.req.param('bucket'), nameIn(c, kind));
      return sendObject(c.req.raw, found, false);
    });
  door.on(['POST', 'PUT'], '/object/:bucket/*', async (c) => {
    const who = await caller(c);
    const upload = await readUpload(c.req.raw);
    const object = await objects.upload(who, c.req.param('bucket'), nameIn(c, 'object'), upload);
    return c.json({ Id: object.id, Key: `${object.bucket_id}/${object.name}` });
  });
  door.delete('/object/:bucket', async (c) => {
    const who = await caller(c);
    const { prefixes } = await read(c, z.looseObject({ prefixes: z.array(z.string().max(1_024)).max(1_000) }));
    return c.json((await objects.remove(who, c.req.param('bucket'), prefixes)).map(toRow));
  });
  door.delete('/object/:bucket/*', async (c) => {
    const removed = await objects.remove(await caller(c), c.req.param('bucket'), [nameIn(c, 'object')]);
    if (removed.length === 0) throw storageErrors.noObject();
    return c.json({ message: 'Successfully deleted' });
  });
}

/** The object's name: what follows `/kind/bucket/` in the address, decoded once. */
function nameIn(c: Context<Env>, kind: string): string {
  const start = `/${kind}/${encodeURIComponent(c.req.param('bucket') ?? '')}/`;
  const { pathname } = new URL(c.req.url);
  const at = pathname.indexOf(start);
  try {
    return at < 0 ? '' : decodeURIComponent(pathname.slice(at + start.length));
  } catch {
    throw storageErrors.path(); // not UTF-8 behind the percent signs
  }
}

function toInfo(row: StoredObject): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    bucket_id: row.bucket_id,
    size: row.size,
    content_type: row.content_type,
    cache_control: row.cache_control,
    etag: `"${row.etag}"`,
    last_modified: row.updated_at,
    created_at: row.created_at,
    metadata: row.user_metadata,
  };
}

function toRow(row: StoredObject): Record<string, unknown> {
  const { id, bucket_id, name, owner, version, metadata, user_metadata, created_at, updated_at, last_accessed_at } =
    row;
  const shown = { id, bucket_id, name, owner, owner_id: owner, version, metadata, user_metadata };
  return { ...shown, created_at, updated_at, last_accessed_at };
}

function refusalOf(error: unknown): StorageRefusal | null {
  if (error instanceof StorageRefusal) return error;
  if (error instanceof TokenRefused) return storageErrors.token();
  if (!(error instanceof DatabaseError)) return null;
  if (error.code === '42501') return storageErrors.denied();
  // A value the database cannot hold, such as a name with a zero byte.
  return error.code.startsWith('22') || error.code.startsWith('23') ? storageErrors.body() : null;
}

function refusal({ statusCode, code, error, message, status }: StorageRefusal, method: string): Response {
  return Response.json(method === 'HEAD' ? null : { statusCode, code, error, message }, { status });
}

async function read<S extends z.ZodType>(c: Context<Env>, schema: S): Promise<z.output<S>> {
  const body: unknown = await c.req.json().catch(() => null);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw storageErrors.body();
  return parsed.data;
}
