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
/** Where uploads begin; the first takes a signed address's token in `x-signature` instead of a bearer, and must not be read as an id. */
const PLACES = ['/upload/resumable/sign', '/upload/resumable'];

export type ResumableParts = { readonly resumable: Resumable; readonly links: Links; readonly sizeMax: number };
type ReadHere = (c: Context<Env>) => Promise<Caller>;

/** `/upload/resumable`: the tus protocol 1.0 with supabase-js's names in `Upload-Metadata` (tus.io/protocols/resumable-upload). */
export function addResumable(router: Hono<Env>, parts: ResumableParts, caller: ReadHere): void {
  const told = {
    'tus-resumable': VERSION,
    'tus-version': VERSION,
    'tus-extension': 'creation,creation-with-upload,termination,expiration',
    'tus-max-size': String(parts.sizeMax),
  };
  for (const objectPath of PLACES) {
    for (const path of [objectPath, `${objectPath}/:id`])
      router.options(path, () => new Response(null, { status: 204, headers: told }));
    router.use(`${objectPath}/*`, async (c, next) => {
      if (c.req.header('tus-resumable') !== VERSION) {
        const no = storageErrors.tus(412, 'This server speaks tus 1.0.0');
        return c.json({ statusCode: no.statusCode, code: no.code, error: no.error, message: no.message }, 412, told);
      }
      await next();
      c.res.headers.set('tus-resumable', VERSION);
      return undefined;
    });
    addPlace(router, parts, objectPath, caller);
  }
}

function addPlace(router: Hono<Env>, { resumable, links }: ResumableParts, objectPath: string, caller: ReadHere): void {
  const signed = objectPath.endsWith('/sign');
  /** Who is calling: under a signed address only for the object it was made for. */
  async function uploaderOf(c: Context<Env>, bucketId: string, name: string): Promise<Uploader & { replace: boolean }> {
    if (signed) {
      const ticket = await links.open('write', bucketId, name, c.req.header('x-signature') ?? '');
      return { writer: { ownerId: ticket.ownerId }, role: 'link', owner: ticket.ownerId, replace: ticket.replace };
    }
    const who = await caller(c);
    const replace = c.req.header('x-upsert') === 'true';
    return { writer: { caller: principalOf(who) }, role: who.role, owner: who.userId, replace };
  }
  async function continuing(c: Context<Env>): Promise<Uploader> {
    const address = signed ? await resumable.addressOf(c.req.param('id') ?? '') : { bucketId: '', name: '' };
    return uploaderOf(c, address.bucketId, address.name);
  }

  router.post(objectPath, async (c) => {
    const asked = readCreation(c.req.raw.headers);
    const uploader = await uploaderOf(c, asked.bucketId, asked.name);
    let upload = await resumable.begin(uploader, { ...asked, replace: uploader.replace });
    if (c.req.header('content-type') === STREAM && upload.length > 0)
      upload = await resumable.append(uploader, upload.id, 0, bytesOf(c.req.raw));
    const location = `${new URL(c.req.url).pathname.replace(/\/$/, '')}/${upload.id}`;
    return new Response(null, { status: 201, headers: { ...standing(upload), location } });
  });
  router.get(`${objectPath}/:id`, async (c) => {
    if (c.req.raw.method !== 'HEAD') throw storageErrors.off();
    const upload = await resumable.state(await continuing(c), c.req.param('id'));
    const headers = { ...standing(upload), 'upload-length': String(upload.length), 'cache-control': 'no-store' };
    return new Response(null, { headers: { ...headers, 'upload-metadata': upload.described } });
  });
  const patch = async (c: Context<Env>): Promise<Response> => {
    if (c.req.header('content-type') !== STREAM) throw storageErrors.tus(415, `The content type must be ${STREAM}`);
    const offset = readCount(c.req.header('upload-offset'), 'Upload-Offset');
    const upload = await resumable.append(await continuing(c), c.req.param('id') ?? '', offset, bytesOf(c.req.raw));
    return new Response(null, { status: 204, headers: standing(upload) });
  };
  const end = async (c: Context<Env>): Promise<Response> => {
    await resumable.end(await continuing(c), c.req.param('id') ?? '');
    return new Response(null, { status: 204 });
  };
  router.patch(`${objectPath}/:id`, patch);
  router.delete(`${objectPath}/:id`, end);
  // For networks that let only GET and POST through.
  router.post(`${objectPath}/:id`, (c) => {
    const method = c.req.header('x-http-method-override');
    if (method === 'PATCH') return patch(c);
    if (method === 'DELETE') return end(c);
    throw storageErrors.off();
  });
}

function standing(upload: Upload): Record<string, string> {
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
  const said = new Map(pairs.map(([key = '', value = '']) => [key, Buffer.from(value, 'base64').toString('utf8')]));
  const [bucketId, name] = [said.get('bucketName'), said.get('objectName')];
  if (!bucketId || !name) throw storageErrors.tus(400, 'Upload-Metadata needs bucketName and objectName');
  const seconds = said.get('cacheControl') ?? '';
  return {
    bucketId,
    name,
    length,
    described,
    contentType: said.get('contentType') || 'application/octet-stream',
    cacheControl: cacheControlOf(/^\d+$/.test(seconds) ? `max-age=${seconds}` : seconds),
    contentEncoding: encodingOf(said.get('contentEncoding') ?? null),
    metadata: metadataOf(said.get('metadata') ?? null),
  };
}

function readCount(text: string | undefined, name: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw storageErrors.tus(400, `${name} must be a whole number`);
  return Number(text);
}
