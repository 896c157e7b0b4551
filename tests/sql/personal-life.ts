import { type Rows, uuid } from '#tests/support/rows.ts';
import { AUTH, PRIVATE, PUBLIC, STORAGE, type Values } from './constraint-examples.ts';

/** The person whose account is deleted. The account of STAFF stays. */
export const PERSON = uuid(1);
const STAFF = uuid(2);
/** All times of the rows are before this one, including those of sessions and links. */
export const NOW = '2031-04-01T00:00:00Z';
/** The person's email address and phone number, wherever they are stored. */
export const EMAIL = 'zz.person@example.com';
export const PHONE = '61499000111';

type Column = {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly references: string | null;
  readonly isKey: boolean;
  readonly isGenerated: boolean;
};

/** A base row for each table. Tables that a migration fills keep their rows; each of the others gets one row of the person. */
const TABLES: Readonly<Record<string, { readonly base: Values }>> = { ...AUTH, ...PRIVATE, ...PUBLIC, ...STORAGE };

/** Reads all columns of all tables from the catalogue. */
export function readColumns({ query }: Rows): Promise<Column[]> {
  return query<Column>(
    `select n.nspname || '.' || c.relname as "table", a.attname as column, format_type(a.atttypid, null) as type, a.attgenerated <> '' as "isGenerated",
       exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any (i.indkey)) as "isKey",
       (select fn.nspname || '.' || f.relname from pg_constraint k join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
        where k.contype = 'f' and k.conrelid = c.oid and k.conkey = array[a.attnum] limit 1) as references
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped and n.nspname !~ '^(pg_|information_schema)' order by c.oid, a.attnum`,
  );
}

/** Columns that name the person without a foreign key. */
const OWN = /^(user_id|owner|customer_id|reporter|actor|subject_id)$/;
/** Columns that hold the person's own email address or phone number. */
const ADDRESS = /^(email|recipient|recipient_email|customer_email|guest_email)$/;
const NUMBER = /^(phone|contact_phone|phone_change)$/;
/** Tables whose rows belong to the person only by their content. `addWordsElsewhere` adds these rows. */
const BY_HAND = ['auth.audit_log_entries', 'private.outbox', 'public.audit_logs'];
/** Columns that name staff. */
const BY_STAFF = /_by$/;

/**
 * Gives the person one row in every table, with references between them, and fills each column that can hold words with a unique marker,
 * such as `zz12zz`. Runs without triggers. Returns the column of each marker: `schema.table.column`.
 */
export async function liveRichly(rows: Rows): Promise<Map<string, string>> {
  const columns = await readColumns(rows);
  const tables = [...new Set(columns.map(({ table }) => table))];
  await rows.query('set local session_replication_role = replica');
  const ids = new Map(tables.map((table, index) => [table, uuid(1000 + index)]));
  ids.set('auth.users', PERSON);
  // Some tables share their key with the row that they belong to.
  for (const { table, references, isKey } of columns)
    if (isKey && references !== null && columns.filter((column) => column.table === table && column.isKey).length === 1)
      ids.set(table, ids.get(references) ?? '');
  for (const table of tables) {
    if (BY_HAND.includes(table)) continue;
    const values = createRow(
      table,
      columns.filter((column) => column.table === table),
      ids,
    );
    if (values === null || (await rows.value(`select exists (select from ${table})`)) === true) continue;
    const refused = await catchRefusal(rows, () => rows.add(table, values));
    if (refused !== null) throw new Error(`the person got no row in ${table}: ${refused}`);
  }
  const markers = new Map<string, string>();
  const filled = new Set<string>();
  for (const table of tables)
    if ((await rows.value(`select exists (select from ${table})`)) === true) filled.add(table);
  for (const [number, column] of columns.entries()) {
    if (!filled.has(column.table)) continue;
    const marker = await fill(rows, column, number, ids);
    if (marker !== null) markers.set(marker, `${column.table}.${column.column}`);
  }
  await addWordsElsewhere(rows, ids, markers);
  await rows.query('set local session_replication_role = origin');
  return markers;
}

/**
 * Adds rows that belong to the person by their content: jobs, the two logs, messages and changes that clients receive, and limits by
 * address.
 */
async function addWordsElsewhere(
  rows: Rows,
  ids: ReadonlyMap<string, string>,
  markers: Map<string, string>,
): Promise<void> {
  const of = (table: string): string => ids.get(table) ?? '';
  const say = (what: string): string => {
    const word = `zz-${what.replaceAll(/[^a-z]/g, '-')}-zz`;
    markers.set(word, what);
    return word;
  };
  const subjects = [
    'auth.users',
    'private.booking',
    'private.payment',
    'private.partial_refund',
    'public.id_verifications',
  ];
  for (const [number, table] of [...subjects, 'private.customer_message', 'public.waitlist_entries'].entries())
    for (const kind of ['mail.any', 'text.any'])
      await rows.add('private.outbox', {
        id: uuid(5000 + number * 2 + Number(kind === 'text.any')),
        kind,
        subject_id: of(table),
        payload: { word: say(`a job ${kind} about ${table}`) },
        due_at: NOW,
      });
  await rows.add('private.outbox', {
    id: uuid(5100),
    kind: 'account-changed',
    subject_id: PERSON,
    payload: { word: say('a mail about the account') },
    recipient: EMAIL,
    due_at: NOW,
  });
  const audited: readonly (readonly [string, string, string])[] = [
    ['customer_note', 'auth.users', STAFF],
    ['customer_message', 'auth.users', STAFF],
    ['customer_block', 'auth.users', STAFF],
    ['id_verification', 'public.id_verifications', STAFF],
    ['booking', 'private.booking', STAFF],
    ['payment', 'private.payment', STAFF],
    ['refund', 'private.partial_refund', STAFF],
    ['incident', 'private.incident', STAFF],
  ];
  for (const [type, table, actor] of audited)
    await rows.query(`select private.audit($1::uuid, 'update', $2, $3, $4::jsonb)`, [
      actor,
      type,
      of(table),
      JSON.stringify({ after: { reason: say(`an audit row of a ${type}`) } }),
    ]);
  // The reason that staff entered when they closed a job of a booking.
  await rows.query(`select private.audit($1::uuid, 'update', 'outbox', $2, $3::jsonb)`, [
    STAFF,
    uuid(5002),
    JSON.stringify({ reason: say('an audit row of a job') }),
  ]);
  await rows.query(`select private.audit($1::uuid, 'update', 'settings', null, $2::jsonb)`, [
    STAFF,
    JSON.stringify({ after: EMAIL, word: say('an audit row with the address') }),
  ]);
  await rows.query(
    `insert into auth.audit_log_entries (payload, ip_address, created_at)
     values (jsonb_build_object('action', 'login', 'actor_id', $1::uuid, 'word', $2::text), $3, now())`,
    [PERSON, say('an event of the account'), say('the network address of an event')],
  );
}

