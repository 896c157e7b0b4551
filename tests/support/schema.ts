import pg from 'pg';
import type { TestServer } from './test-server.ts';

/** Runs statements separated by empty lines, as the owner of the tables. */
export async function runScript(server: TestServer, script: string): Promise<void> {
  if (server.ownerUrl === null) {
    for (const statement of script.split(/\n\n/)) await server.app.db.query(statement);
    return;
  }
  const owner = new pg.Client({ connectionString: server.ownerUrl });
  await owner.connect();
  try {
    await owner.query(script);
  } finally {
    await owner.end();
  }
}

type Rows = (text: string) => Promise<readonly Record<string, unknown>[]>;

const OURS = `n.nspname in ('auth', 'storage', 'private', 'public', 'rest', 'realtime')`;
/** The relations without the partitions that the server makes for each day. */
const RELATIONS = `${OURS} and not c.relispartition`;

/** Returns SQL for rights in a fixed order. Rights that were never changed are the default ones. */
const sorted = (rights: string): string => `(select array_agg(x order by x::text) from unnest(${rights}) x)`;

/** Everything that migrations and code can define, as text without ids. Two databases with equal text behave alike. */
const PARTS: readonly string[] = [
  `select concat_ws(' ', n.nspname, ${sorted(`coalesce(n.nspacl, acldefault('n', n.nspowner))`)}) as part from pg_namespace n where ${OURS}`,
  `select concat_ws(' ', c.oid::regclass, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.relpersistence, c.reloptions, ${sorted(`coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))`)}, pg_get_userbyid(c.relowner),
     case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end) as part from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${RELATIONS}`,
  `select concat_ws(' ', c.oid::regclass, row_number() over (partition by c.oid order by a.attnum), a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, ${sorted('a.attacl')}, pg_get_expr(d.adbin, d.adrelid)) as part
   from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
   left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where ${RELATIONS} and a.attnum > 0 and not a.attisdropped`,
  `select concat_ws(' ', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as part from pg_constraint k join pg_namespace n on n.oid = k.connamespace
   left join pg_class c on c.oid = k.conrelid where ${OURS} and c.relispartition is not true`,
  `select pg_get_indexdef(c.oid) as part from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'i' and ${RELATIONS}`,
  `select pg_get_triggerdef(t.oid) as part from pg_trigger t where not t.tgisinternal and t.tgparentid = 0`,
  `select concat_ws(' ', p.polrelid::regclass, p.polname, p.polcmd, p.polpermissive, p.polroles::regrole[], pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) as part from pg_policy p`,
  `select concat_ws(' ', p.oid::regprocedure, ${sorted(`coalesce(p.proacl, acldefault('f', p.proowner))`)}, pg_get_userbyid(p.proowner), pg_get_functiondef(p.oid)) as part
   from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${OURS} and p.prokind = 'f'`,
  `select concat_ws(' ', defaclnamespace::regnamespace, defaclobjtype, defaclacl) as part from pg_default_acl`,
  `select concat_ws(' ', p.pubname, p.puballtables, r.prrelid::regclass) as part from pg_publication p left join pg_publication_rel r on r.prpubid = p.oid`,
  `select concat_ws(' ', r.rolname, r.rolinherit, r.rolcanlogin, r.rolbypassrls) as part from pg_roles r`,
];

/** Describes everything that migrations and code created, in one text. */
export async function describeCatalogue(rows: Rows): Promise<string> {
  const parts: string[] = [];
  for (const part of PARTS) {
    const found = await rows(part);
    parts.push(...found.map((row) => String(row['part'])).toSorted());
  }
  return parts.join('\n');
}
