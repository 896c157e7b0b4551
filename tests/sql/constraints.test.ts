import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRows, type Rows, type TestRows } from '#tests/support/rows.ts';
import { AUTH, PRIVATE, PUBLIC, STORAGE, type Values } from './constraint-examples.ts';

const TABLES = { ...AUTH, ...PRIVATE, ...PUBLIC, ...STORAGE };
const SCHEMAS = `('auth', 'storage', 'private', 'public')`;
/** No row can break these constraints alone: `received` lies between 0 and `length`, and a profile's `user_id` is its key. */
const CHECKS_THAT_FOLLOW = ['storage.uploads uploads_length_check'];
const UNIQUES_THAT_FOLLOW = ['public.profiles profiles_user_id_key'];

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

/** Runs `work` without triggers and foreign keys, so that only constraints and unique indexes can refuse a row. */
function onlyConstraints(work: (rows: Rows) => Promise<void>): Promise<void> {
  return database.rolledBack(async (rows) => {
    await rows.query('set local session_replication_role = replica');
    await rows.query('delete from storage.buckets');
    await rows.query('delete from private.mailing_list_count');
    await work(rows);
  });
}

const checks = Object.entries(TABLES).flatMap(([table, examples]) =>
  Object.entries(examples.checks).map(([name, example]) => ({ table, name, base: examples.base, example })),
);
const uniques = Object.entries(TABLES).flatMap(([table, examples]) =>
  Object.entries(examples.uniques ?? {}).map(([name, example]) => ({ table, name, base: examples.base, example })),
);
const short = (values: Values): string => JSON.stringify(values).slice(0, 100);

describe('checks', () => {
  test('every check constraint has an example', () =>
    database.rolledBack(async ({ query }) => {
      const found = await query<{ name: string }>(
        `select n.nspname || '.' || t.relname || ' ' || c.conname as name from pg_constraint c
         join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
         where n.nspname in ${SCHEMAS} and c.contype = 'c' order by 1`,
      );
      const named = checks.map(({ table, name }) => `${table} ${name}`);
      expect(found.map(({ name }) => name)).toEqual([...named, ...CHECKS_THAT_FOLLOW].toSorted());
    }));

  test.each(checks)('$table: $name refuses its bad rows and accepts its good ones', ({ table, name, base, example }) =>
    onlyConstraints(async ({ add, refusal }) => {
      const wrong: string[] = [];
      for (const values of example.bad) {
        const refused = await refusal(() => add(table, { ...base, ...values }));
        if (refused?.code !== '23514' || refused.constraint !== name)
          wrong.push(`accepted ${short(values)} (${refused?.constraint ?? 'nothing'} ${refused?.message ?? ''})`);
      }
      for (const values of example.good) {
        const refused = await refusal(() => add(table, { ...base, ...values }));
        if (refused) wrong.push(`refused ${short(values)}: ${refused.message}`);
      }
      expect(wrong).toEqual([]);
    }),
  );
});

describe('unique rules', () => {
  test('every unique index and exclusion constraint except the primary keys has an example', () =>
    database.rolledBack(async ({ query }) => {
      const found = await query<{ name: string }>(
        `select n.nspname || '.' || t.relname || ' ' || c.relname as name from pg_index i
         join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid join pg_namespace n on n.oid = t.relnamespace
         where n.nspname in ${SCHEMAS} and (i.indisunique or i.indisexclusion) and not i.indisprimary order by 1`,
      );
      const named = uniques.map(({ table, name }) => `${table} ${name}`);
      expect(found.map((row) => row.name)).toEqual([...named, ...UNIQUES_THAT_FOLLOW].toSorted());
    }));

  test.each(uniques)('$table: $name refuses clashing rows and accepts others', ({ table, name, base, example }) =>
    onlyConstraints(async ({ add, refusal }) => {
      const wrong: string[] = [];
      const addBoth =
        ([first, other]: readonly [Values, Values]) =>
        async (): Promise<void> => {
          await add(table, { ...base, ...first });
          await add(table, { ...base, ...other });
        };
      for (const pair of example.clash) {
        const refused = await refusal(addBoth(pair));
        if (!/^23(505|P01)$/.test(refused?.code ?? '') || refused?.constraint !== name)
          wrong.push(`accepted ${pair.map(short).join(' and ')} (${refused?.message ?? 'nothing'})`);
      }
      for (const pair of example.apart) {
        const refused = await refusal(addBoth(pair));
        if (refused) wrong.push(`refused ${pair.map(short).join(' and ')}: ${refused.message}`);
      }
      expect(wrong).toEqual([]);
    }),
  );

  test('every table has a primary key', () =>
    database.rolledBack(async ({ query }) => {
      expect(
        await query(
          `select n.nspname || '.' || t.relname as name from pg_class t join pg_namespace n on n.oid = t.relnamespace
           where n.nspname in ${SCHEMAS} and t.relkind = 'r' and not exists (select from pg_index i where i.indrelid = t.oid and i.indisprimary)`,
        ),
      ).toEqual([]);
    }));
});
