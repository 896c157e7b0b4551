import type { Caller } from '#server/http/caller.ts';
import type { StorageContext } from '../core/context.ts';
import { storageErrors } from '../core/errors.ts';
import { authorizeUpload, readBucket, type ObjectPath, toWriter } from '../core/store.ts';
import type { Transformation } from '../core/transformation.ts';
import { type Address, findObject } from './find.ts';

const UPLOAD_LINK_SECONDS = 7_200;

/** Returns a token that reads one object, valid for at most the bucket's maximum time. Throws `StorageRefusal`. */
export async function signObject(
  context: StorageContext,
  caller: Caller,
  at: Address,
  seconds: number,
  transform: Transformation | null,
): Promise<string> {
  const { bucket } = await findObject(context, caller, at);
  if (transform !== null && bucket.owner_only) throw storageErrors.noObject();
  const session = bucket.owner_only ? caller.sessionId : null;
  const claims = { kind: 'read' as const, ...at, session, transform };
  return context.links.sign(claims, Math.min(seconds, bucket.max_signed_seconds));
}

/** Returns a token that writes one object owned by the caller, valid for two hours. Throws `StorageRefusal`. */
export async function signUpload(context: StorageContext, caller: Caller, objectPath: ObjectPath): Promise<string> {
  const bucket = await readBucket(context.db, objectPath.bucketId);
  const session = bucket.owner_only ? caller.sessionId : null;
  await authorizeUpload(context, toWriter(caller), bucket, objectPath, { contentType: null, size: null });
  return context.links.sign({ kind: 'write', ...objectPath, session, ownerId: caller.userId }, UPLOAD_LINK_SECONDS);
}
