import { type Context, Hono } from 'hono';
import { type Database, DatabaseError, type Principal } from '#server/db/database.ts';
import { type Caller, type Env, type ReadCaller, TokenRefused } from '#server/http/caller.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import { describeDatabaseError, RestRefusal, restErrors } from './errors.ts';
import { levelAt, type Parsed, parseQuery } from './parse.ts';
import {
  functionOf,
  type ReplyRow,
  type Sql,
  writeCall,
  writeDelete,
  writeInsert,
  writeRead,
  writeUpdate,
} from './query.ts';

const OBJECT = 'application/vnd.pgrst.object+json';

/** `/rest/v1`: a request is parsed, planned against the catalogue, run as its caller in one flight, and answered with the database's own text. */
export function createRestDoor(parts: { db: Database; readCaller: ReadCaller; maxRows: number }): {
  door: Hono<Env>;
  reload: () => void;
} {
  const { db, readCaller, maxRows } = parts;
  const door = new Hono<Env>();
  let catalogue: Promise<Catalogue> | null = null;
  const known = (): Promise<Catalogue> =>
    (catalogue ??= readCatalogue(db.query).catch((error: unknown) => {
      catalogue = null;
      throw error;
    }));

  door.on(['GET', 'HEAD', 'POST'], '/rpc/:name', async (c) => {
    const caller = await admit(c);
    const posted = c.req.method === 'POST';
    const given = posted ? await readArguments(c) : Object.fromEntries(new URL(c.req.url).searchParams);
    const called = functionOf(await known(), c.req.param('name'), Object.keys(given));
    if (!posted && called.volatile)
      throw new RestRefusal(405, '25006', 'cannot execute a volatile function in a read-only transaction');
    const row = await run(caller, c, writeCall(called, given, maxRows));
    if (c.req.header('prefer')?.includes('return=minimal')) return c.body(null, 204);
    return answer(c, row, called.returnsSet ? 'rows' : 'scalar', null, 200);
  });

  door.on(['GET', 'HEAD'], '/:table', async (c) => {
    const caller = await admit(c);
    const parsed = paged(c, parseQuery(new URL(c.req.url).searchParams));
    const counted = /count=(exact|planned|estimated)/.test(c.req.header('prefer') ?? '');
    const row = await run(
      caller,
      c,
      writeRead(await known(), c.req.param('table'), parsed, { count: counted, maxRows }),
    );
    return answer(c, row, 'rows', levelAt(parsed, '').offset, 200);
  });

  door.post('/:table', async (c) => {
    const caller = await admit(c);
    const parsed = parseQuery(new URL(c.req.url).searchParams);
    const prefer = c.req.header('prefer') ?? '';
    const upsert = prefer.includes('resolution=merge-duplicates')
      ? ({ resolution: 'merge' } as const)
      : prefer.includes('resolution=ignore-duplicates')
        ? ({ resolution: 'ignore' } as const)
        : null;
    return write(c, caller, 201, (found, options) =>
      readJson(c).then((body) => writeInsert(found, c.req.param('table'), parsed, body, upsert, options)),
    );
  });
  door.patch('/:table', async (c) => {
    const caller = await admit(c);
    const parsed = parseQuery(new URL(c.req.url).searchParams);
    return write(c, caller, 200, (found, options) =>
      readJson(c).then((body) => writeUpdate(found, c.req.param('table'), parsed, body, options)),
    );
  });
  door.delete('/:table', async (c) => {
    const caller = await admit(c);
    const parsed = parseQuery(new URL(c.req.url).searchParams);
    return write(c, caller, 200, (found, options) =>
      Promise.resolve(writeDelete(found, c.req.param('table'), parsed, options)),
    );
  });

  door.get('/', (c) => c.json({ swagger: '2.0', info: { title: 'rest', version: '1' }, paths: {} }));
  door.all('*', (c) =>
    c.json({ code: 'PGRST125', message: 'Invalid path specified in request URL', details: null, hint: null }, 404),
  );
  door.onError((error, c) => {
    if (error instanceof TokenRefused)
      return reply({ code: 'PGRST301', message: error.message, details: null, hint: null }, 401);
    if (error instanceof RestRefusal)
      return reply(
        { code: error.code, message: error.message, details: error.details, hint: error.hint },
        error.status,
      );
    if (error instanceof DatabaseError) {
      const told = describeDatabaseError(error, guests.has(c.req.raw));
      if (told.status >= 500) c.var.log.error({ err: error, path: c.req.path }, 'a query failed');
      return reply(told.body, told.status, told.status === 503 ? { 'retry-after': '2' } : {});
    }
    c.var.log.error({ err: error, path: c.req.path }, 'a request failed');
    return reply(
      {
        code: 'XX000',
        message: `Something went wrong on our side. Request ${c.var.requestId}.`,
        details: null,
        hint: null,
      },
      500,
    );
  });

  // Whether a refused request was a guest's decides between 401 and 403.
  const guests = new WeakSet<Request>();

  async function admit(c: Context<Env>): Promise<Caller> {
    const profile = c.req.header('accept-profile') ?? c.req.header('content-profile');
    if (profile !== undefined && profile !== 'public') throw restErrors.schema();
    const caller = await readCaller(c.req.raw, c.var.ip);
    if (caller.role === 'anon') guests.add(c.req.raw);
    return caller;
  }

  async function write(
    c: Context<Env>,
    caller: Caller,
    status: 200 | 201,
    plan: (catalogue: Catalogue, options: { returning: boolean; count: boolean }) => Promise<Sql | null>,
  ): Promise<Response> {
    const prefer = c.req.header('prefer') ?? '';
    const returning = prefer.includes('return=representation');
    const sql = await plan(await known(), { returning, count: prefer.includes('count=') });
    const row: ReplyRow = sql ? await run(caller, c, sql) : { body: '[]', count: 0, total: 0 };
    if (!returning)
      return new Response(null, {
        status: status === 200 ? 204 : 201,
        headers: { 'content-range': `*/${prefer.includes('count=') ? row.count : '*'}` },
      });
    return answer(c, row, 'rows', 0, status);
  }

  async function run(caller: Caller, c: Context<Env>, sql: Sql): Promise<ReplyRow> {
    const reading = c.req.method === 'GET' || c.req.method === 'HEAD';
    const principal: Principal = reading
      ? { role: caller.role, claims: caller.claimsJson }
      : {
          role: caller.role,
          claims: caller.claimsJson,
          settings: { 'request.method': c.req.method, 'request.path': c.req.path, 'request.ip': c.var.ip },
        };
    const wantsOne = c.req.header('accept')?.includes(OBJECT) === true;
    // A single object that turns out to be none must not leave anything written behind.
    if (!reading && wantsOne) {
      return db.transactionAs(principal, async (tx) => {
        const row = await tx.one<ReplyRow>(sql.text, sql.values);
        if (row && row.count !== 1 && row.body.startsWith('[')) throw restErrors.notSingle(row.count);
        return row ?? { body: '[]', count: 0, total: null };
      });
    }
    const { rows } = await db.as<ReplyRow>(principal, sql.text, sql.values);
    return rows[0] ?? { body: '[]', count: 0, total: null };
  }

  return { door, reload: () => void (catalogue = null) };
}

