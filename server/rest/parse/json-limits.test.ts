import { expect, test } from 'vitest';
import { checkJson } from './json-limits.ts';

test.each([
  '{"a":[1e20,-2.5e-7,1e308,1E+0007]}',
  '{"a":"1e9999","b":"[[[[","c":"\\"[1e999]"}',
  `${'['.repeat(100)}${']'.repeat(100)}`,
  '1e999x is not JSON; another check refuses it',
  '[1e12',
])('ordinary JSON passes: %s', (text) => {
  expect(() => checkJson(text)).not.toThrow();
});

test.each([
  ['a large exponent', '{"a":[{"b":1e309}]}'],
  ['a large exponent after zeros', '[1e000000131071]'],
  ['a small exponent', '[1E-16383]'],
  ['a hundred and one levels', `${'['.repeat(101)}${']'.repeat(101)}`],
  ['levels that never end', '[{"a":'.repeat(51)],
])('%s is refused', (_, text) => {
  expect(() => checkJson(text)).toThrow(expect.objectContaining({ status: 400, code: 'PGRST102' }));
});
