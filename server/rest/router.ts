import { type Context, Hono } from 'hono';
import { type Database, DatabaseBusy, DatabaseError } from '#server/db/database.ts';
import { type Answer, answerWith } from '#server/http/answer.ts';
import type { Caller, Env, ReadCaller, TokenRefused } from '#server/http/caller.ts';
import { classifyError } from '#server/http/classify-error.ts';
import { getHeaders } from '#server/http/incoming.ts';
import type { Schema } from './schema-cache/schema.ts';
import { compressAnswer } from './compress.ts';
import { BOUNDS, callerClass } from './core/bounds.ts';
import { checkShape } from './plan/cost.ts';
import { refusalOfDatabase, RestRefusal, restErrors } from './core/errors.ts';
import { createSchemaCacheLoader, type SchemaCacheLoader } from './run/schema-cache-loader.ts';
import { describeApi } from './openapi/describe.ts';
import { type ParsedRequest, parseRequest } from './parse/request.ts';
import { readQuery } from './parse/query.ts';
import { ALLOWED_OF_ROOT, allowedOfCall, allowedOfTable } from './plan/allow.ts';
import { getSchema } from './plan/read.ts';
import {
  type Prepare,
  prepareCall,
  prepareDelete,
  prepareInsert,
  preparePut,
  prepareRead,
  prepareUpdate,
} from './run/prepare.ts';
import type { Prepared } from './run/prepared.ts';
import type { ReplyRow } from './sql/statements.ts';
import { replyBytes, replyNothing, type ReplyOptions, replyRow, replyRows, replyValue } from './reply.ts';
import { explain, isUndone, runPrepared } from './run/run.ts';
import type { RestConfig } from './core/config.ts';

/** Dependencies of `/rest/v1`. */
type RestContext = {
  readonly db: Database;
  readonly readCaller: ReadCaller;
  /** Settings from the environment; the authenticator's `pgrst.*` settings override them. */
  readonly settings: RestConfig;
  /** The public address of the API, e.g. `http://localhost:3000/rest/v1`. */
  readonly url: string;
  /**
   * Called before each insert, except those of the service role: returns null, or the whole seconds to wait. The hourly limit of a table is
   * counted here and not in a trigger, because a refused insert would roll the count back.
   */
  readonly admitInsert: (table: string, ip: string) => Promise<number | null>;
  /** Called before each request of a guest, by IP address: returns null, or the whole seconds to wait. */
  readonly admitGuest: (key: string) => Promise<number | null>;
  readonly cache: SchemaCacheLoader;
  /** Logs settings of the database that cannot be used. */
  readonly warn: (line: string) => void;
};

/**
 * Creates the router of `/rest/v1`. It parses a request, plans it against the schema cache, builds one SQL statement, runs it as the caller
 * in one round trip, and answers with the text that the database returns. Requests that differ only in values share a plan.
 */
export function createRestRouter(dependencies: Omit<RestContext, 'cache'>): { router: Hono<Env>; reload: () => void } {
  const { db, settings, warn } = dependencies;
  const cache = createSchemaCacheLoader(db, settings, warn);
  const context: RestContext = { ...dependencies, cache };
  const router = new Hono<Env>();
  addTables(router, context);
  addCalls(router, context);
  // Hono treats the root with a trailing slash as a different path.
  router.all('*', (c) => (/\/v1\/?$/.test(c.req.path) ? answerRoot(context, c) : Promise.reject(restErrors.path())));
  router.onError((error, c) => {
    const refusal = toRefusal(error, c.get('guest') === true) ?? unexpected(c.get('requestId'));
    if (refusal.status >= 500 && !(error instanceof RestRefusal || error instanceof DatabaseBusy))
      c.get('log').error({ err: error, path: c.req.path }, 'a request failed');
    return errorResponse(refusal, c.req.method);
  });
  return { router, reload: cache.reload };
}

