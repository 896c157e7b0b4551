import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPglite, type Embedded } from '#server/db/engine/pglite.ts';
import { traceViews } from './relationships.ts';
import { agreedOrigins, readOrigins } from './view-columns.ts';

let db: Embedded;
beforeAll(async () => {
  db = await createPglite(null);
  await db.script(`
    create table land (id int primary key, name text);
    create table town (id int primary key, land_id int references land, "odd {name} \\" text);
    create view plain as select t.id, t.land_id as country, upper(t."odd {name} \\") as shout, t."odd {name} \\" from town t;
    create view joined as select t.id, l.name, (select count(*) from town) as towns from town t left join land l on l.id = t.land_id;
    create view merged as select id, land_id from town where id < 5 union all select null, land_id from town union all select id, id from town where false;
    create view inner_town as select id, land_id from town;
    create view through_view as select id, land_id from inner_town where id < 5 union all select null, land_id from town;
    create view nested as with one as (select id from land) select (select max(id) from one) as top, s.id from (select id from town) s;
  `);
});
afterAll(() => db.close());

async function readColumnOrigins(view: string): Promise<string[]> {
  const { rows } = await db.query<{ rule: string }>(
    'select ev_action::text as rule from pg_rewrite where ev_class = $1::text::regclass',
    [view],
  );
  const named = agreedOrigins(readOrigins(rows[0]?.rule ?? '')).map(async (origin) => {
    const name = await db.queryRow<{ name: string }>(
      `select a.attrelid::regclass || '.' || a.attname as name from pg_attribute a where a.attrelid = $1::oid and a.attnum = $2::int`,
      [origin.fromTable, origin.fromColumn],
    );
    return `${origin.column} ${name?.name}`;
  });
  return Promise.all(named);
}

test('a renamed column is traced to its table, an expression is not', async () => {
  expect(await readColumnOrigins('plain')).toEqual(['1 town.id', '2 town.land_id', '4 town.odd {name} \\']);
});
test('columns of joined tables are traced to their own table', async () => {
  expect(await readColumnOrigins('joined')).toEqual(['1 town.id', '2 land.name']);
});
test('a column of a union is traced only when all its branches agree', async () => {
  expect(await readColumnOrigins('merged')).toEqual(['1 town.id']);
});
test('columns of subqueries are not traced', async () => {
  expect(await readColumnOrigins('nested')).toEqual(['2 town.id']);
});

test('a union whose branches reach one table directly and through another view is traced to that table', async () => {
  const { rows } = await db.query<{ oid: number; rule: string }>(
    `select c.oid::int8 as oid, r.ev_action::text as rule from pg_rewrite r join pg_class c on c.oid = r.ev_class where c.relname in ('inner_town', 'through_view')`,
  );
  const named = await db.queryRow<{ town: number; view: number }>(
    `select 'town'::regclass::oid::int8 as town, 'through_view'::regclass::oid::int8 as view`,
  );
  expect(traceViews(rows).get(named?.view ?? 0)).toEqual(
    new Map([
      [
        named?.town,
        new Map([
          [1, 1],
          [2, 2],
        ]),
      ],
    ]),
  );
});
