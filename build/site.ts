import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Manifest } from 'vite';
import { checkBudget, checkFont, checkStart } from './budgets.ts';
import { compressFiles } from './compress.ts';
import { keepEarlierAssets } from './earlier-assets.ts';
import { addIntegrity, integrityHash } from './integrity.ts';

/**
 * Builds the web app into dist/web: the browser bundle, then a Node bundle that renders every page (web/prerender.tsx), then one HTML file
 * per address, so that pages show before JavaScript runs and are readable without it. The hashed files of the replaced build stay in
 * dist/earlier-assets for seven days, for tabs that are still open.
 */
// Pages are rendered in Sydney time. The browser shows a note to visitors elsewhere.
process.env['TZ'] = 'Australia/Sydney';

const ROOT = join(import.meta.dirname, '..');
const SITE = join(ROOT, 'dist', 'web');
// The new folder is built next to the old one and then swapped in, so that a running server never misses a file.
const OUT = join(ROOT, 'dist', 'web-next');
const PREVIOUS = join(ROOT, 'dist', 'web-replaced');
// The renderer stays with the site, because the server renders the pages again when staff change the settings
// (server/start/render-pages.ts).
const PRERENDERER = join(OUT, '.render');

type SitePage = { file: string; name: string; source: string; way: 'whole' | 'first' | 'no' };
type Prerenderer = {
  listPages: () => SitePage[];
  renderSite: (templates: Record<string, string>) => Promise<Record<string, string>>;
  sitemap: () => string;
};

const configFile = join(ROOT, 'vite.config.ts');
await build({ configFile, logLevel: 'warn', build: { outDir: OUT } });
await build({
  configFile,
  logLevel: 'warn',
  // The bundle for Node is one file that includes the packages, so that there is only one copy of React.
  ssr: { noExternal: true },
  build: { ssr: 'prerender.tsx', outDir: PRERENDERER, manifest: false, copyPublicDir: false, emptyOutDir: true },
});
const prerenderer = (await import(pathToFileURL(join(PRERENDERER, 'prerender.js')).href)) as Prerenderer;

const manifestFile = join(OUT, '.vite', 'manifest.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
const template = readFileSync(join(OUT, 'index.html'), 'utf8');
const font = readdirSync(join(OUT, 'assets')).find((name) => /^archivo-[0-9a-f]{8}\.woff2$/.test(name));

const pages = prerenderer.listPages();
const webManifest = join(OUT, 'site.webmanifest');
const styles = readdirSync(join(OUT, 'assets')).filter((name) => name.endsWith('.css'));
const templates: Record<string, string> = {
  'site.webmanifest': readFileSync(webManifest, 'utf8'),
  'styles.css': styles.map((name) => readFileSync(join(OUT, 'assets', name), 'utf8')).join(''),
};
for (const page of pages)
  templates[page.file] = addIntegrity(createTemplate(page), (address) => readFileSync(join(OUT, address)));
writeFileSync(join(PRERENDERER, 'templates.json'), JSON.stringify(templates));
for (const [file, text] of Object.entries(await prerenderer.renderSite(templates)))
  writeFileSync(join(OUT, file), text);
const getScripts = (page: SitePage): string[] => [...collectChunks('index.html'), ...getParts(page)];
const first = new Set([...pages.flatMap(getScripts), ...styles.map((name) => `assets/${name}`)]);
const compressed = await compressFiles([...first].map((file) => join(OUT, file)));
const getSize = (file: string): number => compressed.get(join(OUT, file)) ?? Number.POSITIVE_INFINITY;
checkStart([...collectChunks('index.html')], getSize);
checkFont(statSync(join(OUT, 'assets', font ?? '')).size);
for (const page of pages) checkBudget(page.name, getScripts(page), getSize);
writeFileSync(join(OUT, 'sitemap.xml'), prerenderer.sitemap());
rmSync(join(OUT, '.vite'), { recursive: true });
keepEarlierAssets(join(SITE, 'assets'), join(ROOT, 'dist', 'earlier-assets'), new Date());
rmSync(PREVIOUS, { recursive: true, force: true });
if (existsSync(SITE)) renameSync(SITE, PREVIOUS);
renameSync(OUT, SITE);
rmSync(PREVIOUS, { recursive: true, force: true });
// React's server renderer leaves a timer running, which would keep the process alive.
process.exit(0);

/** Returns the HTML of a page with its scripts, and with markers for the rendered parts. */
function createTemplate(page: SitePage): string {
  const sheets = page.way === 'no' ? [] : styles.map(hashedSheet);
  const parts = [...sheets, ...getParts(page)];
  // A signed-in visitor needs it on every page.
  const client = [...collectChunks('data/client.ts')].filter((file) => !parts.includes(file));
  const fontLink = `<link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/${font}" />`;
  return (page.way === 'no' ? template : paintedFirst(template))
    .replace('<!--head-->', () => `<!--head-->\n    ${fontLink}`)
    .replace(
      '<div id="root"><!--page--></div>',
      () =>
        `<div id="root" data-rendered="${page.way}" data-parts="${listed(parts)}" data-client="${listed(client)}"><!--page--></div>`,
    );
}

/**
 * Lets the browser paint a page before it has fetched anything else. A marker for the rules that the page needs replaces the style sheet,
 * which `web/start.ts` fetches together with the program, and the scripts have a low priority.
 */
function paintedFirst(html: string): string {
  return html
    .replace(/<link rel="stylesheet"[^>]*>/, '<!--styles-->')
    .replaceAll(/<(script type="module"|link rel="modulepreload")/g, '<$1 fetchpriority="low"');
}

/** Returns the file of a style sheet, followed by `#` and the hash that the browser checks. `web/start.ts` reads both. */
function hashedSheet(name: string): string {
  const file = `assets/${name}`;
  return `${file}#${integrityHash(readFileSync(join(OUT, file)))}`;
}

function listed(files: readonly string[]): string {
  return files.map((file) => `/${file}`).join(' ');
}

function getParts(page: SitePage): string[] {
  return [...new Set([...collectChunks('main.tsx'), ...collectChunks(page.source)])];
}

/** Returns a source's chunk and its static imports, recursively. */
function collectChunks(source: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[source];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const next of chunk.imports ?? []) collectChunks(next, seen);
  return seen;
}
