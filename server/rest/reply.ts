import { hash } from 'node:crypto';
import type { Answer } from '#server/http/answer.ts';
import { restErrors, RestRefusal } from './core/errors.ts';
import type { Form } from './parse/form.ts';
import type { ReplyRow } from './sql/statements.ts';

/** Stage three: turns the database's row into an HTTP answer. The row's text is sent unchanged. */
export type ReplyOptions = {
  readonly method: string;
  readonly form: Form;
  readonly status: number;
  /** The number of rows skipped before the first. */
  readonly offset: number;
  /** Whether the client requested the total. */
  readonly counted: boolean;
  /** The answer's content type if it differs from the form's. */
  readonly type: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** For a guest's read: the ETags that the client holds (`If-None-Match`), or '' for none. Null if the answer must not be cached. */
  readonly clientEtags: string | null;
};

/** Answers with a list of rows, or with one row if the client requested a single one. Throws PGRST116, PGRST103. */
export function replyRows(row: ReplyRow, options: ReplyOptions): Answer {
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

/** Answers with the only row of a function: an object, or null if there is no row. */
export function replyRow(row: ReplyRow, options: ReplyOptions): Answer {
  return replyValue({ ...row, body: row.count === 0 ? 'null' : withoutBrackets(row.body) }, options);
}

/** Answers with one value of a function. */
export function replyValue(row: ReplyRow, options: ReplyOptions): Answer {
  const { offset, counted } = options;
  const range = row.count === 0 ? '*' : `${offset}-${offset + row.count - 1}`;
  return reply(row, options, row.body, { 'content-range': `${range}/${counted ? (row.total ?? '*') : '*'}` });
}

/** Answers with the bytes of one value, which arrive as hexadecimal digits. */
export function replyBytes(row: ReplyRow, options: ReplyOptions): Answer {
  return reply(row, options, Buffer.from(row.body, 'hex'), { 'content-range': '0-0/*' });
}

/** Answers without a body. `location`: the address of a new row. */
export function replyNothing(row: ReplyRow, options: ReplyOptions, location: string | null): Answer {
  const range = `*/${options.counted ? (row.total ?? 0) : '*'}`;
  const status = getStatus(row, options.status);
  const headers = {
    'cache-control': 'no-store',
    ...options.headers,
    'content-range': range,
    ...(location === null ? {} : { location }),
    // Without the header the answer would be chunked; a 204 must not have it (RFC 9110, 8.6).
    ...(status === 204 ? {} : { 'content-length': '0' }),
  };
  return { status, headers: withFunctionHeaders(row, headers), body: null };
}

function reply(
  row: ReplyRow,
  options: ReplyOptions,
  body: string | Buffer<ArrayBuffer>,
  more: Record<string, string>,
): Answer {
  const type = typeof body === 'string' ? `${options.type ?? options.form.type}; charset=utf-8` : (options.type ?? '');
  const status = getStatus(row, options.status);
  const headers = withFunctionHeaders(row, {
    'cache-control': 'no-store',
    'content-type': type,
    ...options.headers,
    ...more,
  });
  const shown = options.method === 'HEAD' ? null : body;
  if (options.clientEtags === null || status !== 200 || headers['cache-control'] !== 'no-store')
    return { status, headers, body: shown };
  const etag = getEtag(row, `${headers['content-range']}\n${type}`);
  const caching: Record<string, string> = { ...headers, 'cache-control': 'no-cache', etag, vary: VARY };
  if (!hasEtag(options.clientEtags, etag)) return { status: 200, headers: caching, body: shown };
  const { 'content-type': _, ...unchanged } = caching;
  return { status: 304, headers: unchanged, body: null };
}

/**
 * Returns the ETag of a row's answer. `about`: what else the answer shows besides the row. The row keeps its ETag, because several guests
 * may receive the same row (`ShareReads`).
 */
function getEtag(row: ReplyRow, about: string): string {
  if (row.shown?.about === about) return row.shown.etag;
  const etag = `W/"${hash('sha1', `${about}\n${row.body}`, 'base64url')}"`;
  row.shown = { about, etag };
  return etag;
}

/** The request headers that decide which answer a request gets. */
const VARY = 'accept, accept-profile, apikey, authorization, prefer, range';

/** Whether an `If-None-Match` list (RFC 9110, 13.1.2) contains this ETag. Weak and strong ETags match alike. */
function hasEtag(list: string, etag: string): boolean {
  return list.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag.slice(2));
}

const withoutBrackets = (list: string): string => list.slice(1, -1).trim();

function getStatus(row: ReplyRow, status: number): number {
  if (row.status === null || row.status === undefined) return status;
  const chosen = Number(row.status);
  if (!Number.isInteger(chosen) || chosen < 200 || chosen > 599)
    throw new RestRefusal(500, 'PGRST112', 'response.status guc must be a valid status code');
  return chosen;
}

/**
 * Adds the headers that a function set in `response.headers`, a JSON list of objects with one key each: `[{"Cache-Control": "no-store"}]`.
 */
function withFunctionHeaders(row: ReplyRow, headers: Record<string, string>): Record<string, string> {
  if (row.headers === null || row.headers === undefined) return headers;
  return { ...headers, ...Object.fromEntries(readFunctionHeaders(row.headers)) };
}

function readFunctionHeaders(text: string): [string, string][] {
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
  return list.flatMap((entry: unknown) =>
    Object.entries(entry ?? {}).map(([name, value]): [string, string] => {
      if (typeof value !== 'string' || !/^[\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw wrong;
      return [name.toLowerCase(), value.trim()];
    }),
  );
}
