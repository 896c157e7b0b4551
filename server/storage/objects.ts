import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import sharp from 'sharp';
import { type Database, DatabaseError, type Principal } from '#server/db/database.ts';
import type { Caller, Clock } from '#server/http/caller.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { storageErrors } from './errors.ts';

export type StoredObject = {
  readonly id: string;
  readonly name: string;
  readonly content_type: string;
  readonly size: number;
  readonly etag: string;
  readonly cache_control: string;
  readonly storage_key: string;
  readonly created_at: Date;
  readonly updated_at: Date;
};
export type Bucket = {
  readonly id: string;
  readonly public: boolean;
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: string[] | null;
  readonly reencode: boolean;
  readonly max_signed_seconds: number;
};

export type Objects = {
  upload(caller: Caller, bucketId: string, name: string, bytes: Uint8Array, contentType: string): Promise<StoredObject>;
  read(caller: Caller, bucketId: string, name: string): Promise<{ object: StoredObject; bytes: Uint8Array }>;
  remove(caller: Caller, bucketId: string, names: readonly string[]): Promise<StoredObject[]>;
  list(caller: Caller, bucketId: string, prefix: string, limit: number, offset: number): Promise<StoredObject[]>;
  /** A path with a token, good for at most the bucket's time. */
  sign(caller: Caller, bucketId: string, name: string, seconds: number): Promise<string>;
  readSigned(bucketId: string, name: string, token: string): Promise<{ object: StoredObject; bytes: Uint8Array }>;
  /** Deletes what has been kept long enough, and bytes whose row is gone. */
  sweep(): Promise<void>;
};

const COLUMNS = 'id, name, content_type, size, etag, cache_control, storage_key, created_at, updated_at';
const PIXELS_MAX = 25_000_000;