function addTables(router: Hono<Env>, context: RestContext): void {
  const path = '/:table';
  router.on(['GET', 'HEAD'], path, (c) => serve(context, c, 'table', c.req.param('table'), prepareRead));
  router.post(path, (c) => serve(context, c, 'table', c.req.param('table'), prepareInsert));
  router.put(path, (c) => serve(context, c, 'table', c.req.param('table'), preparePut));
  router.patch(path, (c) => serve(context, c, 'table', c.req.param('table'), prepareUpdate));
  router.delete(path, (c) => serve(context, c, 'table', c.req.param('table'), prepareDelete));
  router.options(path, (c) => answerOptions(context, c, (schema) => allowedOfTable(schema, c.req.param('table'))));
  router.all(path, (c) => Promise.reject(restErrors.method(c.req.method)));
}

function addCalls(router: Hono<Env>, context: RestContext): void {
  const path = '/rpc/:name';
  router.on(['GET', 'HEAD', 'POST'], path, (c) => serve(context, c, 'call', c.req.param('name'), prepareCall));
  router.options(path, (c) => {
    const read = readQuery(new URL(c.req.url).searchParams, true);
    return answerOptions(context, c, (schema) => allowedOfCall(schema, c.req.param('name'), read));
  });
  router.all(path, (c) => Promise.reject(restErrors.rpcMethod(c.req.method)));
}

/** Identifies the caller and limits how often guests may call. */
async function admit({ readCaller, admitGuest }: RestContext, c: Context<Env>): Promise<Caller> {
  const caller = await readCaller(c.req.raw, c.get('ip'));
  if (caller.role !== 'anon') return caller;
  c.set('guest', true);
  const wait = await admitGuest(`ip:${c.get('ip')}`);
  if (wait !== null) throw restErrors.tooMany(wait);
  return caller;
}

/** Answers a request to a table or a function. */
async function serve(
  context: RestContext,
  c: Context<Env>,
  kind: 'table' | 'call',
  name: string,
  prepare: Prepare,
): Promise<Response> {
  const caller = await admit(context, c);
  if (prepare === prepareInsert && caller.role !== 'service_role') {
    const wait = await context.admitInsert(name, c.get('ip'));
    if (wait !== null) throw restErrors.tooMany(wait);
  }
  const cached = await context.cache.now();
  const { settings } = cached;
  const bounds = BOUNDS[callerClass(caller.role)];
  const requested = countsSafely(
    await parseRequest(c.req.raw, kind, name, {
      plans: settings.plans,
      bounds,
      headers: getHeaders(c),
      timeZones: cached.timeZones,
    }),
    caller,
  );
  const prepared = prepare(requested, cached);
  checkShape(prepared.cost, requested.read.values, bounds, settings.maxRows);
  const { plan } = requested.form;
  if (plan !== null) {
    const queryPlan = await explain(context.db, plan, requested, prepared, caller, cached);
    return new Response(queryPlan, {
      headers: { 'cache-control': 'no-store', 'content-type': `${plan.type}; charset=utf-8` },
    });
  }
  const row = await runPrepared(context.db, requested, prepared, caller, cached);
  const guestRead = caller.role === 'anon' && (c.req.method === 'GET' || c.req.method === 'HEAD');
  const clientEtags = guestRead ? (c.req.header('if-none-match') ?? '') : null;
  const answered = answer(requested, prepared, row, settings, clientEtags);
  return answerWith(c, await compressAnswer(answered, c.req.header('accept-encoding')));
}

/** Answers `OPTIONS` with the allowed methods. */
async function answerOptions(
  context: RestContext,
  c: Context<Env>,
  allowed: (schema: Schema) => string,
): Promise<Response> {
  await admit(context, c);
  const { schemaCache } = await context.cache.now();
  const allow = allowed(getSchema(schemaCache, c.req.header('accept-profile') ?? null));
  return new Response(null, { headers: { allow, 'content-length': '0' } });
}

/** Answers the root with the API's description, or calls the function that replaces it. */
async function answerRoot(context: RestContext, c: Context<Env>): Promise<Response> {
  if (c.req.method === 'OPTIONS') return answerOptions(context, c, () => ALLOWED_OF_ROOT);
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD') throw restErrors.method(c.req.method);
  const { rootSpec } = (await context.cache.now()).settings;
  if (rootSpec !== null) return serve(context, c, 'call', rootSpec, prepareCall);
  const caller = await admit(context, c);
  const cached = await context.cache.now();
  if (cached.settings.openapi === 'disabled') throw restErrors.noOpenapi();
  return describeApi({ db: context.db, url: context.url, caller, cached, request: c.req.raw });
}

