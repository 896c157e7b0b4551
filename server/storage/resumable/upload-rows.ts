import type { Database } from '#server/db/database.ts';
import type { StorageContext } from '../core/context.ts';
import { storageErrors } from '../core/errors.ts';
import type { Writer } from '../core/store.ts';

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
  /** `Upload-Metadata` as sent by the client. */
  readonly described: string;
  readonly length: number;
  readonly received: number;
  readonly done_at: Date | null;
  readonly expires_at: Date;
};
/** The party that may continue an upload: the account that began it, or the holder of the signed URL with which it began. */
export type Uploader = { readonly writer: Writer; readonly role: string; readonly owner: string | null };

/** The columns of `storage.uploads`. */
export const COLUMNS =
  'id, bucket_id, name, role, owner, replace, content_type, cache_control, content_encoding, user_metadata, described, length, received, done_at, expires_at';
/** The longest pause of an upload. */
export const LIFE = "interval '24 hours'";
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Finds an upload of this uploader. Throws `StorageRefusal` 404, or 410 if it has expired. */
export async function findUpload({ db, clock }: StorageContext, uploader: Uploader, id: string): Promise<Upload> {
  const upload = ID.test(id)
    ? await db.queryRow<Upload>(`select ${COLUMNS} from storage.uploads where id = $1::uuid`, [id])
    : null;
  if (!upload || upload.role !== uploader.role || upload.owner !== uploader.owner) throw storageErrors.noUpload();
  if (upload.expires_at <= clock()) throw storageErrors.tus(410, 'The upload has expired');
  return upload;
}

/** Finds the object that an upload will become, to check a signed URL against it. Throws `StorageRefusal`. */
export async function addressOfUpload(db: Database, id: string): Promise<{ bucketId: string; name: string }> {
  const text = 'select bucket_id, name from storage.uploads where id = $1::uuid';
  const row = ID.test(id) ? await db.queryRow<Pick<Upload, 'bucket_id' | 'name'>>(text, [id]) : null;
  if (!row) throw storageErrors.noUpload();
  return { bucketId: row.bucket_id, name: row.name };
}
