import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/**
 * Checks the pages that people read: links and anchors resolve, named paths exist, and decisions have one form. The tests do not need a
 * network.
 */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DECISIONS = 'docs/decisions';
/** The path of this file, which names pages that do not exist. */
const SELF = 'tests/docs.test.ts';
/** Folders in the root without files of the repository. */
const NOT_OURS = new Set(['node_modules', '.git', 'dist', 'data', 'artefacts']);

const files = listFiles('');
const folders = new Set(files.flatMap((file) => getParents(file)));
const topFolders = new Set([...folders].filter((folder) => !folder.includes('/')));
const pages = files.filter(
  (file) => ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].includes(file) || /^docs\/.*\.md$/.test(file),
);
const decisions = files.filter((file) => file.startsWith(`${DECISIONS}/`));

test('every relative link and image of a page leads to a file, and every anchor to a heading', () => {
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.flatMap((page) => linkFaults(page, read(page)))).toEqual([]);
});

test('every path of the repository that a page names in backticks exists', () => {
  expect(pages.flatMap((page) => pathFaults(page, read(page)))).toEqual([]);
});

test('every page that a source file names exists', () => {
  const sources = files.filter((file) => /\.(tsx?|js|sql|yml|css|html)$|^\.env\.example$/.test(file) && file !== SELF);
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.flatMap((source) => pageFaults(source, read(source)))).toEqual([]);
});

/** References to pages outside the repository. A comment must state the rule itself instead. */
const OUTSIDE =
  /\bpromises [A-Z]\d|\bdecisions? T-\d|\bspec(?:ification)? section \d|\b(?:promises|decisions|providers|wire|stack|lessons)\.md\b/;

test('no source file refers to pages outside the repository', () => {
  const sources = files.filter((file) => /\.(tsx?|js|sql|css|html)$/.test(file) && file !== SELF);
  expect(sources.filter((source) => OUTSIDE.test(read(source)))).toEqual([]);
  for (const text of ['(promises G21)', '(decisions T-62)', 'spec section 3', 'see providers.md'])
    expect(OUTSIDE.test(text)).toBe(true);
});

test('migrations are numbered without gaps, each number once', () => {
  const numbers = readdirSync('database/migrations').map((name) => Number(/^(\d{4})_[a-z_]+\.sql$/.exec(name)?.[1]));
  const [first = 0] = numbers;
  expect(numbers).toEqual(numbers.map((_, index) => first + index));
});

test('each decision has a number of its own, and nothing else lies in their folder', () => {
  expect(decisions.length).toBeGreaterThan(20);
  expect(numberFaults(decisions)).toEqual([]);
});

test('every decision has a title, a date, a status and its three parts, in 15 to 50 lines', () => {
  expect(decisions.flatMap((file) => formFaults(file, read(file)))).toEqual([]);
});

test('every decision that a row of the specification cites is explained, and no other', () => {
  const cited = findCodes(read('docs/spec-coverage.md'), /\bT-\d\d\b/g);
  const explained = findCodes(read('docs/requirements.md'), /(?<=^\| )T-\d\d(?= \| \S)/gm);
  expect(cited.length).toBeGreaterThan(40);
  expect(explained).toEqual(cited);
});
const findCodes = (text: string, pattern: RegExp): string[] => [...new Set(text.match(pattern))].toSorted();

test.each([
  ['a file that does not exist', '[a](nowhere.md)', 'docs/made-up.md: nowhere.md does not exist'],
  ['an image that does not exist', '![a](nowhere.webp)', 'docs/made-up.md: nowhere.webp does not exist'],
  ['an image inside a link', '[![a](nowhere.webp)](running.md)', 'docs/made-up.md: nowhere.webp does not exist'],
  ['an address outside the repository', '[a](../../other)', 'docs/made-up.md: ../../other lies outside the repository'],
  ['a heading of another page', '[a](running.md#nowhere)', 'docs/made-up.md: running.md#nowhere has no such heading'],
  ['a heading of the same page', '# One\n\n[a](#two)', 'docs/made-up.md: #two has no such heading'],
  ['a link by reference', '[a][b]\n\n[b]: nowhere.md', 'docs/made-up.md: nowhere.md does not exist'],
])('a made-up link is caught: %s', (_, text, fault) => {
  expect(linkFaults('docs/made-up.md', text)).toEqual([fault]);
});

