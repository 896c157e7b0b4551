import { restErrors } from '../errors.ts';
import { type Read, readQuery } from './query.ts';
import { type Form, type Preferences, readForm, readPreferences } from './preferences.ts';

/** A request, read but not yet looked up. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  /** What functions may look at: the request's headers, without those that carry secrets. */
  readonly headersJson: string;
  /** The schema the request names, or null for the first. */
  readonly schema: string | null;
  /** The table or function. */
  readonly name: string;
  readonly form: Form;
  readonly preferences: Preferences;
  readonly read: Read;
  readonly body: Body | null;
};

/** A JSON body. Its text goes to the database as it came, so that no number loses a digit. */
export type Body = {
  /** As a list, whether it came as one or as a single object. */
  readonly listText: string;
  readonly text: string;
  /** The keys all its objects have; null when it is not made of objects. */
  readonly keys: readonly string[] | null;
  /** How many objects; null when nobody had to look. */
  readonly count: number | null;
};

export async function readAsked(request: Request, kind: 'table' | 'call', name: string): Promise<Asked> {
  const { method, headers } = request;
  const reading = method === 'GET' || method === 'HEAD';
  const { searchParams: search, pathname } = new URL(request.url);
  if (reading) addRange(search, headers.get('range'));
  return {
    method,
    path: pathname,
    headersJson: readHeaders(headers),
    schema: headers.get(reading ? 'accept-profile' : 'content-profile'),
    name,
    form: readForm(headers.get('accept')),
    preferences: readPreferences(headers.get('prefer')),
    read: readQuery(search, kind === 'call' && reading),
    body: reading || method === 'DELETE' ? null : await readBody(request, kind, search.has('columns')),
  };
}

const SECRET = new Set(['authorization', 'apikey', 'cookie', 'proxy-authorization']);
function readHeaders(headers: Headers): string {
  const shown: Record<string, string> = {};
  for (const [name, value] of headers) if (!SECRET.has(name)) shown[name] = value;
  return JSON.stringify(shown);
}

/** `Range: 10-19` pages like offset and limit, unless those are given. */
function addRange(search: URLSearchParams, header: string | null): void {
  const range = /^(?:items=)?(\d{1,15})-(\d{1,15})?$/.exec(header ?? '');
  if (!range) return;
  const from = Number(range[1]);
  const to = range[2] === undefined ? null : Number(range[2]);
  if (to !== null && to < from) throw restErrors.emptyRange();
  if (!search.has('offset') && from > 0) search.set('offset', String(from));
  if (!search.has('limit') && to !== null) search.set('limit', String(to - from + 1));
}

async function readBody(request: Request, kind: 'table' | 'call', columnsNamed: boolean): Promise<Body> {
  const text = (await request.text()).trim();
  const type = request.headers.get('content-type') ?? '';
  // A page elsewhere can send other types without asking first; JSON it cannot (promises G35).
  if (text !== '' && !/^application\/(vnd\.pgrst\.\w+\+)?json\s*(;|$)/i.test(type)) throw restErrors.contentType(type);
  if (text === '') {
    if (kind === 'table') throw restErrors.body('Empty or invalid json');
    return { listText: '[{}]', text: '{}', keys: [], count: 1 };
  }
  const listText = text.startsWith('[') ? text : `[${text}]`;
  // With `columns=` the database is the first to look inside.
  if (columnsNamed && kind === 'table') return { listText, text, keys: [], count: text.startsWith('[') ? null : 1 };
  return { listText, text, ...readKeys(text, kind) };
}

function readKeys(text: string, kind: 'table' | 'call'): { keys: readonly string[] | null; count: number | null } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw restErrors.body('Empty or invalid json');
  }
  if (isObject(value)) return { keys: Object.keys(value), count: 1 };
  if (kind === 'call') return { keys: null, count: null };
  if (!Array.isArray(value) || !value.every(isObject)) throw restErrors.body('Empty or invalid json');
  const keys = Object.keys(value[0] ?? {});
  const same = value.every((one) => {
    const own = Object.keys(one);
    return own.length === keys.length && own.every((key) => keys.includes(key));
  });
  if (!same) throw restErrors.body('All object keys must match');
  return { keys, count: value.length };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
