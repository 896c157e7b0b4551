import { runScript } from '#tests/support/schema.ts';
import { STUDIO_A, STUDIO_B, type TestServer } from '#tests/support/test-server.ts';

/**
 * Generates the requests for the test of hidden columns: the relations of the database with their columns, two sets of values for
 * everything that is hidden from a caller, and every request that could reveal such a column.
 */
export type Column = { readonly relation: string; readonly name: string; readonly type: string };
export type Ask = { readonly method: string; readonly path: string; readonly body?: string; readonly prefer?: string };
/** The set of hidden values that the tables contain. State 3 has no hidden rows. */
export type State = 1 | 2 | 3;

/** The public columns of views whose other columns are hidden. */
const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  bookings: ['studio_id', 'start_time', 'end_time', 'status'],
  closed_hours: ['closure_id', 'studio_id', 'start_time', 'end_time', 'public', 'weeks', 'endless'],
};
/** Columns with only one possible value, because of a constraint or because the value hides the row. */
export const CONSTANT = ['id_verifications.ai_raw_response', 'scheduled_emails.email_type', 'studios.active'];

export const getId = (state: State): string => `a5000000-0000-4000-8000-00000000000${state}`;
/** A coupon that anyone may check; its counters are hidden. */
const KNOWN_CODE = 'a5000000-0000-4000-8000-00000000000c';

/** A closure whose reason is hidden. */
const CLOSURE = `'a5000000-0000-4000-8000-00000000000d'`;
const CLOSED = {
  studio_id: `'${STUDIO_A}'`,
  start_time: `'2031-02-01T00:00:00Z'`,
  end_time: `'2031-02-01T01:00:00Z'`,
};

/** Returns the SQL of a value for a column of this type. */
function createValue(type: string, state: State): string {
  if (type === 'uuid') return `'${getId(state)}'`;
  if (type.startsWith('timestamp')) return `'2031-0${state}-01T00:00:00Z'`;
  if (type === 'date') return `'199${state}-02-03'`;
  if (type === 'boolean') return state === 1 ? 'true' : 'false';
  if (type === 'jsonb') return `'{"a": "secret-${state}x"}'`;
  if (type === 'text[]') return `'{secret-${state}x}'`;
  if (type.endsWith('[]')) return `'{${state}}'`;
  return type === 'text' ? `'secret-${state}x'` : `${state}`;
}

/** Values of columns with constraints. Each item of a list becomes one row. */
const RULED: Readonly<Record<string, (state: State) => readonly Readonly<Record<string, string>>[]>> = {
  'private.booking': (state) => [
    {
      studio_id: `'${STUDIO_A}'`,
      start_time: `'2031-01-01T00:00:00Z'`,
      end_time: `'2031-01-01T01:00:00Z'`,
      status: `'cancelled'`,
      cancel_reason: state === 1 ? `'customer'` : `'staff'`,
      reference: `'AAAA-2${state + 1}22'`,
      contact_phone: state === 3 ? 'null' : `'+61400000${state}00'`,
      // A hold for a move does not have its own customer.
      moves_booking: 'null',
      move_number: 'null',
      waitlist_entry_id: 'null',
      early: 'false',
      order_id: 'null',
      order_place: 'null',
      order_size: 'null',
    },
  ],
  // Guests see the details of the business on its pages, but not the text that customers read before they arrive.
  'public.business_settings': (state) => [
    {
      version: 'default',
      settings: `(select jsonb_set(settings, '{arrivalNotes}', '"secret-${state}x"') from public.business_settings order by version desc limit 1)`,
    },
  ],
  'public.waitlist_entries': (state) => [
    {
      place: 'default',
      studio_id: `'${state === 1 ? STUDIO_A : STUDIO_B}'`,
      start_time: `'2031-0${state}-01T00:00:00Z'`,
      end_time: `'2031-0${state}-01T01:00:00Z'`,
      state: state === 1 ? `'waiting'` : `'left'`,
    },
  ],
  'private.closure': (state) => [
    { ...CLOSED, id: CLOSURE, weeks: '1', endless: 'false', public: 'false', reason: `'secret-${state}x'` },
  ],
  'private.closed_span': () => [{ ...CLOSED, closure_id: CLOSURE }],
  'private.payment': (state) => [
    {
      kind: `'card'`,
      state: state === 1 ? `'paid'` : `'refunded'`,
      currency: `'aud'`,
      dispute_id: 'null',
      dispute_status: 'null',
    },
  ],
  'public.id_verifications': (state) =>
    [`'verified'`, state === 1 ? `'review'` : `'failed'`].map((verification_status, index) => ({
      id: `'a500000${index}-0000-4000-8000-00000000000${state}'`,
      source: state === 1 ? `'photo'` : `'staff'`,
      verification_status,
      ai_raw_response: 'null',
      ai_confidence_score: `0.${state}`,
    })),
  'public.user_roles': (state) => [{ role: state === 1 ? `'admin'` : `'user'` }],
  'public.staff_permissions': (state) => [{ permission: state === 1 ? `'owner'` : `'money'` }],
  'public.mailing_list': (state) => [{ email: `'secret-${state}@example.com'` }],
  'public.studios': (state) => [
    {
      active: 'false',
      photos: `'{${getId(state)}.jpg}'`,
      open_hours: `array_fill(${state === 1 ? 'true' : 'false'}, array[168])`,
    },
  ],
  'public.price_lists': (state) => [
    {
      valid_from: `'203${state}-02-03'`,
      hour_cents: `array_fill(${state}000, array[168])`,
      volume_percents: `array_fill(${state}0, array[24])`,
    },
  ],
  'public.special_days': (state) => [
    {
      first_day: `'203${state}-02-03'`,
      last_day: `'203${state}-02-04'`,
      hour_cents: `array_fill(${state}000, array[24])`,
    },
  ],
  'public.discount_codes': (state) => [
    {
      code: `'SECRET-${state}X'`,
      discount_type: state === 1 ? `'fixed'` : `'percentage'`,
      max_uses: `${state * 10}`,
      valid_from: `'2030-0${state}-01T00:00:00Z'`,
      customer_email: `'secret-${state}x@example.com'`,
      from_hour: `${state}`,
      until_hour: `${state + 10}`,
    },
    {
      id: `'${KNOWN_CODE}'`,
      code: `'KNOWN'`,
      discount_type: `'fixed'`,
      discount_value: '5',
      min_hours: 'null',
      expires_at: 'null',
      active: 'true',
      max_uses: `${state * 100}`,
      current_uses: `${state * 7}`,
      per_user_limit: `${state * 3}`,
      valid_from: 'null',
      customer_email: 'null',
      weekdays: 'null',
      from_hour: 'null',
      until_hour: 'null',
      works_when: 'null',
      gift_batch_id: 'null',
    },
  ],
  'public.booking_access_codes': (state) => [
    {
      status: state === 1 ? `'issued'` : `'revoked'`,
      mode: state === 1 ? `'bridge'` : `'hourly'`,
      ends_at: `'2031-0${state}-02T00:00:00Z'`,
    },
  ],
  'public.scheduled_emails': (state) => [{ email_type: `'access_code'`, status: state === 1 ? `'pending'` : `'sent'` }],
};

