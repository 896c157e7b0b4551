/**
 * Makes random policies, privileges and publications of the table `public.leak`, and computes what each subscriber should receive of a
 * change under them.
 */

export type Random = (max: number) => number;

export type LeakRow = {
  readonly id: number;
  readonly owner: string | null;
  readonly level: number;
  readonly hidden: string;
};
type Column = keyof LeakRow;
const COLUMNS: readonly Column[] = ['id', 'owner', 'level', 'hidden'];

export const LEAK_TABLES = `create table public.leak (id int primary key, owner uuid, level int, hidden text);

  create table public.leak_member (person uuid, grade int);

  create table public.leak_end (round int primary key);

  create function public.leak_grade() returns int language sql stable security definer set search_path = '' as
    'select coalesce(max(m.grade), 0) from public.leak_member m where m.person = auth.uid()';

  create function public.leak_is_open(p_level int) returns boolean language sql stable security definer set search_path = '' as
    'select not exists (select from public.leak l where l.level = p_level and l.owner is null)';

  grant execute on function public.leak_grade(), public.leak_is_open(int) to anon, authenticated;

  grant select on public.leak_end, public.leak_member to anon, authenticated;

  grant all on public.leak, public.leak_member, public.leak_end to service_role, backend;

  alter publication supabase_realtime add table public.leak, public.leak_end;`;

/**
 * `readsItself`: the policy reads the table as it is now, so it cannot decide about a deleted row, and deletions are sent to no subscriber.
 */
const POLICIES: readonly { readonly using: string; readonly readsItself?: true }[] = [
  { using: 'true' },
  { using: 'false' },
  { using: 'owner = auth.uid()' },
  { using: 'owner = (select auth.uid())' },
  { using: 'owner is null' },
  { using: 'level > 3' },
  { using: 'level <= 2 or owner = auth.uid()' },
  { using: 'length(hidden) > 3' },
  { using: `upper(hidden) like 'A%'` },
  { using: `(auth.jwt() ->> 'role') = 'authenticated'` },
  { using: `(select auth.jwt() ->> 'sub') is null` },
  { using: 'exists (select from public.leak_member m where m.person = auth.uid() and m.grade >= level)' },
  { using: 'level <= public.leak_grade()' },
  { using: 'public.leak_is_open(level)', readsItself: true },
  // PostgreSQL refuses every select under this policy: infinite recursion.
  { using: 'exists (select from public.leak l where l.level = leak.level)', readsItself: true },
];
const ROLES = ['anon', 'authenticated'] as const;
const FILTERS = [
  { sql: 'level > 2', matches: (row: LeakRow) => row.level > 2 },
  { sql: 'id < 6', matches: (row: LeakRow) => row.id < 6 },
] as const;

export type Round = {
  readonly script: string;
  /** Whether a policy reads the table while a change is delivered. Then the next change must wait. */
  readonly readsItself: boolean;
  expected(change: LeakChange, subscriber: LeakSubscriber): string | null;
};

type LeakChange = { readonly before: LeakRow | null; readonly after: LeakRow | null };

type LeakSubscriber = {
  readonly role: 'anon' | 'authenticated' | 'service_role';
  /** Whether a select by this caller found the row before the change, and after it (`seesAfter`). */
  readonly sawBefore: boolean;
  readonly seesAfter: boolean;
  readonly select: readonly string[] | null;
  /** Returns whether the subscriber's filter matches a row. */
  readonly wants: (row: LeakRow) => boolean;
};

/** The columns that a role may read, or null if it cannot read the key, in which case it is shown nothing. */
type Readable = ReadonlySet<string> | null;

