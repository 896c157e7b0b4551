import type { Caller } from '#server/http/caller.ts';
import type { StorageContext } from '../core/context.ts';
import { COLUMNS, type StoredObject } from '../core/rows.ts';
import { readBucket, deleteBytes, toPrincipal, storeObject, toWriter } from '../core/store.ts';
import type { Incoming } from '../core/upload.ts';
import { type Address, denyAsNotFound } from './find.ts';

/** Stores an upload as the caller, so that policies decide. Throws `StorageRefusal`. */
export function uploadObject(
  context: StorageContext,
  caller: Caller,
  at: Address,
  incoming: Incoming,
): Promise<StoredObject> {
  return storeObject(context, toWriter(caller), { ...at, replace: incoming.replace }, incoming);
}

/** Stores an upload that a signed URL's token allows, for the account that made it. Throws `StorageRefusal`. */
export async function uploadSignedObject(
  context: StorageContext,
  at: Address,
  token: string,
  incoming: Incoming,
): Promise<StoredObject> {
  const { ownerId, replace } = await context.links.verify('write', at.bucketId, at.name, token);
  return storeObject(context, { ownerId }, { ...at, replace }, incoming);
}

/** Deletes those of the named objects that the caller may delete. Returns the deleted ones. Throws `StorageRefusal`. */
export async function removeObjects(
  context: StorageContext,
  caller: Caller,
  bucketId: string,
  names: readonly string[],
): Promise<StoredObject[]> {
  const { db } = context;
  await readBucket(db, bucketId);
  const text = `delete from storage.objects o where o.bucket_id = $1 and o.name = any($2::text[]) returning ${COLUMNS}`;
  const { rows } = await db.as<StoredObject>(toPrincipal(caller), text, [bucketId, names]).catch(denyAsNotFound);
  for (const row of rows) await deleteBytes(context.db, context.store, row.storage_key);
  return rows;
}