function createRow(table: string, columns: readonly Column[], ids: ReadonlyMap<string, string>): Values | null {
  const base = TABLES[table]?.base;
  if (base === undefined) return null;
  const own: Record<string, unknown> = { ...base };
  for (const { column, type, references, isKey } of columns) {
    if (type !== 'uuid') continue;
    if (references !== null && (own[column] !== undefined || isKey)) own[column] = ids.get(references);
    else if (BY_STAFF.test(column) && own[column] === PERSON) own[column] = STAFF;
    else if (isKey && references === null) own[column] = ids.get(table);
  }
  return own;
}

/** Puts a marker into the row's column if a constraint admits one. Returns the text to search for, or null. */
async function fill(
  rows: Rows,
  { table, column, type, references, isKey, isGenerated }: Column,
  number: number,
  ids: ReadonlyMap<string, string>,
): Promise<string | null> {
  const id = BY_HAND.includes(table) ? undefined : ids.get(table);
  const set = (value: string): Promise<string | null> =>
    catchRefusal(rows, () => rows.query(`update ${table} set "${column}" = ${value}`));
  if (isGenerated || isKey || id === undefined) return null;
  if (ADDRESS.test(column) && (await set(`'${EMAIL}'`)) === null) return null;
  if (NUMBER.test(column) && ((await set(`'${PHONE}'`)) === null || (await set(`'+${PHONE}'`)) === null)) return null;
  if (type === 'uuid') {
    const to = references === null ? (OWN.test(column) ? PERSON : null) : (ids.get(references) ?? null);
    if (to !== null) await set(`coalesce("${column}", '${to}')`);
    return null;
  }
  for (const [marker, value] of candidates(type, number, column)) if ((await set(value)) === null) return marker;
  return null;
}

/** Returns values of this type that contain a marker, the least restricted first. */
function candidates(type: string, number: number, column: string): (readonly [string, string])[] {
  const word = `zz${number}zz`;
  const digits = `61499${String(number).padStart(6, '0')}`;
  const hash = String(number).padStart(64, 'e');
  const address = `2001:db8::${number}`;
  switch (type) {
    case 'text':
    case 'character varying':
      return [
        [word, `'${word}'`],
        [word, `'${word}@example.com'`],
        [word, `'https://example.com/${word}'`],
        [digits, `'+${digits}'`],
        [digits, `'${digits}'`],
        [hash, `'${hash}'`],
        [address, `'${address}'`],
        [word.toUpperCase(), `'${word.toUpperCase()}'`],
      ];
    case 'jsonb':
    case 'json':
      // The document of a sale names its buyer.
      if (column === 'content') return [[word, `'{"buyer": {"name": "${word}"}}'`]];
      return [
        [word, `coalesce("${column}", '{}') || '{"${word}": "${word}"}'`],
        [word, `'{"${word}": "${word}"}'`],
        [word, `'["${word}"]'`],
        [word, `'"${word}"'`],
      ];
    case 'text[]':
      return [[word, `array['${word}']`]];
    case 'inet':
      return [[address, `'${address}'`]];
    case 'bytea':
      return [[Buffer.from(word).toString('hex'), `'${word}'::bytea`]];
    default:
      return [];
  }
}

async function catchRefusal(rows: Rows, work: () => Promise<unknown>): Promise<string | null> {
  await rows.query('savepoint personal');
  try {
    await work();
    await rows.query('release savepoint personal');
    return null;
  } catch (error) {
    await rows.query('rollback to savepoint personal');
    return String(error);
  }
}

/** Finds the words in every column of every table. Returns pairs of a column, `schema.table.column`, and a word. */
export async function findWords(rows: Rows, words: readonly string[]): Promise<[column: string, word: string][]> {
  const columns = await readColumns(rows);
  const found: [string, string][] = [];
  for (const table of new Set(columns.map((column) => column.table))) {
    const names = columns.filter((column) => column.table === table).map(({ column }) => column);
    const all = names.map(
      (name, index) =>
        `(select array_agg(w) from unnest($1::text[]) w where exists (select from ${table} t where strpos(lower(t."${name}"::text), lower(w)) > 0)) as c${index}`,
    );
    const [row] = await rows.query<Record<string, string[] | null>>(`select ${all.join(', ')}`, [words]);
    names.forEach((name, index) => {
      for (const word of row?.[`c${index}`] ?? []) found.push([`${table}.${name}`, word]);
    });
  }
  return found;
}
