import type { Argument, Column, Relationship, Routine, Schema, Table } from '#server/rest/schema-cache/schema.ts';

/** Facts about a column that the schema cache lacks. */
export type ColumnFacts = {
  readonly nullable: boolean;
  /** Whether a row may be inserted without the column. */
  readonly optional: boolean;
  /** Whether the database computes the column, so that no statement may set it. */
  readonly generated: boolean;
  /** The texts that a check allows; null if it allows others. */
  readonly values: readonly string[] | null;
};
export type Facts = {
  /** The facts by `table.column`. */
  readonly columns: ReadonlyMap<string, ColumnFacts>;
  /** The type of one value of a function's result, by the function's name. */
  readonly results: ReadonlyMap<string, string>;
};

/** Writes the TypeScript types of a schema in the shape that `createClient<Database>` of supabase-js accepts. */
export function renderTypes(schema: Schema, facts: Facts): string {
  const relations = [...schema.tables.values()].toSorted(byName);
  const render = (table: Table): Block => [
    table.name,
    renderTable(table, schema.relationships.get(table) ?? [], facts),
  ];
  const routines = [...schema.routines.values()].flat().toSorted(byName);
  const database: Block[] = [
    ['Tables', relations.filter((relation) => !relation.view).map(render)],
    ['Views', relations.filter((relation) => relation.view).map(render)],
    ['Functions', routines.map((routine) => [routine.name, renderRoutine(routine, schema, facts)])],
    ['Enums', EMPTY],
    ['CompositeTypes', EMPTY],
  ];
  return [
    '// Generated from the migrated database by `npm run database:files`. Do not edit.',
    '',
    'export type Json = string | number | boolean | null | { readonly [key: string]: Json | undefined } | readonly Json[];',
    '',
    `export type Database = ${renderBlock([[schema.name, database]], '')};`,
    '',
  ].join('\n');
}

/** A property and its type: a nested object type, or the text of any other type. */
type Block = readonly [name: string, type: string | readonly Block[]];
const EMPTY = 'Record<never, never>';

function renderTable(table: Table, relationships: readonly Relationship[], facts: Facts): Block[] {
  const columns = [...table.columns.values()].toSorted(byName);
  const getFacts = (column: Column): ColumnFacts => {
    const found = facts.columns.get(`${table.name}.${column.name}`);
    if (found === undefined) throw new Error(`nothing is known of the column ${table.name}.${column.name}`);
    return found;
  };
  const read = (column: Column): Block => {
    const { values, nullable } = getFacts(column);
    const type = values === null ? typeScriptType(column.type) : values.map((value) => `'${value}'`).join(' | ');
    return [column.name, withNull(type, nullable)];
  };
  // Any text may be written, because the check refuses wrong ones.
  const written = (column: Column, optional: boolean): Block => {
    const { generated, nullable } = getFacts(column);
    if (generated) return [`${column.name}?`, 'never'];
    return [optional ? `${column.name}?` : column.name, withNull(typeScriptType(column.type), nullable)];
  };
  return [
    ['Row', columns.map(read)],
    ...(table.takes.insert
      ? [['Insert', columns.map((column) => written(column, getFacts(column).optional))] as const]
      : []),
    ...(table.takes.update ? [['Update', columns.map((column) => written(column, true))] as const] : []),
    ['Relationships', renderRelationships(relationships)],
  ];
}

/** Lists the foreign keys of the relation itself. supabase-js finds the reverse direction in the other relation. */
function renderRelationships(relationships: readonly Relationship[]): string {
  const own = relationships
    .filter(({ cardinality }) => cardinality === 'many-to-one' || cardinality === 'one-to-one')
    .toSorted((a, b) => compare(`${a.constraint} ${a.to.name}`, `${b.constraint} ${b.to.name}`))
    .map((relationship): Block[] => [
      ['foreignKeyName', `'${relationship.constraint}'`],
      ['columns', renderNames(relationship.fromColumns)],
      ['isOneToOne', String(relationship.cardinality === 'one-to-one')],
      ['referencedRelation', `'${relationship.to.name}'`],
      ['referencedColumns', renderNames(relationship.toColumns)],
    ]);
  if (own.length === 0) return '[]';
  const indent = ' '.repeat(10);
  return `[\n${own.map((block) => `${indent}${renderBlock(block, indent)},\n`).join('')}${indent.slice(2)}]`;
}
const renderNames = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`;

function renderRoutine(routine: Routine, schema: Schema, facts: Facts): Block[] {
  const written = (argument: Argument): Block => [
    argument.hasDefault ? `${argument.name}?` : argument.name,
    typeScriptType(argument.type),
  ];
  const returned = routine.row !== null && schema.tables.get(routine.row.name) === routine.row ? routine.row : null;
  return [
    ['Args', routine.arguments.length === 0 ? 'never' : routine.arguments.map(written)],
    ['Returns', `${renderReturns(routine, returned, facts)}${routine.set ? '[]' : ''}`],
    ...(returned === null
      ? []
      : [
          [
            'SetofOptions',
            [
              ['from', `'*'`],
              ['to', `'${returned.name}'`],
              ['isOneToOne', String(!routine.set)],
              ['isSetofReturn', String(routine.set)],
            ],
          ] as const,
        ]),
  ];
}

function renderReturns(routine: Routine, returned: Table | null, facts: Facts): string {
  if (routine.gives === 'nothing') return 'undefined';
  if (returned !== null)
    return `Database['${returned.schema}']['${returned.view ? 'Views' : 'Tables'}']['${returned.name}']['Row']`;
  if (routine.row === null) return typeScriptType(facts.results.get(routine.name) ?? 'unknown');
  // PostgreSQL does not report which columns of such a row can be null.
  const columns = [...routine.row.columns.values()].map(({ name, type }): Block => [
    name,
    withNull(typeScriptType(type), true),
  ]);
  return renderBlock(columns, ' '.repeat(8));
}

const withNull = (type: string, nullable: boolean): string => (nullable ? `${type} | null` : type);

function renderBlock(entries: readonly Block[], indent: string): string {
  if (entries.length === 0) return EMPTY;
  const inner = `${indent}  `;
  const lines = entries.map(
    ([name, type]) => `${inner}${name}: ${typeof type === 'string' ? type : renderBlock(type, inner)};\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

/** How the data API writes values of these types as JSON. */
const TYPES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  real: 'number',
  'double precision': 'number',
  numeric: 'number',
  json: 'Json',
  jsonb: 'Json',
  text: 'string',
  uuid: 'string',
  date: 'string',
  'timestamp with time zone': 'string',
};

/** Returns the TypeScript type of a PostgreSQL type. Throws if there is none yet; add it to `TYPES`. */
function typeScriptType(type: string): string {
  const element = type.endsWith('[]') ? type.slice(0, -2) : type;
  const found = TYPES[element.replace(/\(.*\)/, '')];
  if (found === undefined) throw new Error(`the type ${type} has no TypeScript type yet`);
  return element === type ? found : `${found}[]`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => compare(a.name, b.name);
