import { afterAll, beforeAll, expect, test } from 'vitest';
import { withRollback } from '#server/db/roll-back.ts';
import { startTestServer } from '#tests/support/test-server.ts';
import { type Populated, populate } from './fixture.ts';
import {
  type Expectation,
  expectedOutcome,
  type Outcome,
  PRINCIPALS,
  type Principal,
  type Values,
  type Verb,
} from './matrix.ts';

/**
 * Checks that the matrix detects faults: if any single policy is missing, at least one cell must change. Runs in the database itself as the
 * owner, who can drop policies, in transactions that are rolled back.
 */
const VERBS: readonly Verb[] = ['select', 'insert', 'update', 'delete'];
type Query = (text: string, values?: readonly unknown[]) => Promise<{ rows: Record<string, unknown>[]; count: number }>;

let app: Populated;
beforeAll(async () => {
  app = await populate({ name: 'embedded', open: (env) => startTestServer({ env: env ?? {} }) });
}, 180_000);
afterAll(() => app.server.close());

const named = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function createStatement(
  table: string,
  verb: Verb,
  expectation: Expectation,
  row: string,
): { text: string; values: unknown[] } {
  const { key, fresh } = expectation.rows[row] ?? { key: {}, fresh: {} };
  const where = (from: number): string =>
    Object.keys(key)
      .map((name, index) => `${named(name)} = $${from + index}`)
      .join(' and ');
  const relation = `public.${named(table)}`;
  if (verb === 'select') return { text: `select * from ${relation} where ${where(1)}`, values: Object.values(key) };
  if (verb === 'delete') return { text: `delete from ${relation} where ${where(1)}`, values: Object.values(key) };
  const written: Values = verb === 'insert' ? fresh : expectation.change;
  const names = Object.keys(written).map(named);
  const places = names.map((_, index) => `$${index + 1}`);
  if (verb === 'insert')
    return {
      text: `insert into ${relation} (${names.join(', ')}) values (${places.join(', ')})`,
      values: Object.values(written),
    };
  const set = names.map((name, index) => `${name} = ${places[index] ?? ''}`).join(', ');
  return {
    text: `update ${relation} set ${set} where ${where(names.length + 1)}`,
    values: [...Object.values(written), ...Object.values(key)],
  };
}

async function become(query: Query, principal: Principal): Promise<void> {
  const { people } = app;
  const role = principal === 'guest' ? 'anon' : principal === 'service' ? 'service_role' : 'authenticated';
  const sub = principal in people ? people[principal as keyof typeof people] : null; // one of the four with an account
  await query(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
    JSON.stringify({ role, ...(sub === null ? {} : { sub }) }),
    role,
  ]);
}

/** Runs one cell and rolls it back. Returns its outcome. */
async function tryCell(
  query: Query,
  table: string,
  verb: Verb,
  expectation: Expectation,
  cell: { principal: Principal; row: string },
) {
  const { text, values } = createStatement(table, verb, expectation, cell.row);
  await query('savepoint cell');
  let outcome: Outcome;
  try {
    await become(query, cell.principal);
    const { count } = await query(text, values);
    outcome = verb === 'select' ? (count > 0 ? 'shown' : 'none') : count > 0 ? 'done' : 'none';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    outcome = code === '42501' ? 'refused' : 'impossible';
  }
  await query('rollback to savepoint cell');
  return outcome;
}

/** Lists the cells of a table whose outcome differs from the matrix. */
async function deviations(query: Query, table: string, verbs: readonly Verb[]): Promise<string[]> {
  const expectation = app.matrix[table];
  if (!expectation) return [`${table} has no expectation`];
  const wrong: string[] = [];
  for (const principal of PRINCIPALS.filter((each) => each !== 'revoked' && each !== 'expired'))
    for (const verb of verbs)
      for (const row of Object.keys(expectation.rows)) {
        const outcome = await tryCell(query, table, verb, expectation, { principal, row });
        const expected = expectedOutcome(expectation, principal, verb, row);
        if (outcome !== (expected === 'masked' ? 'shown' : expected))
          wrong.push(`${principal} ${verb} ${row}: ${outcome}`);
      }
  return wrong;
}

/** Runs `work` as the owner, in a transaction that is always rolled back. */
async function asOwner(work: (query: Query) => Promise<void>): Promise<void> {
  await withRollback<void>(app.server.app.db.transaction, async ({ query }, rollBack) => {
    await work(query);
    throw rollBack();
  });
}

test('the database itself gives the same answers as /rest', async () => {
  await asOwner(async (query) => {
    for (const table of Object.keys(app.matrix))
      expect([table, await deviations(query, table, VERBS)]).toEqual([table, []]);
  });
}, 120_000);

test('without any one policy at least one cell has another outcome', async () => {
  const unnoticed: string[] = [];
  let dropped = 0;
  await asOwner(async (query) => {
    const { rows } = await query(
      `select tablename::text as name, policyname::text as policy, cmd from pg_policies where schemaname = 'public' order by 1, 2`,
    );
    for (const { name, policy } of rows) {
      dropped += 1;
      await query('savepoint policy');
      await query(`drop policy ${named(String(policy))} on public.${named(String(name))}`);
      if ((await deviations(query, String(name), VERBS)).length === 0)
        unnoticed.push(`${String(name)}: ${String(policy)}`);
      await query('rollback to savepoint policy');
    }
  });
  expect(unnoticed).toEqual([]);
  expect(dropped).toBeGreaterThan(10);
}, 300_000);

test('without row security, and with an extra grant, cells have another outcome', async () => {
  const unnoticed: string[] = [];
  await asOwner(async (query) => {
    const { rows } = await query(
      `select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r' order by 1`,
    );
    for (const { name } of rows) {
      const table = named(String(name));
      for (const change of [
        `alter table public.${table} disable row level security`,
        `grant select, insert, update, delete on public.${table} to authenticated`,
      ]) {
        await query('savepoint change');
        await query(change);
        const changed = (await deviations(query, String(name), VERBS)).length;
        await query('rollback to savepoint change');
        if (changed === 0) unnoticed.push(`${String(name)}: ${change}`);
      }
    }
  });
  expect(unnoticed.toSorted()).toEqual(UNNOTICED);
}, 300_000);

/**
 * Changes without an effect: people already have every grant on their drafts, and anyone may join the mailing list, which callers cannot
 * read because they lack a grant.
 */
const UNNOTICED: readonly string[] = [
  'booking_drafts: grant select, insert, update, delete on public."booking_drafts" to authenticated',
  'mailing_list: alter table public."mailing_list" disable row level security',
];
