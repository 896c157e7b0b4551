import { describe, expect, test } from 'vitest';
import { RestRefusal, statusOfSqlState } from '../core/errors.ts';
import { nearest, nearestColumns } from '../schema-cache/nearest.ts';
import { parseQuery, readList, readQuery } from './query.ts';
import { parseOrder, parseSelect } from './select.ts';
import { readForm } from './form.ts';
import { readPreferences } from './preferences.ts';

const read = (query: string, call = false) => readQuery(new URLSearchParams(query), call);
const field = (name: string, ...path: { key: string; asText: boolean }[]) => ({ name, path });
const column = (name: string) => ({ kind: 'column', field: field(name), alias: null, cast: null, aggregate: null });

describe('select', () => {
  test('parses names, aliases, casts and JSON paths', () => {
    expect(parseSelect('id, a:"b c"::text,d->e->>0')).toEqual([
      column('id'),
      { kind: 'column', field: field('b c'), alias: 'a', cast: 'text', aggregate: null },
      {
        kind: 'column',
        field: field('d', { key: 'e', asText: false }, { key: '0', asText: true }),
        alias: null,
        cast: null,
        aggregate: null,
      },
    ]);
  });
  test('a dash is part of a name, an arrow is not', () => {
    expect(parseSelect('first-name->a-b')).toMatchObject([
      { field: field('first-name', { key: 'a-b', asText: false }) },
    ]);
  });
  test('parses nested embeds with hints, spreads and aggregates', () => {
    expect(parseSelect('x:towns!fk!inner(id,...lands(name)),count(),price.sum()::text')).toEqual([
      {
        kind: 'embed',
        relation: 'towns',
        alias: 'x',
        hint: 'fk',
        inner: true,
        spread: false,
        select: [
          column('id'),
          {
            kind: 'embed',
            relation: 'lands',
            alias: null,
            hint: null,
            inner: false,
            spread: true,
            select: [column('name')],
          },
        ],
      },
      { kind: 'count', alias: null, cast: null },
      { kind: 'column', field: field('price'), alias: null, cast: null, aggregate: { name: 'sum', cast: 'text' } },
    ]);
  });
  test.each(['a(', 'a)', 'a,,b', '"a', 'a::', 'a.sum', 'a.drop()', 'a:b:c', '...a', '->a', 'a->', 'a(b))'])(
    '%s is refused',
    (text) => {
      expect(() => parseSelect(text)).toThrow(RestRefusal);
    },
  );
  test('select and logic trees nested too deeply are refused', () => {
    expect(() => parseSelect('a('.repeat(5_000) + ')'.repeat(5_000))).toThrow(/nested too deeply/);
    expect(() => read(`and=(${'or('.repeat(5_000)}a.eq.1${')'.repeat(5_000)})`)).toThrow(/nested too deeply/);
  });
});

describe('conditions', () => {
  test('requests that differ only in values have the same shape, with the values listed apart', () => {
    const first = read('id=eq.1&or=(a.gt.2,not.and(b.in.(3,4),c.is.null))&limit=5');
    const other = read('id=eq.9&or=(a.gt."x,y",not.and(b.in.(),c.is.null))&limit=6');
    expect(first.values).toEqual(['1', '2', '(3,4)', '5']);
    expect(other.values).toEqual(['9', 'x,y', '()', '6']);
    expect(first.shape).toBe(other.shape);
    expect(read('id=eq.1&or=(a.gt.2,not.and(b.in.(3,4),c.is.true))&limit=5').shape).not.toBe(first.shape);
  });
  test('conditions, orders and limits belong to the level that their path names', () => {
    const parsed = parseQuery(read('a.b.c=not.eq.1&a.order=d.desc&a.b.limit=2&not.or=(x.eq.1)&a.not.and=(y.eq.2)'));
    expect([...parsed.levels.keys()]).toEqual(['a.b', 'a', '']);
    expect(parsed.levels.get('a.b')).toMatchObject({ conditions: [{ field: field('c'), negated: true }], limit: 1 });
    expect(parsed.levels.get('')?.conditions).toMatchObject([{ kind: 'logic', operator: 'or', negated: true }]);
    expect(parsed.levels.get('a')?.conditions).toMatchObject([{ kind: 'logic', operator: 'and', negated: true }]);
  });
  test('a call by GET has arguments and conditions', () => {
    const parsed = parseQuery(read('a=1&b=eq.2&c={1,2}', true));
    expect(parsed.arguments).toEqual([
      { name: 'a', value: 0 },
      { name: 'c', value: 2 },
    ]);
    expect(parsed.levels.get('')?.conditions).toHaveLength(1);
  });
  test.each([
    'id=1',
    'id=eq',
    'id=is.5',
    'id=in.1',
    'id=neq(any).1',
    'id=eq(some).1',
    'limit=-1',
    'offset=x',
    'or=a.eq.1',
    'or=(a.eq.1',
    'or=()',
    'and=(a.foo.1)',
    '=eq.1',
    'a..b=eq.1',
    'order=',
    'order=a.up',
  ])('%s is refused', (query) => {
    expect(() => parseQuery(read(query))).toThrow(RestRefusal);
  });
  test('parses the members of a list, quoted ones too', () => {
    expect(readList('(a,"b,c", "d\\"e")')).toEqual(['a', 'b,c', 'd"e']);
    expect(readList('()')).toEqual([]);
  });
});

