import type { Query } from '#server/db/database.ts';

/** What there is to ask for, read from the database itself. */
export type Column = { readonly name: string; readonly type: string };
export type Table = {
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
};
/** A foreign key as it can be walked from one exposed relation to another, views included. */
export type Relationship = {
  readonly constraint: string;
  readonly from: string;
  readonly fromColumns: readonly string[];
  readonly to: string;
  readonly toColumns: readonly string[];
  /** Seen from `from`. */
  readonly many: boolean;
};
export type Argument = { readonly name: string; readonly type: string; readonly hasDefault: boolean };
export type DatabaseFunction = {
  readonly name: string;
  readonly arguments: readonly Argument[];
  readonly returnsSet: boolean;
  readonly returnsRow: boolean;
  readonly returnsNothing: boolean;
  readonly volatile: boolean;
};
export type Catalogue = {
  readonly tables: ReadonlyMap<string, Table>;
  readonly relationships: readonly Relationship[];
  readonly functions: ReadonlyMap<string, readonly DatabaseFunction[]>;
};

const TABLES = `
select c.relname as name,
  (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
   from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
  coalesce((select json_agg(a.attname order by a.attnum) from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
    where i.indrelid = c.oid and i.indisprimary), '[]') as primary_key
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind in ('r', 'v', 'p', 'm')`;

// A view stands in for a table where it shows the key's columns under their own names.
const RELATIONSHIPS = `
with exposed as (
  select c.oid as base, c.relname as name, array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind in ('r', 'p')
  union
  select d.refobjid, v.relname, array_agg(distinct a.attname::text)
  from pg_class v join pg_namespace n on n.oid = v.relnamespace join pg_rewrite r on r.ev_class = v.oid
  join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0 and d.refobjid <> v.oid
  join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
  join pg_attribute shown on shown.attrelid = v.oid and shown.attname = a.attname and not shown.attisdropped
  where n.nspname = 'public' and v.relkind = 'v' group by 1, 2
), keys as (
  select k.conname, k.conrelid, k.confrelid,
    array(select a.attname::text from unnest(k.conkey) with ordinality u(num, pos) join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.num order by u.pos) as child,
    array(select a.attname::text from unnest(k.confkey) with ordinality u(num, pos) join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.num order by u.pos) as parent,
    exists (select from pg_index i where i.indrelid = k.conrelid and i.indisunique and i.indpred is null
      and i.indkey::smallint[] @> k.conkey and i.indkey::smallint[] <@ k.conkey) as one
  from pg_constraint k where k.contype = 'f'
)
select k.conname as constraint, c.name as child, k.child as child_columns, p.name as parent, k.parent as parent_columns, k.one
from keys k join exposed c on c.base = k.conrelid and c.columns @> k.child join exposed p on p.base = k.confrelid and p.columns @> k.parent`;

const FUNCTIONS = `
select p.proname as name, p.proretset as returns_set, t.typtype = 'c' or t.typname = 'record' as returns_row, t.typname = 'void' as returns_nothing, p.provolatile = 'v' as volatile,
  coalesce((select json_agg(json_build_object('name', coalesce(p.proargnames[u.pos], ''), 'type', format_type(u.type, null), 'hasDefault', u.pos > p.pronargs - p.pronargdefaults) order by u.pos)
    from unnest(p.proargtypes::oid[]) with ordinality u(type, pos)), '[]') as arguments
from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
where n.nspname = 'public' and p.prokind = 'f' and t.typname <> 'trigger'`;

export async function readCatalogue(query: Query): Promise<Catalogue> {
  const tables = await query<{ name: string; columns: Column[]; primary_key: string[] }>(TABLES);
  const keys = await query<{
    constraint: string;
    child: string;
    child_columns: string[];
    parent: string;
    parent_columns: string[];
    one: boolean;
  }>(RELATIONSHIPS);
  const functions = await query<{
    name: string;
    returns_set: boolean;
    returns_row: boolean;
    returns_nothing: boolean;
    volatile: boolean;
    arguments: Argument[];
  }>(FUNCTIONS);
  const byName = new Map<string, DatabaseFunction[]>();
  for (const row of functions.rows) {
    const found: DatabaseFunction = {
      name: row.name,
      arguments: row.arguments,
      returnsSet: row.returns_set,
      returnsRow: row.returns_row,
      returnsNothing: row.returns_nothing,
      volatile: row.volatile,
    };
    byName.set(row.name, [...(byName.get(row.name) ?? []), found]);
  }
  return {
    tables: new Map(
      tables.rows.map((row) => [
        row.name,
        {
          name: row.name,
          columns: new Map(row.columns.map((column) => [column.name, column])),
          primaryKey: row.primary_key,
        },
      ]),
    ),
    relationships: keys.rows.flatMap((row): Relationship[] => [
      {
        constraint: row.constraint,
        from: row.child,
        fromColumns: row.child_columns,
        to: row.parent,
        toColumns: row.parent_columns,
        many: false,
      },
      {
        constraint: row.constraint,
        from: row.parent,
        fromColumns: row.parent_columns,
        to: row.child,
        toColumns: row.child_columns,
        many: !row.one,
      },
    ]),
    functions: byName,
  };
}
