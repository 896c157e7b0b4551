import { createHash, randomUUID } from 'node:crypto';
import { type Database, DatabaseError, type Principal } from '#server/db/database.ts';
import type { Caller, Clock } from '#server/http/caller.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { StorageRefusal, storageErrors } from './errors.ts';
import { createLinks } from './links.ts';
import { type Entry, LISTING, type Listing } from './listing.ts';
import { reencode } from './pictures.ts';

export type StoredObject = {
  readonly id: string;
  readonly bucket_id: string;
  readonly name: string;
  readonly owner: string | null;
  readonly version: string;
  readonly content_type: string;
  readonly size: number;
  readonly etag: string;
  readonly cache_control: string;
  readonly metadata: unknown;
  readonly user_metadata: unknown;
  readonly storage_key: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_accessed_at: Date;
};
export type Bucket = {
  readonly id: string;
  readonly public: boolean;
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: string[] | null;
  readonly reencode: boolean;
  readonly max_signed_seconds: number;
};
export type Found = { readonly object: StoredObject; readonly bytes: Uint8Array };
/** What somebody sends to be kept. `replace`: an object of this name is replaced where policies let the caller. */
export type Upload = {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly cacheControl: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly replace: boolean;
};

/** Everything is done as the caller: policies on `storage.objects` say who may. Throws `StorageRefusal`. */
export type Objects = {
  upload(caller: Caller, bucketId: string, name: string, upload: Upload): Promise<StoredObject>;
  read(caller: Caller, bucketId: string, name: string): Promise<Found>;
  info(caller: Caller, bucketId: string, name: string): Promise<StoredObject>;
  /** Without a caller; only from a public bucket. */
  readPublic(bucketId: string, name: string): Promise<Found>;
  remove(caller: Caller, bucketId: string, names: readonly string[]): Promise<StoredObject[]>;
  list(caller: Caller, bucketId: string, listing: Listing): Promise<Entry[]>;
  /** A path with a token, good for at most the bucket's time. */
  sign(caller: Caller, bucketId: string, name: string, seconds: number): Promise<string>;
  readSigned(bucketId: string, name: string, token: string): Promise<Found>;
  /** Deletes what has been kept long enough, and bytes that belong to nothing. */
  sweep(): Promise<void>;
};

export type ObjectsParts = {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** A keyed hash only this server can make. */
  readonly mark: (text: string) => Buffer;
};

const COLUMNS =
  'id, bucket_id, name, owner, version, content_type, size, etag, cache_control, metadata, user_metadata, storage_key, created_at, updated_at, last_accessed_at';
const BY_NAME = `select ${COLUMNS} from storage.objects where bucket_id = $1 and name = $2`;
const INSERT = `insert into storage.objects (bucket_id, name, storage_key, content_type, size, etag, cache_control, user_metadata)
  values ($1, $2, $3, $4, $5::bigint, $6, coalesce($7, 'max-age=3600'), $8::jsonb)`;
const REPLACE = `on conflict (bucket_id, name) do update set storage_key = excluded.storage_key, content_type = excluded.content_type, size = excluded.size,
  etag = excluded.etag, cache_control = excluded.cache_control, user_metadata = excluded.user_metadata, version = excluded.version`;
/** An upload that takes longer than this is given up. */
const UPLOAD_MINUTES = 10;

const as = (caller: Caller): Principal => ({ role: caller.role, claims: caller.claimsJson });

export function createObjects(parts: ObjectsParts): Objects {
  const { db, store, clock } = parts;
  const links = createLinks(parts);

  async function find(caller: Caller, bucketId: string, name: string): Promise<StoredObject> {
    await bucketOf(db, bucketId);
    const { rows } = await db.as<StoredObject>(as(caller), BY_NAME, [bucketId, name]).catch(hide);
    if (!rows[0]) throw storageErrors.noObject();
    return rows[0];
  }
  async function open(object: StoredObject | null | undefined): Promise<Found> {
    const bytes = object ? await store.get(object.storage_key) : null;
    if (!object || !bytes) throw storageErrors.noObject();
    return { object, bytes };
  }
  const openByName = async (bucketId: string, name: string): Promise<Found> =>
    open(await db.one<StoredObject>(BY_NAME, [bucketId, name]));

  return {
    upload: (caller, bucketId, name, upload) => keep(parts, caller, bucketId, name, upload),
    read: async (caller, bucketId, name) => open(await find(caller, bucketId, name)),
    info: find,
    async readPublic(bucketId, name) {
      if (!(await bucketOf(db, bucketId)).public) throw storageErrors.noObject();
      return openByName(bucketId, name);
    },
    async remove(caller, bucketId, names) {
      await bucketOf(db, bucketId);
      const text = `delete from storage.objects where bucket_id = $1 and name = any($2::text[]) returning ${COLUMNS}`;
      const { rows } = await db.as<StoredObject>(as(caller), text, [bucketId, names]).catch(hide);
      for (const row of rows) await forget(parts, row.storage_key);
      return rows;
    },
    async list(caller, bucketId, { prefix, limit, offset, search, sortBy }) {
      await bucketOf(db, bucketId);
      const values = [bucketId, prefix, search, sortBy.column, sortBy.order, limit, offset];
      return (await db.as<Entry>(as(caller), LISTING, values).catch(hide)).rows;
    },
    async sign(caller, bucketId, name, seconds) {
      const bucket = await bucketOf(db, bucketId);
      await find(caller, bucketId, name);
      return links.sign(bucketId, name, Math.min(seconds, bucket.max_signed_seconds));
    },
    async readSigned(bucketId, name, token) {
      links.check(bucketId, name, token);
      return openByName(bucketId, name);
    },
    async sweep() {
      await db.query(
        `delete from storage.objects o using storage.buckets b where b.id = o.bucket_id and b.keep_seconds is not null
           and o.created_at < $1::timestamptz - make_interval(secs => b.keep_seconds)`,
        [clock()],
      );
      const { rows } = await db.query<{ storage_key: string }>(
        'select storage_key from storage.removed where removed_at <= greatest($1::timestamptz, clock_timestamp()) order by removed_at limit 100',
        [clock()],
      );
      for (const row of rows) await forget(parts, row.storage_key);
    },
  };
}

