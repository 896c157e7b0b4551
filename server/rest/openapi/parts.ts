import type { ColumnFacts, TableFacts } from './facts.ts';

type Part = Record<string, unknown>;

const INTEGERS = new Set(['smallint', 'integer', 'bigint']);
const NUMBERS = new Set(['real', 'double precision', 'numeric']);

/** Returns a PostgreSQL type as a JSON schema. Types without a fixed shape get no `type`. */
export function toSchema(type: string): Part {
  if (type.endsWith('[]')) return { format: type, type: 'array', items: toItems(type.slice(0, -2)) };
  if (type === 'json' || type === 'jsonb') return { format: type };
  return { format: type, type: plainType(type) };
}

function toItems(type: string): Part {
  return type === 'json' || type === 'jsonb' ? {} : { type: plainType(type) };
}

function plainType(type: string): string {
  if (INTEGERS.has(type)) return 'integer';
  if (NUMBERS.has(type)) return 'number';
  return type === 'boolean' ? 'boolean' : 'string';
}

/** Describes the rows of a table. Notes mark keys in the way that PostgREST's clients expect. */
export function describeTable(table: TableFacts): Part {
  const required = table.columns.filter((column) => !column.nullable).map((column) => column.name);
  return {
    ...(table.comment === null ? {} : { description: table.comment }),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(table.columns.map((column) => [column.name, describeColumn(column)])),
    type: 'object',
  };
}

function describeColumn(column: ColumnFacts): Part {
  const notes = [
    ...(column.primary ? ['This is a Primary Key.<pk/>'] : []),
    ...(column.refers
      ? [
          `This is a Foreign Key to \`${column.refers.table}.${column.refers.column}\`.<fk table='${column.refers.table}' column='${column.refers.column}'/>`,
        ]
      : []),
  ];
  const description = [column.comment ?? '', notes.length === 0 ? '' : `Note:\n${notes.join('\n')}`]
    .filter((part) => part !== '')
    .join('\n\n');
  const preset = parseDefault(column);
  return {
    ...toSchema(column.type),
    ...(preset === undefined ? {} : { default: preset }),
    ...(description === '' ? {} : { description }),
    ...(column.enum === null ? {} : { enum: column.enum }),
    ...(column.length === null ? {} : { maxLength: column.length }),
  };
}

/** Returns a default as a value if it is a literal, otherwise as the text of its expression. */
function parseDefault(column: ColumnFacts): unknown {
  if (column.default === null) return undefined;
  const literal = /^'((?:[^']|'')*)'::[\w" .]+$/.exec(column.default)?.[1]?.replaceAll("''", "'") ?? column.default;
  const { type } = toSchema(column.type);
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(literal)) return Number(literal);
  if (type === 'boolean' && (literal === 'true' || literal === 'false')) return literal === 'true';
  return literal;
}

/** The parameters of one table, with the names that paths refer to. */
export function describeParameters(table: TableFacts): [string, Part][] {
  return [
    [
      `body.${table.name}`,
      { name: table.name, in: 'body', required: false, schema: { $ref: `#/definitions/${table.name}` } },
    ],
    ...table.columns.map((column): [string, Part] => [
      `rowFilter.${table.name}.${column.name}`,
      { name: column.name, in: 'query', required: false, type: 'string', format: column.type },
    ]),
  ];
}

const prefer = (...values: string[]): Part => ({
  name: 'Prefer',
  description: 'Preference',
  in: 'header',
  required: false,
  type: 'string',
  enum: values,
});
const query = (name: string, description: string): Part => ({
  name,
  description,
  in: 'query',
  required: false,
  type: 'string',
});

export const SHARED: Readonly<Record<string, Part>> = {
  preferParams: prefer('params=single-object'),
  preferReturn: prefer('return=representation', 'return=minimal', 'return=none'),
  preferCount: prefer('count=none', 'count=exact', 'count=planned', 'count=estimated'),
  preferPost: prefer(
    'return=representation',
    'return=minimal',
    'return=none',
    'resolution=ignore-duplicates',
    'resolution=merge-duplicates',
  ),
  select: query('select', 'Filtering Columns'),
  on_conflict: query('on_conflict', 'On Conflict'),
  order: query('order', 'Ordering'),
  offset: query('offset', 'Limiting and Pagination'),
  limit: query('limit', 'Limiting and Pagination'),
  range: { name: 'Range', description: 'Limiting and Pagination', in: 'header', required: false, type: 'string' },
  rangeUnit: {
    name: 'Range-Unit',
    description: 'Limiting and Pagination',
    in: 'header',
    required: false,
    type: 'string',
    default: 'items',
  },
};
