import { randomUUID } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import type { StorageContext } from '../core/context.ts';
import { storageErrors } from '../core/errors.ts';
import {
  authorizeUpload,
  readBucket,
  deleteBytes,
  discardOnRefusal,
  markForDeletion,
  type ObjectPath,
} from '../core/store.ts';
import type { Details } from '../core/upload.ts';
import { assembleParts } from './assemble.ts';
import { COLUMNS, findUpload, LIFE, type Upload, type Uploader } from './upload-rows.ts';

/** Resumable uploads, after tus 1.0: creation, termination, expiration. All functions throw `StorageRefusal` with the real HTTP status. */

export type NewUpload = ObjectPath &
  Details & { readonly contentType: string; readonly length: number; readonly described: string };

/** Maximum number of parts of an upload: enough for 5 GB in parts of 6 MB, the size that clients send. */
const PARTS_MAX = 1_000;
const OPEN_MAX = 200;

/** Begins an upload. Checks that the uploader may write the object, and that its bytes fit into the limits of unfinished uploads. */
export async function beginUpload(context: StorageContext, uploader: Uploader, upload: NewUpload): Promise<Upload> {
  const { db, clock } = context;
  const { bucketId, name, replace, contentType, length, cacheControl, contentEncoding, metadata, described } = upload;
  const bucket = await readBucket(db, bucketId);
  await authorizeUpload(context, uploader.writer, bucket, { bucketId, name, replace }, { contentType, size: length });
  const { role, owner } = uploader;
  const facts = [bucketId, name, role, owner, replace, contentType, cacheControl, metadata, described, length];
  const row = await db.transaction(async (tx) => {
    await requireRoom(context, tx, uploader, length);
    return tx.queryRow<Upload>(
      `insert into storage.uploads (bucket_id, name, role, owner, replace, content_type, cache_control, user_metadata, described, length, content_encoding, expires_at)
     select $1, $2, $3, $4::uuid, $5::boolean, $6, $7, $8::jsonb, $9, $10::bigint, $11, $12::timestamptz + ${LIFE}
     where (select count(*) from storage.uploads u where u.role = $3 and u.owner is not distinct from $4::uuid and u.done_at is null) < $13::int
     returning ${COLUMNS}`,
      [...facts, contentEncoding, clock(), OPEN_MAX],
    );
  });
  if (!row) throw storageErrors.tus(429, 'Too many uploads are open');
  return length === 0 ? assembleParts(context, uploader, row) : row;
}

/**
 * Throws `StorageRefusal` if unfinished uploads announce too many bytes: those of an account or guest, or all together. The service key has
 * only the second limit.
 */
async function requireRoom(
  { openUploads }: StorageContext,
  tx: Transaction,
  { role, owner }: Uploader,
  length: number,
): Promise<void> {
  // The lock makes two uploads that begin at once count each other.
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('open-uploads', 0))`);
  const row = await tx.queryRow<{ own: number; all: number }>(
    `select coalesce(sum(u.length) filter (where u.role = $1 and u.owner is not distinct from $2::uuid), 0)::float8 as own,
       coalesce(sum(u.length), 0)::float8 as all
     from storage.uploads u where u.done_at is null`,
    [role, owner],
  );
  const { own = 0, all = 0 } = row ?? {};
  if (role !== 'service_role' && own + length > openUploads.perAccount)
    throw storageErrors.tus(429, 'Your unfinished uploads are too large together. Finish or cancel one of them first');
  if (all + length > openUploads.total)
    throw storageErrors.tus(503, 'Too many uploads are open. Please try again later');
}

/** Returns the upload's state. Joins its parts if that was interrupted before. */
export async function resumeUpload(context: StorageContext, uploader: Uploader, id: string): Promise<Upload> {
  const upload = await findUpload(context, uploader, id);
  return upload.received === upload.length ? assembleParts(context, uploader, upload) : upload;
}

/** Adds bytes at `offset`. Bytes that arrived before a disconnect count. The last byte completes the object. */
export async function appendBytes(
  context: StorageContext,
  uploader: Uploader,
  id: string,
  offset: number,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Upload> {
  const upload = await findUpload(context, uploader, id);
  if (upload.received !== offset) throw storageErrors.tus(409, 'The offset is not where the upload stands');
  if (upload.done_at !== null) return upload;
  const grown = await storePart(context, upload, bytes);
  return grown.received === grown.length ? assembleParts(context, uploader, grown) : grown;
}

/** Ends an upload. The next cleanup deletes its bytes. */
export async function endUpload(context: StorageContext, uploader: Uploader, id: string): Promise<void> {
  const upload = await findUpload(context, uploader, id);
  await context.db.query('delete from storage.uploads where id = $1::uuid', [upload.id]);
}

async function storePart(context: StorageContext, upload: Upload, bytes: AsyncIterable<Uint8Array>): Promise<Upload> {
  const { db, store, clock } = context;
  const key = `parts/${randomUUID()}`;
  const tally = { size: 0 };
  await markForDeletion(context, key);
  return discardOnRefusal(context, key, async () => {
    await store.put(key, untilDisconnect(bytes, upload.length - upload.received, tally));
    if (tally.size > 0) return db.transaction((tx) => addPart(tx, upload, key, tally.size, clock()));
    // No bytes arrived, so there is no part to store.
    await deleteBytes(context.db, context.store, key);
    return upload;
  });
}

/** Passes bytes through and treats a disconnect as their end. Refuses more than `room` bytes. */
async function* untilDisconnect(
  bytes: AsyncIterable<Uint8Array>,
  room: number,
  tally: { size: number },
): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    for (;;) {
      // Bytes that arrived before a disconnect still count.
      const { done, value } = await source.next().catch(() => ({ done: true as const, value: undefined }));
      if (done) return;
      if (tally.size + value.byteLength > room) throw storageErrors.tooLarge();
      tally.size += value.byteLength;
      yield value;
    }
  } finally {
    await source.return?.();
  }
}

/** Records a part. If two clients continue at the same offset, the second gets 409. */
async function addPart(tx: Transaction, upload: Upload, key: string, size: number, now: Date): Promise<Upload> {
  const row = await tx.queryRow<Upload>(
    `update storage.uploads u set received = received + $3::bigint, expires_at = $4::timestamptz + ${LIFE}
     where id = $1::uuid and received = $2::bigint and (select count(*) from storage.upload_parts p where p.upload_id = u.id) < $5::int returning ${COLUMNS}`,
    [upload.id, upload.received, size, now, PARTS_MAX],
  );
  if (!row) throw storageErrors.tus(409, 'The offset is not where the upload stands');
  await tx.query(
    'insert into storage.upload_parts (upload_id, starts_at, size, storage_key) values ($1::uuid, $2::bigint, $3::bigint, $4)',
    [upload.id, upload.received, size, key],
  );
  return row;
}