/**
 * Replaces estimated counts by exact ones for all callers except the service role. The planner's estimate includes rows that are hidden
 * from the caller: a condition on a hidden column would reveal how common a value is.
 */
function countsSafely(requested: ParsedRequest, caller: Caller): ParsedRequest {
  const { count } = requested.preferences;
  if (count === null || count === 'exact' || caller.role === 'service_role') return requested;
  return { ...requested, preferences: { ...requested.preferences, count: 'exact' } };
}

/** `clientEtags`: see `ReplyOptions`. */
function answer(
  requested: ParsedRequest,
  prepared: Prepared,
  row: ReplyRow,
  settings: RestConfig,
  clientEtags: string | null,
): Answer {
  const { preferences, read, form, method } = requested;
  const options: ReplyOptions = {
    method,
    form,
    status: getStatus(requested, prepared, row),
    offset: prepared.offset === null ? 0 : Number(read.values[prepared.offset] ?? 0),
    counted: preferences.count !== null,
    type: prepared.type,
    clientEtags,
    headers: preferences.applied.size === 0 ? {} : { 'preference-applied': applied(requested, settings) },
  };
  switch (prepared.shows) {
    case 'rows':
      return replyRows(row, options);
    case 'row':
      return replyRow(row, options);
    case 'value':
      return replyValue(row, options);
    case 'bytes':
      return replyBytes(row, options);
    case 'nothing':
      return replyNothing(row, options, prepared.location ? getLocation(requested.name, row) : null);
  }
}

/** Changes a status of 201 to 200 or 204 if an upsert replaced rows and created none. */
function getStatus(requested: ParsedRequest, prepared: Prepared, row: ReplyRow): number {
  const none = row.inserted !== undefined && Number(row.inserted ?? 0) <= 0;
  if (prepared.status !== 201 || !none) return prepared.status;
  return prepared.put && requested.preferences.returning !== 'representation' ? 204 : 200;
}

/** Returns the `Preference-Applied` header: the preferences that were applied. */
function applied(requested: ParsedRequest, settings: RestConfig): string {
  const { tx, applied: all } = requested.preferences;
  const undone = isUndone(settings, requested);
  return [...all]
    .filter(([name]) => name !== 'tx' || undone === (tx === 'rollback'))
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

/** Returns the address of the new row: `/table?id=eq.1`. */
function getLocation(table: string, row: ReplyRow): string | null {
  if (!row.key) return null;
  const key: unknown = JSON.parse(row.key);
  const filters = Object.entries(key ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=eq.${encodeURIComponent(String(value))}`,
  );
  return `/${encodeURIComponent(table)}?${filters.join('&')}`;
}

function toRefusal(error: unknown, guest: boolean): RestRefusal | null {
  if (error instanceof RestRefusal) return error;
  const found = classifyError(error);
  if (found.kind === 'token') return refusalOfToken(found.error);
  if (found.kind === 'suspended') return restErrors.tooMany(found.retryAfter);
  if (error instanceof DatabaseBusy) return restErrors.busy(error.retryAfter);
  // The code of a database error tells clients of PostgREST that the database is unreachable.
  return error instanceof DatabaseError ? refusalOfDatabase(error, guest) : null;
}

function refusalOfToken({ code, message }: TokenRefused): RestRefusal {
  if (code === 'unknown_role') return new RestRefusal(401, '22023', message);
  if (code === 'role_not_granted') return new RestRefusal(403, '42501', message);
  return new RestRefusal(401, 'PGRST301', message, null, null, {
    'www-authenticate': `Bearer error="invalid_token", error_description=${JSON.stringify(message)}`,
  });
}

function unexpected(requestId: string): RestRefusal {
  return new RestRefusal(500, 'XX000', `Something went wrong on our side. Request ${requestId}.`);
}

function errorResponse({ status, code, message, details, hint, headers }: RestRefusal, method: string): Response {
  const body = JSON.stringify({ code, message, details, hint });
  return new Response(method === 'HEAD' ? null : body, {
    status,
    headers: { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8', ...headers },
  });
}
