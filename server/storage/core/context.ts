import type { Context } from 'hono';
import type { Database } from '#server/db/database.ts';
import type { Caller, Clock, Env, ReadCaller } from '#server/http/caller.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import type { Links } from './links.ts';

/** Dependencies of `/storage/v1`. */
export type StorageContext = {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly pictures: PictureEncoder;
  /** Maximum size of an object in any bucket, in bytes. */
  readonly sizeMax: number;
  /** Maximum number of bytes that the unfinished resumable uploads may announce, for one account and for all together. */
  readonly openUploads: { readonly perAccount: number; readonly total: number };
  readonly links: Links;
  readonly readCaller: ReadCaller;
};

export type PictureEncoder = {
  /** Re-encodes a picture of at most `maxBytes` as an upright JPEG without metadata. Throws `StorageRefusal`. */
  reencode(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array>;
};

/** Reads the caller of a request. Throws `TokenRefused`. */
export function getCaller({ readCaller }: StorageContext, c: Context<Env>): Promise<Caller> {
  return readCaller(c.req.raw, c.var.ip);
}
