import { expect, test } from 'vitest';
import { checkJson, parseJson } from './json.ts';

const LIMITS = { members: 1_000, depth: 100 };
const check = (text: string): void => checkJson(Buffer.from(text), LIMITS);

test.each([
  '{"a":[1e20,-2.5e-7,1e308,5e-324,1E+0007]}',
  '{"a":"1e9999","b":"[[[[","c":"\\"[1e999]"}',
  `{"a":"${'\\\\'.repeat(200)}","b":"${'\\"['.repeat(200)}"}`,
  `{"a":"${'x'.repeat(5_000)}\\\\","b":["${','.repeat(5_000)}"]}`,
  `${'['.repeat(100)}${']'.repeat(100)}`,
  `[${Array.from({ length: 1_000 }, () => 'true').join(',')}]`.replace('true,', ''),
  `[${'1'.repeat(1_000)}.${'1'.repeat(1_000)}]`,
  '[1e12',
  '"',
  '"\\',
  '',
])('ordinary JSON passes: %.60s', (text) => {
  expect(() => check(text)).not.toThrow();
});

test.each([
  ['a large exponent', '{"a":[{"b":1e325}]}', 'exponent'],
  ['a large exponent after zeros', '[1e000000131071]', 'exponent'],
  ['a small exponent', '[1E-16383]', 'exponent'],
  ['a hundred and one levels', `${'['.repeat(101)}${']'.repeat(101)}`, 'deeper'],
  ['levels that never end', '[{"a":'.repeat(51), 'deeper'],
  [
    'a thousand and one members',
    `{${Array.from({ length: 1_001 }, (_, index) => `"k${index}":1`).join(',')}}`,
    'members',
  ],
  ['a thousand and one items', `[${'1,'.repeat(1_000)}1]`, 'members'],
  ['many lists', `[${'[],'.repeat(600)}[]]`, 'members'],
  ['items behind a long text', `["${'x'.repeat(200)}\\"",${'1,'.repeat(1_000)}1]`, 'members'],
  ['a number of a thousand and one digits', `[${'1'.repeat(1_001)}]`, 'digits'],
  ['a fraction of a thousand and one digits', `[0.${'1'.repeat(1_001)}]`, 'digits'],
])('%s is refused', (_, text, word) => {
  expect(() => check(text)).toThrow(
    expect.objectContaining({ name: 'JsonRefused', message: expect.stringContaining(word) }),
  );
});

test('a text ends where JSON.parse ends it, whatever quotes and backslashes it has', () => {
  for (let seed = 1; seed < 3_000; seed += 1) {
    const text = Array.from(
      { length: 140 },
      (_, index) => '\\"a,['[((seed * 7_919 + index * index * 104_729) >>> (seed % 7)) % 5],
    ).join('');
    const json = JSON.stringify([text, text]);
    expect(() => checkJson(Buffer.from(json), { members: 2, depth: 1 })).not.toThrow();
    expect(parseJson(Buffer.from(json), LIMITS)).toEqual([text, text]);
    expect(() => checkJson(Buffer.from(json), { members: 1, depth: 1 })).toThrow('members');
  }
});

test('what is not JSON is a SyntaxError', () => {
  for (const text of ['', '{', 'constructor', '"'])
    expect(() => parseJson(Buffer.from(text), LIMITS)).toThrow(SyntaxError);
});

test('a megabyte above the limits is refused in less than a tenth of the time that parsing it takes', () => {
  const time = (work: () => unknown): number => {
    const times = Array.from({ length: 9 }, () => {
      const began = performance.now();
      try {
        work();
      } catch {}
      return performance.now() - began;
    });
    return times.toSorted((a, b) => a - b)[1] ?? 0;
  };
  for (const text of [
    `{${Array.from({ length: 60_000 }, (_, index) => `"key${String(index).padStart(8, '0')}":1`).join(',')}}`,
    `[${'1,'.repeat(500_000)}1]`,
    `${'['.repeat(500_000)}${']'.repeat(500_000)}`,
    JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, name: `name ${id}`, text: 'x'.repeat(150) }))),
  ]) {
    const bytes = Buffer.from(text);
    const parsed = time(() => JSON.parse(text));
    expect(time(() => checkJson(bytes, LIMITS))).toBeLessThan(Math.max(1, parsed / 10));
  }
});
