import type { StorageContext } from '../core/context.ts';
import { StorageRefusal, storageErrors } from '../core/errors.ts';
import { deleteBytes, storeObject } from '../core/store.ts';
import type { Upload, Uploader } from './upload-rows.ts';

/** The time after which another caller may join the parts, because the first one has failed. */
const ASSEMBLING = "interval '10 minutes'";
type Part = { readonly storage_key: string; readonly size: number };

/** Joins the parts of a complete upload into its object, once: concurrent callers get 423. Throws `StorageRefusal`. */
export async function assembleParts(context: StorageContext, uploader: Uploader, upload: Upload): Promise<Upload> {
  if (upload.done_at !== null) return upload;
  const { db, clock } = context;
  await claimUpload(context, upload);
  const { rows: parts } = await db.query<Part>(
    'select storage_key, size from storage.upload_parts where upload_id = $1::uuid order by starts_at',
    [upload.id],
  );
  try {
    await storeAssembled(context, uploader, upload, parts);
  } catch (error) {
    // A refusal is final, so the upload is deleted. Any other failure may be retried.
    const text = error instanceof StorageRefusal ? 'delete from' : 'update';
    const rest = error instanceof StorageRefusal ? '' : 'set assembling_until = null';
    await db.query(`${text} storage.uploads ${rest} where id = $1::uuid`, [upload.id]);
    throw error;
  }
  await db.query('update storage.uploads set done_at = $2::timestamptz where id = $1::uuid', [upload.id, clock()]);
  await db.query('delete from storage.upload_parts where upload_id = $1::uuid', [upload.id]);
  for (const part of parts) await deleteBytes(context.db, context.store, part.storage_key);
  return { ...upload, done_at: clock() };
}

async function claimUpload({ db, clock }: StorageContext, upload: Upload): Promise<void> {
  const claimed = await db.queryRow(
    `update storage.uploads set assembling_until = $2::timestamptz + ${ASSEMBLING}
     where id = $1::uuid and done_at is null and (assembling_until is null or assembling_until <= $2::timestamptz) returning id`,
    [upload.id, clock()],
  );
  if (!claimed) throw storageErrors.tus(423, 'The upload is being put together');
}

async function storeAssembled(
  context: StorageContext,
  uploader: Uploader,
  upload: Upload,
  parts: readonly Part[],
): Promise<void> {
  const details = {
    cacheControl: upload.cache_control,
    contentEncoding: upload.content_encoding,
    metadata: upload.user_metadata,
  };
  await storeObject(
    context,
    uploader.writer,
    { bucketId: upload.bucket_id, name: upload.name, replace: upload.replace },
    {
      contentType: upload.content_type,
      size: upload.length,
      atMost: upload.length,
      bytes: concatenated(context, parts),
      details: () => Promise.resolve(details),
      replace: upload.replace,
    },
  );
}

async function* concatenated({ store }: StorageContext, parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const { storage_key: key, size } of parts) {
    const stream = await store.open(key, { from: 0, to: size - 1 });
    if (stream === null) throw new Error('a part of an upload is missing');
    yield* stream;
  }
}
