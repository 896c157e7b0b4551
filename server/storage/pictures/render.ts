import { createHash } from 'node:crypto';
import type { Context, Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { parseAddress } from '../core/address.ts';
import { getCaller, type StorageContext } from '../core/context.ts';
import { storageErrors } from '../core/errors.ts';
import { findObject, findPublicObject, findSignedObject } from '../objects/find.ts';
import type { Pictures } from './pictures.ts';
import type { FoundObject } from '../core/rows.ts';
import { conditionalStatus, headersFor } from '../core/send.ts';
import { type Transformation, transformationSchema } from '../core/transformation.ts';
import { describe, isPictureType, createJob, typeByBytes } from './picture-job.ts';

/** The largest picture that is transformed, in bytes. */
const SOURCE_MAX = 25 * 1024 * 1024;

/** Adds `/render/image`: a picture in another size, quality or format, for callers who may read it. Owner-only buckets are excluded. */
export function addRendering(router: Hono<Env>, context: StorageContext, pictures: Pictures): void {
  router.get('/render/image/authenticated/:bucket/*', async (c) => {
    const at = parseAddress(c, 'render/image/authenticated');
    const found = await findObject(context, await getCaller(context, c), at);
    return render(c, context.store, pictures, found, readTransformation(c));
  });
  router.get('/render/image/public/:bucket/*', async (c) => {
    const found = await findPublicObject(context, parseAddress(c, 'render/image/public'));
    return render(c, context.store, pictures, found, readTransformation(c));
  });
  router.get('/render/image/sign/:bucket/*', async (c) => {
    const at = parseAddress(c, 'render/image/sign');
    const { claims, ...found } = await findSignedObject(context, at, c.req.query('token') ?? '');
    // The transformation is part of the signed token, so the query cannot change it.
    if (claims.transform === null) throw storageErrors.token();
    return render(c, context.store, pictures, found, claims.transform);
  });
}

function readTransformation(c: Context<Env>): Transformation {
  const parsed = transformationSchema.safeParse(c.req.query());
  if (!parsed.success) throw storageErrors.body();
  return parsed.data;
}

async function render(
  c: Context<Env>,
  store: ObjectStore,
  pictures: Pictures,
  { object, bucket }: FoundObject,
  transformation: Transformation,
): Promise<Response> {
  if (bucket.owner_only) throw storageErrors.noObject();
  if (object.size > SOURCE_MAX) throw storageErrors.tooLarge();
  const read = async (): Promise<Uint8Array> => {
    const found = await store.get(object.storage_key);
    if (found === null) throw storageErrors.noObject();
    return found;
  };
  // supabase-js stores files without a type as text. For these the bytes decide the type, as in Supabase's renderer.
  const early = isPictureType(object.content_type) ? null : await read();
  const type = (early && typeByBytes(early)) ?? object.content_type;
  const job = createJob(transformation, type, c.req.header('accept') ?? '');
  const version = createHash('sha256')
    .update(`${object.etag}\n${JSON.stringify(job)}`)
    .digest('hex');
  const etag = `"${version.slice(0, 32)}"`;
  const headers = {
    ...headersFor(c.req.raw, { ...object, type: `image/${job.output}` }, bucket),
    etag,
    vary: 'accept',
    'x-transformations': describe(transformation),
  };
  const status = conditionalStatus(c.req.raw.headers, etag, object.updated_at);
  if (status !== null) return new Response(null, { status, headers });
  const bytes = early ?? (await read());
  const picture = new Uint8Array(await pictures.make({ ...job, bytes }));
  return new Response(picture, { headers: { ...headers, 'content-length': String(picture.byteLength) } });
}
