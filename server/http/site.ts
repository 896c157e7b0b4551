import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { Hono } from 'hono';
import { gzipSync } from 'node:zlib';
import type { Env } from './caller.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};
const PACKED = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest', '.txt']);

type File = { readonly body: Buffer; readonly packed: Buffer | null; readonly type: string; readonly etag: string };

/** The built web app: files with a hash in their name for ever, the page for every address of ours, with the public key in it. */
export function createSite(parts: { folder: string; anonKey: string }): Hono<Env> {
  const files = new Map<string, File | null>();

  async function load(path: string): Promise<File | null> {
    const known = files.get(path);
    if (known !== undefined) return known;
    const file = await read(path);
    if (files.size < 500) files.set(path, file);
    return file;
  }
  async function read(path: string): Promise<File | null> {
    const full = join(parts.folder, normalize(`/${path}`));
    const found = await stat(full).catch(() => null);
    if (!found?.isFile()) return null;
    const extension = extname(full);
    let body = await readFile(full);
    if (extension === '.html') body = Buffer.from(body.toString('utf8').replaceAll('%ANON_KEY%', parts.anonKey));
    return {
      body,
      packed: PACKED.has(extension) ? gzipSync(body) : null,
      type: TYPES[extension] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 20)}"`,
    };
  }

  const site = new Hono<Env>();
  site.on(['GET', 'HEAD'], '*', async (c) => {
    const path = c.req.path === '/' ? 'index.html' : c.req.path.slice(1);
    const asset = path.startsWith('assets/');
    const file = (await load(path)) ?? (asset || /\.[a-z0-9]{2,5}$/.test(path) ? null : await load('index.html'));
    if (!file) return c.text('Not found', 404);
    const headers: Record<string, string> = {
      'content-type': file.type,
      etag: file.etag,
      'cache-control': asset ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    };
    if (c.req.header('if-none-match') === file.etag) return new Response(null, { status: 304, headers });
    const packed = file.packed !== null && (c.req.header('accept-encoding') ?? '').includes('gzip');
    if (packed) headers['content-encoding'] = 'gzip';
    const body = packed && file.packed ? file.packed : file.body;
    return new Response(c.req.method === 'HEAD' ? null : new Uint8Array(body), { headers });
  });
  return site;
}
