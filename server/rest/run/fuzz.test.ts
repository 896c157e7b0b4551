import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DatabaseError } from '#server/db/database.ts';
import { createPglite, type Embedded } from '#server/db/engine/pglite.ts';
import { BOUNDS } from '../core/bounds.ts';
import { type ParsedRequest, parseRequest } from '../parse/request.ts';
import { readSchemaCache } from '../schema-cache/schema-cache.ts';
import type { SchemaCache } from '../schema-cache/schema.ts';
import { RestRefusal, statusOfSqlState } from '../core/errors.ts';
import { prepareCall, prepareDelete, prepareInsert, preparePut, prepareRead, prepareUpdate } from './prepare.ts';
import { createPlans, type Plans, type Prepared } from './prepared.ts';
import type { CachedSchema } from './schema-cache-loader.ts';
import type { RestConfig } from '../core/config.ts';
import { bindValues } from '../sql/builder.ts';

/** Random requests against a real schema: callers' text never enters the SQL, and no request ends in a server failure. */
const RUNS = process.env['TEST_LONG'] === '1' ? 100_000 : 2_000;
const SETTINGS: RestConfig = {
  schemas: ['public'],
  extraSearchPath: [],
  maxRows: 100,
  aggregates: true,
  plans: true,
  txEnd: 'commit',
  preRequest: null,
  rootSpec: null,
  openapi: 'follow-privileges',
  answerBytes: { guest: 1_000_000, user: 1_000_000, service: 1_000_000 },
};
const ANSWER = { bytes: 1_000_000, partBytes: 1_000_000, partRows: 1_000_000 };
const toCachedSchema = (plans: Plans): CachedSchema => ({
  settings: SETTINGS,
  roles: new Map(),
  schemaCache,
  plans,
  timeZones: () => Promise.resolve(new Set()),
});
/** A word that occurs in every value and in no name. */
const SENTINEL = 'zq7';

let db: Embedded;
let schemaCache: SchemaCache;
let identifiers: Set<string>;

beforeAll(async () => {
  db = await createPglite(null);
  await db.script(`
    create table land (id int primary key, name text);
    create table town (id int primary key, land_id int references land, twin int references town, name text not null default 'x', facts jsonb, tags text[],
      price numeric(6, 2), born date, "we""ird -- name" text, words tsvector, height int4range);
    create table pair (town_id int references town, land_id int references land, primary key (town_id, land_id));
    create view card as select id, name as title, land_id from town;
    create function near(place text, steps int default 1) returns setof town language sql stable as 'select * from town';
    create function plus(a int, b int) returns int language sql immutable as 'select a + b';
    create function shout(t town) returns text language sql immutable as 'select upper(t.name)';
    create function about(t town) returns jsonb language sql immutable as 'select t.facts';
    create function friends(t town) returns setof town language sql stable as 'select o.* from town o where o.land_id = t.land_id';
    create function home(t town) returns setof land rows 1 language sql stable as 'select l.* from land l where l.id = t.land_id';
    create function praise(t town, word text default 'x') returns text language sql immutable as 'select word || t.name';
    create function loud(text) returns text language sql immutable as 'select upper($1)';
    create function many(variadic numbers int[]) returns setof int language sql immutable as 'select unnest(numbers)';
    create schema rest;
    create table rest.kept_plan (relation regclass, columns text[]);
    create table rest.shared_read (relation regclass);
    create function rest.limit_response(text, bigint) returns text language sql as 'select $1';
    create function rest.limit_list(json, bigint, bigint, bigint) returns json language sql as 'select $1';
    create schema away; create sequence away.touched;
    create function away.touch() returns bigint language sql volatile as $$ select nextval('away.touched') $$;
    create view away.sentinel as select away.touch() as id, 'word'::text as word;
  `);
  schemaCache = await db.transaction(({ query }) => readSchemaCache(query, { schemas: ['public'], searched: [] }));
  const schema = schemaCache.get('public');
  identifiers = new Set(['public']);
  for (const table of schema?.tables.values() ?? []) {
    identifiers.add(table.name);
    for (const name of [...table.columns.keys(), ...table.computed.keys()]) identifiers.add(name);
    for (const relationship of schema?.relationships.get(table) ?? []) identifiers.add(relationship.constraint);
  }
  for (const [name, routines] of schema?.routines ?? []) {
    identifiers.add(name);
    for (const routine of routines) for (const argument of routine.arguments) identifiers.add(argument.name);
  }
}, 60_000);
afterAll(async () => {
  // A sequence keeps its state even when the transaction is rolled back.
  const touched = await db.queryRow<{ is_called: boolean }>('select is_called from away.touched');
  await db.close();
  expect(touched).toEqual({ is_called: false });
});

