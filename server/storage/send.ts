import type { ObjectStore } from '#server/providers/ports.ts';
import { storageErrors } from './errors.ts';
import type { Found, StoredObject } from './rows.ts';

/** Pictures a browser may show; everything else that came from outside is a download and never runs in our origin. */
const SHOWN = /^image\/(jpeg|png|webp|gif|avif)$/;
/** What is no larger than this is read in one piece, which is the fastest way out. */
const WHOLE_MAX = 2 * 1024 * 1024;

/** An object's bytes, whole or the range that is asked for, if the conditions of the question hold (RFC 9110, 13 and 14). */
export async function sendObject(request: Request, store: ObjectStore, { object, bucket }: Found): Promise<Response> {
  const { size, storage_key: key } = object;
  const etag = `"${object.etag}"`;
  const headers = {
    ...headersFor(request, { ...object, type: object.content_type }, bucket),
    etag,
    'accept-ranges': 'bytes',
    ...(object.content_encoding === null ? {} : { 'content-encoding': object.content_encoding }),
  };
  const status = judge(request.headers, etag, object.updated_at);
  if (status !== null) return new Response(null, { status, headers });
  const range = readRange(request.headers, etag, object.updated_at, size);
  if (range === 'none')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  const { from, to } = range ?? { from: 0, to: size - 1 };
  const told = {
    ...headers,
    'content-length': String(to + 1 - from),
    ...(range ? { 'content-range': `bytes ${from}-${to}/${size}` } : {}),
  };
  const code = range ? 206 : 200;
  if (request.method === 'HEAD') return new Response(null, { status: code, headers: told });
  if (size === 0) return new Response('', { status: code, headers: told });
  const body = !range && size <= WHOLE_MAX ? await store.get(key) : await store.open(key, { from, to });
  if (body === null) throw storageErrors.noObject();
  return new Response(
    body instanceof Uint8Array ? new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength) : body,
    { status: code, headers: told },
  );
}

type Shown = Pick<StoredObject, 'name' | 'cache_control' | 'updated_at'> & { readonly type: string };

/** Headers of bytes that came from outside: their type and cache control as sent, and nothing of theirs runs here. */
export function headersFor(request: Request, shown: Shown, bucket: Found['bucket']): Record<string, string> {
  const download = new URL(request.url).searchParams.get('download');
  const type = shown.type.split(';')[0]?.trim().toLowerCase() ?? '';
  const cached = bucket.public ? shown.cache_control : `private, ${shown.cache_control}`;
  return {
    'content-type': shown.type,
    'last-modified': shown.updated_at.toUTCString(),
    'cache-control': bucket.owner_only ? 'private, no-store' : cached,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'content-disposition': SHOWN.test(type) && download === null ? 'inline' : attachment(download || shown.name),
  };
}

/** 304 or 412 where the conditions say so; in the order of RFC 9110, 13.2.2. */
export function judge(headers: Headers, etag: string, changed: Date): 304 | 412 | null {
  const at = Math.floor(changed.getTime() / 1000);
  const [match, noneMatch] = [headers.get('if-match'), headers.get('if-none-match')];
  const [since, unmodified] = [
    secondsOf(headers.get('if-modified-since')),
    secondsOf(headers.get('if-unmodified-since')),
  ];
  if (match !== null ? !names(match, etag) : unmodified !== null && at > unmodified) return 412;
  if (noneMatch !== null ? names(noneMatch, etag) : since !== null && at <= since) return 304;
  return null;
}

const names = (list: string, etag: string): boolean =>
  list.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);

function secondsOf(date: string | null): number | null {
  const time = date === null ? NaN : Date.parse(date);
  return Number.isNaN(time) ? null : Math.floor(time / 1000);
}

/** One range of RFC 9110; several at once are answered as a whole, as is one that belongs to another version. `none`: it lies outside. */
function readRange(
  headers: Headers,
  etag: string,
  changed: Date,
  length: number,
): { from: number; to: number } | 'none' | null {
  const given = headers.get('if-range');
  if (given !== null && given !== etag && secondsOf(given) !== Math.floor(changed.getTime() / 1000)) return null;
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range') ?? '');
  const [first = '', last = ''] = (found ?? []).slice(1);
  if (!found || (first === '' && last === '')) return null;
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null; // no range at all
  return from > to ? 'none' : { from, to };
}

function attachment(name: string): string {
  const plain = name.split('/').at(-1) ?? '';
  return `attachment; filename*=UTF-8''${encodeURIComponent(plain).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}
