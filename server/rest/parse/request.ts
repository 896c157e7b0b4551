import { headerIn, type HeaderRecord, joined } from '#server/http/incoming.ts';
import { restErrors } from '../core/errors.ts';
import type { Bounds } from '../core/bounds.ts';
import { type Body, readBody } from './body.ts';
import { checkConditions } from './condition-limits.ts';
import { type Form, readForm } from './form.ts';
import { type Preferences, readPreferences } from './preferences.ts';
import { readKnownQuery } from './known-queries.ts';
import { type Read, readQuery } from './query.ts';

/** A request, parsed but not yet looked up in the schema cache. */
export type ParsedRequest = {
  readonly method: string;
  /** The path below `/rest/v1`, as shown to functions. */
  readonly path: string;
  /** The request's headers as shown to functions, without those that carry secrets. */
  readonly headersJson: string;
  /** The schema that the request names, or null for the default. */
  readonly schema: string | null;
  /** The name of the table or function. */
  readonly name: string;
  readonly form: Form;
  readonly preferences: Preferences;
  readonly read: Read;
  readonly body: Body | null;
};

/**
 * Parses a request to `name`. `plans`: whether query plans may be requested. `timeZones`: the time zones that `Prefer` may name; none by
 * default. Throws `RestRefusal`.
 */
export async function parseRequest(
  request: Request,
  kind: 'table' | 'call',
  name: string,
  options: {
    plans: boolean;
    bounds: Bounds;
    headers?: HeaderRecord;
    timeZones?: () => Promise<ReadonlySet<string>>;
  },
): Promise<ParsedRequest> {
  const { method } = request;
  const { headers = Object.fromEntries(request.headers) } = options;
  const reading = method === 'GET' || method === 'HEAD';
  const search = getSearch(request.url);
  const range = reading ? headerIn(headers, 'range') : null;
  const read =
    kind === 'table' && range === null
      ? readKnownQuery(search)
      : readWithRange(search, range, kind === 'call' && reading);
  // This check comes before reading the body and before any lookup.
  checkConditions(read, options.bounds);
  const prefer = headerIn(headers, 'prefer');
  const timeZones = prefer?.includes('timezone=') ? await options.timeZones?.() : undefined;
  return {
    method,
    path: kind === 'call' ? `/rpc/${name}` : `/${name}`,
    headersJson: headersFor(headers),
    schema: headerIn(headers, reading ? 'accept-profile' : 'content-profile'),
    name,
    form: readForm(headerIn(headers, 'accept'), { plans: options.plans, call: kind === 'call' }),
    preferences: readPreferences(prefer, timeZones),
    read,
    body:
      reading || method === 'DELETE'
        ? null
        : await readBody(request, kind, {
            columnsNamed: read.params.some((param) => param.kind === 'columns'),
            ...options.bounds,
          }),
  };
}

/** Returns the query of an address. `new URL` would parse all of the address a second time. */
function getSearch(url: string): string {
  const start = url.indexOf('?');
  if (start === -1) return '';
  const end = url.indexOf('#', start);
  return url.slice(start + 1, end === -1 ? undefined : end);
}

function readWithRange(query: string, range: string | null, call: boolean): Read {
  const search = new URLSearchParams(query);
  addRange(search, range);
  return readQuery(search, call);
}

const SECRET = new Set(['authorization', 'apikey', 'cookie', 'proxy-authorization']);
/** Returns the headers that functions may see, as JSON. */
export function headersFor(headers: HeaderRecord): string {
  let json = '';
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || SECRET.has(name)) continue;
    // A header name is a token (RFC 9110, section 5.1), which contains no character that JSON escapes.
    json += `${json === '' ? '' : ','}"${name}":${JSON.stringify(joined(value))}`;
  }
  return `{${json}}`;
}

/** Applies `Range: 10-19` as offset and limit unless the query contains them. */
function addRange(search: URLSearchParams, header: string | null): void {
  const range = /^(?:items=)?(\d{1,15})-(\d{1,15})?$/.exec(header ?? '');
  if (!range) return;
  const from = Number(range[1]);
  const to = range[2] === undefined ? null : Number(range[2]);
  if (to !== null && to < from) throw restErrors.emptyRange();
  if (!search.has('offset') && from > 0) search.set('offset', String(from));
  if (!search.has('limit') && to !== null) search.set('limit', String(to - from + 1));
}