const hostile = fc.constantFrom(
  `${SENTINEL}`,
  `${SENTINEL}'; drop table town; --`,
  `${SENTINEL}" from away.sentinel --`,
  `${SENTINEL}\\`,
  `$1${SENTINEL}`,
  `\u0000${SENTINEL}`,
  `(${SENTINEL},"a)",)`,
  `{${SENTINEL}}`,
);
// Most names exist, so that most requests reach the database.
const mostly = (good: fc.Arbitrary<string>, weight = 40): fc.Arbitrary<string> =>
  fc.oneof({ weight, arbitrary: good }, { weight: 1, arbitrary: hostile });
const name = mostly(
  fc.constantFrom(
    'id',
    'id',
    'name',
    'name',
    'land_id',
    'twin',
    'facts',
    'tags',
    'price',
    'born',
    '"we\\"ird -- name"',
    'words',
    'height',
    'title',
    'shout',
    'about',
  ),
);
const relation = mostly(
  fc.constantFrom('land', 'town', 'pair', 'card', 'twin', 'land_id', 'town_twin_fkey', 'friends', 'home'),
);
const field = fc.oneof(
  { weight: 6, arbitrary: name },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('facts', 'tags', 'name', 'about'),
        fc.constantFrom('->', '->>'),
        fc.constantFrom('a', '0', '-1', SENTINEL, `"${SENTINEL}'"`),
      )
      .map((parts) => parts.join('')),
  },
);
const value = fc.oneof(
  hostile,
  fc.constantFrom('1', '(1,2)', '{1,2}', 'null', '{"a":1}', '[1,2)', '*a*', ''),
  fc.string({ maxLength: 12 }),
);
const operator = fc.constantFrom(
  'eq',
  'neq',
  'gt',
  'lt',
  'like',
  'ilike',
  'match',
  'isdistinct',
  'cs',
  'cd',
  'ov',
  'sl',
  'nxr',
  'adj',
  'fts',
  'wfts(english)',
  `plfts(${SENTINEL})`,
  'not.eq',
);
const test_ = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(operator, value).map(([word, text]) => `${word}.${text}`) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'is.null',
      'not.is.not_null',
      'is.true',
      'in.(1,2)',
      'not.in.("a,b")',
      'in.()',
      'eq(any).{1,2}',
      'like(all).{a*}',
      `in.(${SENTINEL})`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('drop.1', 'in.1', 'is.1', 'eq', 'neq(any).1', `in.(${SENTINEL}`, `in.("${SENTINEL})`),
  },
);
const { select } = fc.letrec<{ select: string; item: string }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    {
      weight: 6,
      arbitrary: fc
        .tuple(
          fc.constantFrom('', '', `${SENTINEL}:`),
          field,
          mostly(fc.constantFrom('', '', '', '::text', '.max()', '.count()', '.count()::text'), 20),
        )
        .map((parts) => parts.join('')),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('*', '*', 'count()', `${SENTINEL}:count()`, 'price.sum()', `id::${SENTINEL}`),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          fc.constantFrom('', '', '', '...', `${SENTINEL}:`),
          relation,
          fc.constantFrom('', '', '', '!inner', '!left', '!twin', '!pair', `!${SENTINEL}`),
          tie('select'),
        )
        .map(([a, b, c, d]) => `${a}${b}${c}(${d})`),
    },
  ),
  select: fc.array(tie('item'), { minLength: 1, maxLength: 3 }).map((items) => items.join(',')),
}));
const { logic } = fc.letrec<{ logic: string }>((tie) => ({
  logic: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(field, test_).map(([a, b]) => `${a}.${b}`),
    fc
      .tuple(fc.constantFrom('and', 'or', 'not.and'), fc.array(tie('logic'), { minLength: 1, maxLength: 3 }))
      .map(([word, of]) => `${word}(${of.join(',')})`),
  ),
}));
const order = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: field }, { weight: 1, arbitrary: relation.map((name) => `${name}(name)`) }),
    mostly(fc.constantFrom('', '.desc', '.asc.nullslast')),
  )
  .map((parts) => parts.join(''));
