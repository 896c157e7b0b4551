/** Rows of the schema `storage`. */
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
  readonly content_encoding: string | null;
  readonly metadata: unknown;
  readonly user_metadata: Readonly<Record<string, unknown>>;
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
  /** Whether only the owner may read an object. */
  readonly owner_only: boolean;
  readonly max_signed_seconds: number;
  /** The age in seconds from which objects count as deleted; null if they never do. */
  readonly retention_seconds: number | null;
};
/** An object with its bucket. */
export type FoundObject = { readonly object: StoredObject; readonly bucket: Bucket };

const NAMES =
  'id, bucket_id, name, owner, version, content_type, size, etag, cache_control, content_encoding, metadata, user_metadata, storage_key, created_at, updated_at, last_accessed_at'.split(
    ', ',
  );
/** The columns of `storage.objects o`. */
export const COLUMNS = NAMES.map((name) => `o.${name}`).join(', ');
