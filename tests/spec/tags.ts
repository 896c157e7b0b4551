/**
 * Tags at the end of the titles of tests: `a blocked hour cannot be chosen [spec 2.14, 2.15]`. The ids are those of the lines of the
 * specification, in this folder, that the test shows.
 */

type SourceText = { readonly path: string; readonly text: string };
export type TaggedTest = {
  readonly path: string;
  /** The title without its tag. */
  readonly title: string;
  readonly ids: readonly string[];
  /** The source text from the title to the next test or the end of the file. */
  readonly body: string;
};

/** A tagged title of a single test or of a table of tests. Skipped tests and groups of tests do not match. */
const TAGGED_TITLE = /(?:\b(?:test|it)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\\n])*) \[spec ([^\]\n]*)\]\1/g;
const TAG = / \[spec [^\]]*\]/g;

/** Removes the tags from a source text or a title. Pages cite titles without them. */
export function withoutTags(text: string): string {
  return text.replaceAll(TAG, '');
}

/** Lists the tagged tests, sorted by path. */
export function listTaggedTests(files: readonly SourceText[]): readonly TaggedTest[] {
  return testFiles(files)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({ path, text }) =>
      [...text.matchAll(TAGGED_TITLE)].map(({ 0: match, 2: title = '', 3: ids = '', index }) => ({
        path,
        title: title.replaceAll(/\\(['"`])/g, '$1'),
        ids: ids.split(', '),
        body: text.slice(index + match.length).split(/\n\s*(?:test|it|describe)[.(]/)[0] ?? '',
      })),
    );
}

/** Lists the test files with a tag that is not at the end of the title of a test. */
export function filesWithMisplacedTags(files: readonly SourceText[]): readonly string[] {
  return testFiles(files)
    .filter(({ text }) => text.split('[spec ').length > [...text.matchAll(TAGGED_TITLE)].length + 1)
    .map(({ path }) => path);
}

const testFiles = (files: readonly SourceText[]): readonly SourceText[] =>
  files.filter(({ path }) => /\.(test\.tsx?|e2e\.ts)$/.test(path));
