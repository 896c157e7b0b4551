import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type Context, Hono } from 'hono';
import { getMimeType } from 'hono/utils/mime';
import { LRUCache } from 'lru-cache';
import type { Clock, Env } from './caller.ts';
import { type HeaderOptions, pagePolicy, POLICY_HEADER } from './headers.ts';

const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest', '.xml', '.txt', '.ico']);
/** Extensions of files other than pages that contain placeholders such as %SITE_URL%, which only the running server can fill in. */
const TEMPLATES = new Set(['.xml', '.txt']);
const PAGE = '.html';
const HASHED = 'public, max-age=31536000, immutable';
const ONE_DAY = 'public, max-age=86400';
const ASSETS = '/assets/';

type File = {
  readonly body: Buffer;
  readonly compressed: { readonly br: Buffer; readonly gzip: Buffer } | null;
  readonly type: string;
  readonly etag: string;
  /** The content security policy of a page with styles in its HTML; null for any other file. */
  readonly policy: string | null;
};

/**
 * Serves the built web app (build/site.ts). Clients cache files with a hash in their name for a year; `earlierAssets` holds those of
 * earlier builds. Each path of the site has a page that contains the public key; any other path gets the 404 page.
 */
export function createSite(settings: {
  folder: string;
  earlierAssets: string;
  anonKey: string;
  siteUrl: string;
  /** The captcha provider on the pages, or null. */
  captcha: HeaderOptions['captcha'];
  /** The wallets in which passes can be saved, separated by spaces. */
  wallets: string;
  /** Returns the current contact for reports of security vulnerabilities. */
  contact: () => { readonly email: string };
  clock: Clock;
}): {
  router: Hono<Env>;
  show: (pages: ReadonlyMap<string, string>) => void;
} {
  const files = new LRUCache<string, File>({ max: 500 });
  let rendered: ReadonlyMap<string, string> = new Map();

  async function load(path: string): Promise<File | null> {
    const cached = files.get(path);
    if (cached !== undefined) return cached;
    const before = rendered;
    const file = await read(path);
    // Misses are not cached: the next build may add the file, and anyone can request names that do not exist. The file is not cached either
    // if pages were replaced while it was read.
    if (file !== null && before === rendered) files.set(path, file);
    return file;
  }
  async function read(path: string): Promise<File | null> {
    const safe = normalize(`/${path}`);
    const page = rendered.get(safe.slice(1));
    if (page !== undefined) return createPage(fill(page), settings);
    // Hidden folders hold files of the build for the server, not for browsers.
    if (safe.includes('/.')) return null;
    const hashed = safe.startsWith(ASSETS) ? [join(settings.earlierAssets, safe.slice(ASSETS.length))] : [];
    const full = await firstFile([join(settings.folder, safe), ...hashed]);
    if (full === null) return null;
    const extension = extname(full);
    const stored = await readFile(full);
    if (extension === PAGE) return createPage(fill(stored.toString('utf8')), settings);
    const body = TEMPLATES.has(extension) ? Buffer.from(fill(stored.toString('utf8'))) : stored;
    return toFile(extension, getMimeType(full), body, await readFile(`${full}.br`).catch(() => null));
  }
  const fill = (text: string): string =>
    text
      .replaceAll('%ANON_KEY%', settings.anonKey)
      .replaceAll('%SITE_URL%', settings.siteUrl)
      .replaceAll('%WALLETS%', settings.wallets);

  /** Loads the page that serves all paths one level below another path: `things-any.html` for `things/…`. */
  const loadBelow = async (path: string): Promise<File | null> => {
    const above = /^([a-z-]+)\/[^/]+$/.exec(path)?.[1];
    return above === undefined ? null : load(`${above}-any.html`);
  };
  const site = new Hono<Env>();
  site.get('/.well-known/security.txt', (c) => {
    const { siteUrl, contact, clock } = settings;
    const text = securityTxt({ siteUrl, email: contact().email }, clock());
    return c.text(text, 200, { 'cache-control': ONE_DAY, vary: 'accept-encoding' });
  });
  site.on(['GET', 'HEAD'], '*', async (c) => {
    const path = c.req.path.replace(/^\/+|\/+$/g, '');
    const isFile = /\.[a-z0-9]{2,11}$/.test(path);
    const file = isFile ? await load(path) : ((await load(`${path || 'index'}.html`)) ?? (await loadBelow(path)));
    if (file) return answer(c, file, 200, getCacheControl(path));
    const unknown = isFile ? null : await load('404.html');
    return unknown ? answer(c, unknown, 404, 'no-cache') : c.text('Not found', 404, { 'cache-control': 'no-store' });
  });
  return {
    router: site,
    /** Replaces pages of the build. `pages` maps file names to contents. */
    show(pages) {
      for (const name of [...rendered.keys(), ...pages.keys()]) files.delete(name);
      rendered = pages;
    },
  };
}

