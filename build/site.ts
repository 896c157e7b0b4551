import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Manifest } from 'vite';
import { keepEarlierAssets } from './earlier-assets.ts';
import { addIntegrity } from './integrity.ts';

/**
 * Builds the web app into dist/web: the bundle for the browser, then a second bundle for Node that prints every page
 * (web/prerender.tsx), then one HTML file for each address, so that pages paint before JavaScript and read without it.
 * The hashed files of the build it replaces go to dist/earlier-assets for seven days: tabs opened before still ask for them.
 */
// Printed as it looks at home; who is elsewhere is told so by the browser.
process.env['TZ'] = 'Australia/Sydney';

const ROOT = join(import.meta.dirname, '..');
const SITE = join(ROOT, 'dist', 'web');
// Built beside the old one and put in its place when whole: a server that runs meanwhile never misses a file.
const OUT = join(ROOT, 'dist', 'web-next');
const REPLACED = join(ROOT, 'dist', 'web-replaced');
const PRERENDERER = join(ROOT, 'dist', 'press');

type RenderedPage = { name: string; source: string; head: string; body: string; way: 'whole' | 'first' | 'no' };
type Prerenderer = {
  renderSite: () => Promise<RenderedPage[]>;
  sitemap: () => string;
  webManifest: (template: string) => string;
};

const configFile = join(ROOT, 'vite.config.ts');
await build({ configFile, logLevel: 'warn', build: { outDir: OUT } });
await build({
  configFile,
  logLevel: 'warn',
  // What the browser fetches bit by bit, Node reads as one file; packages too, so that React is there once.
  ssr: { noExternal: true },
  build: { ssr: 'prerender.tsx', outDir: PRERENDERER, manifest: false, copyPublicDir: false },
});
const prerenderer = (await import(pathToFileURL(join(PRERENDERER, 'prerender.js')).href)) as Prerenderer;

const manifestFile = join(OUT, '.vite', 'manifest.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
const template = readFileSync(join(OUT, 'index.html'), 'utf8');
const font = readdirSync(join(OUT, 'assets')).find((name) => /^archivo-(?!latin|vietnamese).*\.woff2$/.test(name));

for (const page of await prerenderer.renderSite()) {
  const html = addIntegrity(fill(page), (address) => readFileSync(join(OUT, address)));
  writeFileSync(join(OUT, `${page.name || 'index'}.html`), html);
}
writeFileSync(join(OUT, 'sitemap.xml'), prerenderer.sitemap());
const webManifest = join(OUT, 'site.webmanifest');
writeFileSync(webManifest, prerenderer.webManifest(readFileSync(webManifest, 'utf8')));
rmSync(join(OUT, '.vite'), { recursive: true });
keepEarlierAssets(join(SITE, 'assets'), join(ROOT, 'dist', 'earlier-assets'), new Date());
rmSync(REPLACED, { recursive: true, force: true });
if (existsSync(SITE)) renameSync(SITE, REPLACED);
renameSync(OUT, SITE);
rmSync(REPLACED, { recursive: true, force: true });
rmSync(PRERENDERER, { recursive: true });
// React's server half leaves a timer behind.
process.exit(0);

function fill(page: RenderedPage): string {
  const parts = [...new Set([...needs('main.tsx'), ...needs(page.source)])].map((file) => `/${file}`);
  const letters = `<link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/${font}" />`;
  return template
    .replace('<!--head-->', () => `${page.head}\n    ${letters}`)
    .replace(
      '<div id="root"><!--page--></div>',
      () => `<div id="root" data-printed="${page.way}" data-parts="${parts.join(' ')}">${page.body}</div>`,
    );
}

/** A source's file and all it imports at once. */
function needs(source: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[source];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const next of chunk.imports ?? []) needs(next, seen);
  return seen;
}
