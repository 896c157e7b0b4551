import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '#server/db/database.ts';

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'database', 'migrations');

const HEADER = `# Data model

Every table with its primary key (PK) and its references (FK), grouped by the migration that creates it. Other columns, constraints,
indexes and policies are in \`database/tables.sql\`. \`npm run database:files\` writes this page.

A table without columns in a picture belongs to another area. \`||\` is exactly one row, \`|o\` at most one, \`o{\` any number.
`;

/** Tables without partitions, which the server creates and drops. */
const TABLES = `
select pg_catalog.format('%s.%s', n.nspname, c.relname) as name
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and not c.relispartition
  and n.nspname in ('auth', 'private', 'public', 'realtime', 'rest', 'storage')`;

/** Columns of primary keys and of references, each with the kinds of keys it belongs to. */
const COLUMNS = `
select pg_catalog.format('%s.%s', n.nspname, c.relname) as "table", a.attname as name,
  pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
  pg_catalog.bool_or(k.contype = 'p') as "isPrimary", pg_catalog.bool_or(k.contype = 'f') as "isReference"
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
where k.contype in ('p', 'f')
group by n.nspname, c.relname, a.attname, a.attnum, a.atttypid, a.atttypmod
order by n.nspname, c.relname, a.attnum`;

/** References between tables. `isOptional`: the columns may be null. `isUnique`: at most one row refers to the same row. */
const REFERENCES = `
select pg_catalog.format('%s.%s', n.nspname, c.relname) as "from", pg_catalog.format('%s.%s', m.nspname, d.relname) as "to",
  (select pg_catalog.string_agg(a.attname, ', ' order by u.at)
   from pg_catalog.unnest(k.conkey) with ordinality u (attnum, at)
   join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum) as columns,
  exists (select from pg_catalog.pg_attribute a
    where a.attrelid = k.conrelid and a.attnum = any (k.conkey) and not a.attnotnull) as "isOptional",
  exists (select from pg_catalog.pg_constraint o
    where o.conrelid = k.conrelid and o.contype in ('p', 'u') and o.conkey <@ k.conkey) as "isUnique"
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_class d on d.oid = k.confrelid join pg_catalog.pg_namespace m on m.oid = d.relnamespace
where k.contype = 'f' and k.conparentid = 0`;

type TableRow = { name: string };
type ColumnRow = { table: string; name: string; type: string; isPrimary: boolean; isReference: boolean };
type ReferenceRow = { from: string; to: string; columns: string; isOptional: boolean; isUnique: boolean };

/** Returns the text of `docs/data-model.md` for a database of this version: one Mermaid diagram per area. */
export async function generateDataModel(db: Database): Promise<string> {
  const tables = new Set((await db.query<TableRow>(TABLES)).rows.map(({ name }) => name));
  const { rows: columns } = await db.query<ColumnRow>(COLUMNS);
  const { rows: references } = await db.query<ReferenceRow>(REFERENCES);
  const sections = readAreas(tables).map(({ area, names }) => {
    const relations = references.filter(({ from }) => names.includes(from)).map(renderReference);
    const entities = names.map((name) =>
      renderTable(
        name,
        columns.filter(({ table }) => table === name),
      ),
    );
    const others = references.filter(({ from, to }) => names.includes(from) && !names.includes(to));
    const outside = [...new Set(others.map(({ to }) => to))].map((name) => `  ${toEntity(name)}`);
    const lines = [...entities, ...outside.toSorted(), ...relations.toSorted()];
    return `## ${area}\n\n\`\`\`mermaid\nerDiagram\n${lines.join('\n')}\n\`\`\`\n`;
  });
  return [HEADER, ...sections].join('\n');
}

/** Returns the migrations that create tables, in their order, each with the names of those that still exist. */
function readAreas(tables: ReadonlySet<string>): { readonly area: string; readonly names: readonly string[] }[] {
  return readdirSync(MIGRATIONS)
    .toSorted()
    .map((file) => ({
      area: (/^\d+_(\w+)\.sql$/.exec(file)?.[1] ?? file).replaceAll('_', ' '),
      names: [...readFileSync(join(MIGRATIONS, file), 'utf8').matchAll(/^create (?:unlogged )?table ([\w.]+)/gim)]
        .map(([, name = '']) => name)
        .filter((name) => tables.has(name)),
    }))
    .filter(({ names }) => names.length > 0);
}

function renderTable(name: string, columns: readonly ColumnRow[]): string {
  if (columns.length === 0) return `  ${toEntity(name)}`;
  const lines = columns.map((column) => {
    const keys = [column.isPrimary ? 'PK' : '', column.isReference ? 'FK' : ''].filter((key) => key !== '');
    return `    ${column.type.replaceAll(' ', '_')} ${column.name} ${keys.join(', ')}`;
  });
  return `  ${toEntity(name)} {\n${lines.join('\n')}\n  }`;
}

function renderReference({ from, to, columns, isOptional, isUnique }: ReferenceRow): string {
  return `  ${toId(to)} ${isOptional ? '|o' : '||'}--${isUnique ? 'o|' : 'o{'} ${toId(from)} : "${columns}"`;
}

const toId = (name: string): string => name.replace('.', '_');
const toEntity = (name: string): string => `${toId(name)}["${name}"]`;
