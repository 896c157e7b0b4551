import { randomUUID } from 'node:crypto';
import { type Database, DatabaseError } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { checkName } from '../core/address.ts';
import type { StorageContext } from '../core/context.ts';
import { storageErrors } from '../core/errors.ts';
import { type Bucket, COLUMNS, type StoredObject } from '../core/rows.ts';
import {
  authorizeUpload,
  readBucket,
  checkType,
  discardOnRefusal,
  insert,
  markForDeletion,
  type ObjectPath,
  toPrincipal,
  type Writer,
  toWriter,
} from '../core/store.ts';
import { type Address, findObject } from './find.ts';

/** Renames an object, or moves it to another bucket if policies allow it. Throws `StorageRefusal`. */
export async function moveObject(
  context: StorageContext,
  caller: Caller,
  from: Address,
  to: Address,
): Promise<StoredObject> {
  const { object, bucket } = await findObject(context, caller, from);
  await checkRelocation(context.db, bucket, object, to);
  return relocate(context.db, caller, from, to);
}

/** The properties that a copy changes. */
export type Changes = {
  readonly contentType: string | null;
  readonly cacheControl: string | null;
  /** Undefined leaves it unchanged. */
  readonly contentEncoding: string | null | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/**
 * Copies an object. Without `changes` (null) it keeps all properties. Otherwise omitted properties are copied, and user metadata is
 * replaced. Throws `StorageRefusal`.
 */
export async function copyObject(
  context: StorageContext,
  caller: Caller,
  from: Address,
  to: ObjectPath,
  changes: Changes | null,
): Promise<StoredObject> {
  const { object, bucket } = await findObject(context, caller, from);
  await checkRelocation(context.db, bucket, object, to);
  return duplicate(context, toWriter(caller), object, to, changes);
}

/** Applies the target bucket's rules. Refuses owner-only buckets, and moves into a bucket that re-encodes pictures. */
async function checkRelocation(db: Database, source: Bucket, object: StoredObject, to: Address): Promise<void> {
  checkName(to.name);
  const target = await readBucket(db, to.bucketId);
  if (source.owner_only || target.owner_only || (target.reencode && target.id !== source.id))
    throw storageErrors.denied();
  if (target.file_size_limit !== null && object.size > target.file_size_limit) throw storageErrors.tooLarge();
  checkType(target, object.content_type);
}

async function relocate(db: Database, caller: Caller, from: Address, to: Address): Promise<StoredObject> {
  const text = `update storage.objects o set bucket_id = $3, name = $4, version = gen_random_uuid()::text
    where o.bucket_id = $1 and o.name = $2 returning ${COLUMNS}`;
  try {
    const values = [from.bucketId, from.name, to.bucketId, to.name];
    const { rows } = await db.as<StoredObject>(toPrincipal(caller), text, values);
    if (!rows[0]) throw storageErrors.denied();
    return rows[0];
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.denied();
    if (error instanceof DatabaseError && error.code === '23505') throw storageErrors.duplicate();
    throw error;
  }
}

async function duplicate(
  context: StorageContext,
  writer: Writer,
  object: StoredObject,
  to: ObjectPath,
  changes: Changes | null,
): Promise<StoredObject> {
  const { size, etag } = object;
  const contentType = changes?.contentType ?? object.content_type;
  const row = {
    contentType,
    size,
    etag,
    cacheControl: changes?.cacheControl ?? object.cache_control,
    contentEncoding: changes?.contentEncoding === undefined ? object.content_encoding : changes.contentEncoding,
    metadata: changes === null ? object.user_metadata : changes.metadata,
  };
  await authorizeUpload(context, writer, await readBucket(context.db, to.bucketId), to, { contentType, size });
  const key = `objects/${randomUUID()}`;
  await markForDeletion(context, key);
  return discardOnRefusal(context, key, async () => {
    if (!(await context.store.copy(object.storage_key, key))) throw storageErrors.noObject();
    return insert(context.db, writer, to, { ...row, key });
  });
}
