import type { Context, Hono } from 'hono';
import type { Caller, Env } from '#server/http/caller.ts';
import { bytesOf } from './body.ts';
import { storageErrors } from './errors.ts';
import { principalOf } from './store.ts';
import type { Links } from './links.ts';
import type { NewUpload, Resumable, Upload, Uploader } from './resumable.ts';
import { cacheControlOf, encodingOf, metadataOf } from './upload.ts';

const VERSION = '1.0.0';
const STREAM = 'application/offset+octet-stream';
/** Where uploads start. `/sign` comes first, so that it is not taken for an id; it takes a signed URL's token in `x-signature` instead of a bearer token. */
const BASE_PATHS = ['/upload/resumable/sign', '/upload/resumable'];

export type ResumableDependencies = { readonly resumable: Resumable; readonly links: Links; readonly sizeMax: number };
type GetCaller = (c: Context<Env>) => Promise<Caller>;

/** Adds `/upload/resumable`: the tus protocol 1.0 with supabase-js's names in `Upload-Metadata` (tus.io/protocols/resumable-upload). */
export function addResumable(router: Hono<Env>, dependencies: ResumableDependencies, getCaller: GetCaller): void {
  const tusHeaders = {
    'tus-resumable': VERSION,
    'tus-version': VERSION,
    'tus-extension': 'creation,creation-with-upload,termination,expiration',
    'tus-max-size': String(dependencies.sizeMax),
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
    addUploads(router, dependencies, basePath, getCaller);
  }
}

function addUploads(
  router: Hono<Env>,
  { resumable, links }: ResumableDependencies,
  basePath: string,
  getCaller: GetCaller,
): void {
  const signed = basePath.endsWith('/sign');
  /** Identifies the uploader; a signed URL allows only the object it was made for. */
  async function uploaderOf(c: Context<Env>, bucketId: string, name: string): Promise<Uploader & { replace: boolean }> {
    if (signed) {
      const claims = await links.verify('write', bucketId, name, c.req.header('x-signature') ?? '');
      return { writer: { ownerId: claims.ownerId }, role: 'link', owner: claims.ownerId, replace: claims.replace };
    }
    const caller = await getCaller(c);
    const replace = c.req.header('x-upsert') === 'true';
    return { writer: { caller: principalOf(caller) }, role: caller.role, owner: caller.userId, replace };
  }
  async function uploaderOfId(c: Context<Env>): Promise<Uploader> {
    const address = signed ? await resumable.addressOf(c.req.param('id') ?? '') : { bucketId: '', name: '' };
    return uploaderOf(c, address.bucketId, address.name);
  }

  router.post(basePath, async (c) => {
    const creation = readCreation(c.req.raw.headers);
    const uploader = await uploaderOf(c, creation.bucketId, creation.name);
    let upload = await resumable.begin(uploader, { ...creation, replace: uploader.replace });
    if (c.req.header('content-type') === STREAM && upload.length > 0)
      upload = await resumable.append(uploader, upload.id, 0, bytesOf(c.req.raw));
    const location = `${new URL(c.req.url).pathname.replace(/\/$/, '')}/${upload.id}`;
    return new Response(null, { status: 201, headers: { ...progressHeaders(upload), location } });
  });
  router.get(`${basePath}/:id`, async (c) => {
    if (c.req.raw.method !== 'HEAD') throw storageErrors.off();
    const upload = await resumable.state(await uploaderOfId(c), c.req.param('id'));
    const headers = { ...progressHeaders(upload), 'upload-length': String(upload.length), 'cache-control': 'no-store' };
    return new Response(null, { headers: { ...headers, 'upload-metadata': upload.described } });
  });
  const patch = async (c: Context<Env>): Promise<Response> => {
    if (c.req.header('content-type') !== STREAM) throw storageErrors.tus(415, `The content type must be ${STREAM}`);
    const offset = readCount(c.req.header('upload-offset'), 'Upload-Offset');
    const upload = await resumable.append(await uploaderOfId(c), c.req.param('id') ?? '', offset, bytesOf(c.req.raw));
    return new Response(null, { status: 204, headers: progressHeaders(upload) });
  };
  const end = async (c: Context<Env>): Promise<Response> => {
    await resumable.end(await uploaderOfId(c), c.req.param('id') ?? '');
    return new Response(null, { status: 204 });
  };
  router.patch(`${basePath}/:id`, patch);
  router.delete(`${basePath}/:id`, end);
  // For networks that allow only GET and POST.
  router.post(`${basePath}/:id`, (c) => {
    const method = c.req.header('x-http-method-override');
    if (method === 'PATCH') return patch(c);
    if (method === 'DELETE') return end(c);
    throw storageErrors.off();
  });
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
    cacheControl: cacheControlOf(/^\d+$/.test(seconds) ? `max-age=${seconds}` : seconds),
    contentEncoding: encodingOf(fields.get('contentEncoding') ?? null),
    metadata: metadataOf(fields.get('metadata') ?? null),
  };
}

function readCount(text: string | undefined, name: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw storageErrors.tus(400, `${name} must be a whole number`);
  return Number(text);
}
