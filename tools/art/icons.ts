import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { Resvg } from '@resvg/resvg-js';
import sharp from 'sharp';
import { venue } from '#rules/venue.ts';

/**
 * Draws the favicon, the app icons and the picture of shared links: `node tools/art/icons.ts`. The picture uses the film's
 * first frame (tools/art/hero-film.ts) and is rendered by Chromium, because only a browser supports the variable font.
 */
const OUT = join(import.meta.dirname, '..', '..', 'web', 'public');
const NIGHT = '#0b0b0c';
const SIGNAL = '#ff5a2c';
const CHALK = '#f5f3ef';

/** Draws the mark of web/ui/logo.tsx on a dark square; `share` is the mark's part of the width, `corner` the radius of the square. */
function icon(share: number, corner: number): string {
  const scale = share;
  const rest = (64 - 64 * scale) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="${corner}" fill="${NIGHT}"/><g transform="translate(${rest} ${rest}) scale(${scale})" fill="none" stroke="${SIGNAL}" stroke-width="7"><circle cx="32" cy="32" r="27"/><path d="M32 32V16M32 32H61"/><circle cx="32" cy="32" r="7" fill="${SIGNAL}" stroke="none"/></g></svg>\n`;
}

const draw = (svg: string, width: number): Buffer =>
  new Resvg(svg, { fitTo: { mode: 'width', value: width } }).render().asPng();

/** Wraps a PNG in the ICO container that every browser requests (PNG is allowed inside since Windows Vista). */
function ico(png: Buffer, width: number): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(width, 6);
  head.writeUInt8(width, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

function openGraphPage(): string {
  const require = createRequire(import.meta.url);
  const data = (type: string, path: string): string => `data:${type};base64,${readFileSync(path).toString('base64')}`;
  const font = data(
    'font/woff2',
    require.resolve('@fontsource-variable/archivo/files/archivo-latin-wdth-normal.woff2'),
  );
  const [start, move] = venue.tagline.split('. ');
  return `<!doctype html><style>
    @font-face { font-family: Archivo; src: url(${font}); font-weight: 100 900; font-stretch: 62% 125%; }
    body { margin: 0; width: 1200px; height: 630px; overflow: hidden; color: ${CHALK}; font-family: Archivo;
      background: linear-gradient(75deg, ${NIGHT}f0 10%, ${NIGHT}66 48%, transparent 75%), url(${data('image/jpeg', join(OUT, 'hero', 'wide.jpg'))}) 60% 42% / 128%; }
    b { position: absolute; left: 50px; top: 62px; font: 900 330px/0.76 Archivo; font-stretch: 62%; letter-spacing: -0.045em; }
    i { font-style: normal; color: ${SIGNAL}; }
    h1 { position: absolute; left: 58px; top: 350px; margin: 0; font: 800 66px/1 Archivo; font-stretch: 75%; text-transform: uppercase; }
    p { position: absolute; left: 60px; bottom: 56px; margin: 0; font: 800 34px/1.08 Archivo; font-stretch: 75%; color: ${SIGNAL}; }
  </style><b>24<i>/</i>7</b><h1>DJ Studios, Sydney</h1><p>${start}.<br>${move}</p>`;
}

mkdirSync(join(OUT, 'icons'), { recursive: true });
writeFileSync(join(OUT, 'favicon.svg'), icon(0.8, 12));
writeFileSync(join(OUT, 'favicon.ico'), ico(draw(icon(0.8, 12), 32), 32));
// Phones crop these: iOS rounds them, Android needs the mark within the middle 80 %.
writeFileSync(join(OUT, 'icons', '180.png'), draw(icon(0.62, 0), 180));
for (const width of [192, 512]) {
  writeFileSync(join(OUT, 'icons', `${width}.png`), draw(icon(0.8, 12), width));
  writeFileSync(join(OUT, 'icons', `maskable-${width}.png`), draw(icon(0.54, 0), width));
}

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
await page.setContent(openGraphPage());
await page.evaluate('document.fonts.ready.then(() => null)');
const picture = await page.screenshot();
await sharp(picture).jpeg({ quality: 84, mozjpeg: true }).toFile(join(OUT, 'open-graph.jpg'));
await browser.close();