export function randomRound(random: Random): Round & { readable(role: string): Readable } {
  const pick = <T>(list: readonly [T, ...T[]]): T => list[random(list.length)] ?? list[0];
  const identity = pick(['default', 'default', 'full', 'full', 'nothing'] as const);
  const security = random(8) > 0;
  const policies = Array.from({ length: 1 + random(3) }, (_, index) => ({
    ...(POLICIES[random(POLICIES.length)] ?? { using: 'true' }),
    restrictive: index > 0 && random(3) === 0,
    command: pick(['select', 'all'] as const),
    roles: pick([[...ROLES], ['anon'], ['authenticated'], [...ROLES]] as const),
  }));
  const privileges = pick<readonly Column[]>([COLUMNS, COLUMNS, COLUMNS, ['id', 'level'], ['owner', 'level']]);
  const published = pick<readonly Column[]>([COLUMNS, COLUMNS, COLUMNS, ['id', 'owner', 'level']]);
  const filter = pick([null, null, ...FILTERS]);
  const flags = pick(['insert, update, delete', 'insert, update, delete', 'insert, update', 'insert, delete'] as const);
  const script = [
    ...[0, 1, 2].map((at) => `drop policy if exists p${at} on public.leak`),
    ...policies.map(
      ({ using, restrictive, command, roles }, index) =>
        `create policy p${index} on public.leak ${restrictive ? 'as restrictive' : ''} for ${command} to ${roles.join(', ')} using (${using})`,
    ),
    'truncate public.leak',
    `alter table public.leak ${security ? 'enable' : 'disable'} row level security`,
    `alter table public.leak replica identity ${identity}`,
    'revoke select on public.leak from anon, authenticated',
    `grant select (${privileges.join(', ')}) on public.leak to anon, authenticated`,
    'alter publication supabase_realtime drop table public.leak',
    `alter publication supabase_realtime add table public.leak${published === COLUMNS ? '' : ` (${published.join(', ')})`}${filter ? ` where (${filter.sql})` : ''}`,
    `alter publication supabase_realtime set (publish = '${flags}')`,
  ].join(';\n\n');
  const selfReading = (role: string): boolean =>
    security &&
    policies.some((policy) => policy.readsItself === true && policy.roles.some((policyRole) => policyRole === role));
  const readable = (role: string): Readable => {
    const columns = role === 'service_role' ? COLUMNS : privileges;
    return columns.includes('id') ? new Set(columns.filter((name) => published.includes(name))) : null;
  };
  return {
    script,
    readsItself: ROLES.some(selfReading),
    readable,
    expected(change, subscriber) {
      const kind = findKind(change, filter?.matches ?? (() => true), flags);
      const row = kind === 'DELETE' ? change.before : change.after;
      if (kind === null || row === null || !subscriber.wants(row)) return null;
      const sees = kind === 'DELETE' ? subscriber.sawBefore && !selfReading(subscriber.role) : subscriber.seesAfter;
      if (!sees) return null;
      const columns = readable(subscriber.role);
      if (columns === null) return '401';
      const shown = COLUMNS.filter(
        (name) =>
          columns.has(name) && (subscriber.select === null || name === 'id' || subscriber.select.includes(name)),
      );
      const identifying = COLUMNS.filter((name) => identity === 'full' || (identity === 'default' && name === 'id'));
      const changed = identifying.some((name) => change.before?.[name] !== change.after?.[name]);
      const showsOld = kind === 'DELETE' || !changed || (subscriber.sawBefore && !selfReading(subscriber.role));
      const record = kind === 'DELETE' ? null : cut(row, shown);
      const old =
        kind === 'INSERT'
          ? null
          : showsOld
            ? cut(
                change.before,
                shown.filter((name) => identifying.includes(name)),
              )
            : {};
      return eventText(kind, record, old);
    },
  };
}

/**
 * Returns the kind of event that is sent for a change, given the row filter and the flags of the publication (PostgreSQL documentation,
 * "Row Filters"), or null if none is sent.
 */
function findKind(
  { before, after }: LeakChange,
  matches: (row: LeakRow) => boolean,
  flags: string,
): 'INSERT' | 'UPDATE' | 'DELETE' | null {
  const [was, is] = [before !== null && matches(before), after !== null && matches(after)];
  if (before && after && !flags.includes('update')) return null;
  if (before && !after && !flags.includes('delete')) return null;
  if (was && is) return 'UPDATE';
  if (is) return 'INSERT';
  return was ? 'DELETE' : null;
}

const cut = (row: LeakRow | null, names: readonly Column[]): object =>
  Object.fromEntries(names.map((name) => [name, row?.[name] ?? null]));

/** Returns one event as text, for comparison. */
export const eventText = (kind: unknown, record: unknown, old: unknown): string =>
  `${String(kind)} ${JSON.stringify(record ?? null)} ${JSON.stringify(old ?? null)}`;
