import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withoutTags } from './spec/tags.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Path of the page that these tests check. It has a row for each requirement of OWASP ASVS 5.0.0, levels 1 and 2, with tests that exist or
 * a reason.
 */
const PAGE = 'docs/security.md';

/**
 * The requirements of levels 1 and 2 by section, each as its number and level. Source:
 * OWASP_Application_Security_Verification_Standard_5.0.0_en.csv.
 */
const REQUIREMENTS: Readonly<Record<string, string>> = {
  '1.1': '1:2 2:2',
  '1.2': '1:1 2:1 3:1 4:1 5:1 6:2 7:2 8:2 9:2',
  '1.3': '1:1 2:1 3:2 4:2 5:2 6:2 7:2 8:2 9:2 10:2 11:2',
  '1.4': '1:2 2:2 3:2',
  '1.5': '1:1 2:2',
  '2.1': '1:1 2:2 3:2',
  '2.2': '1:1 2:1 3:2',
  '2.3': '1:1 2:2 3:2 4:2',
  '2.4': '1:2',
  '3.2': '1:1 2:1',
  '3.3': '1:1 2:2 3:2 4:2',
  '3.4': '1:1 2:1 3:2 4:2 5:2 6:2',
  '3.5': '1:1 2:1 3:1 4:2 5:2',
  '3.7': '1:2 2:2',
  '4.1': '1:1 2:2 3:2',
  '4.2': '1:2',
  '4.3': '1:2 2:2',
  '4.4': '1:1 2:2 3:2 4:2',
  '5.1': '1:2',
  '5.2': '1:1 2:1 3:2',
  '5.3': '1:1 2:1',
  '5.4': '1:2 2:2 3:2',
  '6.1': '1:1 2:2 3:2',
  '6.2': '1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:2 10:2 11:2 12:2',
  '6.3': '1:1 2:1 3:2 4:2',
  '6.4': '1:1 2:1 3:2 4:2',
  '6.5': '1:2 2:2 3:2 4:2 5:2',
  '6.6': '1:2 2:2 3:2',
  '6.8': '1:2 2:2 3:2 4:2',
  '7.1': '1:2 2:2 3:2',
  '7.2': '1:1 2:1 3:1 4:1',
  '7.3': '1:2 2:2',
  '7.4': '1:1 2:1 3:2 4:2 5:2',
  '7.5': '1:2 2:2',
  '7.6': '1:2 2:2',
  '8.1': '1:1 2:2',
  '8.2': '1:1 2:1 3:2',
  '8.3': '1:1',
  '8.4': '1:2',
  '9.1': '1:1 2:1 3:1',
  '9.2': '1:1 2:2 3:2 4:2',
  '10.1': '1:2 2:2',
  '10.2': '1:2 2:2',
  '10.3': '1:2 2:2 3:2 4:2',
  '10.4': '1:1 2:1 3:1 4:1 5:1 6:2 7:2 8:2 9:2 10:2 11:2',
  '10.5': '1:2 2:2 3:2 4:2 5:2',
  '10.6': '1:2 2:2',
  '10.7': '1:2 2:2 3:2',
  '11.1': '1:2 2:2',
  '11.2': '1:2 2:2 3:2',
  '11.3': '1:1 2:1 3:2',
  '11.4': '1:1 2:2 3:2 4:2',
  '11.5': '1:2',
  '11.6': '1:2',
  '12.1': '1:1 2:2 3:2',
  '12.2': '1:1 2:1',
  '12.3': '1:2 2:2 3:2 4:2',
  '13.1': '1:2',
  '13.2': '1:2 2:2 3:2 4:2 5:2',
  '13.3': '1:2 2:2',
  '13.4': '1:1 2:2 3:2 4:2 5:2',
  '14.1': '1:2 2:2',
  '14.2': '1:1 2:2 3:2 4:2',
  '14.3': '1:1 2:2 3:2',
  '15.1': '1:1 2:2 3:2',
  '15.2': '1:1 2:2 3:2',
  '15.3': '1:1 2:2 3:2 4:2 5:2 6:2 7:2',
  '16.1': '1:2',
  '16.2': '1:2 2:2 3:2 4:2 5:2',
  '16.3': '1:2 2:2 3:2 4:2',
  '16.4': '1:2 2:2 3:2',
  '16.5': '1:2 2:2 3:2',
  '17.1': '1:2',
  '17.2': '1:2 2:2 3:2 4:2',
  '17.3': '1:2 2:2',
};

const required = Object.entries(REQUIREMENTS).flatMap(([section, list]) =>
  list.split(' ').map((requirement) => {
    const [number = '', level = ''] = requirement.split(':');
    return `${section}.${number} ${level}`;
  }),
);
const rows = readTable(readText(PAGE)).flatMap(({ line, cells }) => {
  const [id = '', level = '', what = '', holds = '', shown = ''] = cells;
  return /^\d+\.\d+\.\d+$/.test(id) ? [{ line, id, level, what, holds, parts: shown.split('<br>') }] : [];
});

test('the page has each requirement of the levels 1 and 2 once, in order, with its level', () => {
  expect(required).toHaveLength(253);
  expect(rows.map(({ id, level }) => `${id} ${level}`)).toEqual(required);
});

test('every test that a row names exists', () => {
  const gone = rows.flatMap(({ line, parts }) =>
    parts.filter((part) => part.includes(' › ') && !isTest(part)).map((part) => `line ${line}: ${part}`),
  );
  expect(gone).toEqual([]);
});

test('a row that holds names a test or a page, and any other says why', () => {
  const empty = rows.filter(({ holds, parts }) =>
    holds === 'yes'
      ? !parts.some((part) => part.includes(' › ') || /\]\(|table/.test(part))
      : !['no', 'not applicable'].includes(holds) || parts.join('').length < 5,
  );
  expect(empty).toEqual([]);
});

test('the page counts its rows', () => {
  const count = (text: string): number => rows.filter(({ holds }) => holds === text).length;
  expect(readText(PAGE).replaceAll(/\s+/g, ' ')).toContain(
    `${rows.length} rows, of which ${count('yes')} hold, ${count('no')} do not, and ${count('not applicable')} do not apply`,
  );
});

function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns the rows of all tables of a page, without headings. A bar inside a cell is written \|. */
function readTable(page: string): readonly { readonly line: number; readonly cells: readonly string[] }[] {
  return page.split('\n').flatMap((text, index) => {
    if (!text.startsWith('|')) return [];
    const cells = text
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'))
      .slice(1);
    return /^-+$/.test(cells[0] ?? '') ? [] : [{ line: index + 1, cells }];
  });
}

/** Returns whether a test exists, given as `file › title` without tags: a single test, one in a table, or one over a list of cases. */
function isTest(named: string): boolean {
  const [path = '', title = ''] = named.split(' › ');
  if (!existsSync(join(ROOT, path))) return false;
  const text = withoutTags(readText(path)).replaceAll("\\'", "'").replaceAll(/\(\s+/g, '(');
  return ["'", '"', '`'].some((quote) => text.includes(`(${quote}${title}${quote}`));
}