/** Public rows, which remain in state 3, with nulls where possible. */
const LEFT_IN_3: Readonly<Record<string, [number, number]>> = {
  'private.booking': [0, 1],
  'private.closure': [0, 1],
  'private.closed_span': [0, 1],
  'public.discount_codes': [1, 2],
};

type BaseColumn = Column & { readonly nullable: boolean };

/** Writes one set of hidden values into every table that callers can reach, with triggers and foreign keys disabled. */
export async function hide(server: TestServer, state: State): Promise<void> {
  const { rows } = await server.app.db.query<BaseColumn>(
    `select n.nspname || '.' || c.relname as relation, a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' and (n.nspname = 'public' or n.nspname = 'private' and c.relname in ('booking', 'payment', 'closure', 'closed_span')) and a.attgenerated = '' order by c.oid, a.attnum`,
  );
  const tables = new Map<string, BaseColumn[]>();
  for (const row of rows) tables.set(row.relation, [...(tables.get(row.relation) ?? []), row]);
  const statements = ['begin', 'set local session_replication_role = replica'];
  for (const [table, columns] of tables) {
    const key = ['id', 'user_id', 'closure_id', 'created_by'].find((name) =>
      columns.some((column) => column.name === name),
    );
    statements.push(`delete from ${table} where ${key}::text like 'a500000%'`);
    const ruledRows = RULED[table]?.(state) ?? [{}];
    for (const ruled of state === 3 ? ruledRows.slice(...(LEFT_IN_3[table] ?? [0, 0])) : ruledRows) {
      const values = columns.map((column) =>
        state === 3 && column.nullable && !(column.name in ruled)
          ? 'null'
          : (ruled[column.name as keyof typeof ruled] ?? createValue(column.type, state)),
      );
      statements.push(
        `insert into ${table} (${columns.map((column) => column.name).join(', ')}) values (${values.join(', ')})`,
      );
    }
  }
  await runScript(server, [...statements, 'commit', 'analyze'].join(';\n\n'));
}

/** Returns every column of the exposed schema that is hidden from guests, or from customers who do not own the rows. */
export async function hiddenColumns(server: TestServer): Promise<readonly Column[]> {
  const { rows } = await server.app.db.query<Column>(
    `select c.relname as relation, a.attname as name, format_type(a.atttypid, null) as type from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname = 'public' and c.relkind in ('r', 'v', 'm', 'p', 'f') order by c.relname, a.attnum`,
  );
  return rows.filter((column) => !PUBLIC[column.relation]?.includes(column.name));
}

