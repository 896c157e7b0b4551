import { createHash, randomUUID } from 'node:crypto';
import { type Database, DatabaseError, type Principal, type Queryable } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { callerKey } from '#server/http/suspension.ts';
import { checkName } from './address.ts';
import type { StorageContext } from './context.ts';
import { StorageRefusal, storageErrors } from './errors.ts';
import { COLUMNS, type Bucket, type StoredObject } from './rows.ts';
import type { Details, Incoming } from './upload.ts';
import type { ObjectStore } from '#server/providers/ports.ts';

/** The writer of an object: a caller under policies, or the holder of a signed URL, who writes for the account that made the URL. */
export type Writer = { readonly caller: Principal } | { readonly ownerId: string | null };

export const toPrincipal = (caller: Caller): Principal => ({
  role: caller.role,
  claims: caller.claimsJson,
  caller: callerKey(caller),
});

/** Returns the writer for a caller's own requests. */
export const toWriter = (caller: Caller): Writer => ({ caller: toPrincipal(caller) });

/** The destination of an object. */
export type ObjectPath = { readonly bucketId: string; readonly name: string; readonly replace: boolean };

/** How long an upload may take. After that it counts as abandoned, and cleanup may delete its bytes. */
const UPLOAD_MINUTES = 60;
/** The maximum size of a picture that is re-encoded, in bytes. It is limited because the picture is first read into memory. */
const REENCODE_MAX = 20 * 1024 * 1024;

/**
 * Stores an upload: checks permission, moves the bytes, then writes the row. A failure in between leaves nothing behind. Throws
 * `StorageRefusal`.
 */
export async function storeObject(
  context: StorageContext,
  writer: Writer,
  objectPath: ObjectPath,
  incoming: Incoming,
): Promise<StoredObject> {
  const bucket = await readBucket(context.db, objectPath.bucketId);
  const limit = await authorizeUpload(context, writer, bucket, objectPath, incoming);
  const key = `objects/${randomUUID()}`;
  await markForDeletion(context, key);
  return discardOnRefusal(context, key, async () => {
    const stored = await moveBytes(context, bucket, key, incoming, limit);
    const details = await incoming.details();
    return insert(context.db, writer, objectPath, { ...stored, ...details, key });
  });
}

/** Runs `work` on new bytes, and deletes them at once if it throws `StorageRefusal`. */
export async function discardOnRefusal<T>(context: StorageContext, key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // After any other failure the row may have been written, and then its bytes are needed.
    if (error instanceof StorageRefusal) await deleteBytes(context.db, context.store, key);
    throw error;
  }
}

/**
 * Checks everything that can be checked before the bytes arrive. Returns the size limit. `contentType`: null if it is not known yet. Throws
 * `StorageRefusal`.
 */
export async function authorizeUpload(
  context: StorageContext,
  writer: Writer,
  bucket: Bucket,
  objectPath: ObjectPath,
  { contentType, size }: { readonly contentType: string | null; readonly size: number | null },
): Promise<number> {
  checkName(objectPath.name);
  const limit = Math.min(bucket.file_size_limit ?? context.sizeMax, context.sizeMax);
  if (size !== null && size > limit) throw storageErrors.tooLarge();
  if (contentType !== null) checkType(bucket, contentType);
  // A trial insert as the caller, which is rolled back.
  const type = contentType ?? 'application/octet-stream';
  const trial = { key: `objects/${randomUUID()}`, contentType: type, size: size ?? 0, etag: '' };
  await write(context.db, writer, objectPath, { ...trial, ...NO_DETAILS }, true);
  return limit;
}

const NO_DETAILS: Details = { cacheControl: null, contentEncoding: null, metadata: {} };

export async function readBucket(db: Database, bucketId: string): Promise<Bucket> {
  const bucket = await db.queryRow<Bucket>('select * from storage.bucket_by_id($1)', [bucketId]);
  if (!bucket) throw storageErrors.noBucket();
  return bucket;
}

/**
 * Marks bytes for later deletion before they are written. Writing their row removes the mark, so a crash in between leaves nothing behind.
 */
export async function markForDeletion({ db, clock }: StorageContext, key: string): Promise<void> {
  await db.query(
    `insert into storage.deletion_queue (storage_key, delete_at) values ($1, greatest($2::timestamptz, clock_timestamp()) + make_interval(mins => $3::int))`,
    [key, clock(), UPLOAD_MINUTES],
  );
}

/** Deletes bytes without a row, then their mark. After an interruption the next cleanup repeats this. */
export async function deleteBytes(db: Queryable, store: ObjectStore, key: string): Promise<void> {
  await store.remove(key);
  await db.query('delete from storage.deletion_queue where storage_key = $1', [key]);
}

