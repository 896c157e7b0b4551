import { createHash, randomUUID } from 'node:crypto';
import { type Database, DatabaseError, type Principal } from '#server/db/database.ts';
import type { Caller, Clock } from '#server/http/caller.ts';
import { callerKey } from '#server/http/suspension.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { checkName } from './address.ts';
import { StorageRefusal, storageErrors } from './errors.ts';
import type { Pictures } from './pictures/pictures.ts';
import { COLUMNS, type Bucket, type StoredObject } from './rows.ts';
import type { Details, Incoming } from './upload.ts';

export type StoreContext = {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly pictures: Pictures;
  /** Bytes an object may have in any bucket. */
  readonly sizeMax: number;
};

/** Who keeps something: a caller under policies, or whoever a caller has given a signed address, as that caller's own. */
export type Writer = { readonly caller: Principal } | { readonly ownerId: string | null };

export const principalOf = (caller: Caller): Principal => ({
  role: caller.role,
  claims: caller.claimsJson,
  caller: callerKey(caller),
});

/** Where something is to be kept. */
export type ObjectPath = { readonly bucketId: string; readonly name: string; readonly replace: boolean };

/** An upload that takes longer than this is given up: its bytes are nobody's after it. */
const UPLOAD_MINUTES = 60;
/** Pictures that are packed again are read into memory first. */
const REENCODE_MAX = 20 * 1024 * 1024;

/**
 * Keeps what is coming: asks "may I?" first, then moves bytes, then writes the row; whatever breaks in between leaves nothing.
 * Throws `StorageRefusal`.
 */
export async function storeObject(
  parts: StoreContext,
  writer: Writer,
  objectPath: ObjectPath,
  incoming: Incoming,
): Promise<StoredObject> {
  const bucket = await bucketOf(parts.db, objectPath.bucketId);
  const limit = await authorizeUpload(parts, writer, bucket, objectPath, incoming);
  const key = `objects/${randomUUID()}`;
  await noteUnfinished(parts, key);
  return discardOnRefusal(parts, key, async () => {
    const kept = await moveBytes(parts, bucket, key, incoming, limit);
    const details = await incoming.details();
    return insert(parts.db, writer, objectPath, { ...kept, ...details, key });
  });
}

/** Does something with new bytes; when it is refused they go at once. */
export async function discardOnRefusal<T>(
  parts: Pick<StoreContext, 'db' | 'store'>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // After any other failure the row may have been written: then the bytes are wanted, and the note is gone with it.
    if (error instanceof StorageRefusal) await forget(parts, key);
    throw error;
  }
}

/** Everything that can be said before any bytes are here; answers how many there may be. `contentType` null: not known yet. Throws `StorageRefusal`. */
export async function authorizeUpload(
  parts: StoreContext,
  writer: Writer,
  bucket: Bucket,
  objectPath: ObjectPath,
  { contentType, size }: { readonly contentType: string | null; readonly size: number | null },
): Promise<number> {
  checkName(objectPath.name);
  const limit = Math.min(bucket.file_size_limit ?? parts.sizeMax, parts.sizeMax);
  if (size !== null && size > limit) throw storageErrors.tooLarge();
  if (contentType !== null) checkType(bucket, contentType);
  // Asked as the caller and undone.
  const type = contentType ?? 'application/octet-stream';
  const asked = { key: `objects/${randomUUID()}`, contentType: type, size: size ?? 0, etag: '' };
  await write(parts.db, writer, objectPath, { ...asked, ...UNSAID }, true);
  return limit;
}

const UNSAID: Details = { cacheControl: null, contentEncoding: null, metadata: {} };

export async function bucketOf(db: Database, bucketId: string): Promise<Bucket> {
  const bucket = await db.one<Bucket>('select * from storage.bucket_named($1)', [bucketId]);
  if (!bucket) throw storageErrors.noBucket();
  return bucket;
}

