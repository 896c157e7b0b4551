import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Compares claims of the pages with the code: commands, settings, lists, figures and copied examples. */

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Returns the examples of a page: each block of code, with the file that the line before it links or the last one that was linked. */
function readExamples(page: string): { readonly file: string; readonly parts: readonly string[] }[] {
  let file = '';
  return [...page.matchAll(/^\[[^\]]+\]\(\.\.\/([^)]+)\)$|^```tsx?\n([^]*?)^```$/gm)].flatMap(([, link, code]) => {
    if (link !== undefined) file = link;
    return code === undefined ? [] : [{ file, parts: code.split(/^…\n/m) }];
  });
}

/** Returns the parts of an example that its file does not contain, in this order. */
function missingParts(text: string, parts: readonly string[]): string[] {
  let from = 0;
  return parts.filter((part) => {
    const at = text.indexOf(part, from);
    if (at >= 0) from = at + part.length;
    return at < 0;
  });
}

test('every example of house-style.md is in the file that it names', () => {
  const examples = readExamples(read('docs/house-style.md'));
  expect(examples.length).toBeGreaterThan(4);
  expect(examples.flatMap(({ file, parts }) => missingParts(read(file), parts))).toEqual([]);
});

test('an example that differs from its file, or whose parts are in another order, is caught', () => {
  const page = '[a.ts](../web/a.ts)\n\n```ts\nconst a = 1;\n…\nconst b = 2;\n```\n';
  const [example] = readExamples(page);
  expect(example).toEqual({ file: 'web/a.ts', parts: ['const a = 1;\n', 'const b = 2;\n'] });
  expect(missingParts('const a = 1;\nlet c;\nconst b = 2;\n', example?.parts ?? [])).toEqual([]);
  expect(missingParts('const b = 2;\nconst a = 1;\n', example?.parts ?? [])).toEqual(['const b = 2;\n']);
});
