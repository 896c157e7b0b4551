import { expect, test } from 'vitest';
import { existingTest, isInRepository, readRepository, readTable } from './coverage-pages.ts';
import { readSourceFiles } from './support/source-files.ts';

/** Path of the page that these tests check: the files and tests that it names exist, its quotes are in the product, and nothing is open. */
const PAGE = 'docs/spec-coverage.md';

type Row = {
  readonly line: number;
  readonly says: string;
  readonly doneIn: readonly string[];
  readonly shownBy: readonly string[];
};
const HEADERS = ['The specification says', 'The product does'];
const DECISION = /^T-\d{2}$/;
const excused = (row: Row): boolean => row.doneIn.some((one) => DECISION.test(one) || one === 'supabase-js');

const rows: readonly Row[] = readTable(readRepository(PAGE)).flatMap(({ line, cells }) => {
  const [says = '', doneIn = '', shownBy = ''] = cells;
  return HEADERS.includes(says) ? [] : [{ line, says, doneIn: doneIn.split(', '), shownBy: shownBy.split('<br>') }];
});

/** All text of the product's sources, with line breaks and escapes undone. */
const product = readSourceFiles()
  .filter(({ path }) => /^(web|rules|server)\//.test(path) && !/\.test\.tsx?$/.test(path))
  .map(({ text }) =>
    text
      .replaceAll(/\{' '\}/g, ' ')
      .replaceAll("\\'", "'")
      .replaceAll('&apos;', "'"),
  )
  .join('\n')
  .replaceAll(/\s+/g, ' ');

/** Splits a quoted text at its placeholders. */
const piecesOf = (quote: string): string[] =>
  quote.split(/\$?\{[^}]*\}/).flatMap((piece) => (piece.trim() === '' ? [] : [piece.trim()]));

test('the page has a row for every part of the specification', () => {
  expect(rows.length).toBeGreaterThanOrEqual(300);
  const sections = [...readRepository(PAGE).matchAll(/^## (\d)\. /gm)].map(([, number]) => number);
  expect(sections).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
});

test('every file that a row names exists', () => {
  const gone = rows.flatMap((row) =>
    row.doneIn
      .filter((one) => !DECISION.test(one) && one !== 'supabase-js' && !isInRepository(one))
      .map((one) => `line ${row.line}: ${one}`),
  );
  expect(gone).toEqual([]);
});

test('every test that a row names is in its file', () => {
  const gone = rows.flatMap((row) =>
    row.shownBy
      .filter((one) => one !== 'not yet')
      .filter((one) => !existingTest(one))
      .map((one) => `line ${row.line}: ${one}`),
  );
  expect(gone).toEqual([]);
});

test('every quoted text is in the product, or its row names the decision that changed it', () => {
  const gone = rows
    .filter((row) => !excused(row))
    .flatMap((row) =>
      [...row.says.matchAll(/"([^"]+)"/g)]
        .flatMap(([, quote = '']) => piecesOf(quote))
        .filter((piece) => !product.includes(piece))
        .map((piece) => `line ${row.line}: ${piece}`),
    );
  expect(gone).toEqual([]);
});

/** Rejects known gaps, so that none of them counts as done by mistake. */
test('every row has a proof', () => {
  const open = rows.filter((row) => row.shownBy.includes('not yet') || row.shownBy.includes('')).map((row) => row.says);
  expect(open).toEqual([]);
});

/** Labels of controls that the specification writes in capitals. */
const CONTROLS = ['SIGN IN', 'ACCOUNT', 'BOOK NOW', 'HOME', 'ABOUT US'];

/** Returns the text of a test, from its title to the next test or the end of the file. */
function bodyOf(path: string, title: string): string {
  const text = readRepository(path).replaceAll("\\'", "'");
  const begin = text.indexOf(title) + title.length;
  const end = text.slice(begin).search(/\n\s*(test|it|describe)[.(]/);
  return text.slice(begin, end === -1 ? undefined : begin + end);
}

test('a control that a row names is used by a test the row names', () => {
  const unused = rows.flatMap((row) =>
    CONTROLS.filter((label) => row.says.includes(label)).flatMap((label) => {
      const bodies = row.shownBy.map((one) => bodyOf(...(one.split(' › ') as [string, string])));
      return bodies.some((body) => body.includes(`'${label}'`)) ? [] : [`line ${row.line}: ${label}`];
    }),
  );
  expect(unused).toEqual([]);
});
