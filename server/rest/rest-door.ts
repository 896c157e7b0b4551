import { type Context, Hono } from 'hono';
import { type Database, DatabaseError } from '#server/db/database.ts';
import { type Env, type ReadCaller, TokenRefused } from '#server/http/caller.ts';
import { type Asked, readAsked } from './parse/asked.ts';
import { refusalOfDatabase, RestRefusal, restErrors } from './errors.ts';
import { createKnown } from './known.ts';
import {
  type Prepare,
  type Prepared,
  prepareCall,
  prepareDelete,
  prepareInsert,
  prepareRead,
  prepareUpdate,
} from './prepare.ts';
import { replyNothing, type ReplyOptions, replyRow, replyRows, replyValue } from './reply.ts';
import { createRun } from './run.ts';
import type { ReplyRow } from './print/statements.ts';

export type RestDoorParts = {
  readonly db: Database;
  readonly readCaller: ReadCaller;
  /** Rows in one list, at most. */
  readonly maxRows: number;
  /** Exposed schemas; the first is meant when a request names none. */
  readonly schemas?: readonly string[];
  /** Answers null when a caller's address is admitted, else the whole seconds to wait. */
  readonly admit?: (ip: string) => Promise<number | null>;
  /** Sums and counts by request; off as in PostgREST, since they can be made to cost much. */
  readonly aggregates?: boolean;
  /** `Prefer: tx=rollback`; off as in PostgREST. */
  readonly rollback?: boolean;
};

/**
 * `/rest/v1`: a request is parsed, planned against the catalogue, printed as one statement, run as its caller in one flight,
 * and answered with the database's own text. Requests that differ only in values share a plan.
 */
export function createRestDoor(parts: RestDoorParts): { door: Hono<Env>; reload: () => void } {
  const { db, readCaller } = parts;
  const options = { maxRows: parts.maxRows, aggregates: parts.aggregates ?? false };
  const known = createKnown(db, parts.schemas ?? ['public']);
  const run = createRun(db, { maxRows: parts.maxRows, rollback: parts.rollback ?? false });
  const door = new Hono<Env>();
  // Whether a refused request was a guest's decides between 401 and 403.
  const guests = new WeakSet<Request>();

  async function serve(c: Context<Env>, kind: 'table' | 'call', name: string, prepare: Prepare): Promise<Response> {
    const caller = await readCaller(c.req.raw, c.var.ip);
    if (caller.role === 'anon') guests.add(c.req.raw);
    const wait = (await parts.admit?.(c.var.ip)) ?? null;
    if (wait !== null) throw restErrors.tooMany(wait);
    const asked = await readAsked(c.req.raw, kind, name);
    const prepared = prepare(asked, await known.now(), options);
    const row = await run(asked, prepared, caller);
    return answer(asked, prepared, row);
  }

  door.on(['GET', 'HEAD', 'POST'], '/rpc/:name', (c) => serve(c, 'call', c.req.param('name'), prepareCall));
  door.on(['GET', 'HEAD'], '/:table', (c) => serve(c, 'table', c.req.param('table'), prepareRead));
  door.post('/:table', (c) => serve(c, 'table', c.req.param('table'), prepareInsert));
  door.patch('/:table', (c) => serve(c, 'table', c.req.param('table'), prepareUpdate));
  door.delete('/:table', (c) => serve(c, 'table', c.req.param('table'), prepareDelete));
  door.get('/', (c) => c.json({ swagger: '2.0', info: { title: 'rest', version: '1' }, paths: {} }));
  door.all('/:table', (c) => Promise.reject(restErrors.method(c.req.method)));
  door.all('/rpc/:name', (c) => Promise.reject(restErrors.method(c.req.method)));
  door.all('*', () => Promise.reject(restErrors.path()));
  door.onError((error, c) => {
    const refusal = refusalOf(error, guests.has(c.req.raw)) ?? unexpected(c.var.requestId);
    if (refusal.status >= 500 && !(error instanceof RestRefusal))
      c.var.log.error({ err: error, path: c.req.path }, 'a request failed');
    return told(refusal, c.req.method);
  });
  return { door, reload: known.reload };
}

function answer(asked: Asked, prepared: Prepared, row: ReplyRow): Response {
  const { preferences, read, form, method } = asked;
  const options: ReplyOptions = {
    method,
    form,
    status: prepared.status,
    offset: prepared.offset === null ? 0 : Number(read.values[prepared.offset] ?? 0),
    counted: preferences.count !== null,
    headers: preferences.applied === '' ? {} : { 'preference-applied': preferences.applied },
  };
  switch (prepared.shows) {
    case 'rows':
      return replyRows(row, options);
    case 'row':
      return replyRow(row, options);
    case 'value':
      return replyValue(row, options);
    case 'nothing':
      return replyNothing(row, options, prepared.place ? placeOf(asked.name, row) : null);
  }
}

/** `/table?id=eq.1`: where the new row is found. */
function placeOf(table: string, row: ReplyRow): string | null {
  if (!row.key) return null;
  const key: unknown = JSON.parse(row.key);
  const parts = Object.entries(key ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=eq.${encodeURIComponent(String(value))}`,
  );
  return `/${encodeURIComponent(table)}?${parts.join('&')}`;
}

function refusalOf(error: unknown, guest: boolean): RestRefusal | null {
  if (error instanceof RestRefusal) return error;
  if (error instanceof TokenRefused) return new RestRefusal(401, 'PGRST301', error.message);
  return error instanceof DatabaseError ? refusalOfDatabase(error, guest) : null;
}

function unexpected(requestId: string): RestRefusal {
  return new RestRefusal(500, 'XX000', `Something went wrong on our side. Request ${requestId}.`);
}

function told({ status, code, message, details, hint, headers }: RestRefusal, method: string): Response {
  const body = JSON.stringify({ code, message, details, hint });
  return new Response(method === 'HEAD' ? null : body, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });
}
