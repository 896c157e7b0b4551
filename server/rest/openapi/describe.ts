import type { Database } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { quote } from '../core/quote.ts';
import { restErrors } from '../core/errors.ts';
import type { CachedSchema } from '../run/schema-cache-loader.ts';
import { headersFor } from '../parse/request.ts';
import { getSchema } from '../plan/read.ts';
import { inTransaction } from '../run/run.ts';
import { type Facts, FACTS } from './facts.ts';
import { describeTable, describeParameters, SHARED } from './parts.ts';
import { pathOfFunction, pathOfTable } from './paths.ts';

/** Describes in OpenAPI 2.0 what the caller may use of the requested schema, as PostgREST does at `/`. Throws PGRST106, PGRST107. */
export async function describeApi(options: {
  db: Database;
  url: string;
  caller: Caller;
  cached: CachedSchema;
  request: Request;
}): Promise<Response> {
  const { db, caller, cached, request } = options;
  const accept = request.headers.get('accept') ?? '*/*';
  const type = /application\/openapi\+json|\*\/\*|application\/\*/.test(accept)
    ? 'application/openapi+json'
    : 'application/json';
  if (type === 'application/json' && !accept.includes(type)) throw restErrors.accept(accept);
  const schema = getSchema(cached.schemaCache, request.headers.get('accept-profile')).name;
  const principal = {
    role: caller.role,
    claims: caller.claimsJson,
    settings: {
      'request.method': request.method,
      'request.path': '/',
      'request.headers': headersFor(Object.fromEntries(request.headers)),
      'request.ip': caller.ip,
      search_path: quote(schema),
      transaction_read_only: 'on',
    },
  };
  const follow = cached.settings.openapi === 'follow-privileges';
  const session = { principal, rollback: false, settings: cached.settings };
  const facts = await inTransaction(
    db,
    session,
    async (query) => (await query<{ facts: Facts }>(FACTS, [schema, follow])).rows[0]?.facts ?? NO_FACTS,
  );
  const body = request.method === 'HEAD' ? null : JSON.stringify(describe(facts, new URL(options.url)));
  return new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } });
}

const NO_FACTS: Facts = { description: null, tables: null, functions: null };

function describe({ description, tables, functions }: Facts, url: URL): Record<string, unknown> {
  // A path has only one description: the first of several overloaded functions wins.
  const named = new Map((functions ?? []).toReversed().map((routine) => [routine.name, routine]));
  const root = {
    tags: ['Introspection'],
    summary: 'OpenAPI description (this document)',
    responses: { 200: { description: 'OK' } },
  };
  return {
    swagger: '2.0',
    info: { title: description?.split('\n')[0] ?? 'Data', description: description ?? '', version: '1' },
    host: url.host,
    basePath: url.pathname,
    schemes: [url.protocol.replace(':', '')],
    consumes: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
    produces: ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'],
    paths: {
      '/': { get: { ...root, produces: ['application/openapi+json', 'application/json'] } },
      ...Object.fromEntries((tables ?? []).map((table) => [`/${table.name}`, pathOfTable(table)])),
      ...Object.fromEntries(
        [...named.values()].toReversed().map((routine) => [`/rpc/${routine.name}`, pathOfFunction(routine)]),
      ),
    },
    definitions: Object.fromEntries((tables ?? []).map((table) => [table.name, describeTable(table)])),
    parameters: { ...SHARED, ...Object.fromEntries((tables ?? []).flatMap(describeParameters)) },
    externalDocs: { description: 'PostgREST documentation', url: 'https://docs.postgrest.org' },
  };
}
