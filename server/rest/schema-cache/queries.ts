import type { Table } from './schema.ts';

/** The queries that read the schema cache from PostgreSQL's catalogues. */

const columnJson = (relation: string): string => `
  (select coalesce(json_agg(json_build_object(
      'number', a.attnum, 'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'base', b.typname,
      'default', case when a.attidentity = 'd' then (select format('pg_catalog.nextval(%L)', s.objid::regclass) from pg_depend s
          where s.classid = 'pg_class'::regclass and s.refclassid = 'pg_class'::regclass and s.refobjid = a.attrelid and s.refobjsubid = a.attnum and s.deptype = 'i' limit 1)
        when a.attgenerated = '' and a.attidentity = '' then pg_get_expr(d.adbin, d.adrelid) end) order by a.attnum), '[]')
    from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = ${relation} and a.attnum > 0 and not a.attisdropped)`;

/**
 * $1: schemas; $2: oids of further tables. The default of an identity column that accepts values is its sequence, for rows that omit it
 * beside rows that do not; an always-generated one has no default: omitting it from an insert fills it.
 */
export const TABLES = `
select c.oid::int8 as oid, n.nspname as schema, c.relname as name, c.relkind in ('v', 'm') as view, ${columnJson('c.oid')} as columns,
  (select json_build_object('insert', w.verbs & 8 = 8, 'update', w.verbs & 4 = 4, 'remove', w.verbs & 16 = 16)
    from (select pg_relation_is_updatable(c.oid::regclass, true) as verbs) w) as takes,
  coalesce((select json_agg(a.attname order by k.place) from pg_index i cross join unnest(i.indkey::int2[]) with ordinality k (number, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number where i.indrelid = c.oid and i.indisprimary), '[]') as primary_key,
  (select coalesce(json_agg(k.columns), '[]') from rest.kept_plan k where k.relation = c.oid) as kept_plans,
  exists (select from rest.shared_read s where s.relation = c.oid) as same_for_guests
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where (n.nspname = any($1::text[]) or c.oid = any($2::oid[])) and c.relkind in ('r', 'v', 'p', 'm', 'f') and not c.relispartition
order by c.oid`;

/** The rules of all views outside PostgreSQL's own schemas: a view may select from a view that the API does not expose. */
export const VIEW_RULES = `
select c.oid::int8 as oid, r.ev_action::text as rule
from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
where r.rulename = '_RETURN' and c.relkind in ('v', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`;

/** The columns of every primary key, also of tables that the API exposes only through a view. */
export const PRIMARY_KEYS = `
select i.indrelid::int8 as oid, to_json(i.indkey::int2[]) as columns from pg_index i join pg_class c on c.oid = i.indrelid
join pg_namespace n on n.oid = c.relnamespace where i.indisprimary and n.nspname not in ('pg_catalog', 'information_schema')`;

/** `one`: the referring columns are unique, so the reverse direction leads to at most one row. */
export const KEYS = `
select k.conname as name, k.conrelid::int8 as child, k.confrelid::int8 as parent, to_json(k.conkey) as child_columns, to_json(k.confkey) as parent_columns,
  exists (select from pg_index i where i.indrelid = k.conrelid and i.indisunique and i.indpred is null and i.indexprs is null
    and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ k.conkey) as one
from pg_constraint k where k.contype = 'f' and k.conparentid = 0
order by k.conname`;

/**
 * $1: schemas whose functions may be called; $2: further schemas, whose functions of one row count as computed columns and relationships.
 * Out columns come from the declaration or from the row type that is returned.
 */
export const FUNCTIONS = `
select n.nspname as schema, p.proname as name, p.proretset as set, p.provolatile = 'v' as volatile, t.typname as result,
  coalesce(t.typrelid, 0)::int8 as row_of, p.prorows = 1 as one, format_type(t.oid, null) as type,
  case when t.typtype = 'd' then format_type(t.typbasetype, null) else format_type(t.oid, null) end as base,
  case when p.pronargs = 1 then (select a.typrelid::int8 from pg_type a where a.oid = p.proargtypes[0] and a.typrelid <> 0) end as takes,
  case when t.typtype = 'd' and position('/' in t.typname) > 0 then t.typname end as media,
  coalesce(to_json(p.proconfig), '[]') as settings,
  (select coalesce(json_agg(json_build_object('name', coalesce(p.proargnames[u.place], ''), 'type', format_type(u.type, null),
      'hasDefault', u.input > p.pronargs - p.pronargdefaults, 'variadic', u.mode = 'v') order by u.place), '[]')
    from (select a.place, a.type, coalesce(p.proargmodes[a.place], 'i') as mode,
        row_number() over (order by a.place) as input
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality a (type, place)
      where coalesce(p.proargmodes[a.place], 'i') in ('i', 'b', 'v')) u) as arguments,
  case
    when t.typtype = 'c' then ${columnJson('t.typrelid')}
    when p.proargmodes && '{o,b,t}'::"char"[] then
      (select json_agg(json_build_object('number', a.place, 'name', coalesce(nullif(p.proargnames[a.place], ''), 'column' || a.place),
          'type', format_type(a.type, null), 'base', format_type(a.type, null), 'default', null) order by a.place)
        from unnest(p.proallargtypes) with ordinality a (type, place) where p.proargmodes[a.place] in ('o', 'b', 't'))
  end as columns
from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
where p.prokind = 'f' and t.typname not in ('trigger', 'event_trigger', 'internal') and (n.nspname = any($1::text[])
  or (n.nspname = any($2::text[]) and p.pronargs = 1 and exists (select from pg_type a where a.oid = p.proargtypes[0] and a.typrelid <> 0)))
order by p.oid`;

/** $1: exposed and further schemas. The types a cast may name: PostgreSQL's plain types, and the schemas' enums and domains. */
export const TYPES = `
select t.typname as name, format_type(t.oid, null) as sql from pg_type t join pg_namespace n on n.oid = t.typnamespace
where n.nspname = 'pg_catalog' and t.typtype in ('b', 'r') and t.typname in ('bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'text', 'varchar',
  'bpchar', 'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval', 'uuid', 'json', 'jsonb', 'bytea', 'xml', 'inet', 'cidr',
  'int4range', 'int8range', 'numrange', 'daterange', 'tsrange', 'tstzrange', 'tsvector', 'tsquery')
union all
select alias, format_type(alias::regtype, null) from unnest('{boolean,smallint,int,integer,bigint,real,float,"double precision",decimal,
  "character varying",char,"timestamp with time zone","timestamp without time zone"}'::text[]) as alias
union all
select t.typname, format_type(t.oid, null) from pg_type t join pg_namespace n on n.oid = t.typnamespace
where n.nspname = any($1::text[]) and t.typtype in ('e', 'd')`;

/** A row of `TABLES`. */
export type TableRow = {
  view: boolean;
  oid: number;
  schema: string;
  name: string;
  columns: ColumnRow[];
  primary_key: string[];
  takes: Table['takes'];
  kept_plans: string[][];
  same_for_guests: boolean;
};
export type ColumnRow = { number: number; name: string; type: string; base: string; default: string | null };
export type KeyRow = {
  name: string;
  child: number;
  parent: number;
  child_columns: number[];
  parent_columns: number[];
  one: boolean;
};
export type RoutineRow = {
  schema: string;
  name: string;
  one: boolean;
  type: string;
  base: string;
  takes: number | null;
  media: string | null;
  settings: string[];
  arguments: { name: string; type: string; hasDefault: boolean; variadic: boolean }[];
  set: boolean;
  volatile: boolean;
  result: string;
  row_of: number;
  columns: ColumnRow[] | null;
};
