import type { Hono } from 'hono';
import { z } from 'zod';
import type { Env } from '#server/http/caller.ts';
import { parseAddress } from '../core/address.ts';
import { readJson } from '../core/body.ts';
import { getCaller, type StorageContext } from '../core/context.ts';
import { storageErrors } from '../core/errors.ts';
import { findObject, findPublicObject } from './find.ts';
import { listingSchema, listObjects, listPage, pageSchema } from './listing.ts';
import { removeObjects, uploadObject } from './objects.ts';
import { type Changes, copyObject, moveObject } from './relocate.ts';
import type { StoredObject } from '../core/rows.ts';
import { sendObject } from '../core/send.ts';
import { parseCacheControl, parseEncoding, parseMetadata, readUpload } from '../core/upload.ts';

const name = z.string().min(1).max(1_024);
const relocationSchema = z.looseObject({
  bucketId: name,
  sourceKey: name,
  destinationKey: name,
  destinationBucket: name.nullish(),
});
const copySchema = relocationSchema.extend({
  copyMetadata: z.boolean().nullish(),
  // Here the client's `metadata` contains what an upload sends as headers.
  metadata: z
    .looseObject({
      cacheControl: z.string().optional(),
      contentEncoding: z.string().optional(),
      mimetype: z.string().optional(),
    })
    .nullish(),
});
const removalSchema = z.looseObject({
  // Newer clients may name a version next to the path. Here each object has only one.
  prefixes: z.array(z.union([name, z.looseObject({ path: name }).transform(({ path }) => path)])).max(1_000),
});

/** Adds `/object`. Routes with a fixed word precede those with a bucket in the same position. */
export function addObjects(router: Hono<Env>, context: StorageContext): void {
  addFolders(router, context);
  addRelocation(router, context);
  addReading(router, context);
  addWriting(router, context);
}

function addFolders(router: Hono<Env>, context: StorageContext): void {
  router.post('/object/list/:bucket', async (c) => {
    const caller = await getCaller(context, c);
    return c.json(await listObjects(context, caller, c.req.param('bucket'), await readJson(c.req.raw, listingSchema)));
  });
  router.post('/object/list-v2/:bucket', async (c) => {
    const caller = await getCaller(context, c);
    return c.json(await listPage(context, caller, c.req.param('bucket'), await readJson(c.req.raw, pageSchema)));
  });
}

function addRelocation(router: Hono<Env>, context: StorageContext): void {
  router.post('/object/move', async (c) => {
    const caller = await getCaller(context, c);
    const { bucketId, sourceKey, destinationKey, destinationBucket } = await readJson(c.req.raw, relocationSchema);
    const to = { bucketId: destinationBucket ?? bucketId, name: destinationKey };
    const object = await moveObject(context, caller, { bucketId, name: sourceKey }, to);
    return c.json({ message: 'Successfully moved', Id: object.id, Key: `${object.bucket_id}/${object.name}` });
  });
  router.post('/object/copy', async (c) => {
    const caller = await getCaller(context, c);
    const body = await readJson(c.req.raw, copySchema);
    const { bucketId, sourceKey, destinationKey, destinationBucket, copyMetadata } = body;
    const replace = c.req.header('x-upsert') === 'true';
    const to = { bucketId: destinationBucket ?? bucketId, name: destinationKey, replace };
    const changes = copyMetadata === false ? readChanges(body.metadata ?? {}, c.req.header('x-metadata')) : null;
    const object = await copyObject(context, caller, { bucketId, name: sourceKey }, to, changes);
    return c.json({ Id: object.id, Key: `${object.bucket_id}/${object.name}`, ...toRow(object) });
  });
}

function readChanges(
  sent: { cacheControl?: string | undefined; contentEncoding?: string | undefined; mimetype?: string | undefined },
  metadata: string | undefined,
): Changes {
  return {
    contentType: sent.mimetype ?? null,
    cacheControl: parseCacheControl(sent.cacheControl ?? null),
    contentEncoding: sent.contentEncoding === undefined ? undefined : parseEncoding(sent.contentEncoding),
    metadata: parseMetadata(metadata === undefined ? null : Buffer.from(metadata, 'base64').toString('utf8')),
  };
}

function addReading(router: Hono<Env>, context: StorageContext): void {
  router.get('/object/info/public/:bucket/*', async (c) => {
    const { object } = await findPublicObject(context, parseAddress(c, 'object/info/public'));
    return c.json(toInfo(object));
  });
  for (const kind of ['object/info/authenticated', 'object/info'])
    router.get(`/${kind}/:bucket/*`, async (c) => {
      const at = parseAddress(c, kind);
      const { object } = await findObject(context, await getCaller(context, c), at);
      return c.json(toInfo(object));
    });
  router.get('/object/public/:bucket/*', async (c) => {
    const found = await findPublicObject(context, parseAddress(c, 'object/public'));
    return sendObject(c.req.raw, context.store, found);
  });
  for (const kind of ['object/authenticated', 'object'])
    router.get(`/${kind}/:bucket/*`, async (c) => {
      const at = parseAddress(c, kind);
      return sendObject(c.req.raw, context.store, await findObject(context, await getCaller(context, c), at));
    });
}

function addWriting(router: Hono<Env>, context: StorageContext): void {
  router.on(['POST', 'PUT'], '/object/:bucket/*', async (c) => {
    const caller = await getCaller(context, c);
    const object = await uploadObject(context, caller, parseAddress(c, 'object'), await readUpload(c.req.raw));
    return c.json({ Id: object.id, Key: `${object.bucket_id}/${object.name}` });
  });
  router.delete('/object/:bucket', async (c) => {
    const caller = await getCaller(context, c);
    const { prefixes } = await readJson(c.req.raw, removalSchema);
    return c.json((await removeObjects(context, caller, c.req.param('bucket'), prefixes)).map(toRow));
  });
  router.delete('/object/:bucket/*', async (c) => {
    const at = parseAddress(c, 'object');
    const removed = await removeObjects(context, await getCaller(context, c), at.bucketId, [at.name]);
    if (removed.length === 0) throw storageErrors.noObject();
    return c.json({ message: 'Successfully deleted' });
  });
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
    ...(row.content_encoding === null ? {} : { content_encoding: row.content_encoding }),
    etag: `"${row.etag}"`,
    last_modified: row.updated_at,
    created_at: row.created_at,
    metadata: row.user_metadata,
  };
}

function toRow(row: StoredObject): Record<string, unknown> {
  const { id, bucket_id, name: path, owner, version, metadata, user_metadata } = row;
  const { created_at, updated_at, last_accessed_at } = row;
  const shown = { id, bucket_id, name: path, owner, owner_id: owner, version, metadata, user_metadata };
  return { ...shown, created_at, updated_at, last_accessed_at };
}
