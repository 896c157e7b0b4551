import type { ObjectStore } from '#server/providers/ports.ts';
import { storageErrors } from './errors.ts';
import type { FoundObject, StoredObject } from './rows.ts';

/** Pictures that browsers may display. Every other upload is a download and never runs in the site's origin. */
const INLINE = /^image\/(jpeg|png|webp|gif|avif)$/;
/** Objects up to this size are read in one piece, which is faster than streaming. */
const WHOLE_MAX = 2 * 1024 * 1024;

/** Sends an object or the requested range of it, subject to conditional headers (RFC 9110, 13 and 14). */
export async function sendObject(
  request: Request,
  store: ObjectStore,
  { object, bucket }: FoundObject,
): Promise<Response> {
  const { size, storage_key: key } = object;
  const etag = `"${object.etag}"`;
  const headers = {
    ...headersFor(request, { ...object, type: object.content_type }, bucket),
    etag,
    'accept-ranges': 'bytes',
    ...(object.content_encoding === null ? {} : { 'content-encoding': object.content_encoding }),
  };
  const status = conditionalStatus(request.headers, etag, object.updated_at);
  if (status !== null) return new Response(null, { status, headers });
  const range = readRange(request.headers, etag, object.updated_at, size);
  if (range === 'none')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  const { from, to } = range ?? { from: 0, to: size - 1 };
  const bodyHeaders = {
    ...headers,
    'content-length': String(to + 1 - from),
    ...(range ? { 'content-range': `bytes ${from}-${to}/${size}` } : {}),
  };
  const code = range ? 206 : 200;
  if (request.method === 'HEAD') return new Response(null, { status: code, headers: bodyHeaders });
  if (size === 0) return new Response('', { status: code, headers: bodyHeaders });
  const body = !range && size <= WHOLE_MAX ? await store.get(key) : await store.open(key, { from, to });
  if (body === null) throw storageErrors.noObject();
  return new Response(
    body instanceof Uint8Array ? new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength) : body,
    { status: code, headers: bodyHeaders },
  );
}

type Shown = Pick<StoredObject, 'name' | 'cache_control' | 'updated_at'> & { readonly type: string };

/** Returns the headers of uploaded bytes: their stored type and cache control, and a policy that keeps them from running scripts. */
export function headersFor(request: Request, shown: Shown, bucket: FoundObject['bucket']): Record<string, string> {
  const download = new URL(request.url).searchParams.get('download');
  const type = shown.type.split(';')[0]?.trim().toLowerCase() ?? '';
  const cached = bucket.public ? shown.cache_control : `private, ${shown.cache_control}`;
  return {
    'content-type': shown.type,
    'last-modified': shown.updated_at.toUTCString(),
    'cache-control': bucket.owner_only ? 'private, no-store' : cached,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'content-disposition': INLINE.test(type) && download === null ? 'inline' : attachment(download || shown.name),
  };
}

/** Returns 304 or 412 if a conditional header demands it, in the order of RFC 9110, 13.2.2; otherwise null. */
export function conditionalStatus(headers: Headers, etag: string, changed: Date): 304 | 412 | null {
  const at = Math.floor(changed.getTime() / 1000);
  const [match, noneMatch] = [headers.get('if-match'), headers.get('if-none-match')];
  const [since, unmodified] = [
    toSeconds(headers.get('if-modified-since')),
    toSeconds(headers.get('if-unmodified-since')),
  ];
  if (match !== null ? !hasEtag(match, etag) : unmodified !== null && at > unmodified) return 412;
  if (noneMatch !== null ? hasEtag(noneMatch, etag) : since !== null && at <= since) return 304;
  return null;
}

const hasEtag = (list: string, etag: string): boolean =>
  list.split(',').some((candidate) => candidate.trim() === '*' || candidate.trim().replace(/^W\//, '') === etag);

function toSeconds(date: string | null): number | null {
  const time = date === null ? NaN : Date.parse(date);
  return Number.isNaN(time) ? null : Math.floor(time / 1000);
}

/**
 * Reads one range (RFC 9110). Returns null, which means the whole object, for several ranges or a range of another version. `none` means
 * that the range lies outside of the object.
 */
function readRange(
  headers: Headers,
  etag: string,
  changed: Date,
  length: number,
): { from: number; to: number } | 'none' | null {
  const given = headers.get('if-range');
  if (given !== null && given !== etag && toSeconds(given) !== Math.floor(changed.getTime() / 1000)) return null;
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range') ?? '');
  const [first = '', last = ''] = (found ?? []).slice(1);
  if (!found || (first === '' && last === '')) return null;
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null; // an invalid range
  return from > to ? 'none' : { from, to };
}

function attachment(name: string): string {
  const plain = name.split('/').at(-1) ?? '';
  return `attachment; filename*=UTF-8''${encodeURIComponent(plain).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}
