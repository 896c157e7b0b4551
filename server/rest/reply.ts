import { hash } from 'node:crypto';
import { restErrors, RestRefusal } from './errors.ts';
import type { Form } from './parse/form.ts';
import type { ReplyRow } from './sql/statements.ts';

/** The last stage: the database's row as an HTTP answer. Its text goes out untouched. */
export type ReplyOptions = {
  readonly method: string;
  readonly form: Form;
  readonly status: number;
  /** What was skipped before the first row. */
  readonly offset: number;
  /** Whether the client asked how many there are. */
  readonly counted: boolean;
  /** The answer's type where it is not the form's. */
  readonly type: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** For a guest's read: the version the client has (`If-None-Match`), or '' for none; null for what may not be kept at all. */
  readonly known: string | null;
};

/** A list of rows; or the one row when one was asked for. Throws PGRST116, PGRST103. */
export function replyRows(row: ReplyRow, options: ReplyOptions): Response {
  const { form, offset, counted } = options;
  if (form.single && row.count !== 1) throw restErrors.notSingle(row.count);
  const total = counted ? row.total : null;
  if (total !== null && offset > 0 && offset >= total && total > 0) throw restErrors.range(offset, total);
  const partial = total !== null && row.count < total && options.status === 200;
  const range = row.count === 0 ? '*' : `${offset}-${offset + row.count - 1}`;
  return reply(
    row,
    { ...options, status: partial ? 206 : options.status },
    form.single ? withoutBrackets(row.body) : row.body,
    {
      'content-range': `${range}/${total ?? '*'}`,
    },
  );
}

/** The one row of a function: an object, or null when it gave none. */
export function replyRow(row: ReplyRow, options: ReplyOptions): Response {
  return replyValue({ ...row, body: row.count === 0 ? 'null' : withoutBrackets(row.body) }, options);
}

/** One value of a function. */
export function replyValue(row: ReplyRow, options: ReplyOptions): Response {
  const { offset, counted } = options;
  const range = row.count === 0 ? '*' : `${offset}-${offset + row.count - 1}`;
  return reply(row, options, row.body, { 'content-range': `${range}/${counted ? (row.total ?? '*') : '*'}` });
}

/** The bytes of one value, which came as hexadecimal digits. */
export function replyBytes(row: ReplyRow, options: ReplyOptions): Response {
  return reply(row, options, Buffer.from(row.body, 'hex'), { 'content-range': '0-0/*' });
}

/** Nothing but the fact that it was done. `place`: where a new row is found. */
export function replyNothing(row: ReplyRow, options: ReplyOptions, place: string | null): Response {
  const range = `*/${options.counted ? (row.total ?? 0) : '*'}`;
  const status = statusOf(row, options.status);
  const headers = {
    'cache-control': 'no-store',
    ...options.headers,
    'content-range': range,
    ...(place === null ? {} : { location: place }),
    // Said outright, or the answer would go out in pieces; 204 may not say it (RFC 9110, 8.6).
    ...(status === 204 ? {} : { 'content-length': '0' }),
  };
  return new Response(null, { status, headers: withSaid(row, headers) });
}

function reply(
  row: ReplyRow,
  options: ReplyOptions,
  body: string | Buffer<ArrayBuffer>,
  more: Record<string, string>,
): Response {
  const type = typeof body === 'string' ? `${options.type ?? options.form.type}; charset=utf-8` : (options.type ?? '');
  const status = statusOf(row, options.status);
  const headers = withSaid(row, { 'cache-control': 'no-store', 'content-type': type, ...options.headers, ...more });
  if (options.known === null || status !== 200 || headers.get('cache-control') !== 'no-store')
    return new Response(options.method === 'HEAD' ? null : body, { status, headers });
  const etag = `W/"${hash('sha1', `${headers.get('content-range')}\n${type}\n${row.body}`, 'base64url')}"`;
  headers.set('cache-control', 'no-cache');
  headers.set('etag', etag);
  headers.set('vary', VARY);
  const unchanged = isKnown(options.known, etag);
  if (unchanged) headers.delete('content-type');
  return new Response(unchanged || options.method === 'HEAD' ? null : body, { status: unchanged ? 304 : 200, headers });
}

/** What decides, besides the address, which answer a request gets. */
const VARY = 'accept, accept-profile, apikey, authorization, prefer, range';

/** Whether a list of versions (RFC 9110, 13.1.2) has this one; weak and strong ones count alike. */
function isKnown(list: string, etag: string): boolean {
  return list.split(',').some((one) => one.trim().replace(/^W\//, '') === etag.slice(2));
}

const withoutBrackets = (list: string): string => list.slice(1, -1).trim();

function statusOf(row: ReplyRow, status: number): number {
  if (row.status === null || row.status === undefined) return status;
  const said = Number(row.status);
  if (!Number.isInteger(said) || said < 200 || said > 599)
    throw new RestRefusal(500, 'PGRST112', 'response.status guc must be a valid status code');
  return said;
}

/** `response.headers` is a JSON list of one-headed objects: `[{"Cache-Control": "no-store"}]`. */
function withSaid(row: ReplyRow, headers: Record<string, string>): Headers {
  const all = new Headers(headers);
  if (row.headers === null || row.headers === undefined) return all;
  for (const [name, value] of readSaid(row.headers)) all.set(name, value);
  return all;
}

function readSaid(text: string): [string, string][] {
  const wrong = new RestRefusal(
    500,
    'PGRST111',
    'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  );
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (!Array.isArray(list)) throw wrong;
  return list.flatMap((one: unknown) =>
    Object.entries(one ?? {}).map(([name, value]): [string, string] => {
      if (typeof value !== 'string' || !/^[\w-]+$/.test(name) || /[\r\n\0]/.test(value)) throw wrong;
      return [name, value];
    }),
  );
}
