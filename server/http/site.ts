import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type Context, Hono } from 'hono';
import type { Env } from './caller.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.webm': 'video/webm',
  '.mp4': 'video/mp4',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.xml': 'application/xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};
const PACKED = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest', '.xml', '.txt', '.ico']);
/** Where the build left places for what only the running server knows. */
const FILLED = new Set(['.html', '.xml', '.txt']);
const HASHED = 'public, max-age=31536000, immutable';
const PICTURE = 'public, max-age=86400';
const ASSETS = '/assets/';

type File = {
  readonly body: Buffer;
  readonly packed: { readonly br: Buffer; readonly gzip: Buffer } | null;
  readonly type: string;
  readonly etag: string;
};

/**
 * The built web app (build/site.ts): files with a hash in their name for ever, those of earlier builds too while
 * `earlierAssets` has them, a page for every address of ours, with the
 * public key in it, and the page for addresses that are not ours, with 404.
 */
export function createSite(parts: {
  folder: string;
  earlierAssets: string;
  anonKey: string;
  siteUrl: string;
}): Hono<Env> {
  const files = new Map<string, File>();

  async function load(path: string): Promise<File | null> {
    const known = files.get(path);
    if (known !== undefined) return known;
    const file = await read(path);
    // A miss is not remembered: the file may be there after the next build, and anybody can ask for names that are not.
    if (file !== null && files.size < 500) files.set(path, file);
    return file;
  }
  async function read(path: string): Promise<File | null> {
    const safe = normalize(`/${path}`);
    const hashed = safe.startsWith(ASSETS) ? [join(parts.earlierAssets, safe.slice(ASSETS.length))] : [];
    const full = await firstFile([join(parts.folder, safe), ...hashed]);
    if (full === null) return null;
    const extension = extname(full);
    let body = await readFile(full);
    if (FILLED.has(extension)) body = Buffer.from(fill(body.toString('utf8')));
    return {
      body,
      packed: PACKED.has(extension) ? pack(body) : null,
      type: TYPES[extension] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 20)}"`,
    };
  }
  const fill = (text: string): string =>
    text.replaceAll('%ANON_KEY%', parts.anonKey).replaceAll('%SITE_URL%', parts.siteUrl);

  const site = new Hono<Env>();
  site.on(['GET', 'HEAD'], '*', async (c) => {
    const path = c.req.path.replace(/^\/+|\/+$/g, '');
    const isFile = /\.[a-z0-9]{2,11}$/.test(path);
    const file = isFile ? await load(path) : await load(`${path || 'index'}.html`);
    if (file) return answer(c, file, 200, cachingOf(path));
    const unknown = isFile ? null : await load('404.html');
    return unknown ? answer(c, unknown, 404, 'no-cache') : c.text('Not found', 404, { 'cache-control': 'no-store' });
  });
  return site;
}

async function firstFile(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile()) return path;
  }
  return null;
}

/** How long a browser may keep a file without asking: a page names the files of one build, so it is asked for each time. */
function cachingOf(path: string): string {
  if (path.startsWith('assets/')) return HASHED;
  return /\.[a-z0-9]{2,11}$/.test(path) && !path.endsWith('.html') ? PICTURE : 'no-cache';
}

function pack(body: Buffer): File['packed'] {
  return {
    br: brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gzip: gzipSync(body, { level: 9 }),
  };
}

function answer(c: Context<Env>, file: File, status: 200 | 404, caching: string): Response {
  const headers: Record<string, string> = {
    'content-type': file.type,
    etag: file.etag,
    'cache-control': caching,
    vary: 'accept-encoding',
  };
  if (status === 200 && c.req.header('if-none-match') === file.etag)
    return new Response(null, { status: 304, headers });
  if (file.packed === null) return part(c, file, status, headers);
  const accepted = c.req.header('accept-encoding') ?? '';
  const way = (['br', 'gzip'] as const).find((one) => accepted.includes(one));
  if (way) headers['content-encoding'] = way;
  return send(c, way ? file.packed[way] : file.body, status, headers);
}

/** Films are asked for in parts (RFC 9110, 14.2); one range at a time, anything else gets the whole. */
function part(c: Context<Env>, file: File, status: 200 | 404, headers: Record<string, string>): Response {
  headers['accept-ranges'] = 'bytes';
  const size = file.body.length;
  const [asked, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(c.req.header('range') ?? '') ?? [];
  const stale = c.req.header('if-range') !== undefined && c.req.header('if-range') !== file.etag;
  if (asked === undefined || stale || status === 404 || first + last === '') return send(c, file.body, status, headers);
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (from > to || from >= size) {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  }
  headers['content-range'] = `bytes ${from}-${to}/${size}`;
  return send(c, file.body.subarray(from, to + 1), 206, headers);
}

function send(c: Context<Env>, body: Buffer, status: number, headers: Record<string, string>): Response {
  headers['content-length'] = String(body.length);
  return new Response(c.req.method === 'HEAD' ? null : new Uint8Array(body), { status, headers });
}
