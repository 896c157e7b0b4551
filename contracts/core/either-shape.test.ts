import { expect, test } from 'vitest';
import { z } from 'zod';
import { eitherShape } from './either-shape.ts';

/** Creates a schema that counts its parses, and two shapes with a field of that schema. */
function createShapes() {
  const parses: unknown[] = [];
  const counted = z.string().transform((text) => {
    parses.push(text);
    return text.length;
  });
  const isFirst = (body: unknown): boolean => body !== null && typeof body === 'object' && 'first' in body;
  return { parses, either: eitherShape(isFirst, z.object({ first: counted }), z.object({ second: counted })) };
}

test.each([
  ['first', { first: 'abc' }, { first: 3 }],
  ['second', { second: 'abcd' }, { second: 4 }],
])('a body of the %s shape is parsed once', (_shape, body, parsed) => {
  const { either, parses } = createShapes();
  expect(either.parse(body)).toEqual(parsed);
  expect(parses).toHaveLength(1);
});

test('a refusal names the invalid field of the shape that was sent', () => {
  const { either } = createShapes();
  const findPaths = (body: unknown) => either.safeParse(body).error?.issues.map(({ path }) => path);
  expect(findPaths({ first: 1, second: 'x' })).toEqual([['first']]);
  expect(findPaths({})).toEqual([['second']]);
  expect(findPaths(null)).toEqual([[]]);
});
