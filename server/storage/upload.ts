import { storageErrors } from './errors.ts';
import type { Upload } from './objects.ts';

const METADATA_MAX = 8_000;

/** What a request wants kept: a raw body, or a form with the file in a field without a name, as supabase-js sends it (wire.md 4). */
export async function readUpload(request: Request): Promise<Upload> {
  const { headers } = request;
  const replace = request.method === 'PUT' || headers.get('x-upsert') === 'true';
  const type = headers.get('content-type') ?? 'application/octet-stream';
  if (!/^multipart\/form-data\b/i.test(type)) {
    return {
      bytes: new Uint8Array(await request.arrayBuffer()),
      contentType: type,
      cacheControl: cacheControlOf(headers.get('cache-control')),
      metadata: metadataOf(decodeBase64(headers.get('x-metadata'))),
      replace,
    };
  }
  const form = await request.formData().catch(() => {
    throw storageErrors.body();
  });
  const file = form.get('') ?? [...form.values()].find((value) => value instanceof File);
  if (!(file instanceof File)) throw storageErrors.body();
  const seconds = form.get('cacheControl');
  const metadata = form.get('metadata');
  return {
    bytes: new Uint8Array(await file.arrayBuffer()),
    contentType: file.type || 'application/octet-stream',
    cacheControl: cacheControlOf(typeof seconds === 'string' && /^\d+$/.test(seconds) ? `max-age=${seconds}` : null),
    metadata: metadataOf(typeof metadata === 'string' ? metadata : null),
    replace,
  };
}

function cacheControlOf(text: string | null): string | null {
  return text !== null && /^(max-age=\d{1,9}|no-cache|no-store)$/.test(text) ? text : null;
}

function decodeBase64(text: string | null): string | null {
  return text === null ? null : Buffer.from(text, 'base64').toString('utf8');
}

function metadataOf(text: string | null): Record<string, unknown> {
  if (text === null || text === '') return {};
  if (text.length > METADATA_MAX) throw storageErrors.body();
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      return Object.fromEntries(Object.entries(value));
  } catch {
    throw storageErrors.body();
  }
  throw storageErrors.body();
}
