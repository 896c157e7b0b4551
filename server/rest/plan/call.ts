import type { Argument, Routine, Schema } from '../schema-cache/schema.ts';
import { nearest } from '../schema-cache/nearest.ts';
import { restErrors, type Sent } from '../core/errors.ts';
import type { Parsed } from '../parse/query.ts';

/** An argument of a function called by GET, with the indexes of its values. Only a variadic argument has several values. */
type GivenArgument = { readonly argument: Argument; readonly values: readonly number[] };
export type PlannedCall = {
  readonly routine: Routine;
  readonly given:
    | { readonly from: 'body'; readonly arguments: readonly Argument[] }
    | { readonly from: 'query'; readonly arguments: readonly GivenArgument[] }
    /** The function's only argument has no name and receives the body unchanged. */
    | { readonly from: 'whole body' };
};

type Arguments =
  | { readonly from: 'body'; readonly sent: Exclude<Sent, 'query'>; readonly keys: readonly string[] | null }
  | { readonly from: 'query'; readonly parsed: Parsed };

/** Finds the function that accepts exactly these arguments. Throws PGRST202, PGRST203. */
export function planCall(schema: Schema, name: string, given: Arguments): PlannedCall {
  const names = given.from === 'body' ? given.keys : given.parsed.arguments.map((argument) => argument.name);
  const overloads = schema.routines.get(name) ?? [];
  const fitting = names === null ? [] : overloads.filter((routine) => takes(routine, names));
  const [routine, ...others] = fitting;
  if (others.length > 0) throw restErrors.overloaded(fitting.map(signature));
  if (!routine) {
    const types = given.from === 'body' ? WHOLE[given.sent] : [];
    const whole = overloads.find((overload) => takesWhole(overload, types));
    if (whole) return { routine: whole, given: { from: 'whole body' } };
    throw noFunction(schema, name, names ?? [], given.from === 'body' ? given.sent : 'query', overloads);
  }
  // An unnamed argument receives the whole body, even if the body contains its empty name: {"": …}.
  if (given.from === 'body' && routine.arguments[0]?.name === '') return { routine, given: { from: 'whole body' } };
  if (given.from === 'body') {
    const used = routine.arguments.filter((argument) => names?.includes(argument.name));
    return { routine, given: { from: 'body', arguments: used } };
  }
  const values = routine.arguments.flatMap((argument) => {
    const found = given.parsed.arguments
      .filter((candidate) => candidate.name === argument.name)
      .map((candidate) => candidate.value);
    const used = argument.variadic ? found : found.slice(-1);
    return used.length === 0 ? [] : [{ argument, values: used }];
  });
  return { routine, given: { from: 'query', arguments: values } };
}

/** The types of a single unnamed argument that receives a body unchanged, by the kind of body. */
const WHOLE: Readonly<Record<Exclude<Sent, 'query'>, readonly string[]>> = {
  json: ['json', 'jsonb'],
  text: ['text'],
  xml: ['xml'],
  binary: ['bytea'],
};

function takes(routine: Routine, names: readonly string[]): boolean {
  const declared = routine.arguments.map((argument) => argument.name);
  return (
    names.every((name) => declared.includes(name)) &&
    routine.arguments.every((argument) => argument.hasDefault || argument.variadic || names.includes(argument.name))
  );
}

function takesWhole(routine: Routine, types: readonly string[]): boolean {
  const [only, ...others] = routine.arguments;
  return only?.name === '' && others.length === 0 && types.includes(only.type);
}

function noFunction(
  schema: Schema,
  name: string,
  given: readonly string[],
  sent: Sent,
  overloads: readonly Routine[],
): Error {
  const listed = (names: readonly string[]): string => `(${names.toSorted().join(', ')})`;
  const lists = overloads.map((overload) => listed(overload.arguments.map((argument) => argument.name)));
  const like = overloads.length === 0 ? null : nearest(listed(given), lists);
  const hint = overloads.length === 0 ? nearest(name, schema.routines.keys()) : like === null ? null : `${name}${like}`;
  return restErrors.noFunction(schema.name, name, given, sent, hint);
}

function signature(routine: Routine): string {
  const list = routine.arguments.map((argument) => `${argument.name} => ${argument.type}`).join(', ');
  return `${routine.schema}.${routine.name}(${list})`;
}