function reply(body: Record<string, unknown>, status: number, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });
}

function answer(
  c: Context<Env>,
  row: ReplyRow,
  kind: 'rows' | 'scalar',
  offset: number | null,
  status: number,
): Response {
  const one = kind === 'rows' && c.req.header('accept')?.includes(OBJECT) === true;
  if (one && row.count !== 1) throw restErrors.notSingle(row.count);
  const headers: Record<string, string> = { 'content-type': `${one ? OBJECT : 'application/json'}; charset=utf-8` };
  if (offset !== null) {
    const range = row.count === 0 ? '*' : `${offset}-${offset + row.count - 1}`;
    headers['content-range'] = `${range}/${row.total ?? '*'}`;
    if (row.total !== null && row.count < row.total && status === 200) status = 206;
  }
  // The database's text goes out untouched; a single object is the list without its brackets.
  const body = one ? row.body.slice(1, -1).trim() : row.body;
  return new Response(c.req.method === 'HEAD' ? null : body, { status, headers });
}

/** A Range header pages like limit and offset. */
function paged(c: Context<Env>, parsed: Parsed): Parsed {
  const range = /^(?:items=)?(\d{1,9})-(\d{1,9})?$/.exec(c.req.header('range') ?? '');
  if (!range) return parsed;
  const from = Number(range[1]);
  const level = levelAt(parsed, '');
  const limit = range[2] === undefined ? level.limit : Math.max(0, Number(range[2]) - from + 1);
  return { ...parsed, levels: new Map(parsed.levels).set('', { ...level, offset: level.offset || from, limit }) };
}

async function readJson(c: Context<Env>): Promise<unknown> {
  const text = await c.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw restErrors.body('Empty or invalid json');
  }
}

async function readArguments(c: Context<Env>): Promise<Record<string, unknown>> {
  const text = await c.req.text();
  if (text.trim() === '') return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw restErrors.body('Empty or invalid json');
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw restErrors.body('Function arguments are one object');
  return Object.fromEntries(Object.entries(body));
}
