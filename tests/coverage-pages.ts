import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. This module reads the pages that list the product's requirements with the tests that show them. */
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Reads a file of the repository. */
export const readRepository = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** Returns whether a path exists in the repository. */
export const isInRepository = (path: string): boolean => existsSync(join(ROOT, path));

/** Returns the rows of all tables of a page, without headings. A bar inside a cell is written \|. */
export function readTable(page: string): readonly { readonly line: number; readonly cells: readonly string[] }[] {
  return page.split('\n').flatMap((text, at) => {
    if (!text.startsWith('|')) return [];
    const cells = text
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'))
      .slice(1);
    return /^-+$/.test(cells[0] ?? '') ? [] : [{ line: at + 1, cells }];
  });
}

/** Removes the tags at the end of titles, such as `[spec 2.14, 2.15]`. Pages cite titles without them. */
const withoutTags = (text: string): string => text.replaceAll(/ \[spec [^\]]*\]/g, '');

/** Returns whether a test exists, given as `file › title` without tags: a single test, one in a table, or one over a list of cases. */
export function existingTest(named: string): boolean {
  const [path = '', title = ''] = named.split(' › ');
  if (!isInRepository(path)) return false;
  const text = withoutTags(readRepository(path)).replaceAll("\\'", "'").replaceAll(/\(\s+/g, '(');
  return ["'", '"', '`'].some((quote) => text.includes(`(${quote}${title}${quote}`));
}
