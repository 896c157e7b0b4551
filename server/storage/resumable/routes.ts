import type { Context, Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import { streamBytes } from '../core/body.ts';
import { getCaller, type StorageContext } from '../core/context.ts';
import { storageErrors } from '../core/errors.ts';
import { toWriter } from '../core/store.ts';
import { appendBytes, beginUpload, endUpload, type NewUpload, resumeUpload } from './resumable.ts';
import { addressOfUpload, type Upload, type Uploader } from './upload-rows.ts';
import { parseCacheControl, parseEncoding, parseMetadata } from '../core/upload.ts';

const VERSION = '1.0.0';
const STREAM = 'application/offset+octet-stream';
/**
 * The paths at which uploads start. `/sign` comes first, so that it is not read as an id. It accepts a signed URL's token in `x-signature`
 * instead of a bearer token.
 */
const BASE_PATHS = ['/upload/resumable/sign', '/upload/resumable'];

/** Adds `/upload/resumable`: the tus protocol 1.0 with supabase-js's names in `Upload-Metadata` (tus.io/protocols/resumable-upload). */
export function addResumable(router: Hono<Env>, context: StorageContext): void {
  const tusHeaders = {
    'tus-resumable': VERSION,
    'tus-version': VERSION,
    'tus-extension': 'creation,creation-with-upload,termination,expiration',
    'tus-max-size': String(context.sizeMax),
  };
  for (const basePath of BASE_PATHS) {
    for (const path of [basePath, `${basePath}/:id`])
      router.options(path, () => new Response(null, { status: 204, headers: tusHeaders }));
    router.use(`${basePath}/*`, async (c, next) => {
      if (c.req.header('tus-resumable') !== VERSION) {
        const { statusCode, code, error, message } = storageErrors.tus(412, 'This server speaks tus 1.0.0');
        return c.json({ statusCode, code, error, message }, 412, tusHeaders);
      }
      await next();
      c.res.headers.set('tus-resumable', VERSION);
      return undefined;
    });
    addUploads(router, context, basePath);
  }
}

function addUploads(router: Hono<Env>, context: StorageContext, basePath: string): void {
  const uploaderOfId = async (c: Context<Env>): Promise<Uploader> => {
    if (!isSigned(basePath)) return callingUploader(context, c);
    return linkUploader(context, c, await addressOfUpload(context.db, getId(c)));
  };
  const append = async (c: Context<Env>): Promise<Response> => {
    if (c.req.header('content-type') !== STREAM) throw storageErrors.tus(415, `The content type must be ${STREAM}`);
    const offset = readCount(c.req.header('upload-offset'), 'Upload-Offset');
    const upload = await appendBytes(context, await uploaderOfId(c), getId(c), offset, streamBytes(c.req.raw));
    return new Response(null, { status: 204, headers: progressHeaders(upload) });
  };
  const end = async (c: Context<Env>): Promise<Response> => {
    await endUpload(context, await uploaderOfId(c), getId(c));
    return new Response(null, { status: 204 });
  };

  router.post(basePath, (c) => create(context, c, basePath));
  router.get(`${basePath}/:id`, async (c) => {
    if (c.req.raw.method !== 'HEAD') throw storageErrors.off();
    const upload = await resumeUpload(context, await uploaderOfId(c), getId(c));
    const headers = { ...progressHeaders(upload), 'upload-length': String(upload.length), 'cache-control': 'no-store' };
    return new Response(null, { headers: { ...headers, 'upload-metadata': upload.described } });
  });
  router.patch(`${basePath}/:id`, append);
  router.delete(`${basePath}/:id`, end);
  // Networks that allow only GET and POST need this route.
  router.post(`${basePath}/:id`, (c) => {
    const method = c.req.header('x-http-method-override');
    if (method === 'PATCH') return append(c);
    if (method === 'DELETE') return end(c);
    throw storageErrors.off();
  });
}

const getId = (c: Context<Env>): string => c.req.param('id') ?? '';
const isSigned = (basePath: string): boolean => basePath.endsWith('/sign');

/** Begins an upload, and stores the bytes that came with the request. */
async function create(context: StorageContext, c: Context<Env>, basePath: string): Promise<Response> {
  const creation = readCreation(c.req.raw.headers);
  const uploader = isSigned(basePath) ? await linkUploader(context, c, creation) : await callingUploader(context, c);
  let upload = await beginUpload(context, uploader, { ...creation, replace: uploader.replace });
  if (c.req.header('content-type') === STREAM && upload.length > 0)
    upload = await appendBytes(context, uploader, upload.id, 0, streamBytes(c.req.raw));
  const location = `${new URL(c.req.url).pathname.replace(/\/$/, '')}/${upload.id}`;
  return new Response(null, { status: 201, headers: { ...progressHeaders(upload), location } });
}

type RequestUploader = Uploader & { readonly replace: boolean };

async function callingUploader(context: StorageContext, c: Context<Env>): Promise<RequestUploader> {
  const caller = await getCaller(context, c);
  const replace = c.req.header('x-upsert') === 'true';
  return { writer: toWriter(caller), role: caller.role, owner: caller.userId, replace };
}

/** Identifies the holder of a signed URL, which allows only the object for which it was made. */
async function linkUploader(
  { links }: StorageContext,
  c: Context<Env>,
  at: { readonly bucketId: string; readonly name: string },
): Promise<RequestUploader> {
  const { ownerId, replace } = await links.verify('write', at.bucketId, at.name, c.req.header('x-signature') ?? '');
  return { writer: { ownerId }, role: 'link', owner: ownerId, replace };
}

function progressHeaders(upload: Upload): Record<string, string> {
  return { 'upload-offset': String(upload.received), 'upload-expires': upload.expires_at.toUTCString() };
}

function readCreation(headers: Headers): Omit<NewUpload, 'replace'> {
  if (headers.has('upload-defer-length')) throw storageErrors.tus(400, 'Upload-Length must be known');
  const length = readCount(headers.get('upload-length') ?? undefined, 'Upload-Length');
  const described = headers.get('upload-metadata') ?? '';
  if (described.length > 8_192) throw storageErrors.tus(400, 'Upload-Metadata is too long');
  const pairs = described.split(',').map((pair) => pair.trim().split(/\s+/));
  if (described !== '' && pairs.some(([key = '', value = '']) => key === '' || !/^[\w+/=-]*$/.test(value)))
    throw storageErrors.tus(400, 'Upload-Metadata cannot be read');
  const fields = new Map(pairs.map(([key = '', value = '']) => [key, Buffer.from(value, 'base64').toString('utf8')]));
  const [bucketId, name] = [fields.get('bucketName'), fields.get('objectName')];
  if (!bucketId || !name) throw storageErrors.tus(400, 'Upload-Metadata needs bucketName and objectName');
  const seconds = fields.get('cacheControl') ?? '';
  return {
    bucketId,
    name,
    length,
    described,
    contentType: fields.get('contentType') || 'application/octet-stream',
    cacheControl: parseCacheControl(/^\d+$/.test(seconds) ? `max-age=${seconds}` : seconds),
    contentEncoding: parseEncoding(fields.get('contentEncoding') ?? null),
    metadata: parseMetadata(fields.get('metadata') ?? null),
  };
}

function readCount(text: string | undefined, name: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw storageErrors.tus(400, `${name} must be a whole number`);
  return Number(text);
}
