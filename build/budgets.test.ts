import { expect, test } from 'vitest';
import { checkBudget, checkFont, checkStart } from './budgets.ts';

const sizes = new Map([
  ['/assets/a.js', 100_000],
  ['/assets/b.js', 23_500],
  ['/assets/c.js', 1],
]);
const bytes = (script: string): number => sizes.get(script) ?? Number.NaN;

test('the build stops when a page loads more script than its budget, and counts each file once', () => {
  const check =
    (page: string, ...scripts: string[]) =>
    () =>
      checkBudget(page, scripts, bytes);
  expect(check('booking', '/assets/a.js', '/assets/b.js', '/assets/b.js')).not.toThrow();
  expect(check('booking', '/assets/a.js', '/assets/b.js', '/assets/c.js')).toThrow(
    '/booking loads 123501 bytes of script before it can be used, more than its budget of 123500',
  );
  expect(check('', '/assets/a.js')).toThrow('/ loads 100000 bytes');
  expect(check('admin', '/assets/a.js', '/assets/b.js', '/assets/c.js')).not.toThrow();
});

test('more than 5,000 bytes of script before the first paint are refused, each file counted once', () => {
  const bytes = (script: string): number => (script === 'start.js' ? 5_000 : 1);
  expect(() => checkStart(['start.js', 'start.js'], bytes)).not.toThrow();
  expect(() => checkStart(['start.js', 'more.js'], bytes)).toThrow('5001 bytes');
});

test('a font of more than 29,000 bytes is refused', () => {
  expect(() => checkFont(29_000)).not.toThrow();
  expect(() => checkFont(29_001)).toThrow('The font has 29001 bytes, more than the budget of 29000');
});
