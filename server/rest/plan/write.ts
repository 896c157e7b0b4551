import type { Argument, Column, Routine, Schema, Table } from '../catalogue/catalogue.ts';
import { restErrors } from '../errors.ts';
import { nearest } from '../catalogue/nearest.ts';
import type { Parsed } from '../parse/query.ts';

/** What an insert fills, and what happens where a row is already there. */
export type PlannedInsert = {
  readonly table: Table;
  readonly columns: readonly Column[];
  /** Whether a key missing from a row means the column's default instead of null. */
  readonly defaults: boolean;
  readonly conflict: { readonly columns: readonly Column[]; readonly merge: boolean } | null;
};
export type PlannedCall = {
  readonly routine: Routine;
  readonly given:
    | { readonly from: 'body'; readonly arguments: readonly Argument[] }
    | { readonly from: 'query'; readonly arguments: readonly { readonly argument: Argument; readonly value: number }[] }
    /** The function has one argument without a name, and takes the body as it is. */
    | { readonly from: 'whole body' };
};

/** The columns that are written: those named by `columns=`, else the keys of the body. */
export function planColumns(table: Table, names: readonly string[]): Column[] {
  return names.map((name) => {
    const column = table.columns.get(name);
    if (!column) throw restErrors.noWriteColumn(table.name, name);
    return column;
  });
}

export function planInsert(
  table: Table,
  parsed: Parsed,
  keys: readonly string[],
  options: { defaults: boolean; resolution: 'merge' | 'ignore' | null },
): PlannedInsert {
  const columns = planColumns(table, parsed.columns ?? keys);
  const target = parsed.onConflict.length > 0 ? parsed.onConflict : table.primaryKey;
  const conflict =
    options.resolution === null || target.length === 0 || columns.length === 0
      ? null
      : { columns: planColumns(table, target), merge: options.resolution === 'merge' };
  return { table, columns, defaults: options.defaults, conflict };
}

/** The function that takes just these arguments. `body`: whether they came as a JSON object, else in the query. */
export function planCall(
  schema: Schema,
  name: string,
  given:
    | { readonly from: 'body'; readonly keys: readonly string[] | null }
    | { readonly from: 'query'; readonly parsed: Parsed },
): PlannedCall {
  const keys = given.from === 'body' ? given.keys : given.parsed.arguments.map((argument) => argument.name);
  const overloads = schema.routines.get(name) ?? [];
  const fitting = keys === null ? [] : overloads.filter((routine) => takes(routine, keys));
  const [routine, ...others] = fitting;
  if (others.length > 0) throw restErrors.overloaded(fitting.map(signature));
  if (!routine) {
    const whole = overloads.find(takesWholeBody);
    if (whole && given.from === 'body') return { routine: whole, given: { from: 'whole body' } };
    throw restErrors.noFunction(schema.name, name, keys ?? [], nearest(name, schema.routines.keys()));
  }
  if (given.from === 'body') {
    const used = routine.arguments.filter((argument) => keys?.includes(argument.name));
    return { routine, given: { from: 'body', arguments: used } };
  }
  const values = routine.arguments.flatMap((argument) =>
    given.parsed.arguments
      .filter((one) => one.name === argument.name)
      .slice(-1)
      .map((one) => ({ argument, value: one.value })),
  );
  return { routine, given: { from: 'query', arguments: values } };
}

function takes(routine: Routine, keys: readonly string[]): boolean {
  const names = routine.arguments.map((argument) => argument.name);
  return (
    names.every((name) => name !== '') &&
    keys.every((key) => names.includes(key)) &&
    routine.arguments.every((argument) => argument.hasDefault || argument.variadic || keys.includes(argument.name))
  );
}

function takesWholeBody(routine: Routine): boolean {
  const [only, ...others] = routine.arguments;
  return only?.name === '' && others.length === 0 && (only.type === 'json' || only.type === 'jsonb');
}

function signature(routine: Routine): string {
  const list = routine.arguments.map((argument) => `${argument.name} => ${argument.type}`).join(', ');
  return `${routine.schema}.${routine.name}(${list})`;
}
