import type { Database } from '#server/db/database.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { checkedOutSchema, migratedImage } from '../image.ts';
import { recordFunctions, trackFunctions } from './executed-functions.ts';

type Engine = Awaited<ReturnType<typeof openEmbedded>>;
/** An engine, and the state of its database before the first test used it. */
type Pooled = { readonly engine: Engine; readonly catalogue: string; readonly restore: string };

/** Open engines with the migrated database. They end with the process. */
const idle: Pooled[] = [];

/**
 * Opens a migrated embedded database in memory, or takes one that another test file of this process has closed. Opening takes most of a
 * second of processor time, emptying a tenth of that. A database whose schema has changed is not reused.
 */
export async function takeEmbedded(): Promise<Database> {
  const pooled = idle.pop() ?? (await open());
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => (closed ??= giveBack(pooled));
  return { ...pooled.engine, close };
}

async function open(): Promise<Pooled> {
  const engine = await openEmbedded(await migratedImage(), {
    schema: await checkedOutSchema(),
    report: () => undefined,
    warn: () => undefined,
  });
  const pooled = { engine, catalogue: await readCatalogue(engine), restore: await writeRestore(engine) };
  await trackFunctions(engine.query);
  return pooled;
}

async function giveBack(pooled: Pooled): Promise<void> {
  const { engine, catalogue, restore } = pooled;
  try {
    await recordFunctions(engine.query);
    await engine.script(restore);
    if ((await readCatalogue(engine)) === catalogue) return void idle.push(pooled);
  } catch {
    // A test has stopped the engine.
  }
  await engine.close();
}

/** Returns a fingerprint of the schema, privileges, settings and statistics of the database. Emptying tables does not change it. */
async function readCatalogue({ queryRow }: Engine): Promise<string> {
  const row = await queryRow<{ fingerprint: string }>(`
    select md5(string_agg(line, e'\\n' order by line)) as fingerprint from (
      select concat('class', oid, relname, relkind, relowner, relacl, relrowsecurity, relforcerowsecurity, reloptions) from pg_class where oid >= 16384
      union all select concat('column', attrelid, attnum, attname, atttypid, attnotnull, attacl) from pg_attribute where attrelid >= 16384
      union all select concat('default', oid, pg_get_expr(adbin, adrelid)) from pg_attrdef
      union all select concat('function', oid, proname, proowner, proacl, proconfig, md5(prosrc)) from pg_proc where oid >= 16384
      union all select concat('policy', oid, polname, polcmd, polroles, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) from pg_policy
      union all select concat('constraint', oid, conname) from pg_constraint
      union all select concat('trigger', oid, tgenabled) from pg_trigger
      union all select concat('type', oid, typname, typacl) from pg_type where oid >= 16384
      union all select concat('schema', oid, nspname, nspacl) from pg_namespace where nspname !~ '^pg_(toast_)?temp'
      union all select concat('role', oid, rolname, rolsuper, rolbypassrls, rolcanlogin) from pg_roles
      union all select concat('member', roleid, member) from pg_auth_members
      union all select concat('setting', setrole, setconfig) from pg_db_role_setting
      union all select concat('privilege', oid, defaclacl) from pg_default_acl
      union all select concat('publication', oid, pubname) from pg_publication
      union all select concat('statistics', starelid, staattnum) from pg_statistic where starelid >= 16384
    ) lines (line)`);
  return row?.fingerprint ?? '';
}

/** Returns a script that empties every table and restores the rows and counters that exist now. */
async function writeRestore({ query }: Engine): Promise<string> {
  const { rows: tables } = await query<{ name: string; columns: string }>(`
    select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema)' group by c.oid`);
  const { rows: counters } = await query<{ name: string; last: number | null }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value as last from pg_sequences`,
  );
  const lines = ['begin', 'set local session_replication_role = replica'];
  for (const { name, columns } of tables) {
    lines.push(`delete from ${name}`);
    const { rows } = await query<{ all: string | null }>(`select json_agg(t)::text as all from ${name} t`);
    const all = rows[0]?.all;
    if (all)
      lines.push(
        `insert into ${name} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${name}, ${quote(all)})`,
      );
  }
  for (const { name, last } of counters) lines.push(`select setval('${name}', ${last ?? 1}, ${last !== null})`);
  return [...lines, 'commit'].join(';\n');
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