async function bucketOf(db: Database, bucketId: string): Promise<Bucket> {
  const bucket = await db.one<Bucket>(
    'select id, public, file_size_limit, allowed_mime_types, reencode, max_signed_seconds from storage.buckets where id = $1',
    [bucketId],
  );
  if (!bucket) throw storageErrors.noBucket();
  return bucket;
}

/** Bytes whose row is gone, and then the note that says so: interrupted in between, the sweep begins again. */
async function forget({ db, store }: ObjectsParts, key: string): Promise<void> {
  await store.remove(key);
  await db.query('delete from storage.removed where storage_key = $1', [key]);
}

async function keep(parts: ObjectsParts, caller: Caller, bucketId: string, name: string, upload: Upload) {
  const { db, store, clock } = parts;
  const bucket = await bucketOf(db, bucketId);
  checkName(name);
  const type = checkUpload(bucket, upload);
  const key = `objects/${randomUUID()}`;
  // May I? Asked as the caller and undone, before any bytes are worked on or kept.
  await insert(db, caller, bucket, name, key, upload, true);
  const kept = bucket.reencode
    ? { ...upload, bytes: await reencode(upload.bytes), contentType: 'image/jpeg' }
    : { ...upload, contentType: type };
  // The bytes are noted as left over until their row says otherwise, so that an upload that breaks here leaves nothing.
  await db.query(
    `insert into storage.removed (storage_key, removed_at) values ($1, greatest($2::timestamptz, clock_timestamp()) + make_interval(mins => $3::int))`,
    [key, clock(), UPLOAD_MINUTES],
  );
  try {
    await store.put(key, kept.bytes);
    return await insert(db, caller, bucket, name, key, kept, false);
  } catch (error) {
    // Any other failure may have come after the row was written: then the bytes are wanted, and the note is gone with it.
    if (error instanceof StorageRefusal) await forget(parts, key);
    throw error;
  }
}

/** Size and type as the bucket wants them; answers the type to keep. */
function checkUpload(bucket: Bucket, { bytes, contentType }: Upload): string {
  if (bucket.file_size_limit !== null && bytes.byteLength > bucket.file_size_limit) throw storageErrors.tooLarge();
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const allowed = bucket.allowed_mime_types?.some(
    (one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
  );
  if (allowed === false) throw storageErrors.mime(type);
  if (!/^[\w.+-]+\/[\w.+-]+(;[\x20-\x7e]*)?$/.test(contentType)) throw storageErrors.mime(type);
  return contentType;
}

// Hosted Supabase's characters (storage-api, src/storage/limits.ts); no empty part, no `.` or `..`.
function checkName(name: string): void {
  const fine = name.length <= 1_024 && /^[\w/!\-.*'() &$@=;:+,?]+$/.test(name);
  if (!fine || name.split('/').some((part) => part === '' || part === '.' || part === '..')) throw storageErrors.path();
}

async function insert(
  db: Database,
  caller: Caller,
  bucket: Bucket,
  name: string,
  key: string,
  { bytes, contentType, cacheControl, metadata, replace }: Upload,
  rollback: boolean,
): Promise<StoredObject> {
  const etag = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  const values = [bucket.id, name, key, contentType, bytes.byteLength, etag, cacheControl, metadata];
  const text = `${INSERT} ${replace ? REPLACE : ''} returning ${COLUMNS}`;
  try {
    const { rows } = await db.as<StoredObject>(as(caller), text, values, { rollback });
    if (!rows[0]) throw storageErrors.denied();
    return rows[0];
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.denied();
    if (error instanceof DatabaseError && error.code === '23505') throw storageErrors.duplicate();
    throw error;
  }
}

/** No right to look at all is told as nothing there. */
function hide(error: unknown): never {
  if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.noObject();
  throw error;
}
