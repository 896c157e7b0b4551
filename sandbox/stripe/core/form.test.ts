import { describe, expect, test } from 'vitest';
import { parseInteger, parseMetadata, onlyKnown, parseForm } from './form.ts';

describe('a bracketed form', () => {
  test.each([
    ['a=1&b=two%20words', { a: '1', b: 'two words' }],
    ['a[b][c]=1&a[d]=2', { a: { b: { c: '1' }, d: '2' } }],
    ['a[0][b]=1&a[1][b]=2', { a: [{ b: '1' }, { b: '2' }] }],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['a[1]=x', { a: { '1': 'x' } }],
    ['url=http%3A%2F%2Fx%2F%7BCHECKOUT_SESSION_ID%7D', { url: 'http://x/{CHECKOUT_SESSION_ID}' }],
    ['a=1&a=2', { a: '2' }],
    ['', {}],
  ])('%s is read', (text, value) => {
    expect(parseForm(text)).toEqual(value);
  });

  test.each(['a=1&a[b]=2', 'a[b]=1&a=2', 'a[b=1', 'a]b=1', 'a[[b]]=1', '[a]=1'])('%s is refused', (text) => {
    expect(() => parseForm(text)).toThrow();
  });

  test('cannot set inherited properties', () => {
    const form = parseForm('metadata[__proto__]=x&metadata[constructor]=y');
    expect(Object.keys(parseMetadata(form['metadata']))).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});

describe('known keys', () => {
  test('match at every level; a star stands for one level', () => {
    const allowed = ['mode', 'items.*.price.amount', 'metadata.*'];
    expect(() => onlyKnown(parseForm('mode=a&items[0][price][amount]=1&metadata[k]=v'), allowed)).not.toThrow();
    expect(() => onlyKnown(parseForm('items[0][price][colour]=1'), allowed)).toThrow('items[0][price][colour]');
    expect(() => onlyKnown(parseForm('metadata[k][l]=v'), allowed)).toThrow('metadata[k][l]');
    expect(() => onlyKnown(parseForm('mode[a]=v'), allowed)).toThrow('mode[a]');
  });
});

describe('values', () => {
  test.each(['1.5', '1e3', ' 1', '', '0x10', '9999999999999'])('%j is not a whole number', (value) => {
    expect(() => parseInteger(value, 'amount')).toThrow('Invalid integer');
  });
  test('metadata has at most 50 keys of 40 characters', () => {
    const keys = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
    expect(Object.keys(parseMetadata(keys(50)))).toHaveLength(50);
    expect(() => parseMetadata(keys(51))).toThrow('50 keys');
    expect(() => parseMetadata({ ['k'.repeat(41)]: 'v' })).toThrow('40 characters');
  });
});
