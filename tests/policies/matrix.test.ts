import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { askCell, type Populated, populate } from './fixture.ts';
import { ELSEWHERE, type Expectation, expectedOutcome, FUNCTIONS, type Outcome, PRINCIPALS, VERBS } from './matrix.ts';

/**
 * Runs every cell of the written matrix through the real client, and checks that the database contains nothing outside it. Shows that no
 * caller can read or change rows without the right to do so.
 */
/** The relations of the exposed schema. */
const TABLES = [
  'audit_logs',
  'booking_access_codes',
  'booking_drafts',
  'booking_payments',
  'bookings',
  'business_settings',
  'closed_hours',
  'current_price_lists',
  'customer_contacts',
  'customer_identities',
  'discount_codes',
  'id_verifications',
  'mailing_list',
  'price_lists',
  'profiles',
  'scheduled_emails',
  'special_days',
  'staff_names',
  'staff_permissions',
  'studios',
  'terms_acceptances',
  'user_roles',
  'user_verifications',
  'waitlist_entries',
];
const ROLES = ['anon', 'authenticated', 'service_role'] as const;

describe.each(engines)('who may do what with which row on $name', (engine) => {
  let app: Populated;
  beforeAll(async () => {
    app = await populate(engine);
  }, 180_000);
  afterAll(() => app.server.close());

  const rows = <R>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> =>
    app.server.app.db.query<R>(text, values).then((result) => result.rows);
  const getExpectation = (name: string): Expectation => {
    const found = app.matrix[name];
    if (!found) throw new Error(`${name} has no expectation`);
    return found;
  };

  test.each(TABLES)('%s: every principal, verb and row', async (name) => {
    const expectation = getExpectation(name);
    const seen = (outcome: Outcome): Outcome => (outcome === 'masked' ? 'shown' : outcome);
    const wrong: string[] = [];
    let cells = 0;
    for (const principal of PRINCIPALS) {
      for (const verb of VERBS) {
        for (const row of Object.keys(expectation.rows)) {
          const expected = expectedOutcome(expectation, principal, verb, row);
          const { outcome, code } = await askCell(app.clients[principal], name, expectation, { principal, verb, row });
          cells += 1;
          if (outcome !== (verb === 'head' ? seen(expected) : expected))
            wrong.push(`${principal} ${verb} ${row}: ${outcome} (${code}) instead of ${expected}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(cells).toBe(PRINCIPALS.length * VERBS.length * Object.keys(expectation.rows).length);
  });

  test('every relation of the exposed schema is in the matrix, with all its columns', async () => {
    const found = await rows<{ name: string; columns: string[] }>(
      `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns from pg_class c
       join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where n.nspname = 'public' and c.relkind in ('r', 'v', 'm', 'p', 'f') group by c.relname order by c.relname`,
    );
    expect(found.map((row) => row.name)).toEqual(TABLES);
    for (const { name, columns } of found) expect(getExpectation(name).columns.split(/\s+/), name).toEqual(columns);
  });

  test('every column is open to exactly the roles and verbs of the matrix', async () => {
    const held = await rows<{ role: string; name: string; column: string; verb: string }>(
      `select r.role, c.relname as name, a.attname as column, v.verb from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       cross join unnest($1::text[]) as r(role) cross join unnest('{select,insert,update}'::text[]) as v(verb)
       where n.nspname = 'public' and c.relkind in ('r', 'v') and has_column_privilege(r.role, c.oid, a.attnum, v.verb)`,
      [ROLES],
    );
    const key = (...parts: string[]): string => parts.join(' ');
    const expected = TABLES.flatMap((name) => {
      const expectation = getExpectation(name);
      return ROLES.flatMap((role) =>
        expectation.grants[role]
          .split(' ')
          .filter((verb) => verb !== '' && verb !== 'delete')
          .flatMap((verb) => getColumns(expectation, role, verb).map((column) => key(name, column, role, verb))),
      );
    });
    const actual = held.map((row) => key(row.name, row.column, row.role, row.verb));
    expect(actual.toSorted()).toEqual(expected.toSorted());
    const deleting = await rows<{ role: string; name: string }>(
      `select r.role, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join unnest($1::text[]) as r(role)
       where n.nspname = 'public' and c.relkind in ('r', 'v') and has_table_privilege(r.role, c.oid, 'delete')`,
      [ROLES],
    );
    expect(deleting.map((row) => key(row.name, row.role)).toSorted()).toEqual(
      TABLES.flatMap((name) =>
        ROLES.filter((role) => getExpectation(name).grants[role].split(' ').includes('delete')).map((role) =>
          key(name, role),
        ),
      ).toSorted(),
    );
  });

  test('each column that a person may not write is refused by name', async () => {
    const wrong: string[] = [];
    for (const name of TABLES) {
      const expectation = getExpectation(name);
      if (!expectation.writes?.update) continue;
      const mine = name === 'discount_codes' ? app.clients.admin : app.clients.owner;
      const [row] = Object.values(expectation.rows);
      const may = expectation.writes.update.split(' ');
      for (const column of expectation.columns.split(/\s+/).filter((each) => !may.includes(each))) {
        const { error } = await mine
          .from(name)
          .update({ [column]: null })
          .match(row?.key ?? {})
          .rollback();
        if (error?.code !== '42501') wrong.push(`${name}.${column}: ${error?.code ?? 'done'}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('every function of the exposed schema is in the matrix, with the roles that may call it', async () => {
    const found = await rows<{ name: string; roles: string[] | null }>(
      `select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as name,
         (select array_agg(r.role order by r.role) from unnest($1::text[]) as r(role) where has_function_privilege(r.role, p.oid, 'execute')) as roles
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public' order by 1`,
      [ROLES],
    );
    expect(Object.fromEntries(found.map((row) => [row.name, row.roles?.join(' ') ?? '']))).toEqual(FUNCTIONS);
  });

  test('callers have no rights outside the matrix except those that /storage and /realtime use on their behalf', async () => {
    const relations = await rows<{ name: string }>(
      `select distinct n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       cross join unnest($1::text[]) as r(role)
       where n.nspname not in ('public', 'pg_catalog', 'information_schema', 'extensions') and n.nspname not like 'pg_%' and c.relkind in ('r', 'v', 'm', 'p')
         and (has_table_privilege(r.role, c.oid, 'select, insert, update, delete') or has_any_column_privilege(r.role, c.oid, 'select, insert, update'))
       order by 1`,
      [ROLES],
    );
    expect(relations.map((relation) => relation.name)).toEqual(ELSEWHERE);
    const functions = await rows<{ name: string }>(
      `select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace cross join unnest($1::text[]) as r(role)
       where n.nspname = 'private' and has_schema_privilege(r.role, n.oid, 'usage') and has_function_privilege(r.role, p.oid, 'execute')`,
      [ROLES],
    );
    expect(functions).toEqual([]);
  });

  test('every table has row security, every view runs as its caller, every function sets its search path', async () => {
    const open = await rows<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'private', 'auth', 'storage') and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
         and not (n.nspname = 'private' and c.relname in ('code_object', 'migrations'))`,
    );
    expect(open).toEqual([]);
    const views = await rows<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('v', 'm') and not coalesce(c.reloptions, '{}') @> '{security_invoker=true}'`,
    );
    expect(views.map((view) => view.name).toSorted()).toEqual([
      'booking_payments',
      'bookings',
      'closed_hours',
      'customer_contacts',
      'customer_identities',
      'staff_names',
    ]);
    const barriers = await rows<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'private' and c.relkind = 'v' and coalesce(c.reloptions, '{}') @> '{security_barrier=true}'`,
    );
    expect(barriers).toEqual([{ name: 'private.visible_booking' }]);
    const searching = await rows<{ name: string }>(
      `select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname in ('public', 'private', 'auth', 'storage') and p.prokind = 'f'
         -- A body in SQL's own form is bound when it is created.
         and p.prosqlbody is null
         and not exists (select from unnest(p.proconfig) as s(setting) where s.setting like 'search_path=%')`,
    );
    expect(searching).toEqual([]);
  });

  test('embedding, or and other features of a request show nothing that a plain read does not', async () => {
    const { guest, owner, other, admin } = app.clients;
    const start = { gte: '2031-01-01', lt: '2031-01-02' };
    const within = await guest
      .from('studios')
      .select('name, bookings(*)')
      .gte('bookings.start_time', start.gte)
      .lt('bookings.start_time', start.lt);
    const shown = within.data?.flatMap((row) => row.bookings) ?? [];
    expect(shown).toHaveLength(3);
    for (const row of shown)
      expect(
        Object.entries(row)
          .filter(([, value]) => value !== null)
          .map(([name]) => name)
          .toSorted(),
      ).toEqual(['end_time', 'start_time', 'status', 'studio_id']);
    const { owner: id } = app.people;
    const either = await other.from('profiles').select('*').or(`user_id.eq.${id},user_id.not.eq.${id}`);
    expect(either.data?.map((row) => row['user_id'])).toEqual([app.people.other]);
    expect((await other.from('profiles').select('*').ilike('full_name', '%')).data).toHaveLength(1);
    const counted = await other.from('id_verifications').select('*', { count: 'exact', head: true });
    expect(counted.count).toBe((await other.from('id_verifications').select('id')).data?.length);
    const codes = await admin.from('booking_access_codes').select('id, bookings(user_id)').eq('bookings.user_id', id);
    expect(codes.error).toBeNull();
    expect((await owner.from('booking_access_codes').select('id, bookings!inner(*)')).data).toEqual([]);
    expect((await guest.from('bookings').select('id_verifications(*)')).error).not.toBeNull();
    const ordered = await guest
      .from('bookings')
      .select('start_time')
      .order('notes')
      .gte('start_time', start.gte)
      .lt('start_time', start.lt);
    expect(ordered.data).toHaveLength(3);
    expect((await guest.from('bookings').select('start_time').eq('notes', 'test')).data).toEqual([]);
    const csv = await guest.from('bookings').select('notes,user_id').gte('start_time', start.gte).csv();
    expect(csv.data?.replaceAll(/[\n,]/g, '')).toBe('notesuser_id');
  });
});

function getColumns(expectation: Expectation, role: (typeof ROLES)[number], verb: string): string[] {
  const written = verb === 'insert' ? 'insert' : verb === 'update' ? 'update' : null;
  const own =
    role === 'service_role' || written === null
      ? undefined
      : role === 'anon'
        ? expectation.guestWrites?.insert
        : expectation.writes?.[written];
  return (own ?? expectation.columns).split(/\s+/);
}
