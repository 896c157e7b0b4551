import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import { firstRooms } from '#rules/business/rooms.ts';
import { createSitePages } from './site-pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'render-'));
// Replaces the renderer that build/site.ts makes from web/prerender.tsx.
writeFileSync(
  join(folder, 'prerender.js'),
  `exports.renderSite = async (templates, { settings }) => {
     if (settings.notice === 'broken') throw new Error('it cannot be rendered');
     return { 'index.html': templates['index.html'].replace('<!--page-->', settings.name + ' ' + process.env.TZ) };
   };`,
);
writeFileSync(join(folder, 'templates.json'), JSON.stringify({ 'index.html': '<p><!--page--></p>' }));
afterAll(() => rmSync(folder, { recursive: true }));

let settings = firstSettings;
let shown: (readonly (readonly [string, string])[])[] = [];
let warnings: string[] = [];
const pagesIn = (inFolder: string) =>
  createSitePages({
    folder: inFolder,
    content: () => ({ settings, rooms: firstRooms }),
    show: (files) => void shown.push([...files]),
    warn: (line) => void warnings.push(line),
  });
beforeEach(() => {
  [settings, shown, warnings] = [firstSettings, [], []];
});

test('the pages of the build stay until the settings differ, and come back with the first settings', async () => {
  const pages = pagesIn(folder);
  await pages.render();
  expect(shown).toEqual([]);
  settings = { ...firstSettings, name: 'Harbour' };
  await pages.render();
  await pages.render();
  expect(shown).toEqual([[['index.html', '<p>Harbour Australia/Sydney</p>']]]);
  settings = firstSettings;
  await pages.render();
  expect(shown.at(-1)).toEqual([]);
});

test('pages that cannot be rendered leave the last ones, and the next change is rendered', async () => {
  const pages = pagesIn(folder);
  settings = { ...firstSettings, notice: 'broken' };
  await pages.render();
  expect([shown, warnings.length]).toEqual([[], 1]);
  settings = { ...firstSettings, name: 'Harbour' };
  await pages.render();
  expect(shown).toHaveLength(1);
});

test('without a build nothing is rendered', async () => {
  settings = { ...firstSettings, name: 'Harbour' };
  await pagesIn(join(folder, 'missing')).render();
  expect([shown, warnings]).toEqual([[], []]);
});
