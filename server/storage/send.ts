import type { Found } from './objects.ts';

/** Pictures a browser may show; everything else that came from outside is a download and never runs in our origin. */
const SHOWN = /^image\/(jpeg|png|webp|gif|avif)$/;

/** An object's bytes, whole or the range that is asked for. `shared`: a public object, which caches may keep. */
export function sendObject(request: Request, { object, bytes }: Found, shared: boolean): Response {
  const etag = `"${object.etag}"`;
  const download = new URL(request.url).searchParams.get('download');
  const type = object.content_type.split(';')[0]?.trim().toLowerCase() ?? '';
  const headers: Record<string, string> = {
    'content-type': object.content_type,
    etag,
    'last-modified': object.updated_at.toUTCString(),
    'accept-ranges': 'bytes',
    'cache-control': shared ? `public, ${object.cache_control}` : 'private, no-store',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'content-disposition': SHOWN.test(type) && download === null ? 'inline' : attachment(download || object.name),
  };
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  const range = readRange(request.headers.get('range'), bytes.byteLength);
  if (range === 'none')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${bytes.byteLength}` } });
  const part = range ? bytes.subarray(range.from, range.to + 1) : bytes;
  headers['content-length'] = String(part.byteLength);
  if (range) headers['content-range'] = `bytes ${range.from}-${range.to}/${bytes.byteLength}`;
  return new Response(new Uint8Array(part), { status: range ? 206 : 200, headers });
}

/** One range of RFC 9110; several at once are answered as a whole. `none`: it lies outside. */
function readRange(header: string | null, length: number): { from: number; to: number } | 'none' | null {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  const [first = '', last = ''] = (found ?? []).slice(1);
  if (!found || (first === '' && last === '')) return null;
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  return from > to ? 'none' : { from, to };
}

function attachment(name: string): string {
  const plain = name.split('/').at(-1) ?? '';
  return `attachment; filename*=UTF-8''${encodeURIComponent(plain).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}