test.each([
  ['a page', '[a](running.md)'],
  ['a folder', '[a](decisions)'],
  ['a page above', '[a](../README.md "title")'],
  [
    'headings, the second one of the same words too',
    '# One `two`, (three)\n# Same\n# Same\n[a](#one-two-three) [b](#same-1)',
  ],
  ['other sites and mail', '[a](https://example.com/nowhere) [b](mailto:a@example.com)'],
  ['code', '`[a](nowhere.md)`\n\n```md\n[a](nowhere.md)\n```'],
])('a made-up link is accepted: %s', (_, text) => {
  expect(linkFaults('docs/made-up.md', text)).toEqual([]);
});

test.each([
  ['a file', '`server/nowhere.ts`', 'server/nowhere.ts'],
  ['a folder', '`server/nowhere/`', 'server/nowhere/'],
  ['a file inside a command', '`node tests/nowhere/sql.ts 150 1`', 'tests/nowhere/sql.ts'],
  ['the end of a path', '`codes/nowhere.ts`', 'codes/nowhere.ts'],
  ['a name of a source file', '`nowhere.tsx`', 'nowhere.tsx'],
  ['a command in a code block', '```sh\nnode tools/nowhere.ts\n```', 'tools/nowhere.ts'],
])('a made-up path is caught: %s', (_, text, path) => {
  expect(pathFaults('docs/made-up.md', text)).toEqual([`docs/made-up.md: ${path} does not exist`]);
});

test.each([
  '`server/db`',
  '`web/public/hero`',
  '`payments/settle.ts`',
  '`web/data/client.ts`',
  '`dist/web`',
  '`database/migrations/NNNN_noun.sql`',
])('a made-up path is accepted: %s', (text) => {
  expect(pathFaults('docs/made-up.md', text)).toEqual([]);
});

test('a made-up page named in a comment is caught, an existing one is accepted', () => {
  const text = '/** See docs/nowhere.md, docs/running.md and (docs/decisions/0001-nothing.md). */';
  expect(pageFaults('server/made-up.ts', text)).toEqual([
    'server/made-up.ts: docs/nowhere.md does not exist',
    'server/made-up.ts: docs/decisions/0001-nothing.md does not exist',
  ]);
});

test('a number used twice and a file of another name are caught', () => {
  const names = ['0001-a.md', '0003-b.md', '0003-c.md', 'picture.webp', '4-d.md'].map((name) => `${DECISIONS}/${name}`);
  expect(numberFaults(names)).toEqual([
    `${DECISIONS}/picture.webp is not named NNNN-title.md`,
    `${DECISIONS}/4-d.md is not named NNNN-title.md`,
    `${DECISIONS}/0003-c.md has the number of another decision`,
  ]);
});

const DECISION = `# Title\n\nDate: 2026-11-22\nStatus: accepted\n\n## Context\n\nText.\n\nText.\n\n## Decision\n\nText.\n\n## Consequences\n\nText.\n`;

test.each([
  ['no title', DECISION.replace('# Title', 'Title'), 'starts without a title'],
  ['no date', DECISION.replace('Date: 2026-11-22', 'Date: 22 November 2026'), 'has no line "Date: YYYY-MM-DD"'],
  ['no status', DECISION.replace('Status: accepted', ''), 'has no line "Status: accepted"'],
  ['a part left out', DECISION.replace('## Context', ''), 'has the parts Decision, Consequences'],
  ['parts in another order', DECISION.replace('Context', 'Figures'), 'has the parts Figures, Decision, Consequences'],
  ['an empty part', DECISION.replace('## Decision\n\nText.', '## Decision'), 'has an empty part'],
  ['too short', DECISION.replaceAll('\n\n', '\n'), 'has 10 lines'],
  ['too long', `${DECISION}${'Text.\n'.repeat(40)}`, 'has 58 lines'],
])('a made-up decision is caught: %s', (_, text, fault) => {
  expect(formFaults('0001-a.md', text)).toEqual([`0001-a.md ${fault}`]);
});

test('a made-up decision of the right form is accepted', () => {
  expect(formFaults('0001-a.md', DECISION)).toEqual([]);
});

/** Returns the links of a page whose file or heading does not exist. */
function linkFaults(page: string, text: string): string[] {
  const prose = withoutCode(text);
  const inline = [...prose.matchAll(/\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const references = [...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)];
  return [...inline, ...references]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/i.test(link))
    .flatMap((link) => linkFault(page, text, link));
}

