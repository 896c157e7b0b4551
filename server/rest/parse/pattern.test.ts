import { expect, test } from 'vitest';
import { likeFault, readArray, regexFault } from './pattern.ts';

test.each([
  'room',
  '^Room [A-C]$',
  '(room|house) ?[0-9]{1,3}',
  '^(https?://)?[a-z0-9.]+$',
  '\\mpioneer\\M',
  '[^a-z]+x*?',
  '(?:a|b|c)+d{20}',
  'a\\{300\\}',
  '[{300}]',
  '[]a(b]+',
  '[[:alpha:]]{2,}',
  'x'.repeat(100),
])('an ordinary pattern passes: %s', (pattern) => {
  expect(regexFault(pattern)).toBeNull();
});

test.each([
  ['the pattern that stopped the embedded engine', '(?:(?:a{0,255}){0,255}){0,5}b', 'more than 20 times'],
  ['more than a hundred characters', 'x'.repeat(101), 'longer than 100 characters'],
  ['a back-reference', '(a)\\1', 'refers back'],
  ['a back-reference of two digits', '(a)\\12', 'refers back'],
  ['a repetition of a repetition', '(a*)*', 'itself repeats'],
  ['a repetition of a repetition, further down', '(x(y(z+)))+', 'itself repeats'],
  ['a counted repetition of a repetition', '(?:a+){2}', 'itself repeats'],
  ['a repetition of a counted repetition', '(?:a{2}){3}', 'itself repeats'],
  ['two quantifiers in a row', 'a{2}{3}', 'repeats a repetition'],
  ['twenty-one times', 'a{21}', 'more than 20 times'],
  ['from one to twenty-one times', 'a{1,21}', 'more than 20 times'],
  ['at least twenty-one times', 'a{21,}', 'more than 20 times'],
  ['many parts many times', '(?:abcdefgh){20}', 'more than 120 parts'],
  ['counted repetitions one after the other', 'a{20}'.repeat(7), 'more than 120 parts'],
  ['another kind of expression by director', '***:(a)', 'director'],
  ['another kind of expression by option', '(?b)a\\{0,255\\}', 'options'],
  ['a look ahead', '(?=a)b', 'options'],
  ['a look behind', '(?<!a)b', 'options'],
  ['a repeated anchor, which takes PostgreSQL 20 seconds to compile', '(?:(^|$|a|)(^|$|a|)){11}', 'beginning'],
  ['many word boundaries', '(?:\\y|)'.repeat(5), 'more than 4 beginnings'],
  ['word boundaries as bracket expressions', '[[:<:]]'.repeat(5), 'more than 4 beginnings'],
  ['many edges of words', '(?:\\y|)'.repeat(5), 'more than 4 beginnings'],
  ['edges of words as bracket expressions', '[[:<:]]'.repeat(5), 'more than 4 beginnings'],
  ['many ranges', '[a-z]'.repeat(5), 'ranges'],
])('%s is refused', (_, pattern, fault) => {
  expect(regexFault(pattern)).toContain(fault);
});

test('a LIKE pattern may have 100 characters, however many bytes', () => {
  expect(likeFault('%é%'.repeat(33))).toBeNull();
  expect(likeFault('%'.repeat(101))).toContain('longer than 100 characters');
});

test('array members are read without their quotes and escapes', () => {
  expect(readArray('{a, b ,"c,d","e\\"f"}')).toEqual(['a', 'b', 'c,d', 'e"f']);
  expect(readArray('{"(a)\\\\1"}')).toEqual(['(a)\\1']);
  expect(readArray('{{a,b},{c}}')).toEqual(['a', 'b', 'c']);
  expect(readArray('{}')).toEqual([]);
  expect(readArray('[1:1]={a}')).toBeNull();
  expect(readArray('a')).toBeNull();
});
