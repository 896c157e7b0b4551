import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSite } from './site.ts';

const folder = mkdtempSync(join(tmpdir(), 'site-'));
const video = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));
const earlierAssets = mkdtempSync(join(tmpdir(), 'earlier-'));
const { router: site, show } = createSite({
  folder,
  earlierAssets,
  anonKey: 'public-key',
  siteUrl: 'https://example.com',
  captcha: null,
  wallets: 'apple google',
  contact: () => ({ email: contact }),
  clock: () => new Date('2031-03-01T13:14:15.678Z'),
});
let contact = 'hello@site.example';
const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  site.request(path, { headers });

beforeAll(() => {
  writeFileSync(
    join(folder, 'index.html'),
    '<meta content="%ANON_KEY%"><meta content="%WALLETS%"><link href="%SITE_URL%/">',
  );
  writeFileSync(join(folder, 'about.html'), 'about');
  writeFileSync(join(folder, '404.html'), 'unknown');
  writeFileSync(join(folder, 'things-any.html'), 'one thing');
  writeFileSync(join(folder, 'sitemap.xml'), '<loc>%SITE_URL%/about</loc>');
  writeFileSync(join(folder, 'film.webm'), video);
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'assets', 'page-new.js'), 'new');
  writeFileSync(join(folder, 'assets', 'page-new.js.br'), brotliCompressSync('new, from the build'));
  writeFileSync(join(earlierAssets, 'page-old.js'), 'old');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(earlierAssets, { recursive: true });
});

describe('the site', () => {
  test('fills in the public key, the wallets and its own address', async () => {
    expect(await (await get('/')).text()).toBe(
      '<meta content="public-key"><meta content="apple google"><link href="https://example.com/">',
    );
    expect(await (await get('/sitemap.xml')).text()).toBe('<loc>https://example.com/about</loc>');
  });

  test('allows the style element of a page by its hash, also in a 304, and none on a page without one', async () => {
    const style = 'p{color:red}';
    writeFileSync(join(folder, 'styled.html'), `<head><style>${style}</style></head>`);
    const hash = createHash('sha256').update(style).digest('base64');
    const page = await get('/styled');
    expect(page.headers.get('content-security-policy')).toContain(`; style-src 'self' 'sha256-${hash}'; `);
    const unchanged = await get('/styled', { 'if-none-match': page.headers.get('etag') ?? '' });
    expect(unchanged.status).toBe(304);
    expect(unchanged.headers.get('content-security-policy')).toBe(page.headers.get('content-security-policy'));
    // All other pages get their policy from the middleware.
    expect((await get('/about')).headers.get('content-security-policy')).toBeNull();
  });

  test('serves a page for each path of the site and 404 for any other', async () => {
    expect([(await get('/about')).status, await (await get('/about/')).text()]).toEqual([200, 'about']);
    const unknown = await get('/somewhere/else');
    expect([unknown.status, await unknown.text()]).toEqual([404, 'unknown']);
    expect(await (await get('/things/ABCD-2345')).text()).toBe('one thing');
    expect((await get('/things/ABCD-2345/more')).status).toBe(404);
    expect((await get('/missing.png')).status).toBe(404);
    expect((await get('/../../etc/passwd')).status).toBe(404);
    expect((await get('/%2e%2e/%2e%2e/etc/passwd')).status).toBe(404);
  });

  test('serves hashed files of earlier builds like those of the newest, cached for a year', async () => {
    for (const [path, text] of [
      ['/assets/page-new.js', 'new'],
      ['/assets/page-old.js', 'old'],
    ] as const) {
      const answer = await get(path);
      expect([answer.status, await answer.text()]).toEqual([200, text]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
    // Earlier assets are served only under /assets/, and no file outside the folder is.
    expect((await get('/page-old.js')).status).toBe(404);
    expect((await get('/assets/..%2fpage-old.js')).status).toBe(404);
  });

  test('sends the copy that the build has compressed, and compresses other files itself', async () => {
    for (const [path, text] of [
      ['/assets/page-new.js', 'new, from the build'],
      ['/assets/page-old.js', 'old'],
    ] as const) {
      const answer = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
      expect(answer.headers.get('content-encoding')).toBe('br');
      expect(brotliDecompressSync(await answer.arrayBuffer()).toString()).toBe(text);
    }
  });

  test('serves pages that were rendered again instead of those of the build, with another ETag, until they are replaced', async () => {
    const read = async (path: string) => {
      const answer = await get(path);
      return [await answer.text(), answer.headers.get('etag')];
    };
    const [text, etag] = await read('/about');
    show(new Map([['about.html', 'about %SITE_URL%']]));
    const [next, nextEtag] = await read('/about');
    expect([text, next]).toEqual(['about', 'about https://example.com']);
    expect(nextEtag).not.toBe(etag);
    show(new Map());
    expect(await read('/about')).toEqual([text, etag]);
  });

  test('serves nothing of hidden folders', async () => {
    mkdirSync(join(folder, '.render'));
    writeFileSync(join(folder, '.render', 'templates.json'), '{}');
    for (const path of ['/.render/templates.json', '/assets/../.render/templates.json', '/.render%2ftemplates.json'])
      expect((await get(path)).status, path).toBe(404);
  });

  test('does not cache misses: a file that is added later is served', async () => {
    const before = await get('/assets/page-next.js');
    expect([before.status, before.headers.get('cache-control')]).toEqual([404, 'no-store']);
    writeFileSync(join(folder, 'assets', 'page-next.js'), 'next');
    expect((await get('/assets/page-next.js')).status).toBe(200);
  });

  test('compresses text as the browser accepts it, and answers 304 for a known ETag', async () => {
    const packed = await get('/about', { 'accept-encoding': 'gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe('about');
    expect((await get('/about', { 'accept-encoding': 'gzip, deflate, br' })).headers.get('content-encoding')).toBe(
      'br',
    );
    const etag = packed.headers.get('etag') ?? '';
    expect((await get('/about', { 'if-none-match': etag })).status).toBe(304);
  });

  test.each([
    ['bytes=0-1', 'bytes 0-1/1000', video.subarray(0, 2)],
    ['bytes=990-', 'bytes 990-999/1000', video.subarray(990)],
    ['bytes=-5', 'bytes 995-999/1000', video.subarray(995)],
    ['bytes=990-5000', 'bytes 990-999/1000', video.subarray(990)],
  ])('answers %s with that range of a video', async (range, contentRange, bytes) => {
    const part = await get('/film.webm', { range });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, contentRange]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('refuses a range outside the file, and answers a range it cannot read with the whole file', async () => {
    const beyond = await get('/film.webm', { range: 'bytes=1000-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
    for (const range of ['bytes=-', 'bytes=0-1,5-6', 'lines=1-2']) {
      expect((await get('/film.webm', { range })).status, range).toBe(200);
    }
    expect((await get('/film.webm', { range: 'bytes=0-1', 'if-range': '"old"' })).status).toBe(200);
  });
});

test('security.txt names the contact of the business as it is now', async () => {
  const answer = await get('/.well-known/security.txt');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=UTF-8']);
  expect(await answer.text()).toContain('Contact: mailto:hello@site.example\nExpires: 2031-08-28T00:00:00Z\n');
  contact = 'new@site.example';
  expect(await (await get('/.well-known/security.txt')).text()).toContain('Contact: mailto:new@site.example\n');
});
