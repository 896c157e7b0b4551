import { randomUUID } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import { StorageRefusal, storageErrors } from './errors.ts';
import {
  bucketOf,
  deleteBytes,
  storeObject,
  type StoreContext,
  discardOnRefusal,
  authorizeUpload,
  markForDeletion,
  type ObjectPath,
  type Writer,
} from './store.ts';
import type { Details } from './upload.ts';

/** The state of a resumable upload. */
export type Upload = {
  readonly id: string;
  readonly bucket_id: string;
  readonly name: string;
  readonly role: string;
  readonly owner: string | null;
  readonly replace: boolean;
  readonly content_type: string;
  readonly cache_control: string | null;
  readonly content_encoding: string | null;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  /** `Upload-Metadata` as it was sent. */
  readonly described: string;
  readonly length: number;
  readonly received: number;
  readonly done_at: Date | null;
  readonly expires_at: Date;
};
/** Who may continue an upload: the account that began it, or the holder of the signed URL it began with. */
export type Uploader = { readonly writer: Writer; readonly role: string; readonly owner: string | null };
export type NewUpload = ObjectPath &
  Details & { readonly contentType: string; readonly length: number; readonly described: string };

/** tus 1.0: creation, termination, expiration. Everything throws `StorageRefusal` with the real HTTP status. */
export type Resumable = {
  begin(uploader: Uploader, upload: NewUpload): Promise<Upload>;
  /** Returns the upload's state; finishes it when joining its pieces was interrupted. */
  state(uploader: Uploader, id: string): Promise<Upload>;
  /** Adds bytes at `offset`; what arrived before a disconnect counts. The last byte completes the object. */
  append(uploader: Uploader, id: string, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<Upload>;
  end(uploader: Uploader, id: string): Promise<void>;
  /** The object an upload will become, to check a signed URL against. */
  addressOf(id: string): Promise<{ bucketId: string; name: string }>;
};

const LIFE = "interval '24 hours'";
const JOINING = "interval '10 minutes'";
/** Enough for 5 GB in pieces of 6 MB, the size that clients send. */
const PIECES_MAX = 1_000;
const OPEN_MAX = 200;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const COLUMNS =
  'id, bucket_id, name, role, owner, replace, content_type, cache_control, content_encoding, user_metadata, described, length, received, done_at, expires_at';

export function createResumable(context: StoreContext): Resumable {
  const { db, clock, store } = context;

  async function find(uploader: Uploader, id: string): Promise<Upload> {
    const upload = ID.test(id)
      ? await db.one<Upload>(`select ${COLUMNS} from storage.uploads where id = $1::uuid`, [id])
      : null;
    if (!upload || upload.role !== uploader.role || upload.owner !== uploader.owner) throw storageErrors.noUpload();
    if (upload.expires_at <= clock()) throw storageErrors.tus(410, 'The upload has expired');
    return upload;
  }

  async function begin(uploader: Uploader, upload: NewUpload): Promise<Upload> {
    const { bucketId, name, replace, contentType, length, cacheControl, contentEncoding, metadata, described } = upload;
    const bucket = await bucketOf(db, bucketId);
    await authorizeUpload(context, uploader.writer, bucket, { bucketId, name, replace }, { contentType, size: length });
    const { role, owner } = uploader;
    const values = [
      bucketId,
      name,
      role,
      owner,
      replace,
      contentType,
      cacheControl,
      metadata,
      described,
      length,
      contentEncoding,
    ];
    const row = await db.one<Upload>(
      `insert into storage.uploads (bucket_id, name, role, owner, replace, content_type, cache_control, user_metadata, described, length, content_encoding, expires_at)
       select $1, $2, $3, $4::uuid, $5::boolean, $6, $7, $8::jsonb, $9, $10::bigint, $11, $12::timestamptz + ${LIFE}
       where (select count(*) from storage.uploads u where u.role = $3 and u.owner is not distinct from $4::uuid and u.done_at is null) < $13::int
       returning ${COLUMNS}`,
      [...values, clock(), OPEN_MAX],
    );
    if (!row) throw storageErrors.tus(429, 'Too many uploads are open');
    return length === 0 ? join(uploader, row) : row;
  }

  async function append(
    uploader: Uploader,
    id: string,
    offset: number,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<Upload> {
    const upload = await find(uploader, id);
    if (upload.received !== offset) throw storageErrors.tus(409, 'The offset is not where the upload stands');
    if (upload.done_at !== null) return upload;
    const key = `pieces/${randomUUID()}`;
    const tally = { size: 0 };
    await markForDeletion(context, key);
    const grown = await discardOnRefusal(context, key, async () => {
      await store.put(key, untilDisconnect(bytes, upload.length - offset, tally));
      if (tally.size === 0) throw new NoBytes();
      return db.transaction((tx) => addPiece(tx, upload, key, tally.size, clock()));
    }).catch(async (error: unknown) => {
      if (!(error instanceof NoBytes)) throw error;
      await deleteBytes(context, key);
      return upload;
    });
    return grown.received === grown.length ? join(uploader, grown) : grown;
  }

  /** Joins the pieces into the object, once: concurrent callers get 423. */
  async function join(uploader: Uploader, upload: Upload): Promise<Upload> {
    if (upload.done_at !== null) return upload;
    const claimed = await db.one(
      `update storage.uploads set assembling_until = $2::timestamptz + ${JOINING}
       where id = $1::uuid and done_at is null and (assembling_until is null or assembling_until <= $2::timestamptz) returning id`,
      [upload.id, clock()],
    );
    if (!claimed) throw storageErrors.tus(423, 'The upload is being put together');
    const { rows } = await db.query<{ storage_key: string; size: number }>(
      'select storage_key, size from storage.upload_parts where upload_id = $1::uuid order by starts_at',
      [upload.id],
    );
    try {
      await storeObject(
        context,
        uploader.writer,
        { bucketId: upload.bucket_id, name: upload.name, replace: upload.replace },
        {
          contentType: upload.content_type,
          size: upload.length,
          atMost: upload.length,
          bytes: concatenated(rows),
          details: () =>
            Promise.resolve({
              cacheControl: upload.cache_control,
              contentEncoding: upload.content_encoding,
              metadata: upload.user_metadata,
            }),
          replace: upload.replace,
        },
      );
    } catch (error) {
      // A refusal is final: delete the upload. Any other failure may be retried.
      const text = error instanceof StorageRefusal ? 'delete from' : 'update';
      const rest = error instanceof StorageRefusal ? '' : 'set assembling_until = null';
      await db.query(`${text} storage.uploads ${rest} where id = $1::uuid`, [upload.id]);
      throw error;
    }
    await db.query('update storage.uploads set done_at = $2::timestamptz where id = $1::uuid', [upload.id, clock()]);
    await db.query('delete from storage.upload_parts where upload_id = $1::uuid', [upload.id]);
    for (const row of rows) await deleteBytes(context, row.storage_key);
    return { ...upload, done_at: clock() };
  }

  async function* concatenated(pieces: readonly { storage_key: string; size: number }[]): AsyncGenerator<Uint8Array> {
    for (const { storage_key: key, size } of pieces) {
      const stream = await store.open(key, { from: 0, to: size - 1 });
      if (stream === null) throw new Error('a piece of an upload is missing');
      yield* stream;
    }
  }

  return {
    begin,
    append,
    async state(uploader, id) {
      const upload = await find(uploader, id);
      return upload.received === upload.length ? join(uploader, upload) : upload;
    },
    async end(uploader, id) {
      const upload = await find(uploader, id);
      await db.query('delete from storage.uploads where id = $1::uuid', [upload.id]);
    },
    async addressOf(id) {
      const text = 'select bucket_id, name from storage.uploads where id = $1::uuid';
      const row = ID.test(id) ? await db.one<Pick<Upload, 'bucket_id' | 'name'>>(text, [id]) : null;
      if (!row) throw storageErrors.noUpload();
      return { bucketId: row.bucket_id, name: row.name };
    },
  };
}

/** No bytes arrived, so there is no piece to store. */
class NoBytes extends Error {
  override readonly name = 'NoBytes';
}

/** Passes bytes through and treats a disconnect as the end; refuses more than `room` bytes. */
async function* untilDisconnect(
  bytes: AsyncIterable<Uint8Array>,
  room: number,
  tally: { size: number },
): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    for (;;) {
      // What arrived before a disconnect still counts.
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

/** Records a piece. Of two clients that continue at the same offset the second gets 409. */
async function addPiece(tx: Transaction, upload: Upload, key: string, size: number, now: Date): Promise<Upload> {
  const row = await tx.one<Upload>(
    `update storage.uploads u set received = received + $3::bigint, expires_at = $4::timestamptz + ${LIFE}
     where id = $1::uuid and received = $2::bigint and (select count(*) from storage.upload_parts p where p.upload_id = u.id) < $5::int returning ${COLUMNS}`,
    [upload.id, upload.received, size, now, PIECES_MAX],
  );
  if (!row) throw storageErrors.tus(409, 'The offset is not where the upload stands');
  await tx.query(
    'insert into storage.upload_parts (upload_id, starts_at, size, storage_key) values ($1::uuid, $2::bigint, $3::bigint, $4)',
    [upload.id, upload.received, size, key],
  );
  return row;
}
