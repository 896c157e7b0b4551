import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { previewData } from '#server/mails/preview-data.ts';
import { contrast, readHtml } from './read-html.ts';
import { renderMails } from './render.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const sources = globSync('server/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] }).map((path) => ({
  path: path.replaceAll('\\', '/'),
  text: readFileSync(join(ROOT, path), 'utf8'),
}));
const rendered = await renderMails();
const mails = rendered.flatMap(({ name, message }) => (typeof message === 'string' ? [] : [{ name, ...message }]));
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
/** Returns all words with a digit: amounts, times, dates, codes and references. */
const figures = (text: string): readonly string[] => text.match(/[\w$.,:-]*\d[\w.,:-]*(?<![.,:])/g) ?? [];

test('every template of mails and text messages is rendered, and only server/mails has templates', () => {
  const inMails = sources.filter(({ path }) => path.startsWith('server/mails/') && !path.endsWith('/layout.ts'));
  const templates = inMails.flatMap(({ text }) =>
    [...text.matchAll(/^export (?:function|const) (\w+)[\s\S]*?\n(?:\}|\n)/gm)].flatMap(([whole, name = '']) =>
      /\): (?:Mail|MailWithCalendar) (?:\{|=>)/.test(whole) || name.endsWith('TextMessage') ? [name] : [],
    ),
  );
  expect(templates.length).toBeGreaterThan(30);
  expect(new Set(rendered.map(({ template }) => template))).toEqual(new Set(templates));
  const elsewhere = sources.filter(
    ({ path, text }) => !path.startsWith('server/mails/') && /\brenderMail\b.*from '.*mails\/layout\.ts'/.test(text),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

test('the server imports the data of previews as types only', () => {
  const imports = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^import [^;]*\/preview-data\.ts';/gm)].map(([line]) => ({ path, line })),
  );
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter(({ line }) => !line.startsWith('import type '))).toEqual([]);
});

describe.each(mails)('the mail $name', ({ subject, html, text }) => {
  test('says all of its HTML part, with each link and the figures of its subject, in its text part', () => {
    const { texts, links } = readHtml(html, 'light');
    for (const shown of texts) expect(flat(text)).toContain(flat(shown.text));
    for (const link of links) expect(text).toContain(link.replace(/^mailto:/, ''));
    const preheader = /max-height:0[^>]*>([^<]*?)&#847;/.exec(html)?.[1];
    expect(preheader).toMatch(/\S/);
    for (const figure of figures(`${subject} ${preheader}`)) expect(text).toContain(figure);
  });

  test('can be read with 4.5:1 in a bright and in a dark reader', () => {
    for (const scheme of ['light', 'dark'] as const)
      for (const { text: shown, colour, ground } of readHtml(html, scheme).texts)
        expect(contrast(colour, ground), `${shown} in ${colour} on ${ground}, ${scheme}`).toBeGreaterThanOrEqual(4.5);
  });

  test('loads nothing but the picture of a room, the same for everybody, names its pictures and stays small enough to be shown whole', () => {
    expect(html.replace(` src="${previewData.site}/rooms/mail/b.jpg" `, ' ')).not.toMatch(
      /src="http|url\(|@import|<link/,
    );
    for (const { alt } of readHtml(html, 'light').images) expect(alt).not.toBeNull();
    expect(Buffer.byteLength(html)).toBeLessThan(100_000);
  });
});

const TIME = /\d [ap]m\b/;
const withTimes = rendered.flatMap(({ name, message }) => {
  const text = typeof message === 'string' ? message : message.text;
  return TIME.test(text) ? [{ name, text }] : [];
});

test('most mails and text messages name a time', () => {
  expect(withTimes.length).toBeGreaterThan(40);
});

test.each(withTimes)('where $name first names a time, it says that it is that of Sydney', ({ text }) => {
  expect(text.split(/\n{2,}/).find((part) => TIME.test(part))).toContain('Sydney time');
});

test.each(mails)('$name begins each paragraph with a capital letter', ({ text }) => {
  for (const paragraph of text.split(/\n{2,}/)) expect(paragraph).not.toMatch(/^[a-z]/);
});

test('the dark scheme has grounds and texts of its own', () => {
  const [bright, dark] = (['light', 'dark'] as const).map((scheme) => readHtml(mails[0]?.html ?? '', scheme).texts[0]);
  expect(bright?.ground).toBe('#ffffff');
  expect(contrast(dark?.ground ?? '', '#ffffff')).toBeGreaterThan(15);
});
