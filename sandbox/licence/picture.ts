import { Resvg } from '@resvg/resvg-js';
import sharp from 'sharp';
import { esc } from '../core/page.ts';
import { FONT_FAMILY, licenceFonts } from './font.ts';
import { printedDate, type Specimen, STATES } from './specimen.ts';

const WIDTH = 1_280;
const HEIGHT = 800;
const SIZE = { width: WIDTH, height: HEIGHT };
/** Width of a glyph, as a share of its height. */
const ADVANCE = 0.6;
/** Centre and counter of a zero, as shares of the glyph height. */
const ZERO = { middle: 0.365, bold: { x: 0.088, y: 0.235 }, regular: { x: 0.135, y: 0.27 } };
/**
 * Amount by which the gap between words is narrowed, as a share of the height. OCR would mistake the font's own gap for the end of a line.
 */
const TIGHTER = 0.2;
const GRAIN = 22;
const NAME_WIDTH = 690;
const INK = '#12202a';
const LABEL = '#44525a';

/** The noise of all pictures. It is kept, because computing it is a third of the work of drawing a picture. */
let grain: Promise<Buffer> | null = null;

/** Draws a clearly fictional licence on a table, as a phone would photograph it: a JPEG of 1280 × 800. */
export async function drawLicence(specimen: Specimen): Promise<Buffer> {
  const font = { fontFiles: licenceFonts(), loadSystemFonts: false, defaultFontFamily: FONT_FAMILY };
  const { pixels } = new Resvg(scene(specimen), { font }).render();
  grain ??= sharp(createGrain(WIDTH * HEIGHT), { raw: { ...SIZE, channels: 1 } })
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  const shot = sharp(pixels, { raw: { ...SIZE, channels: 4 } }).composite([
    { input: await grain, raw: { ...SIZE, channels: 3 }, blend: 'soft-light' },
  ]);
  if (specimen.blur <= 0) return shot.jpeg({ quality: 90 }).toBuffer();
  const { data, info } = await shot.raw().toBuffer({ resolveWithObject: true });
  return sharp(data, { raw: info }).blur(Math.max(0.3, specimen.blur)).jpeg({ quality: 90 }).toBuffer();
}

/** Returns the noise of a small sensor around middle grey. It is always the same, so that the same request gives the same picture. */
function createGrain(size: number): Uint8Array {
  let seed = 1;
  const random = (): number => {
    // A linear congruential generator (Numerical Recipes).
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  return Uint8Array.from({ length: size }, () => 128 + GRAIN * (random() + random() - 1));
}

function scene(specimen: Specimen): string {
  const planks = [0, 160, 320, 480, 640]
    .map(
      (y, index) =>
        `<rect y="${y}" width="${WIDTH}" height="160" fill="${['#6f5741', '#7a6049', '#6a523d', '#755c46', '#6d5540'][index]}"/><rect y="${y}" width="${WIDTH}" height="3" fill="#4b3a2b"/>`,
    )
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<defs>
<linearGradient id="light" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".16"/><stop offset=".55" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".2"/></linearGradient>
<linearGradient id="card" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#f7f8f1"/><stop offset="1" stop-color="#e6eede"/></linearGradient>
<filter id="soft"><feGaussianBlur stdDeviation="14"/></filter>
</defs>
${planks}<g transform="rotate(${specimen.tilt} 640 400) ${specimen.tilt === 0 ? '' : 'translate(640 400) scale(.92) translate(-640 -400)'}">
<rect x="112" y="78" width="1080" height="681" rx="40" fill="#000" opacity=".45" filter="url(#soft)"/>
${card(specimen)}</g><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#light)"/></svg>`;
}

/**
 * Draws the card. The fields have the same places as in New South Wales: card number top right, licence number left, expiry bottom right.
 */
function card(specimen: Specimen): string {
  const { given, family } = specimen;
  return `<rect x="100" y="60" width="1080" height="681" rx="36" fill="url(#card)" stroke="#b9c4ad"/>
<path d="M100 96a36 36 0 0 1 36-36h1008a36 36 0 0 1 36 36v94H100z" fill="#d5e3c1"/>
${text(150, 126, 46, 'DRIVER LICENCE', 700)}${text(150, 172, 30, STATES[specimen.state])}
${text(890, 116, 20, 'CARD NO.', 400, LABEL)}${text(890, 154, 30, 'SPECIMEN', 700)}
${text(150, 282, fitting(given, 42), given, 700)}${text(150, 342, fitting(family, 50), family.toUpperCase(), 700)}
${text(150, 410, 28, '1 SPECIMEN STREET')}${text(150, 448, 28, 'SAMPLEVILLE 2000')}
${text(150, 522, 22, 'LICENCE NO.', 400, LABEL)}${text(150, 562, 34, 'SPECIMEN', 700)}
${text(560, 522, 22, 'LICENCE CLASS', 400, LABEL)}${text(560, 562, 34, 'C', 700)}
${text(150, 640, 24, 'DATE OF BIRTH', 400, LABEL)}${text(150, 684, 38, printedDate(specimen.dob), 700)}
${text(640, 640, 24, 'EXPIRY DATE', 400, LABEL)}${text(640, 684, 38, printedDate(specimen.expiry), 700)}
${portrait()}
<text transform="translate(1158 720) rotate(-90)" font-family="${FONT_FAMILY}" font-weight="700" font-size="24" fill="#b3261e" opacity=".75">SPECIMEN, NOT A REAL LICENCE</text>`;
}

function portrait(): string {
  return `<rect x="880" y="236" width="236" height="300" rx="6" fill="#c3cfba"/><circle cx="998" cy="346" r="60" fill="#8b9985"/><path d="M898 536a100 112 0 0 1 200 0z" fill="#8b9985"/>
<circle cx="1060" cy="640" r="46" fill="none" stroke="#a9bb93" stroke-width="5"/><circle cx="1060" cy="640" r="30" fill="none" stroke="#a9bb93" stroke-width="3"/>`;
}

function text(x: number, y: number, size: number, words: string, weight = 400, fill = INK): string {
  const textElement = `<text x="${x}" y="${y}" font-family="${FONT_FAMILY}" font-weight="${weight}" font-size="${size}" word-spacing="${-TIGHTER * size}" fill="${fill}">${esc(words)}</text>`;
  return textElement + openZeros(x, y, size, words, weight);
}

/** Covers the slashes of the font's zeros. Licences do not have them, and OCR reads a slashed zero as a six or an eight. */
function openZeros(x: number, y: number, size: number, words: string, weight: number): string {
  const radius = weight === 700 ? ZERO.bold : ZERO.regular;
  const getLeft = (index: number): number =>
    x + (index * ADVANCE - TIGHTER * (words.slice(0, index).split(' ').length - 1)) * size;
  return [...words.matchAll(/0/g)]
    .map(
      ({ index }) =>
        `<ellipse cx="${getLeft(index) + (ADVANCE / 2) * size}" cy="${y - ZERO.middle * size}" rx="${radius.x * size}" ry="${radius.y * size}" fill="#f1f4ea"/>`,
    )
    .join('');
}

/** Returns the largest font size at which a name ends before the portrait. */
function fitting(name: string, size: number): number {
  return Math.min(size, Math.floor(NAME_WIDTH / (ADVANCE * Math.max(1, name.length))));
}
