import pg from 'pg';
import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';

type Column = {
  readonly name: string;
  readonly type: string;
  readonly number: number;
  /** Whether its type is a domain, whose constraint may reject a row that lacks the column. */
  readonly isDomain: boolean;
};

/** A table whose changes are sent. */
export type Table = {
  /** The object id, as text. */
  readonly relation: string;
  readonly schema: string;
  readonly name: string;
  /** Whether row policies apply. */
  readonly security: boolean;
  readonly columns: readonly Column[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** The columns of the replica identity, which an old record contains. */
  readonly identity: readonly string[];
  /** Whether the table's trigger writes its changes to the outbox. */
  readonly captured: boolean;
  readonly sends: { readonly INSERT: boolean; readonly UPDATE: boolean; readonly DELETE: boolean };
  /** Whether the publication sends only rows that match its condition. */
  readonly hasRowFilter: boolean;
};

/** What a role may see of a table. */
export type TableAccess = {
  readonly columns: ReadonlySet<string>;
  /** The row policies as one SQL condition; 'true' if none apply. */
  readonly condition: string;
  /** Whether a policy reads the table itself. Such a policy sees the table as it is now, without a row that was deleted or changed. */
  readonly readsItself: boolean;
};

export type Tables = {
  /** The tables of the publication. */
  published(): Promise<readonly Table[]>;
  access(table: Table, role: string): Promise<TableAccess>;
  /** Makes the next call read everything again. */
  forget(): void;
};

/** Maximum delay until a change to the publication, a table, a policy or a privilege takes effect. */
const CACHE_MS = 1_000;

export function createTables(db: Database, clock: Clock): Tables {
  const { cached, clear } = createCache(clock);
  return {
    forget: clear,
    published: () => cached('published', () => readPublished(db)),
    access: (table, role) => cached(`${table.relation}:${role}`, () => readAccess(db, table, role)),
  };
}

/** Caches the promise: concurrent callers share one query. */
function createCache(clock: Clock): {
  cached: <T>(key: string, read: () => Promise<T>) => Promise<T>;
  clear: () => void;
} {
  const entries = new Map<string, { readonly value: Promise<unknown>; readonly at: number }>();
  const cached = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const now = clock().getTime();
    const entry = entries.get(key);
    // The same key always holds the same type, because each key has only one reader.
    if (entry && now >= entry.at && now - entry.at < CACHE_MS) return entry.value as Promise<T>;
    const value = read();
    entries.set(key, { value, at: now });
    value.catch(() => entries.delete(key));
    return value;
  };
  return { cached, clear: () => entries.clear() };
}

async function readPublished(db: Database): Promise<readonly Table[]> {
  await db.query('select realtime.sync_publication()');
  const { rows } = await db.query<{
    relation: string;
    inserts: boolean;
    updates: boolean;
    deletes: boolean;
    captured: boolean;
    published: readonly string[];
    filtered: boolean;
    described: Pick<Table, 'schema' | 'name' | 'security' | 'columns' | 'key' | 'identity'>;
  }>(
    `select relation::text as relation, inserts, updates, deletes, captured, columns as published,
       row_filter is not null as filtered, realtime.describe_table(relation) as described
     from realtime.published_table`,
  );
  return rows.map(({ relation, inserts, updates, deletes, captured, published, filtered, described }) => ({
    ...described,
    relation,
    captured,
    columns: described.columns.filter(({ name }) => published.includes(name)),
    sends: { INSERT: inserts, UPDATE: updates, DELETE: deletes },
    hasRowFilter: filtered,
  }));
}

async function readAccess(db: Database, table: Table, role: string): Promise<TableAccess> {
  const row = await db.queryRow<{ columns: readonly string[] | null; condition: string; indirectly: boolean }>(
    `select (select array_agg(a.attname::text) from pg_catalog.pg_attribute a
        where a.attrelid = $2::oid and a.attnum > 0 and not a.attisdropped
          and has_column_privilege($1::name, a.attrelid, a.attnum, 'select')) as columns,
       realtime.policy_condition($2::oid::regclass, $1::name, 'r') as condition,
       realtime.policies_read_own_table($2::oid::regclass, $1::name) as indirectly
     from pg_catalog.pg_roles where rolname = $1::name`,
    [role, table.relation],
  );
  const condition = row?.condition ?? 'false';
  return {
    columns: new Set(row?.columns ?? []),
    condition,
    readsItself: condition !== 'true' && (row?.indirectly === true || namesTable(table, condition)),
  };
}

/** Whether a sub-select of a policy names the table. The names in the condition are qualified. */
function namesTable({ schema, name }: Table, condition: string): boolean {
  if (!/\bselect\b/i.test(condition)) return false;
  const spellings = [`${schema}.${name}`, getSqlName({ schema, name })];
  return spellings.some((spelling) =>
    condition
      .split(spelling)
      .slice(1)
      .some((rest) => !/^[\w$"]/.test(rest)),
  );
}

/** Returns the table's name as SQL. */
export const getSqlName = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
