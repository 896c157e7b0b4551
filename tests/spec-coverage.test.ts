import { expect, test } from 'vitest';
import { renderCoverage } from './spec/coverage-page.ts';
import { listLines } from './spec/section.ts';
import { specification } from './spec/specification.ts';
import { filesWithMisplacedTags, listTaggedTests } from './spec/tags.ts';
import { readSourceFiles } from './support/source-files.ts';

/** Checks that the lines of the specification, in tests/spec, and the tags in the titles of tests belong together. */

/** More ids than these say little about a test: a line that says the same can be merged, or a more specific test can carry the tag. */
const IDS_PER_TEST = 6;

const files = readSourceFiles();
const tests = listTaggedTests(files);
const lines = listLines(specification);
const ids = new Set(lines.map(({ id }) => id));

/** All text of the product's sources, with line breaks and escapes undone. */
const product = files
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
const toPieces = (quote: string): string[] =>
  quote.split(/\$?\{[^}]*\}/).flatMap((piece) => (piece.trim() === '' ? [] : [piece.trim()]));

test('every part of the specification has lines, whose ids are unique and begin with the number of their section', () => {
  expect(lines.length).toBeGreaterThanOrEqual(300);
  expect(specification.map(({ title }) => title.split('. ')[0])).toEqual(
    Array.from({ length: 10 }, (_, index) => String(index + 1)),
  );
  expect(ids.size).toBe(lines.length);
  const misplaced = specification.flatMap((section) =>
    listLines([section]).filter(({ id }) => id.split('.')[0] !== section.title.split('. ')[0]),
  );
  expect(misplaced).toEqual([]);
});

test('every tag is at the end of the title of a test, and names at most six lines that exist', () => {
  expect(filesWithMisplacedTags(files)).toEqual([]);
  const faults = tests.flatMap(({ path, title, ids: named }) => [
    ...named.filter((id) => !ids.has(id)).map((id) => `${path} › ${title}: there is no line ${id}`),
    ...(named.length > IDS_PER_TEST ? [`${path} › ${title}: ${named.length} lines`] : []),
  ]);
  expect(faults).toEqual([]);
});

test('every line has a test', () => {
  const tagged = new Set(tests.flatMap(({ ids }) => ids));
  expect(lines.filter(({ id }) => !tagged.has(id)).map(({ id, text }) => `${id}: ${text}`)).toEqual([]);
});

test('every quoted text is in the product, or its line names the decision that changed it', () => {
  const missing = lines
    .filter(({ excused }) => !excused)
    .flatMap(({ id, text }) =>
      [...text.matchAll(/"([^"]+)"/g)]
        .flatMap(([, quote = '']) => toPieces(quote))
        .filter((piece) => !product.includes(piece))
        .map((piece) => `${id}: ${piece}`),
    );
  expect(missing).toEqual([]);
});

/** Labels of controls that the specification writes in capitals. */
const CONTROLS = ['SIGN IN', 'ACCOUNT', 'BOOK NOW', 'HOME', 'ABOUT US'];

test('a control that a line names is used by a test of the line', () => {
  const unused = lines.flatMap(({ id, text }) =>
    CONTROLS.filter((label) => text.includes(label))
      .filter((label) => !tests.some(({ ids, body }) => ids.includes(id) && body.includes(`'${label}'`)))
      .map((label) => `${id}: ${label}`),
  );
  expect(unused).toEqual([]);
});

/** After a change of a line or a tag, run `node_modules/.bin/vitest run tests/spec-coverage.test.ts -u` with the project's Node. */
test('docs/spec-coverage.md is what the lines and tags say', async () => {
  await expect(renderCoverage(specification, tests)).toMatchFileSnapshot('../docs/spec-coverage.md');
});
