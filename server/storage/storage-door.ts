import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type Env, type ReadCaller, TokenRefused } from '#server/http/caller.ts';
import type { Database } from '#server/db/database.ts';
import { StorageRefusal, storageErrors } from './errors.ts';
import type { Objects, StoredObject } from './objects.ts';

/** `/storage/v1`: what private files need (wire.md 4). Public and rendered routes do not exist. */
export function createStorageDoor(parts: { objects: Objects; db: Database; readCaller: ReadCaller }): Hono<Env> {
  const { objects, db, readCaller } = parts;
  const door = new Hono<Env>();
  const caller = (c: Context<Env>) => readCaller(c.req.raw, c.var.ip);

  door.get('/bucket/:id', async (c) => {
    const who = await caller(c);
    const { rows } = await db.as(
      { role: who.role, claims: who.claimsJson },
      'select id, name, owner, public, file_size_limit, allowed_mime_types, created_at, updated_at from storage.buckets where id = $1',
      [c.req.param('id')],
    );
    if (!rows[0]) throw storageErrors.noBucket();
    return c.json(rows[0]);
  });

  door.get('/object/sign/:bucket/*', async (c) => {
    const found = await objects.readSigned(
      c.req.param('bucket'),
      rest(c, `/object/sign/${c.req.param('bucket')}/`),
      c.req.query('token') ?? '',
    );
    return send(found);
  });
  door.post('/object/sign/:bucket', async (c) => {
    const who = await caller(c);
    const body = await read(
      c,
      z.object({ expiresIn: z.number().int().positive(), paths: z.array(z.string()).max(100) }),
    );
    const bucket = c.req.param('bucket');
    const signed = await Promise.all(
      body.paths.map(async (path) => {
        try {
          return { error: null, path, signedURL: await objects.sign(who, bucket, path, body.expiresIn) };
        } catch (error) {
          if (error instanceof StorageRefusal) return { error: error.message, path, signedURL: null };
          throw error;
        }
      }),
    );
    return c.json(signed);
  });
  door.post('/object/sign/:bucket/*', async (c) => {
    const who = await caller(c);
    const body = await read(c, z.looseObject({ expiresIn: z.number().int().positive() }));
    const bucket = c.req.param('bucket');
    return c.json({ signedURL: await objects.sign(who, bucket, rest(c, `/object/sign/${bucket}/`), body.expiresIn) });
  });

  door.post('/object/list/:bucket', async (c) => {
    const who = await caller(c);
    const body = await read(
      c,
      z.looseObject({
        prefix: z.string().max(1_024).default(''),
        limit: z.number().int().min(1).max(1_000).default(100),
        offset: z.number().int().min(0).default(0),
      }),
    );
    const rows = await objects.list(who, c.req.param('bucket'), body.prefix, body.limit, body.offset);
    return c.json(rows.map((row) => ({ ...toFile(row), name: row.name.slice(body.prefix.length).replace(/^\//, '') })));
  });

  door.on(['GET', 'HEAD'], ['/object/authenticated/:bucket/*'], async (c) =>
    send(
      await objects.read(
        await caller(c),
        c.req.param('bucket') ?? '',
        rest(c, `/object/authenticated/${c.req.param('bucket')}/`),
      ),
    ),
  );
  door.get('/object/info/:bucket/*', async (c) => {
    const { object } = await objects.read(
      await caller(c),
      c.req.param('bucket'),
      rest(c, `/object/info/${c.req.param('bucket')}/`),
    );
    return c.json({ ...toFile(object), bucket_id: c.req.param('bucket') });
  });
  door.all('/object/public/*', () => Promise.reject(storageErrors.noObject()));
  door.on(['GET', 'HEAD'], '/object/:bucket/*', async (c) =>
    send(await objects.read(await caller(c), c.req.param('bucket'), rest(c, `/object/${c.req.param('bucket')}/`))),
  );
  door.on(['POST', 'PUT'], '/object/:bucket/*', async (c) => {
    const who = await caller(c);
    const { bytes, type } = await readUpload(c);
    const bucket = c.req.param('bucket');
    const object = await objects.upload(who, bucket, rest(c, `/object/${bucket}/`), bytes, type);
    return c.json({ Id: object.id, Key: `${bucket}/${object.name}` });
  });
  door.delete('/object/:bucket', async (c) => {
    const who = await caller(c);
    const body = await read(c, z.object({ prefixes: z.array(z.string()).max(1_000) }));
    return c.json((await objects.remove(who, c.req.param('bucket'), body.prefixes)).map(toFile));
  });
  door.delete('/object/:bucket/*', async (c) => {
    const bucket = c.req.param('bucket');
    const removed = await objects.remove(await caller(c), bucket, [rest(c, `/object/${bucket}/`)]);
    if (removed.length === 0) throw storageErrors.noObject();
    return c.json({ message: 'Successfully deleted' });
  });

  door.all('*', () => refusal(storageErrors.off()));
  door.onError((error, c) => {
    if (error instanceof StorageRefusal) return refusal(error);
    if (error instanceof TokenRefused) return refusal(storageErrors.token());
    c.var.log.error({ err: error, path: c.req.path }, 'a storage request failed');
    return refusal(
      new StorageRefusal('500', 'Internal', `Something went wrong on our side. Request ${c.var.requestId}.`, 500),
    );
  });
  return door;
}

function refusal(error: StorageRefusal): Response {
  return Response.json(
    { statusCode: error.statusCode, error: error.error, message: error.message },
    { status: error.status },
  );
}

/** What follows `prefix` in the address, decoded once. */
function rest(c: Context<Env>, prefix: string): string {
  const path = new URL(c.req.url).pathname;
  const at = path.indexOf(prefix);
  try {
    return at < 0 ? '' : decodeURIComponent(path.slice(at + prefix.length));
  } catch {
    throw storageErrors.path();
  }
}

function toFile(row: StoredObject): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    size: row.size,
    content_type: row.content_type,
    cache_control: row.cache_control,
    etag: row.etag,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_modified: row.updated_at,
    metadata: {},
  };
}

/** Nothing that came from outside runs in our origin: anything but a picture is a download. */
function send({ object, bytes }: { object: StoredObject; bytes: Uint8Array }): Response {
  const picture = /^image\/(jpeg|png|webp)$/.test(object.content_type);
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': object.content_type,
      'content-length': String(bytes.byteLength),
      etag: `"${object.etag}"`,
      'cache-control': 'private, no-store',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'content-disposition': picture ? 'inline' : 'attachment',
    },
  });
}

async function readUpload(c: Context<Env>): Promise<{ bytes: Uint8Array; type: string }> {
  const type = c.req.header('content-type') ?? 'text/plain;charset=UTF-8';
  if (!type.startsWith('multipart/form-data')) return { bytes: new Uint8Array(await c.req.arrayBuffer()), type };
  const form = await c.req.formData().catch(() => null);
  // The client puts the file into a field without a name.
  const file = form?.get('') ?? [...(form?.values() ?? [])].find((value) => value instanceof File);
  if (!(file instanceof File)) throw storageErrors.body();
  return { bytes: new Uint8Array(await file.arrayBuffer()), type: file.type || 'application/octet-stream' };
}

async function read<S extends z.ZodType>(c: Context<Env>, schema: S): Promise<z.output<S>> {
  const parsed = schema.safeParse(await c.req.json().catch(() => null));
  if (!parsed.success) throw storageErrors.body();
  return parsed.data;
}