export function createObjects(parts: {
  db: Database;
  store: ObjectStore;
  clock: Clock;
  mark: (text: string) => Buffer;
}): Objects {
  const { db, store, clock, mark } = parts;
  const as = (caller: Caller): Principal => ({ role: caller.role, claims: caller.claimsJson });

  async function bucketOf(bucketId: string): Promise<Bucket> {
    const bucket = await db.one<Bucket>(
      'select id, public, file_size_limit, allowed_mime_types, reencode, max_signed_seconds from storage.buckets where id = $1',
      [bucketId],
    );
    if (!bucket) throw storageErrors.noBucket();
    return bucket;
  }

  function checkName(name: string): void {
    if (
      name === '' ||
      name.length > 1_024 ||
      /(^|\/)\.{0,2}(\/|$)/.test(name) ||
      !/^[\w!\-.*'() &$@=;:+,?/]+$/.test(name)
    )
      throw storageErrors.path();
  }

  async function insert(
    caller: Caller,
    bucket: Bucket,
    name: string,
    key: string,
    bytes: Uint8Array,
    contentType: string,
    rollback: boolean,
  ): Promise<StoredObject> {
    try {
      const { rows } = await db.as<StoredObject>(
        as(caller),
        `insert into storage.objects (bucket_id, name, storage_key, content_type, size, etag) values ($1, $2, $3, $4, $5::bigint, $6) returning ${COLUMNS}`,
        [
          bucket.id,
          name,
          key,
          contentType,
          bytes.byteLength,
          createHash('sha256').update(bytes).digest('hex').slice(0, 32),
        ],
        { rollback },
      );
      const [row] = rows;
      if (!row) throw storageErrors.denied();
      return row;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.denied();
      if (error instanceof DatabaseError && error.code === '23505') throw storageErrors.duplicate();
      throw error;
    }
  }

  async function bytesOf(object: StoredObject | undefined): Promise<{ object: StoredObject; bytes: Uint8Array }> {
    const bytes = object ? await store.get(object.storage_key) : null;
    if (!object || !bytes) throw storageErrors.noObject();
    return { object, bytes };
  }

  async function find(caller: Caller, bucketId: string, name: string): Promise<StoredObject | undefined> {
    const { rows } = await db
      .as<StoredObject>(as(caller), `select ${COLUMNS} from storage.objects where bucket_id = $1 and name = $2`, [
        bucketId,
        name,
      ])
      .catch(denied);
    return rows[0];
  }

  function tokenFor(bucketId: string, name: string, until: number): string {
    return `${until}.${mark(`${bucketId}/${name}\n${until}`).toString('base64url')}`;
  }

  return {
    async upload(caller, bucketId, name, bytes, contentType) {
      const bucket = await bucketOf(bucketId);
      checkName(name);
      if (bucket.file_size_limit !== null && bytes.byteLength > bucket.file_size_limit) throw storageErrors.tooLarge();
      const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
      if (bucket.allowed_mime_types && !bucket.allowed_mime_types.includes(type)) throw storageErrors.mime(type);
      const key = `objects/${randomUUID()}`;
      // May I? Asked as the caller and undone, before any bytes are worked on or kept.
      await insert(caller, bucket, name, key, bytes, type, true);
      const kept = bucket.reencode ? await reencode(bytes) : bytes;
      await store.put(key, kept);
      return insert(caller, bucket, name, key, kept, bucket.reencode ? 'image/jpeg' : contentType, false).catch(
        async (error: unknown) => {
          await store.remove(key);
          throw error;
        },
      );
    },
    read: async (caller, bucketId, name) => {
      await bucketOf(bucketId);
      return bytesOf(await find(caller, bucketId, name));
    },
    async remove(caller, bucketId, names) {
      await bucketOf(bucketId);
      const { rows } = await db
        .as<StoredObject>(
          as(caller),
          `delete from storage.objects where bucket_id = $1 and name = any($2::text[]) returning ${COLUMNS}`,
          [bucketId, names],
        )
        .catch(denied);
      for (const row of rows) {
        await store.remove(row.storage_key);
        await db.query('delete from storage.removed where storage_key = $1', [row.storage_key]);
      }
      return rows;
    },
    async list(caller, bucketId, prefix, limit, offset) {
      await bucketOf(bucketId);
      const { rows } = await db
        .as<StoredObject>(
          as(caller),
          `select ${COLUMNS} from storage.objects where bucket_id = $1 and starts_with(name, $2) order by name limit $3::int offset $4::int`,
          [bucketId, prefix, limit, offset],
        )
        .catch(denied);
      return rows;
    },
    async sign(caller, bucketId, name, seconds) {
      const bucket = await bucketOf(bucketId);
      if (!(await find(caller, bucketId, name))) throw storageErrors.noObject();
      const until = Math.floor(clock().getTime() / 1000) + Math.min(seconds, bucket.max_signed_seconds);
      return `/object/sign/${bucketId}/${name.split('/').map(encodeURIComponent).join('/')}?token=${tokenFor(bucketId, name, until)}`;
    },
    async readSigned(bucketId, name, token) {
      const until = Number(/^(\d{1,12})\./.exec(token)?.[1] ?? 0);
      const wanted = Buffer.from(tokenFor(bucketId, name, until));
      const given = Buffer.from(token);
      if (wanted.length !== given.length || !timingSafeEqual(wanted, given) || until * 1000 < clock().getTime())
        throw storageErrors.token();
      return bytesOf(
        (await db.one<StoredObject>(`select ${COLUMNS} from storage.objects where bucket_id = $1 and name = $2`, [
          bucketId,
          name,
        ])) ?? undefined,
      );
    },
    async sweep() {
      await db.query(
        `delete from storage.objects o using storage.buckets b where b.id = o.bucket_id and b.keep_seconds is not null and o.created_at < $1::timestamptz - make_interval(secs => b.keep_seconds)`,
        [clock()],
      );
      const { rows } = await db.query<{ storage_key: string }>(
        'select storage_key from storage.removed order by removed_at limit 100',
      );
      for (const row of rows) {
        await store.remove(row.storage_key);
        await db.query('delete from storage.removed where storage_key = $1', [row.storage_key]);
      }
    },
  };
}

/** No right to look at all is told as nothing there. */
function denied(error: unknown): never {
  if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.noObject();
  throw error;
}

async function reencode(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    const picture = sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'error' });
    const { format } = await picture.metadata();
    if (format !== 'jpeg' && format !== 'png' && format !== 'webp') throw storageErrors.picture();
    return await picture.rotate().jpeg({ quality: 90 }).toBuffer();
  } catch {
    throw storageErrors.picture();
  }
}
