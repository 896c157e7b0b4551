import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSite } from './site.ts';

const folder = mkdtempSync(join(tmpdir(), 'site-'));
const film = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 251));
const earlierAssets = mkdtempSync(join(tmpdir(), 'earlier-'));
const site = createSite({ folder, earlierAssets, anonKey: 'public-key', siteUrl: 'https://example.com' });
const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  site.request(path, { headers });

beforeAll(() => {
  writeFileSync(join(folder, 'index.html'), '<meta content="%ANON_KEY%"><link href="%SITE_URL%/">');
  writeFileSync(join(folder, 'about.html'), 'about');
  writeFileSync(join(folder, '404.html'), 'unknown');
  writeFileSync(join(folder, 'sitemap.xml'), '<loc>%SITE_URL%/about</loc>');
  writeFileSync(join(folder, 'film.webm'), film);
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'assets', 'page-new.js'), 'new');
  writeFileSync(join(earlierAssets, 'page-old.js'), 'old');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(earlierAssets, { recursive: true });
});

describe('the site', () => {
  test('fills in the public key and its own address', async () => {
    expect(await (await ask('/')).text()).toBe('<meta content="public-key"><link href="https://example.com/">');
    expect(await (await ask('/sitemap.xml')).text()).toBe('<loc>https://example.com/about</loc>');
  });

  test('has a page for each address of ours and 404 for the rest', async () => {
    expect([(await ask('/about')).status, await (await ask('/about/')).text()]).toEqual([200, 'about']);
    const unknown = await ask('/somewhere/else');
    expect([unknown.status, await unknown.text()]).toEqual([404, 'unknown']);
    expect((await ask('/missing.png')).status).toBe(404);
    expect((await ask('/../../etc/passwd')).status).toBe(404);
    expect((await ask('/%2e%2e/%2e%2e/etc/passwd')).status).toBe(404);
  });

  test('serves hashed files of earlier builds as it serves those of the newest, unchanging for a year', async () => {
    for (const [path, text] of [
      ['/assets/page-new.js', 'new'],
      ['/assets/page-old.js', 'old'],
    ] as const) {
      const answer = await ask(path);
      expect([answer.status, await answer.text()]).toEqual([200, text]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
    // Only as assets, and nothing above their folder.
    expect((await ask('/page-old.js')).status).toBe(404);
    expect((await ask('/assets/..%2fpage-old.js')).status).toBe(404);
  });

  test('remembers no miss: a file that comes later is served, and a missing one is never stored', async () => {
    const before = await ask('/assets/page-next.js');
    expect([before.status, before.headers.get('cache-control')]).toEqual([404, 'no-store']);
    writeFileSync(join(folder, 'assets', 'page-next.js'), 'next');
    expect((await ask('/assets/page-next.js')).status).toBe(200);
  });

  test('packs text as the browser can unpack it, and knows what the browser has', async () => {
    const packed = await ask('/about', { 'accept-encoding': 'gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe('about');
    expect((await ask('/about', { 'accept-encoding': 'gzip, deflate, br' })).headers.get('content-encoding')).toBe(
      'br',
    );
    const etag = packed.headers.get('etag') ?? '';
    expect((await ask('/about', { 'if-none-match': etag })).status).toBe(304);
  });

  test.each([
    ['bytes=0-1', 'bytes 0-1/1000', film.subarray(0, 2)],
    ['bytes=990-', 'bytes 990-999/1000', film.subarray(990)],
    ['bytes=-5', 'bytes 995-999/1000', film.subarray(995)],
    ['bytes=990-5000', 'bytes 990-999/1000', film.subarray(990)],
  ])('answers %s with that part of a film', async (range, told, bytes) => {
    const part = await ask('/film.webm', { range });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, told]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('refuses a part that is not there, and answers what it does not understand with the whole', async () => {
    const beyond = await ask('/film.webm', { range: 'bytes=1000-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
    for (const range of ['bytes=-', 'bytes=0-1,5-6', 'lines=1-2']) {
      expect((await ask('/film.webm', { range })).status, range).toBe(200);
    }
    expect((await ask('/film.webm', { range: 'bytes=0-1', 'if-range': '"old"' })).status).toBe(200);
  });
});