/** Returns a page with the policy that allows the styles in its HTML. The build puts at most one style element into a page. */
function createPage(html: string, settings: Pick<HeaderOptions, 'siteUrl' | 'captcha'>): File {
  const style = /<style>([^]*?)<\/style>/.exec(html)?.[1];
  const file = toFile(PAGE, 'text/html; charset=utf-8', Buffer.from(html), null);
  return { ...file, policy: style === undefined ? null : pagePolicy(settings, style) };
}

function toFile(extension: string, type: string | undefined, body: Buffer, br: Buffer | null): File {
  return {
    body,
    compressed: COMPRESSIBLE.has(extension) ? compress(body, br) : null,
    type: type ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 20)}"`,
    policy: null,
  };
}

async function firstFile(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile()) return path;
  }
  return null;
}

/** Returns the `cache-control` of a path. Pages are revalidated each time, because a page names the files of one build. */
function getCacheControl(path: string): string {
  if (path.startsWith('assets/')) return HASHED;
  return /\.[a-z0-9]{2,11}$/.test(path) && !path.endsWith('.html') ? ONE_DAY : 'no-cache';
}

/** Returns compressed copies. `br`: the build's copy (build/compress.ts), which is compressed more than time allows during a request. */
function compress(body: Buffer, br: Buffer | null): File['compressed'] {
  return {
    br: br ?? brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gzip: gzipSync(body, { level: 9 }),
  };
}

function answer(c: Context<Env>, file: File, status: 200 | 404, caching: string): Response {
  const headers: Record<string, string> = {
    'content-type': file.type,
    etag: file.etag,
    'cache-control': caching,
    vary: 'accept-encoding',
    ...(file.policy === null ? {} : { [POLICY_HEADER]: file.policy }),
  };
  if (status === 200 && c.req.header('if-none-match') === file.etag)
    return new Response(null, { status: 304, headers });
  if (file.compressed === null) return part(c, file, status, headers);
  const accepted = c.req.header('accept-encoding') ?? '';
  const encoding = (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding));
  if (encoding) headers['content-encoding'] = encoding;
  return send(c, encoding ? file.compressed[encoding] : file.body, status, headers);
}

/**
 * Answers range requests, which browsers send for videos (RFC 9110, section 14.2). Only a single range is supported; other requests get the
 * whole file.
 */
function part(c: Context<Env>, file: File, status: 200 | 404, headers: Record<string, string>): Response {
  headers['accept-ranges'] = 'bytes';
  const size = file.body.length;
  const [range, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(c.req.header('range') ?? '') ?? [];
  const stale = c.req.header('if-range') !== undefined && c.req.header('if-range') !== file.etag;
  if (range === undefined || stale || status === 404 || first + last === '') return send(c, file.body, status, headers);
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

const DAY_MS = 86_400_000;
/** Validity of a text in days. RFC 9116, section 2.5.5, recommends less than a year. */
const VALID_DAYS = 180;

/**
 * Returns the text of `/.well-known/security.txt` (RFC 9116): the contact for security vulnerabilities. It is computed for each request, so
 * that it never expires while the server runs. The expiry is rounded to a day, so that copies are identical for a day.
 */
function securityTxt(site: { readonly siteUrl: string; readonly email: string }, now: Date): string {
  const expires = new Date((Math.floor(now.getTime() / DAY_MS) + VALID_DAYS) * DAY_MS);
  return [
    `Contact: mailto:${site.email}`,
    `Expires: ${expires.toISOString().replace('.000', '')}`,
    'Preferred-Languages: en',
    `Canonical: ${site.siteUrl}/.well-known/security.txt`,
    '',
  ].join('\n');
}
