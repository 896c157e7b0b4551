type Rows = (text: string) => Promise<readonly Record<string, unknown>[]>;

const OURS = `n.nspname in ('auth', 'storage', 'private', 'public', 'rest')`;

/** Everything that a migration can define, as text without ids: two databases with equal text behave alike. */
const PARTS: readonly string[] = [
  `select n.nspname || ' ' || coalesce(n.nspacl::text, '') as part from pg_namespace n where ${OURS}`,
  `select concat_ws(' ', c.oid::regclass, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.relpersistence, c.reloptions, c.relacl, pg_get_userbyid(c.relowner),
     case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end) as part from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS}`,
  `select concat_ws(' ', c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, a.attacl, pg_get_expr(d.adbin, d.adrelid)) as part
   from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
   left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where ${OURS} and a.attnum > 0 and not a.attisdropped`,
  `select concat_ws(' ', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as part from pg_constraint k join pg_namespace n on n.oid = k.connamespace where ${OURS}`,
  `select pg_get_indexdef(c.oid) as part from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'i' and ${OURS}`,
  `select pg_get_triggerdef(t.oid) as part from pg_trigger t where not t.tgisinternal`,
  `select concat_ws(' ', p.polrelid::regclass, p.polname, p.polcmd, p.polpermissive, p.polroles::regrole[], pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) as part from pg_policy p`,
  `select concat_ws(' ', p.oid::regprocedure, coalesce(p.proacl::text, 'open to everybody'), pg_get_userbyid(p.proowner), pg_get_functiondef(p.oid)) as part
   from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${OURS} and p.prokind = 'f'`,
  `select concat_ws(' ', defaclnamespace::regnamespace, defaclobjtype, defaclacl) as part from pg_default_acl`,
  `select concat_ws(' ', r.rolname, r.rolinherit, r.rolcanlogin, r.rolbypassrls) as part from pg_roles r`,
];

/** Describes everything the migrations created, as one text. */
export async function describeCatalogue(rows: Rows): Promise<string> {
  const parts: string[] = [];
  for (const part of PARTS) {
    const found = await rows(part);
    parts.push(...found.map((row) => String(row['part'])).toSorted());
  }
  return parts.join('\n');
}
