import { parseJson } from '#server/http/bodies/json.ts';
import { streamBytes, collect } from './body.ts';
import { storageErrors } from './errors.ts';
import { type Part, readParts } from './multipart.ts';

/** An upload whose bytes are still arriving. */
export type Incoming = {
  readonly contentType: string;
  /** The announced size; null if it is unknown before the end. */
  readonly size: number | null;
  /** An upper bound of the size, including the form around it; null if unknown. */
  readonly atMost: number | null;
  /** The bytes, which can be read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Returns the object's properties. In a form they may follow the file, so this must be called after reading the bytes. */
  readonly details: () => Promise<Details>;
  /** Whether to replace an existing object if policies allow it. */
  readonly replace: boolean;
};
export type Details = {
  readonly cacheControl: string | null;
  readonly contentEncoding: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
};

const METADATA_MAX = 8_000;
const METADATA_LIMITS = { members: 1_000, depth: 32 };
const FIELD_MAX = 16_384;
const UNKNOWN_TYPE = 'application/octet-stream';

/** Reads an upload: a raw body, or a form whose file field has no name, as supabase-js sends it. Throws `StorageRefusal`. */
export async function readUpload(request: Request): Promise<Incoming> {
  const { headers } = request;
  const replace = request.method === 'PUT' || headers.get('x-upsert') === 'true';
  const type = headers.get('content-type') ?? UNKNOWN_TYPE;
  if (/^multipart\/form-data\b/i.test(type)) return readForm(request, type, replace);
  const details = {
    cacheControl: parseCacheControl(headers.get('cache-control')),
    contentEncoding: parseEncoding(headers.get('content-encoding')),
    metadata: parseMetadata(decodeBase64(headers.get('x-metadata'))),
  };
  const size = getLength(headers);
  return {
    contentType: type,
    size,
    atMost: size,
    bytes: streamBytes(request),
    details: () => Promise.resolve(details),
    replace,
  };
}

function getLength(headers: Headers): number | null {
  const length = headers.get('content-length') ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** Reads a form up to its file. The fields after the file are read later. */
async function readForm(request: Request, type: string, replace: boolean): Promise<Incoming> {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(type);
  const parts = readParts(streamBytes(request), boundary?.[1] ?? boundary?.[2] ?? '');
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
      atMost: getLength(request.headers),
      bytes: part.bytes,
      replace,
      async details() {
        for await (const rest of parts) if (!rest.file) await note(rest);
        const seconds = fields.get('cacheControl') ?? '';
        return {
          cacheControl: parseCacheControl(/^\d+$/.test(seconds) ? `max-age=${seconds}` : seconds),
          contentEncoding: parseEncoding(fields.get('contentEncoding') ?? null),
          metadata: parseMetadata(fields.get('metadata') ?? null),
        };
      },
    };
  }
}

/** Returns cache directives (RFC 9111) as sent, or null if they are malformed. */
export function parseCacheControl(text: string | null): string | null {
  const directive = '[a-z][a-z-]*(=("[\\w ,-]*"|[\\w-]+))?';
  const fine = new RegExp(`^${directive}(\\s*,\\s*${directive})*$`, 'i');
  return text !== null && text.length <= 200 && fine.test(text) ? text : null;
}

/** Returns the content encoding (RFC 9110, 8.4), or null for identity. Throws `StorageRefusal`. */
export function parseEncoding(text: string | null): string | null {
  const named = text?.trim().toLowerCase() ?? '';
  if (named === '' || named === 'identity') return null;
  if (!/^[a-z0-9-]{1,20}(, ?[a-z0-9-]{1,20}){0,3}$/.test(named)) throw storageErrors.body();
  return named;
}

function decodeBase64(text: string | null): string | null {
  return text === null ? null : Buffer.from(text, 'base64').toString('utf8');
}

/** Parses a JSON object of user metadata. Throws `StorageRefusal`. */
export function parseMetadata(text: string | null): Record<string, unknown> {
  if (text === null || text === '') return {};
  if (text.length > METADATA_MAX) throw storageErrors.body();
  let value: unknown;
  try {
    value = parseJson(Buffer.from(text), METADATA_LIMITS);
  } catch {
    throw storageErrors.body();
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw storageErrors.body();
  return Object.fromEntries(Object.entries(value));
}