test('parses directions, null placement and columns of an embedded relation in an order', () => {
  expect(parseOrder('a.desc.nullslast,lands(name),b->>c.asc')).toEqual([
    { relation: null, field: field('a'), descending: true, nulls: 'last' },
    { relation: 'lands', field: field('name'), descending: false, nulls: null },
    { relation: null, field: field('b', { key: 'c', asText: true }), descending: false, nulls: null },
  ]);
});

test('the first preference of a name counts; unknown ones are refused only under strict handling', () => {
  expect(readPreferences('return=minimal, return=representation, count=exact, fun=yes')).toMatchObject({
    returning: 'minimal',
    count: 'exact',
    applied: new Map([
      ['return', 'minimal'],
      ['count', 'exact'],
    ]),
  });
  expect(() => readPreferences('handling=strict, fun=yes')).toThrow(RestRefusal);
  expect(readPreferences('max-affected=3').maxAffected).toBeNull();
});

const TABLE = { plans: false, call: false };
test('the Accept header chooses the media type, single objects, stripped nulls and plans', () => {
  expect(readForm('text/html, */*', TABLE)).toMatchObject({ type: 'application/json', single: false });
  expect(readForm('application/vnd.pgrst.object+json;nulls=stripped', TABLE)).toMatchObject({
    single: true,
    stripNulls: true,
  });
  expect(() => readForm('image/png', TABLE)).toThrow(RestRefusal);
  expect(readForm('image/png', { plans: false, call: true })).toMatchObject({ type: '', accepts: ['image/png'] });
  expect(() => readForm('application/vnd.pgrst.plan+json', TABLE)).toThrow(RestRefusal);
  const plan = 'application/vnd.pgrst.plan+text; for="text/csv"; options=analyze|buffers|fun;';
  expect(readForm(plan, { plans: true, call: false })).toMatchObject({
    format: 'csv',
    plan: { json: false, options: ['analyze', 'buffers'] },
  });
});

test.each([
  ['42501', true, 401],
  ['42501', false, 403],
  ['23505', false, 409],
  ['23503', false, 409],
  ['23514', false, 400],
  ['22P02', false, 400],
  ['P0001', false, 400],
  ['PT402', false, 402],
  ['42P01', false, 404],
  ['57014', false, 500],
  ['08006', false, 503],
])('SQLSTATE %s, guest %s: %i', (code, guest, status) => {
  expect(statusOfSqlState(code, guest)).toBe(status);
});

test('a similar name is suggested, a distant one is not', () => {
  expect(nearest('towm', ['town', 'land'])).toBe('town');
  expect(nearest('zebra', ['town', 'land'])).toBeNull();
});

test('a suggested name shares two letters in a row, as in PostgREST', () => {
  expect(nearest('other', ['test', 'another'])).toBe('another');
  expect(nearest('noclosealternative', ['test', 'another'])).toBeNull();
  // Two letters match, but never two in a row.
  expect(nearest('xaxbx', ['yaybyy'])).toBeNull();
  expect(nearest('(attrs, id)', ['(name, param, val)', '(attr, id)'])).toBe('(attr, id)');
});

test('a suggested column differs in at most three letters and half of the name, as in PostgreSQL', () => {
  expect(nearestColumns('nam', ['name', 'id'])).toEqual(['name']);
  expect(nearestColumns('users', ['username'])).toEqual([]);
  expect(nearestColumns('ab', ['cd'])).toEqual([]);
  expect(nearestColumns('cat', ['car', 'can'])).toEqual(['car', 'can']);
  expect(nearestColumns('cat', ['car', 'can', 'cab'])).toEqual([]);
});
