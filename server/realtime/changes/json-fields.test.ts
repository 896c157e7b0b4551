import { describe, expect, test } from 'vitest';
import { splitFields } from './json-fields.ts';

describe('the fields of a jsonb text', () => {
  test.each([
    ['{}', {}],
    ['{"a": 1}', { a: '1' }],
    ['{"a": 12345678901234567890.10, "b": null, "c": true}', { a: '12345678901234567890.10', b: 'null', c: 'true' }],
    ['{"a": "x, \\"y\\": {", "b": "\\\\"}', { a: '"x, \\"y\\": {"', b: '"\\\\"' }],
    ['{"a": {"b": [1, {"c": "]}"}], "d": {}}, "e": []}', { a: '{"b": [1, {"c": "]}"}], "d": {}}', e: '[]' }],
    ['{"a\\"b, c": 1, "": 2}', { 'a"b, c': '1', '': '2' }],
  ])('%s', (text, fields) => {
    expect(splitFields(text)).toEqual(fields);
  });

  test('a column called __proto__ is a field like any other', () => {
    expect(Object.entries(splitFields('{"__proto__": {"x": 1}}'))).toEqual([['__proto__', '{"x": 1}']]);
  });
});