const param = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('select'), select) },
  { weight: 8, arbitrary: fc.tuple(field, test_) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.tuple(relation, name).map((parts) => parts.join('.')),
      test_,
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constantFrom('or', 'and', 'not.or'),
      fc.array(logic, { minLength: 1, maxLength: 3 }).map((of) => `(${of.join(',')})`),
    ),
  },
  { weight: 4, arbitrary: fc.tuple(fc.constant('order'), order) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom('limit', 'offset'), mostly(fc.constantFrom('0', '5', '99999999999'), 20)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('columns', 'on_conflict'),
      fc.array(name, { maxLength: 3 }).map((list) => list.join(',')),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('place', 'steps', 'a', 'b', 'numbers', 'numbers', 't'), value) },
  { weight: 1, arbitrary: fc.tuple(fc.string({ maxLength: 8 }), fc.string({ maxLength: 20 })) },
);
const mostlyJson = fc.oneof(
  { weight: 12, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom('text/csv', 'text/plain', 'application/octet-stream', SENTINEL) },
);
const TABLES = ['town', 'town', 'town', 'town', 'town', 'land', 'card', 'pair'];
const READS_AND_WRITES = ['GET', 'GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const CALLS = ['CALL', 'CALLGET'];
const ARGUMENTS: [routine: string, names: string[]][] = [
  ['near', ['place', 'steps']],
  ['near', ['place']],
  ['plus', ['a', 'b']],
  ['praise', ['t', 'word']],
  ['many', ['numbers']],
];
interface Target {
  method: string;
  name: string;
  /** Parameters that come before the random ones. */
  given?: [key: string, text: string][];
  /** A fitting body that is sent instead of a random one. */
  fitting?: Record<string, unknown>;
}
// Most methods fit their target, so that most requests reach the database.
const target: fc.Arbitrary<Target> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      method: fc.constantFrom(...READS_AND_WRITES),
      name: fc.constantFrom(...TABLES),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...CALLS), fc.constantFrom(...ARGUMENTS), fc.array(value, { minLength: 2, maxLength: 2 }))
      .map(([method, [routine, names], values]) => {
        const given = names.map((key, index): [string, string] => [key, values[index] ?? '']);
        return method === 'CALL'
          ? { method, name: routine, fitting: Object.fromEntries(given) }
          : { method, name: routine, given };
      }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(value, select).map(([text, tree]): Target => ({
      method: 'PUT',
      name: 'land',
      given: [
        ['id', 'eq.1'],
        ['select', tree],
      ],
      fitting: { id: 1, name: text },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom(...READS_AND_WRITES, ...CALLS),
      name: fc.constantFrom(...TABLES, 'near', 'plus', 'praise', 'loud', 'many', 'sentinel', 'away.sentinel'),
    }),
  },
);
const body = fc.oneof(
  fc.record({ id: fc.integer(), name: value, price: fc.double() }, { requiredKeys: [] }),
  fc.array(fc.record({ id: fc.integer(), facts: fc.jsonValue() }), { maxLength: 3 }),
  fc.record({ place: value, steps: fc.integer() }, { requiredKeys: [] }),
  fc.record({ t: fc.record({ id: fc.integer(), name: value }), word: value }, { requiredKeys: ['t'] }),
  fc.record({ numbers: fc.array(fc.integer()) }),
  fc.jsonValue(),
);
const request = fc
  .record({
    target,
    params: fc.array(param, { maxLength: 4 }),
    accept: fc.constantFrom(
      'application/json',
      'text/csv',
      'application/vnd.pgrst.object+json;nulls=stripped',
      `application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|${SENTINEL}`,
    ),
    type: mostlyJson,
    prefer: fc.constantFrom(
      '',
      'return=representation',
      'return=representation, count=exact, missing=default',
      'resolution=merge-duplicates,return=headers-only',
      'resolution=merge-duplicates,return=representation,count=estimated,missing=default',
      `timezone=${SENTINEL},max-affected=1`,
    ),
    body,
  })
  .map(({ target: { method, name: of, given = [], fitting }, ...generated }) => ({
    ...generated,
    method,
    name: of,
    // PUT requires the whole key and accepts no other parameters.
    params: method === 'PUT' && fitting ? given : [...given, ...generated.params],
    body: fitting ?? generated.body,
  }));
type Generated = typeof request extends fc.Arbitrary<infer T> ? T : never;

const PREPARE = {
  GET: prepareRead,
  POST: prepareInsert,
  PUT: preparePut,
  PATCH: prepareUpdate,
  DELETE: prepareDelete,
  CALL: prepareCall,
  CALLGET: prepareCall,
};

async function prepareGenerated(
  generated: Generated,
): Promise<{ requested: ParsedRequest; prepared: Prepared } | null> {
  const kind = generated.method.startsWith('CALL') ? 'call' : 'table';
  const method = generated.method === 'CALL' ? 'POST' : generated.method === 'CALLGET' ? 'GET' : generated.method;
  const search = new URLSearchParams(generated.params.map(([key, text]): [string, string] => [key, text]));
  const sends = method === 'POST' || method === 'PATCH' || method === 'PUT';
  const sent = new Request(`http://localhost/rest/v1/${generated.name}?${search.toString()}`, {
    method,
    headers: { accept: generated.accept, prefer: generated.prefer, 'content-type': generated.type },
    ...(sends ? { body: JSON.stringify(generated.body) } : {}),
  });
  try {
    const requested = await parseRequest(sent, kind, generated.name, { plans: true, bounds: BOUNDS.service });
    const prepare = PREPARE[generated.method as keyof typeof PREPARE]; // The method is one of the names above.
    const prepared = prepare(requested, toCachedSchema(createPlans()));
    return { requested, prepared };
  } catch (error) {
    if (error instanceof RestRefusal && error.status < 500) return null;
    throw error;
  }
}