/** Returns the hidden rows of a relation as the server reads them: the values of each column, as text. */
export async function readValues(
  server: TestServer,
  relation: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const claims = '{"role":"service_role"}';
  const principal = { role: 'service_role', claims };
  const { rows } = await server.app.db.as<{ row: Record<string, unknown> }>(
    principal,
    `select to_jsonb(t) as row from public.${relation} t where to_jsonb(t)::text like '%a500000%' order by to_jsonb(t)::text`,
  );
  const found = new Map<string, string[]>();
  for (const { row } of rows)
    for (const [name, value] of Object.entries(row)) {
      const text = value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value);
      found.set(name, [...(found.get(name) ?? []), text]);
    }
  return found;
}

const COMPARED = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'isdistinct'];
const QUANTIFIED = ['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'match', 'imatch'];
const WITHIN = ['cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj'];

/** Returns every filter on a column, with a value that the column has in the first state, the most revealing first. */
function filtersOn(value: string): string[] {
  const start = value.slice(0, Math.max(1, value.length - 1));
  const plain = [
    // A pattern must not end with a backslash. PostgreSQL notices this only if the rest matches, so the error reveals the value.
    `like.${start}%\\`,
    `match.^${start}(`,
    `eq.${value}`,
    `plfts.${value}`,
    `ilike.${start}%\\`,
    `imatch.^${start}(`,
    `like.${start}*`,
    `match.^${start.replaceAll('+', '.')}`,
    ...COMPARED.map((operator) => `${operator}.${value}`),
    ...['any', 'all'].flatMap((how) =>
      QUANTIFIED.map((operator) => `${operator}(${how}).{"${value.replaceAll(/["\\]/g, '\\$&')}","${start}%"}`),
    ),
    `in.("${value.replaceAll(/["\\]/g, '\\$&')}")`,
    ...['null', 'not_null', 'true', 'false', 'unknown'].map((state) => `is.${state}`),
    ...['fts', 'phfts', 'wfts', 'fts(english)'].map((operator) => `${operator}.${value}`),
    ...WITHIN.flatMap((operator) => [
      `${operator}.${value}`,
      `${operator}.{secret-1x}`,
      `${operator}.[${value},${value}]`,
    ]),
  ];
  return [...new Set(plain)].flatMap((filter) => [filter, `not.${filter}`]);
}

const CASTS = ['int', 'uuid', 'jsonb', 'date', 'timestamptz', 'bool', 'numeric'];

/** Returns every request about a column. Those that revealed most in the past come first. */
export function asksAbout({ relation, name }: Column, value: string): Ask[] {
  const at = (query: string): string => `/${relation}?${query}`;
  const with1 = (filter: string): string => `${name}=${encodeURIComponent(filter)}`;
  const get = (query: string, prefer?: string): Ask => ({
    method: 'GET',
    path: at(query),
    ...(prefer ? { prefer } : {}),
  });
  const filters = filtersOn(value);
  const counted = ['planned', 'exact', 'estimated'].map((count) =>
    get(`select=*&${with1(`eq.${value}`)}`, `count=${count}`),
  );
  const [first = '', , second = ''] = filters;
  const embedded =
    relation === 'bookings'
      ? [first, second, `eq.${value}`].map((filter) => ({
          method: 'GET',
          path: `/studios?select=id,bookings!inner(status)&bookings.${with1(filter)}`,
        }))
      : [];
  const written = ['PATCH', 'DELETE'].flatMap((method) =>
    [first, second, `eq.${value}`].map((filter) => ({
      method,
      path: at(with1(filter)),
      prefer: 'tx=rollback,return=representation',
      ...(method === 'PATCH' ? { body: JSON.stringify({ [name]: null }) } : {}),
    })),
  );
  return [
    get(`select=${name}&${with1(first)}`),
    get(`select=${name}&${with1(second)}`),
    ...counted,
    get(`select=${name}&order=${name}.desc.nullslast&limit=1`),
    get(`select=x:${name}::int`),
    get(`select=x:${name}.max()`),
    ...embedded,
    ...written,
    ...filters.map((filter) => get(`select=${name}&${with1(filter)}`)),
    ...CASTS.map((type) => get(`select=x:${name}::${type}`)),
    ...['max', 'min', 'sum', 'avg', 'count'].map((aggregate) => get(`select=x:${name}.${aggregate}()`)),
    ...['asc', 'desc', 'asc.nullsfirst'].map((order) => get(`select=${name}&order=${name}.${order}&limit=1`)),
    get(`select=x:${name}->a,y:${name}->>a&order=${name}->a`),
    get(`${name}->>a=eq.secret-1x`),
    get(`or=(${encodeURIComponent(`${name}.eq."${value.replaceAll(/["\\]/g, '\\$&')}",${name}.is.null`)})`),
    get(`not.and=(${encodeURIComponent(`${name}.like."${value.slice(0, 1)}%\\\\",${name}.not.is.null`)})`),
  ];
}
