import { type Database, DatabaseError, type Principal } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import type { StorageContext } from '../core/context.ts';
import { storageErrors } from '../core/errors.ts';
import type { LinkClaims } from '../core/links.ts';
import { type Bucket, COLUMNS, type FoundObject, type StoredObject } from '../core/rows.ts';
import { toPrincipal } from '../core/store.ts';

/** The location of an object, as in requests. */
export type Address = { readonly bucketId: string; readonly name: string };

/** Finds an object as the caller, so that policies decide. Throws `StorageRefusal`. */
export async function findObject(context: StorageContext, caller: Caller, at: Address): Promise<FoundObject> {
  const found = await findRow(context, toPrincipal(caller), at);
  // Policies do not bind the service role, so owner-only buckets are checked here.
  if (found.bucket.owner_only && (caller.userId === null || caller.userId !== found.object.owner))
    throw storageErrors.noObject();
  return found;
}

/** Finds an object of a public bucket without a caller. Throws `StorageRefusal`. */
export async function findPublicObject(context: StorageContext, at: Address): Promise<FoundObject> {
  const found = await findRow(context, null, at);
  if (!found.bucket.public) throw storageErrors.noObject();
  return found;
}

/** Finds the object that a signed URL's token may read. Throws `StorageRefusal`. */
export async function findSignedObject(
  context: StorageContext,
  at: Address,
  token: string,
): Promise<FoundObject & { readonly claims: LinkClaims }> {
  const claims = await context.links.verify('read', at.bucketId, at.name, token);
  return { ...(await findRow(context, null, at)), claims };
}

const FIND = `select ${COLUMNS}, to_jsonb(b) as bucket from storage.bucket_by_id($1) b
  left join storage.objects o on o.bucket_id = b.id and o.name = $2`;
type Row = Omit<StoredObject, 'id'> & { readonly id: string | null; readonly bucket: Bucket };

/** Finds an object for reading. With a `principal` policies apply. Null reads as the server and requires another check by the caller. */
async function findRow(
  { db, clock }: StorageContext,
  principal: Principal | null,
  { bucketId, name }: Address,
): Promise<FoundObject> {
  const row = (await query(db, principal, [bucketId, name]).catch(denyAsNotFound)).rows[0];
  if (!row) throw storageErrors.noBucket();
  const { bucket, id, ...rest } = row;
  if (id === null) throw storageErrors.noObject();
  const ends =
    bucket.retention_seconds === null ? Infinity : rest.created_at.getTime() + bucket.retention_seconds * 1000;
  if (ends <= clock().getTime()) throw storageErrors.noObject();
  return { bucket, object: { id, ...rest } };
}

const query = (db: Database, principal: Principal | null, values: readonly unknown[]) =>
  principal === null ? db.query<Row>(FIND, values) : db.as<Row>(principal, FIND, values);

/** Reports missing rights as "not found", so that the answer does not reveal which objects exist. */
export function denyAsNotFound(error: unknown): never {
  if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.noObject();
  throw error;
}
