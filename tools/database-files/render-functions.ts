import type { Routine, Schema } from '#server/rest/schema-cache/schema.ts';

/**
 * Writes the arguments and results of the functions that the server calls, as `server/db` encodes and decodes them. Functions of rows and
 * ranges are left out, because only SQL calls them. `results` has the type of one value of each result.
 */
export function renderFunctions(schema: Schema, results: ReadonlyMap<string, string>): string {
  const lines = [...schema.routines.values()].flat().flatMap((routine) => {
    const text = renderRoutine(routine, results.get(routine.name) ?? '');
    return text === null ? [] : [`  ${routine.name}: ${text};`];
  });
  return [
    'type JsonValue = Json | Date | JsonObject | readonly JsonValue[];',
    '',
    '/** JSON that a function takes, as an object or as text: an array would be sent as an array of PostgreSQL. */',
    'export type JsonInput = JsonObject | string;',
    'export type JsonObject = { readonly [key: string]: JsonValue | undefined };',
    '',
    '/** The functions that the server calls. PostgreSQL does not say which arguments and results can be null. */',
    'export type ServerFunctions = {',
    ...lines.toSorted(),
    '};',
    '',
  ].join('\n');
}

function renderRoutine(routine: Routine, result: string): string | null {
  const args = routine.arguments.map(({ name, type, hasDefault }) => {
    const taken = typeScriptType(type, TAKEN);
    return asProperty(hasDefault ? `${name}?` : name, taken);
  });
  const returned = renderResult(routine, result);
  if (returned === null || args.includes(null)) return null;
  return `{ Args: ${args.length === 0 ? 'Record<never, never>' : `{ ${args.join('; ')} }`}; ${returned} }`;
}

function renderResult(routine: Routine, result: string): string | null {
  if (routine.gives === 'nothing') return 'Returns: undefined';
  if (routine.row === null && !routine.set) return asProperty('Returns', typeScriptType(result, GIVEN));
  if (routine.row === null) return null;
  const columns = [...routine.row.columns.values()].map(({ name, type }) =>
    asProperty(name, typeScriptType(type, GIVEN)),
  );
  return columns.includes(null) ? null : `Row: { ${columns.join('; ')} }`;
}

const asProperty = (name: string, type: string | null): string | null => type && `${name}: ${type}`;

/** The types to which `server/db` decodes values of these types. */
const GIVEN: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  numeric: 'string',
  json: 'Json',
  jsonb: 'Json',
  text: 'string',
  uuid: 'string',
  date: 'string',
  interval: 'string',
  'timestamp with time zone': 'Date',
};
/** The types that `server/db` encodes as values of these types. */
const TAKEN: Readonly<Record<string, string>> = {
  ...GIVEN,
  numeric: 'number',
  json: 'JsonInput',
  jsonb: 'JsonInput',
};

/** Returns null for a type that the server neither sends nor reads. */
function typeScriptType(type: string, types: Readonly<Record<string, string>>): string | null {
  const found = types[type.replace(/\[\]$/, '').replace(/\(.*\)/, '')];
  if (found === undefined) return null;
  return type.endsWith('[]') ? `readonly ${found}[]` : found;
}
