import type { Schema } from '../schema-cache/schema-cache.ts';
import { parseQuery, type Read } from '../parse/query.ts';
import { planCall } from './call.ts';
import { tableOf } from './read.ts';

/**
 * What may be asked of a relation, for `OPTIONS`: by what the relation can take, whoever asks, as PostgREST tells it. Putting a row at
 * its address needs a key to address it by. Throws PGRST205.
 */
export function allowedOfTable(schema: Schema, name: string): string {
  const { takes, primaryKey } = tableOf(schema, name);
  const { insert, update, remove } = takes;
  return told([
    'GET',
    'HEAD',
    insert && 'POST',
    insert && update && primaryKey.length > 0 && 'PUT',
    update && 'PATCH',
    remove && 'DELETE',
  ]);
}

/**
 * What may be asked of the function that takes these arguments; of any with the name when none are given. What may change something
 * is only posted. Throws PGRST202, PGRST203.
 */
export function allowedOfCall(schema: Schema, name: string, read: Read): string {
  const parsed = parseQuery(read);
  const named = parsed.arguments.length === 0 ? (schema.routines.get(name) ?? []) : [];
  const routines = named.length > 0 ? named : [planCall(schema, name, { from: 'query', parsed }).routine];
  return told(routines.every((one) => one.volatile) ? ['POST'] : ['GET', 'HEAD', 'POST']);
}

/** The door itself is only read. */
export const ALLOWED_OF_ROOT = told(['GET', 'HEAD']);

function told(methods: readonly (string | false)[]): string {
  return ['OPTIONS', ...methods.filter((one) => one !== false)].join(',');
}