/** Bytes are noted as left over until their row says otherwise, so that what breaks in between leaves nothing. */
export async function noteUnfinished({ db, clock }: Pick<StoreContext, 'db' | 'clock'>, key: string): Promise<void> {
  await db.query(
    `insert into storage.removed (storage_key, removed_at) values ($1, greatest($2::timestamptz, clock_timestamp()) + make_interval(mins => $3::int))`,
    [key, clock(), UPLOAD_MINUTES],
  );
}

/** Bytes whose row is gone, and then the note that says so: interrupted in between, the sweep begins again. */
export async function forget({ db, store }: Pick<StoreContext, 'db' | 'store'>, key: string): Promise<void> {
  await store.remove(key);
  await db.query('delete from storage.removed where storage_key = $1', [key]);
}

type Kept = { readonly size: number; readonly etag: string; readonly contentType: string };

async function moveBytes(
  { store, pictures }: StoreContext,
  bucket: Bucket,
  key: string,
  { bytes, contentType, atMost }: Incoming,
  limit: number,
): Promise<Kept> {
  const tally = { size: 0, hash: createHash('sha256') };
  if (bucket.reencode) {
    const most = Math.min(limit, atMost ?? limit, REENCODE_MAX);
    const picture = await pictures.reencode(metered(bytes, limit, tally), most);
    await store.put(key, picture);
    return { size: picture.byteLength, etag: etagOf(createHash('sha256').update(picture)), contentType: 'image/jpeg' };
  }
  await store.put(key, metered(bytes, limit, tally));
  return { size: tally.size, etag: etagOf(tally.hash), contentType };
}

/** Counts and marks what passes, and lets neither too much nor too slow a stream through. */
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

const etagOf = (hash: ReturnType<typeof createHash>): string => hash.digest('hex').slice(0, 32);

/** The type as the bucket wants it. Throws `StorageRefusal`. */
export function checkType(bucket: Pick<Bucket, 'allowed_mime_types'>, contentType: string): void {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const allowed = bucket.allowed_mime_types?.some(
    (one) => one === type || one === '*/*' || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
  );
  const written = /^[\w.+-]+\/[\w.+-]+\s*(;[\x20-\x7e]*)?$/.test(contentType) && contentType.length <= 255;
  if (allowed === false || !written) throw storageErrors.mime(type);
}

const INSERT =
  'insert into storage.objects (bucket_id, name, storage_key, content_type, size, etag, cache_control, user_metadata, content_encoding';
const VALUES = `values ($1, $2, $3, $4, $5::bigint, $6, coalesce($7, 'max-age=3600'), $8::jsonb, $9`;
const REPLACE = `on conflict (bucket_id, name) do update set storage_key = excluded.storage_key, content_type = excluded.content_type, size = excluded.size,
  etag = excluded.etag, cache_control = excluded.cache_control, user_metadata = excluded.user_metadata, content_encoding = excluded.content_encoding, version = excluded.version`;

type Row = Kept & Details & { readonly key: string };

/** Writes the row of an object. Adding needs no right to look, so it is read back by the server itself. Throws `StorageRefusal`. */
export async function insert(db: Database, writer: Writer, objectPath: ObjectPath, row: Row): Promise<StoredObject> {
  await write(db, writer, objectPath, row, false);
  const found = await db.one<StoredObject>(`select ${COLUMNS} from storage.objects o where o.storage_key = $1`, [
    row.key,
  ]);
  if (!found) throw storageErrors.denied();
  return found;
}

async function write(db: Database, writer: Writer, objectPath: ObjectPath, row: Row, undo: boolean): Promise<void> {
  const { bucketId, name, replace } = objectPath;
  const said = [row.cacheControl, row.metadata, row.contentEncoding];
  const values = [bucketId, name, row.key, row.contentType, row.size, row.etag, ...said];
  const conflict = replace ? REPLACE : '';
  try {
    if ('caller' in writer) await db.as(writer.caller, `${INSERT}) ${VALUES}) ${conflict}`, values, { rollback: undo });
    else if (undo) await refuseTaken(db, objectPath);
    else {
      // Whoever holds a signed address replaces what its maker has, and nobody else's.
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
  if (await db.one('select 1 from storage.objects where bucket_id = $1 and name = $2', [bucketId, name]))
    throw storageErrors.duplicate();
}