type StoredBytes = { readonly size: number; readonly etag: string; readonly contentType: string };

async function moveBytes(
  { store, pictures }: StorageContext,
  bucket: Bucket,
  key: string,
  { bytes, contentType, atMost }: Incoming,
  limit: number,
): Promise<StoredBytes> {
  const tally = { size: 0, hash: createHash('sha256') };
  if (bucket.reencode) {
    const maxBytes = Math.min(limit, atMost ?? limit, REENCODE_MAX);
    const picture = await pictures.reencode(metered(bytes, limit, tally), maxBytes);
    await store.put(key, picture);
    return { size: picture.byteLength, etag: getEtag(createHash('sha256').update(picture)), contentType: 'image/jpeg' };
  }
  await store.put(key, metered(bytes, limit, tally));
  return { size: tally.size, etag: getEtag(tally.hash), contentType };
}

/** Counts and hashes the bytes that pass. Refuses streams that are too long or too slow. */
async function* metered(
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
  tally: { size: number; readonly hash: ReturnType<typeof createHash> },
): AsyncGenerator<Uint8Array> {
  const end = performance.now() + (UPLOAD_MINUTES - 1) * 60_000;
  for await (const part of bytes) {
    tally.size += part.byteLength;
    if (tally.size > limit) throw storageErrors.tooLarge();
    if (performance.now() > end) throw storageErrors.body();
    tally.hash.update(part);
    yield part;
  }
}

const getEtag = (hash: ReturnType<typeof createHash>): string => hash.digest('hex').slice(0, 32);

/** Checks the type against the bucket. Throws `StorageRefusal`. */
export function checkType(bucket: Pick<Bucket, 'allowed_mime_types'>, contentType: string): void {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const allowed = bucket.allowed_mime_types?.some(
    (allowedType) =>
      allowedType === type ||
      allowedType === '*/*' ||
      (allowedType.endsWith('/*') && type.startsWith(allowedType.slice(0, -1))),
  );
  const written = /^[\w.+-]+\/[\w.+-]+\s*(;[\x20-\x7e]*)?$/.test(contentType) && contentType.length <= 255;
  if (allowed === false || !written) throw storageErrors.mime(type);
}

const INSERT =
  'insert into storage.objects (bucket_id, name, storage_key, content_type, size, etag, cache_control, user_metadata, content_encoding';
const VALUES = `values ($1, $2, $3, $4, $5::bigint, $6, coalesce($7, 'max-age=3600'), $8::jsonb, $9`;
const REPLACE = `on conflict (bucket_id, name) do update set storage_key = excluded.storage_key, content_type = excluded.content_type, size = excluded.size,
  etag = excluded.etag, cache_control = excluded.cache_control, user_metadata = excluded.user_metadata, content_encoding = excluded.content_encoding, version = excluded.version`;

type Row = StoredBytes & Details & { readonly key: string };

/** Writes an object's row. The server reads the row back, because the caller may lack the right to read it. Throws `StorageRefusal`. */
export async function insert(db: Database, writer: Writer, objectPath: ObjectPath, row: Row): Promise<StoredObject> {
  await write(db, writer, objectPath, row, false);
  const found = await db.queryRow<StoredObject>(`select ${COLUMNS} from storage.objects o where o.storage_key = $1`, [
    row.key,
  ]);
  if (!found) throw storageErrors.denied();
  return found;
}

async function write(db: Database, writer: Writer, objectPath: ObjectPath, row: Row, undo: boolean): Promise<void> {
  const { bucketId, name, replace } = objectPath;
  const details = [row.cacheControl, row.metadata, row.contentEncoding];
  const values = [bucketId, name, row.key, row.contentType, row.size, row.etag, ...details];
  const conflict = replace ? REPLACE : '';
  try {
    if ('caller' in writer) await db.as(writer.caller, `${INSERT}) ${VALUES}) ${conflict}`, values, { rollback: undo });
    else if (undo) await refuseTaken(db, objectPath);
    else {
      // A signed URL may replace only objects of the account that made the URL.
      const own = replace && writer.ownerId !== null ? 'where objects.owner = excluded.owner' : '';
      await db.query(`${INSERT}, owner) ${VALUES}, $10::uuid) ${conflict} ${own}`, [...values, writer.ownerId]);
    }
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.denied();
    if (error instanceof DatabaseError && error.code === '23505') throw storageErrors.duplicate();
    throw error;
  }
}

async function refuseTaken(db: Database, { bucketId, name, replace }: ObjectPath): Promise<void> {
  if (replace) return;
  if (await db.queryRow('select 1 from storage.objects where bucket_id = $1 and name = $2', [bucketId, name]))
    throw storageErrors.duplicate();
}
