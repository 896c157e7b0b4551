import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getObjects, type Schema } from '#server/db/schema/schema.ts';
import { checkedOutSchema } from '#tests/support/image.ts';
import { openRows, type TestRows } from '#tests/support/rows.ts';

/** Tests the rules for `database/`; see docs/how-to.md. */

const FOLDER = join(import.meta.dirname, '..', '..', 'database');
const LINE = 120;
const FUNCTION_LINES = 80;
/** Number of long lines allowed per file: texts that cannot be broken, such as paragraphs of the first terms and single literals. */
const LONG_LINES = new Map([
  ['code/accounts/deletion.sql', 2],
  ['code/audit/search.sql', 1],
  ['code/before-tables/business-settings.sql', 1],
  ['migrations/0220_first_rows.sql', 14],
]);
/** Functions that are allowed to be long, because they make a single decision or return a single long document. */
const LONG_FUNCTIONS = [
  'private.booking_details',
  'private.export_account',
  'private.hold_booking',
  'public.staff_alerts',
];

let database: TestRows;
let schema: Schema;
let files: ReadonlyMap<string, string>;
beforeAll(async () => {
  [database, schema, files] = await Promise.all([openRows(), checkedOutSchema(), readFiles()]);
}, 120_000);
afterAll(() => database.close());

async function readFiles(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(FOLDER, { recursive: true })).filter((name) =>
    /^(code|migrations)\/.*\.sql$/.test(name),
  );
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(FOLDER, name), 'utf8')] as const)),
  );
}

test('each function, view, trigger and policy of the database is defined once in database/code, and nothing else is', () =>
  database.rolledBack(async ({ query }) => {
    const found = await query(`
      select 'function ' || p.oid::regprocedure as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('auth', 'private', 'public', 'realtime', 'rest', 'storage') and p.prokind = 'f'
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      union all
      select format('view %I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('auth', 'private', 'public', 'realtime', 'rest', 'storage') and c.relkind = 'v'
      union all
      select format('trigger %I on %I.%I', t.tgname, n.nspname, c.relname)
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace where not t.tgisinternal and t.tgparentid = 0
      union all
      select format('policy %I on %I.%I', p.polname, n.nspname, c.relname)
      from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace`);
    const defined = await query(
      `select case split_part(name, ' ', 1)
         when 'function' then 'function ' || to_regprocedure(substr(name, 10)) else name end as name
       from unnest($1::text[]) as name`,
      [getObjects(schema).map(({ name }) => name)],
    );
    const names = (rows: readonly Record<string, unknown>[]): string[] =>
      rows.map(({ name }) => String(name)).toSorted();
    expect(names(defined)).toEqual(names(found));
  }));

test('migrations call no code except that of before-tables', () => {
  const names = schema.code.others
    .filter(({ kind }) => kind === 'function' || kind === 'view')
    .map(({ name }) => /^\w+ ([\w.]+)/.exec(name)?.[1] ?? '');
  const calls = schema.migrations.flatMap(({ name, sql }) => {
    const text = sql.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''");
    return names
      .filter((called) => new RegExp(`\\b${called.replace('.', '\\.')}\\b`).test(text))
      .map((called) => `${name}: ${called}`);
  });
  expect(calls).toEqual([]);
});

test(`a line has at most ${LINE} characters, except ${[...LONG_LINES.values()].reduce((a, b) => a + b)} that are one text`, () => {
  const long = [...files].flatMap(([name, text]) => {
    const count = text.split('\n').filter((line) => line.length > LINE).length;
    return count === (LONG_LINES.get(name) ?? 0) ? [] : [`${name}: ${count}`];
  });
  expect(long).toEqual([]);
});

test(`a function has at most ${FUNCTION_LINES} lines, except ${LONG_FUNCTIONS.length}`, () => {
  const long = getObjects(schema).flatMap(({ name, kind, statements: [text = ''] }) =>
    kind === 'function' && text.split('\n').length > FUNCTION_LINES ? [/(?<=^\w+ )[\w.]+/.exec(name)?.[0] ?? ''] : [],
  );
  expect(long.toSorted()).toEqual(LONG_FUNCTIONS.toSorted());
});

test('variables of PL/pgSQL begin with v_', () => {
  const wrong = getObjects(schema).flatMap(({ name, statements: [text = ''] }) =>
    variablesIn(text)
      .filter((variable) => !variable.startsWith('v_'))
      .map((variable) => `${name}: ${variable}`),
  );
  expect(wrong).toEqual([]);
});

/** Returns the names in the `declare` sections of a function. */
function variablesIn(text: string): string[] {
  return [...text.matchAll(/\bdeclare\b([\s\S]*?)\bbegin\b/g)].flatMap(([, section = '']) =>
    section
      .replace(/--.*$/gm, '')
      .replace(/'(?:[^']|'')*'/g, "''")
      .split(';')
      .flatMap((declaration) => /^\s*([a-z_]\w*)\s/.exec(declaration)?.[1] ?? []),
  );
}

test('the database has a record of every object of the code, with the hash of its text', () =>
  database.rolledBack(async ({ query }) => {
    const recorded = await query<{ name: string; hash: string }>('select name, hash from private.code_object');
    const toText = ({ name, hash }: { readonly name: string; readonly hash: string }): string => `${name} ${hash}`;
    expect(recorded.map(toText).toSorted()).toEqual(getObjects(schema).map(toText).toSorted());
  }));
