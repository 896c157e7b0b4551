import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import sharp from 'sharp';
import { esc, page } from '../core/page.ts';
import { licenceFonts } from './font.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const STATES: Readonly<Record<string, string>> = {
  NSW: 'New South Wales, Australia',
  VIC: 'Victoria, Australia',
  QLD: 'Queensland, Australia',
  WA: 'Western Australia',
  SA: 'South Australia',
  TAS: 'Tasmania, Australia',
  ACT: 'Australian Capital Territory',
  NT: 'Northern Territory',
};

let fontFiles: string[] | null = null;
function fonts(): string[] {
  if (fontFiles) return fontFiles;
  const folder = mkdtempSync(join(tmpdir(), 'specimen-'));
  fontFiles = licenceFonts().map((bytes, at) => {
    const path = join(folder, `${at}.ttf`);
    writeFileSync(path, bytes);
    return path;
  });
  return fontFiles;
}

/** "03 APR 1998" */
function printed(iso: string): string {
  const [year = '', month = '1', day = ''] = iso.split('-');
  return `${day} ${MONTHS[Number(month) - 1] ?? ''} ${year}`;
}

export type Specimen = {
  given: string;
  family: string;
  dob: string;
  expiry: string;
  state: string;
  tilt: number;
  blur: number;
};

/** A fictional licence lying on a table, as a phone would photograph it. */
export async function drawLicence(specimen: Specimen): Promise<Buffer> {
  const t = (x: number, y: number, size: number, text: string, weight = 400, fill = '#12202a'): string =>
    `<text x="${x}" y="${y}" font-family="Roboto Mono" font-weight="${weight}" font-size="${size}" fill="${fill}">${esc(text)}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="800" viewBox="0 0 1280 800">
<rect width="1280" height="800" fill="#6d5a48"/><g transform="rotate(${specimen.tilt} 640 400)">
<rect x="120" y="90" width="1040" height="640" rx="34" fill="#f3f6ee"/><rect x="120" y="90" width="1040" height="120" rx="34" fill="#dfe9cf"/><rect x="120" y="160" width="1040" height="50" fill="#dfe9cf"/>
${t(160, 150, 44, 'DRIVER LICENCE', 700)}${t(160, 194, 30, STATES[specimen.state] ?? STATES['NSW'] ?? '')}
${t(160, 300, 42, specimen.given, 400)}${t(160, 360, 46, specimen.family.toUpperCase(), 700)}
${t(160, 430, 28, '1 SPECIMEN STREET')}${t(160, 470, 28, 'SAMPLEVILLE 2000')}
${t(160, 548, 24, 'LICENCE NO.', 400, '#3c4a52')}${t(160, 590, 34, 'SPECIMEN', 700)}
${t(160, 650, 24, 'DATE OF BIRTH', 400, '#3c4a52')}${t(160, 692, 36, printed(specimen.dob), 700)}
${t(620, 650, 24, 'EXPIRY DATE', 400, '#3c4a52')}${t(620, 692, 36, printed(specimen.expiry), 700)}
<rect x="860" y="260" width="240" height="300" fill="#c9d3c0"/><circle cx="980" cy="370" r="62" fill="#8d9a86"/><path d="M880 560 a100 110 0 0 1 200 0 z" fill="#8d9a86"/>
</g></svg>`;
  const drawn = new Resvg(svg, {
    font: { fontFiles: fonts(), loadSystemFonts: false, defaultFontFamily: 'Roboto Mono' },
  })
    .render()
    .asPng();
  const photo = sharp(drawn);
  return (specimen.blur > 0 ? photo.blur(Math.max(0.3, specimen.blur)) : photo).jpeg({ quality: 90 }).toBuffer();
}

/** Reads the wish of `/licence.jpg?given=&family=&dob=&expiry=&state=`; null when a date is none. */
export function readSpecimen(search: URLSearchParams): Specimen | null {
  const date = /^\d{4}-\d{2}-\d{2}$/;
  const specimen = {
    given: (search.get('given') ?? 'Alex').slice(0, 40),
    family: (search.get('family') ?? 'Citizen').slice(0, 40),
    dob: search.get('dob') ?? '1998-04-03',
    expiry: search.get('expiry') ?? '2031-04-03',
    state: (search.get('state') ?? 'NSW').toUpperCase(),
    tilt: Math.max(-20, Math.min(20, Number(search.get('tilt') ?? 0) || 0)),
    blur: Math.max(0, Math.min(20, Number(search.get('blur') ?? 0) || 0)),
  };
  return date.test(specimen.dob) && date.test(specimen.expiry) ? specimen : null;
}

export function specimenPage(): Response {
  return page(
    'Specimen licences',
    `<section><h1>Specimen licences</h1><p>Fictional licences to try the ID check with. Save the picture and upload it.</p><form action="/licence.jpg" target="_blank">
<label for="given">Given names</label><input id="given" name="given" value="Alex"><label for="family">Family name</label><input id="family" name="family" value="Citizen">
<label for="dob">Date of birth</label><input id="dob" name="dob" type="date" value="1998-04-03"><label for="expiry">Expiry</label><input id="expiry" name="expiry" type="date" value="2031-04-03">
<label for="state">State</label><select id="state" name="state">${Object.keys(STATES)
      .map((state) => `<option>${state}</option>`)
      .join('')}</select>
<label for="blur">Blur (0 to 20)</label><input id="blur" name="blur" value="0"><button>Make the picture</button></form></section>`,
  );
}
