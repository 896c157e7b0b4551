import { Hono } from 'hono';
import { refusal } from '../core/control.ts';
import { esc, page } from '../core/page.ts';
import type { SpecimenMemory } from './memory.ts';
import { drawLicence } from './picture.ts';
import { readSpecimen, SAMPLE, type Specimen, stateNames } from './specimen.ts';

/** Serves `/licence.jpg` and the page on which a licence is chosen. Remembers each picture, so that the vision model recognises it. */
export function createLicencePages(memory: SpecimenMemory, today: () => Date): Hono {
  const app = new Hono();
  app.get('/licence.jpg', async (c) => {
    const specimen = readSpecimen(new URL(c.req.url).searchParams);
    if (typeof specimen === 'string') return refusal(specimen);
    const picture = await drawLicence(specimen);
    await memory.remember(specimen, picture);
    return new Response(new Uint8Array(picture), {
      headers: { 'content-type': 'image/jpeg', 'cache-control': 'no-store' },
    });
  });
  app.get('/specimens', (c) => specimenPage(new URL(c.req.url).searchParams, today()));
  return app;
}

function specimenPage(search: URLSearchParams, today: Date): Response {
  const requested = readSpecimen(search);
  const shown = typeof requested === 'string' ? SAMPLE : requested;
  const source = `/licence.jpg?${toQuery(shown)}`;
  const field = (name: keyof Specimen, label: string, more: string): string =>
    `<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${esc(String(shown[name]))}" ${more}></div>`;
  const states = stateNames().map((state) => `<option${state === shown.state ? ' selected' : ''}>${state}</option>`);
  return page(
    'Specimen licences',
    `<section><h1>Specimen licences</h1><p>Fictional licences to try the ID check with: fill in the form, save the picture and upload it.</p>
${typeof requested === 'string' ? `<p class="bad" role="alert">${esc(requested)}</p>` : ''}
<form method="get" class="specimen">${field('given', 'Given names', 'maxlength="40"')}${field('family', 'Family name', 'maxlength="40"')}
${field('dob', 'Date of birth', 'type="date" required')}${field('expiry', 'Expiry date', 'type="date" required')}
<div><label for="state">State</label><select id="state" name="state">${states.join('')}</select></div>
${field('tilt', 'Tilt (degrees, -20 to 20)', 'type="number" min="-20" max="20"')}${field('blur', 'Blur (0 to 20)', 'type="number" min="0" max="20" step="0.5"')}
<button>Draw the picture</button></form></section>
<section><h2>The picture</h2><img src="${esc(source)}" alt="Specimen licence of ${esc(`${shown.given} ${shown.family}`.trim())}" width="1280" height="800" style="width:100%;height:auto;border-radius:8px">
<a class="button" href="${esc(source)}" download="specimen-licence.jpg">Save the picture</a></section>
<section><h2>Variants</h2><ul>${variants(shown, today)
      .map(([name, specimen]) => `<li><a href="/specimens?${esc(toQuery(specimen))}">${name}</a></li>`)
      .join('')}</ul></section>`,
    '<style>.specimen{display:grid;grid-template-columns:repeat(auto-fit,minmax(220px,1fr));gap:0 14px;align-items:end}</style>',
  );
}

/** Variants of this licence, each with a problem that an ID check has to find. */
function variants(shown: Specimen, today: Date): [string, Specimen][] {
  const day = (years: number, days: number): string => {
    const date = new Date(today);
    date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate() + days);
    return date.toISOString().slice(0, 10);
  };
  return [
    ['17 years old', { ...shown, dob: day(-18, 2) }],
    ['Expired last month', { ...shown, expiry: day(0, -30) }],
    ['From another state', { ...shown, state: shown.state === 'VIC' ? 'QLD' : 'VIC' }],
    ['Another person', { ...shown, given: 'Robin', family: 'Sample' }],
    ['Tilted', { ...shown, tilt: 8 }],
    ['Too blurred to read', { ...shown, blur: 12 }],
  ];
}

function toQuery(specimen: Specimen): string {
  return new URLSearchParams(
    Object.entries(specimen).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}
