import { describe, expect, test } from 'vitest';
import { findHidden, isPlain, isPlainLines } from './plain-text.ts';

describe('a plain text', () => {
  test.each(['', 'Zoë O’Brien-Smith', '李雷', 'محمد', 'नमस्ते', '👩‍🎤', 'می‌خواهم', 'a b'])('%j is one', (text) => {
    expect([isPlain(text), isPlainLines(text)]).toEqual([true, true]);
  });

  test.each([
    '\u0000',
    '\u0007',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u00ad',
    '\u061c',
    '\u200b',
    '\u200e',
    '\u200f',
    '\u2028',
    '\u2029',
    '\u202a',
    '\u202e',
    '\u2060',
    '\u2066',
    '\u2069',
    '\ufeff',
    '\ufff9',
  ])('one with %j is not', (hidden) => {
    expect([isPlain(`a${hidden}b`), isPlainLines(`a${hidden}b`)]).toEqual([false, false]);
  });

  test.each(['\n', '\r\n', '\t'])('one with %j is only as several lines', (text) => {
    expect([isPlain(`a${text}b`), isPlainLines(`a${text}b`)]).toEqual([false, true]);
  });
});

test('hidden characters are found anywhere in a JSON value, with their path', () => {
  expect(findHidden({ a: ['x', { b: 'c\u202e' }] })).toEqual(['a', '1', 'b']);
  expect(findHidden({ a: { 'b\u202e': 1 } })).toEqual(['a']);
  expect(findHidden('\u202e')).toEqual([]);
  expect(findHidden({ a: 'one\ntwo', b: 1, c: null, d: [true] })).toBeNull();
});
