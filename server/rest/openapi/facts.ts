/** The input of the API description. It is queried as the caller, so that it contains only what the caller may use. */
export type Facts = {
  readonly description: string | null;
  readonly tables: readonly TableFacts[] | null;
  readonly functions: readonly FunctionFacts[] | null;
};
export type TableFacts = {
  readonly name: string;
  readonly comment: string | null;
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  readonly columns: readonly ColumnFacts[];
};
export type ColumnFacts = {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: string | null;
  readonly comment: string | null;
  readonly length: number | null;
  readonly enum: readonly string[] | null;
  readonly primary: boolean;
  /** The column that a foreign key refers to. */
  readonly refers: { readonly table: string; readonly column: string } | null;
};
export type FunctionFacts = {
  readonly name: string;
  readonly comment: string | null;
  readonly volatile: boolean;
  readonly arguments: readonly {
    readonly name: string;
    readonly type: string;
    readonly required: boolean;
    readonly variadic: boolean;
  }[];
};

const COLUMNS = `
  (select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null),
      'nullable', not (a.attnotnull or (t.typtype = 'd' and t.typnotnull)),
      'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end, 'comment', col_description(c.oid, a.attnum),
      'length', case when a.atttypid in (1042, 1043) and a.atttypmod > 4 then a.atttypmod - 4 end,
      'enum', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
        where e.enumtypid = case when t.typtype = 'd' then t.typbasetype else t.oid end),
      'primary', exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey::int2[])),
      'refers', (select json_build_object('table', p.relname, 'column', pa.attname) from pg_constraint k
        join pg_class p on p.oid = k.confrelid join pg_attribute pa on pa.attrelid = p.oid and pa.attnum = k.confkey[1]
        where k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum] order by k.conname limit 1)) order by a.attnum), '[]')
    from pg_attribute a join pg_type t on t.oid = a.atttypid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)`;

/** $1: the schema; $2: whether to check the caller's privileges. */
export const FACTS = `
select json_build_object(
  'description', (select obj_description(n.oid, 'pg_namespace') from pg_namespace n where n.nspname = $1::text),
  'tables', (select json_agg(json_build_object('name', c.relname, 'comment', obj_description(c.oid, 'pg_class'),
      'insertable', (pg_relation_is_updatable(c.oid::regclass, true) & 8) = 8,
      'updatable', (pg_relation_is_updatable(c.oid::regclass, true) & 4) = 4,
      'deletable', (pg_relation_is_updatable(c.oid::regclass, true) & 16) = 16, 'columns', ${COLUMNS}) order by c.relname)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1::text and c.relkind in ('r', 'v', 'p', 'm', 'f') and not c.relispartition
      and (not $2::boolean or has_table_privilege(c.oid, 'select, insert, update, delete') or has_any_column_privilege(c.oid, 'select, insert, update'))),
  'functions', (select json_agg(json_build_object('name', p.proname, 'comment', obj_description(p.oid, 'pg_proc'), 'volatile', p.provolatile = 'v',
      'arguments', (select coalesce(json_agg(json_build_object('name', u.name, 'type', format_type(u.type, null),
          'required', u.input <= p.pronargs - p.pronargdefaults and u.mode <> 'v', 'variadic', u.mode = 'v') order by u.input), '[]')
        from (select coalesce(p.proargnames[a.place], '') as name, a.type, coalesce(p.proargmodes[a.place], 'i') as mode,
            row_number() over (order by a.place) as input
          from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality a (type, place)
          where coalesce(p.proargmodes[a.place], 'i') in ('i', 'b', 'v')) u)) order by p.proname, p.oid)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
    where n.nspname = $1::text and p.prokind = 'f' and t.typname not in ('trigger', 'event_trigger', 'internal')
      and (not $2::boolean or has_function_privilege(p.oid, 'execute')))) as facts`;
