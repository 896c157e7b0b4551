import { type Condition, FilterFault, readFilter } from './filters.ts';

export type ChangeKind = 'INSERT' | 'UPDATE' | 'DELETE';

/** A client's subscription to a table, a schema or everything, with conditions on the row. */
export type Binding = {
  readonly event: ChangeKind | '*';
  readonly schema: string;
  readonly table: string;
  readonly conditions: readonly Condition[];
  /** The columns to send; null for all that the caller may read. */
  readonly select: readonly string[] | null;
};

const EVENTS: readonly ChangeKind[] = ['INSERT', 'UPDATE', 'DELETE'];

/** Reads a binding as sent by the client. Throws `FilterFault` with a message for the application. */
export function readBinding(sent: Readonly<Record<string, unknown>>): Binding {
  const { event, schema, table, filter, select } = sent;
  const named = typeof table === 'string' && table !== '' ? table : null;
  const namespace = typeof schema === 'string' && schema !== '' ? schema : null;
  if (named === null && namespace === null)
    throw new FilterFault(
      `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${JSON.stringify(sent)}`,
    );
  const binding = {
    event: EVENTS.find((kind) => kind === String(event).toUpperCase()) ?? '*',
    schema: namespace ?? 'public',
    table: named ?? '*',
    conditions: typeof filter === 'string' ? readFilter(filter) : [],
    select: readSelect(select),
  } as const;
  const wildcard = binding.schema === '*' || binding.table === '*';
  if (wildcard && binding.select !== null)
    throw new FilterFault(
      'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
    );
  if (wildcard && binding.conditions.length > 0) throw new FilterFault(notPublished(binding));
  return binding;
}

function readSelect(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null;
  const list = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value;
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string'))
    throw new FilterFault(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    );
  return list;
}

/** The message for a table outside the publication. */
export const notPublished = (binding: Binding): string =>
  'Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ' +
  formatParameters(binding);

/** The message for parameters that the database rejects. */
export const refusedByDatabase = (binding: Binding, text: string): string =>
  `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: ${formatParameters(binding)}. Exception: ${text}`;

function formatParameters({ event, schema, table, conditions, select }: Binding): string {
  const filters = conditions.map(
    ({ column, operator, values }) =>
      `{${JSON.stringify(column)}, ${JSON.stringify(operator)}, ${JSON.stringify(values.join(','))}}`,
  );
  const columns = select === null ? 'nil' : `[${select.map((name) => JSON.stringify(name)).join(', ')}]`;
  return `[event: ${event}, schema: ${schema}, table: ${table}, filters: [${filters.join(', ')}], select: ${columns}]`;
}
