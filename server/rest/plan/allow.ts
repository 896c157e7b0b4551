import type { Schema } from '../schema-cache/schema.ts';
import { parseQuery, type Read } from '../parse/query.ts';
import { planCall } from './call.ts';
import { getTable } from './read.ts';

/**
 * Returns the methods of a relation for `OPTIONS`: those that it supports for any caller, as in PostgREST. PUT needs a primary key. Throws
 * PGRST205.
 */
export function allowedOfTable(schema: Schema, name: string): string {
  const { takes, primaryKey } = getTable(schema, name);
  const { insert, update, remove } = takes;
  return methodList([
    'GET',
    'HEAD',
    insert && 'POST',
    insert && update && primaryKey.length > 0 && 'PUT',
    update && 'PATCH',
    remove && 'DELETE',
  ]);
}

/**
 * Returns the methods of the function with these arguments, or of all its overloads if no arguments are given. Volatile functions accept
 * only POST. Throws PGRST202, PGRST203.
 */
export function allowedOfCall(schema: Schema, name: string, read: Read): string {
  const parsed = parseQuery(read);
  const named = parsed.arguments.length === 0 ? (schema.routines.get(name) ?? []) : [];
  const routines = named.length > 0 ? named : [planCall(schema, name, { from: 'query', parsed }).routine];
  return methodList(routines.every((routine) => routine.volatile) ? ['POST'] : ['GET', 'HEAD', 'POST']);
}

/** The root is read-only. */
export const ALLOWED_OF_ROOT = methodList(['GET', 'HEAD']);

function methodList(methods: readonly (string | false)[]): string {
  return ['OPTIONS', ...methods.filter((method) => method !== false)].join(',');
}
