import { describe, expect, test } from 'vitest';
import { readBinding } from './bindings.ts';
import { readFilter } from './filters.ts';

const condition = (column: string, operator: string, values: string[], negated = false): object => ({
  column,
  operator,
  values,
  negated,
});

describe('a filter', () => {
  test.each([
    ['', []],
    ['  ', []],
    ['id=eq.5', [condition('id', 'eq', ['5'])]],
    ['id=not.eq.5', [condition('id', 'eq', ['5'], true)]],
    ['name=eq.a.b', [condition('name', 'eq', ['a.b'])]],
    ['name=eq.', [condition('name', 'eq', [''])]],
    ['name=eq."a,b"', [condition('name', 'eq', ['a,b'])]],
    ['name=eq."say \\"hi\\""', [condition('name', 'eq', ['say "hi"'])]],
    ['id=in.(1,2,3)', [condition('id', 'in', ['1', '2', '3'])]],
    ['id=in.()', [condition('id', 'in', [])]],
    ['name=in.("a,b",c)', [condition('name', 'in', ['a,b', 'c'])]],
    ['a=gt.1,b=lte.2', [condition('a', 'gt', ['1']), condition('b', 'lte', ['2'])]],
    ['a=is.null', [condition('a', 'is', ['null'])]],
    ['a=like.%25x', [condition('a', 'like', ['%25x'])]],
    ['a=match.^(x|y),b=isdistinct.1', [condition('a', 'match', ['^(x|y)']), condition('b', 'isdistinct', ['1'])]],
  ])('%s', (text, expected) => expect(readFilter(text)).toEqual(expected));

  test.each([
    ['id=foo.5', 'Error parsing `filter` params: ["id", "foo.5"]'],
    ['wrong', 'Error parsing `filter` params: ["wrong"]'],
    ['id=in.1', 'Error parsing `filter` params: `in` filter value must be wrapped by parentheses'],
    [
      'a=eq.1,,b=eq.2',
      'Error parsing `filter` params: filter must not contain empty segments (check for extra commas)',
    ],
    [`id=in.(${Array.from({ length: 101 }, (_, n) => n).join(',')})`, 'too many values for `in` filter. Maximum 100'],
  ])('%s is refused', (text, message) => expect(() => readFilter(text)).toThrow(message));
});

describe('a binding', () => {
  test('without a schema it is about public; an unknown event is every event', () => {
    expect(readBinding({ event: 'delete', table: 'a' })).toMatchObject({
      event: 'DELETE',
      schema: 'public',
      table: 'a',
    });
    expect(readBinding({ event: 'x', schema: 's' })).toMatchObject({ event: '*', schema: 's', table: '*' });
  });

  test.each([
    [{ event: '*' }, 'No subscription params provided'],
    [{ event: '*', schema: '*', select: ['a'] }, 'Column selection is not supported for wildcard subscriptions'],
    [{ event: '*', table: 'a', select: [1] }, 'Error parsing `select` params'],
    [{ event: '*', schema: 'public', filter: 'a=eq.1' }, 'Unable to subscribe to changes with given parameters'],
  ])('%j is refused', (sent, message) => expect(() => readBinding(sent)).toThrow(message));
});