// The only literals and words that a statement may contain besides identifiers and values.
const LITERALS = new Set([
  "''",
  "'[]'",
  "'null'",
  "'response.status'",
  "'response.headers'",
  "'pgrst.inserted'",
  "'0'",
  "'-1'",
  "'hex'",
  "'pgrst_scalar'",
  "'x'",
]);
const WORDS = new Set(
  `rest limit_response limit_list select from where and or not as on true false null unknown is distinct any all in exists group by order desc nulls first last limit offset left join lateral
  like ilike sum avg max min count coalesce json_agg json_build_object json_strip_nulls row_to_json to_json to_jsonb string_agg substring length chr
  to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery nullif current_setting case when then else end
  insert into default values conflict do nothing update set excluded delete returning with explain format json_to_recordset json_to_record jsonb_array_elements jsonb_to_record
  public town set_config array_agg encode max variadic bytea
  body total status headers key inserted whole_row text int integer bigint numeric jsonb json regconfig date tsvector int4range w x k e r a f v j`.split(
    /\s+/,
  ),
);

function unexpectedTokens(sql: string): string[] {
  const tokens = sql.match(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\$\d+|[A-Za-z_]\w*|\d+|\S/g) ?? [];
  return tokens.filter((token) => {
    if (token.startsWith('"')) return !identifiers.has(token.slice(1, -1).replaceAll('""', '"'));
    if (token.startsWith("'")) return !LITERALS.has(token);
    if (/^[A-Za-z_]/.test(token)) return !WORDS.has(token) && !/^[tc]\d+$/.test(token);
    return !/^(\$\d+|\d+|[()*,.:=<>!~&|@?[\]{}+-])$/.test(token);
  });
}

test('a statement for any request contains only parameters, fixed words and names from the schema cache', async () => {
  let built = 0;
  await fc.assert(
    fc.asyncProperty(request, async (generated) => {
      const ready = await prepareGenerated(generated);
      for (const statement of [ready?.prepared.statement, ready?.prepared.estimate]) {
        if (!statement) continue;
        built += 1;
        expect(unexpectedTokens(statement.text), statement.text).toEqual([]);
        expect(statement.text).not.toContain(SENTINEL);
        expect(Math.max(0, ...(statement.text.match(/\$\d+/g) ?? []).map((param) => Number(param.slice(1))))).toBe(
          statement.binders.length,
        );
      }
    }),
    { numRuns: RUNS },
  );
  expect(built).toBeGreaterThan(RUNS / 4);
}, 3_600_000);

test('the database accepts the statement of any request or refuses it with a status below 500', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(request, async (generated) => {
      const ready = await prepareGenerated(generated);
      const { statement, bodyAs } = ready?.prepared ?? {};
      if (!ready || !statement) return;
      run += 1;
      try {
        const body = bodyAs === 'list' ? ready.requested.body?.listText : ready.requested.body?.raw;
        const values = bindValues(statement.binders, ready.requested.read.values, body ?? null, ANSWER);
        await db.as({ role: 'postgres', claims: '{}' }, statement.text, values, { rollback: true });
      } catch (error) {
        if (error instanceof RestRefusal && error.status < 500) return;
        if (!(error instanceof DatabaseError)) throw error;
        // The SQL is always valid, and no input of a caller causes a server failure.
        const failure = `${error.code} ${error.message}`;
        expect(failure).not.toMatch(/syntax error at/);
        expect(statusOfSqlState(error.code, false), `${failure}\n${statement.text}`).toBeLessThan(500);
      }
    }),
    { numRuns: RUNS },
  );
  expect(run).toBeGreaterThan(RUNS / 4);
}, 3_600_000);

test('requests that differ only in values share one plan and one statement', async () => {
  const plans = createPlans();
  const texts = new Set<string | undefined>();
  for (const value of ['1', '2', "3'"]) {
    const sent = new Request(
      `http://localhost/rest/v1/town?select=id&name=eq.${value}&or=(id.eq.${value},name.in.(a,${value}))&limit=${value.slice(0, 1)}`,
    );
    texts.add(
      prepareRead(
        await parseRequest(sent, 'table', 'town', { plans: false, bounds: BOUNDS.service }),
        toCachedSchema(plans),
      ).statement?.text,
    );
  }
  expect([plans.size, texts.size]).toEqual([1, 1]);
});
