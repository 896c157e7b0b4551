import { bytesOf, collect } from './body.ts';
import { storageErrors } from './errors.ts';
import { type Part, readParts } from './multipart.ts';

/** What somebody sends to be kept, while it is coming. */
export type Incoming = {
  readonly contentType: string;
  /** As announced; null where nobody knows before the end. */
  readonly size: number | null;
  /** No more than this comes, counting what is around it; null where nobody knows. */
  readonly atMost: number | null;
  /** Read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** What is said of it, which may come after the bytes: ask when they are read. */
  readonly details: () => Promise<Details>;
  /** An object of this name is replaced where policies let the caller. */
  readonly replace: boolean;
};
export type Details = {
  readonly cacheControl: string | null;
  readonly contentEncoding: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
};

const METADATA_MAX = 8_000;
const FIELD_MAX = 16_384;
const UNKNOWN_TYPE = 'application/octet-stream';

/** A raw body, or a form with the file in a field without a name, as supabase-js sends it (wire.md 4). Throws `StorageRefusal`. */
export async function readUpload(request: Request): Promise<Incoming> {
  const { headers } = request;
  const replace = request.method === 'PUT' || headers.get('x-upsert') === 'true';
  const type = headers.get('content-type') ?? UNKNOWN_TYPE;
  if (/^multipart\/form-data\b/i.test(type)) return readForm(request, type, replace);
  const details = {
    cacheControl: cacheControlOf(headers.get('cache-control')),
    contentEncoding: encodingOf(headers.get('content-encoding')),
    metadata: metadataOf(decodeBase64(headers.get('x-metadata'))),
  };
  const size = lengthOf(headers);
  return {
    contentType: type,
    size,
    atMost: size,
    bytes: bytesOf(request),
    details: () => Promise.resolve(details),
    replace,
  };
}

function lengthOf(headers: Headers): number | null {
  const length = headers.get('content-length') ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** Reads a form up to its file; the rest of the fields are read when the file is. */
async function readForm(request: Request, type: string, replace: boolean): Promise<Incoming> {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(type);
  const parts = readParts(bytesOf(request), boundary?.[1] ?? boundary?.[2] ?? '');
  if (!boundary) throw storageErrors.body();
  const fields = new Map<string, string>();
  const note = async (part: Part): Promise<void> => {
    const text = await collect(part.bytes, FIELD_MAX);
    fields.set(part.name, text.toString('utf8'));
  };
  for (;;) {
    const { done, value: part } = await parts.next();
    if (done) throw storageErrors.body();
    if (!part.file) {
      await note(part);
      continue;
    }
    return {
      contentType: part.type ?? UNKNOWN_TYPE,
      size: null,
      atMost: lengthOf(request.headers),
      bytes: part.bytes,
      replace,
      async details() {
        for await (const rest of parts) if (!rest.file) await note(rest);
        const seconds = fields.get('cacheControl') ?? '';
        return {
          cacheControl: cacheControlOf(/^\d+$/.test(seconds) ? `max-age=${seconds}` : seconds),
          contentEncoding: encodingOf(fields.get('contentEncoding') ?? null),
          metadata: metadataOf(fields.get('metadata') ?? null),
        };
      },
    };
  }
}

/** Directives of RFC 9111 as they were sent; null for anything that is none. */
export function cacheControlOf(text: string | null): string | null {
  const directive = '[a-z][a-z-]*(=("[\\w ,-]*"|[\\w-]+))?';
  const fine = new RegExp(`^${directive}(\\s*,\\s*${directive})*$`, 'i');
  return text !== null && text.length <= 200 && fine.test(text) ? text : null;
}

/** How the bytes are packed (RFC 9110, 8.4). Throws `StorageRefusal`. */
export function encodingOf(text: string | null): string | null {
  const named = text?.trim().toLowerCase() ?? '';
  if (named === '' || named === 'identity') return null;
  if (!/^[a-z0-9-]{1,20}(, ?[a-z0-9-]{1,20}){0,3}$/.test(named)) throw storageErrors.body();
  return named;
}

function decodeBase64(text: string | null): string | null {
  return text === null ? null : Buffer.from(text, 'base64').toString('utf8');
}

/** The JSON object people add to an object. Throws `StorageRefusal`. */
export function metadataOf(text: string | null): Record<string, unknown> {
  if (text === null || text === '') return {};
  if (text.length > METADATA_MAX) throw storageErrors.body();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw storageErrors.body();
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw storageErrors.body();
  return Object.fromEntries(Object.entries(value));
}