function linkFault(page: string, text: string, link: string): string[] {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : posix.normalize(posix.join(posix.dirname(page), decodeURIComponent(path)));
  if (target.startsWith('..')) return [`${page}: ${link} lies outside the repository`];
  if (path !== '' && !isThere(target)) return [`${page}: ${link} does not exist`];
  if (anchor === undefined) return [];
  return collectAnchors(path === '' ? text : read(target)).has(anchor) ? [] : [`${page}: ${link} has no such heading`];
}

/** Returns the anchors that GitHub gives to a page's headings. */
function collectAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6}\s+(.+)$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    let anchor = slug;
    for (let next = 1; anchors.has(anchor); next += 1) anchor = `${slug}-${next}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns words in backticks that look like a path of the repository but do not exist. */
function pathFaults(page: string, text: string): string[] {
  return [...new Set(findCode(text).flatMap((code) => code.split(/[\s,;:'"()=]+/)))]
    .filter((word) => isPath(word) && !isThere(word.replace(/\/$/, '')) && !isEndOfPath(word))
    .map((word) => `${page}: ${word} does not exist`);
}

/** Returns pages under docs/ that a source file names but that do not exist. */
function pageFaults(source: string, text: string): string[] {
  const named = [...text.matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => path);
  return named.filter((path) => !isThere(path)).map((path) => `${source}: ${path} does not exist`);
}

function isPath(word: string): boolean {
  if (!/^[\w.@-]+(\/[\w.@-]+)*\/?$/.test(word) || word.includes('NNNN')) return false;
  const [first = ''] = word.split('/');
  return (word.includes('/') && topFolders.has(first)) || /\w\.(ts|tsx|sql)$/.test(word);
}

const isEndOfPath = (word: string): boolean => /\.\w+$/.test(word) && files.some((file) => file.endsWith(`/${word}`));
const isThere = (path: string): boolean =>
  existsSync(join(ROOT, path)) && (path === '.' || folders.has(path) || files.includes(path));

function findCode(text: string): string[] {
  const blocks = [...text.matchAll(/^```.*?\n(.*?)^```/gms)].map(([, code = '']) => code);
  const spans = [...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...spans];
}
function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');
}

/** Returns decisions whose name is not NNNN-title.md or whose number occurs twice. */
function numberFaults(names: readonly string[]): string[] {
  const rightNames = names.filter((name) => /\/\d{4}-[a-z0-9]+(-[a-z0-9]+)*\.md$/.test(name)).toSorted();
  const misnamed = names
    .filter((name) => !rightNames.includes(name))
    .map((name) => `${name} is not named NNNN-title.md`);
  const repeated = rightNames.filter(
    (name, index) => index > 0 && parseNumber(name) === parseNumber(rightNames[index - 1] ?? ''),
  );
  return [...misnamed, ...repeated.map((name) => `${name} has the number of another decision`)];
}
const parseNumber = (name: string): number => Number(posix.basename(name).slice(0, 4));

/** Returns what a decision lacks of the required form. */
function formFaults(file: string, text: string): string[] {
  const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name);
  const lines = text.trimEnd().split('\n').length;
  const faults = [
    /^# \S/.test(text) ? '' : 'starts without a title',
    /^Date: \d{4}-\d\d-\d\d$/m.test(text) ? '' : 'has no line "Date: YYYY-MM-DD"',
    /^Status: accepted$/m.test(text) ? '' : 'has no line "Status: accepted"',
    parts.join() === 'Context,Decision,Consequences' ? '' : `has the parts ${parts.join(', ')}`,
    text.split(/^## .+$/m).every((part) => part.trim() !== '') ? '' : 'has an empty part',
    lines >= 15 && lines <= 50 ? '' : `has ${lines} lines`,
  ];
  return faults.filter((fault) => fault !== '').map((fault) => `${file} ${fault}`);
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns every file below a folder of the repository, by its path from the root. */
function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .map((name) => posix.join(folder, name))
    .filter((path) => !NOT_OURS.has(path))
    .flatMap((path) => (statSync(join(ROOT, path)).isDirectory() ? listFiles(path) : [path]));
}
function getParents(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [...getParents(folder), folder];
}
