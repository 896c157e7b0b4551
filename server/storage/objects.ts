import { randomUUID } from 'node:crypto';
import { type Database, DatabaseError, type Principal } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { checkName } from './address.ts';
import { storageErrors } from './errors.ts';
import {
  bucketOf,
  checkType,
  deleteBytes,
  insert,
  storeObject,
  type StoreContext,
  discardOnRefusal,
  authorizeUpload,
  markForDeletion,
  type ObjectPath,
  principalOf,
  type Writer,
} from './store.ts';
import { type Entry, LISTING, type Listing, PAGE, type Page, type PageEntry, writeCursor } from './listing.ts';
import type { LinkClaims, Links } from './links.ts';
import { COLUMNS, type Bucket, type Found, type StoredObject } from './rows.ts';
import type { Transformation } from './pictures/transformation.ts';
import type { Incoming } from './upload.ts';

/** Operations on objects. All run as the caller, so that policies on `storage.objects` decide. Throws `StorageRefusal`. */
export type Objects = {
  upload(caller: Caller, bucketId: string, name: string, incoming: Incoming): Promise<StoredObject>;
  find(caller: Caller, bucketId: string, name: string): Promise<Found>;
  /** Without a caller; only from public buckets. */
  findPublic(bucketId: string, name: string): Promise<Found>;
  remove(caller: Caller, bucketId: string, names: readonly string[]): Promise<StoredObject[]>;
  list(caller: Caller, bucketId: string, listing: Listing): Promise<Entry[]>;
  page(caller: Caller, bucketId: string, page: Page): Promise<Paged>;
  /** Renames an object, or moves it to another bucket where policies allow. */
  move(caller: Caller, from: Address, to: Address): Promise<StoredObject>;
  /** Copies an object. `changes` null: with all properties; else omitted ones are copied, and user metadata is replaced. */
  copy(caller: Caller, from: Address, to: ObjectPath, changes: Changes | null): Promise<StoredObject>;
  /** A token that reads one object, for at most the bucket's maximum time. */
  sign(caller: Caller, at: Address, seconds: number, transform: Transformation | null): Promise<string>;
  findSigned(bucketId: string, name: string, token: string): Promise<Found & { readonly claims: LinkClaims }>;
  /** A token that writes one object owned by the caller, for two hours. */
  signUpload(caller: Caller, objectPath: ObjectPath): Promise<string>;
  uploadSigned(bucketId: string, name: string, token: string, incoming: Incoming): Promise<StoredObject>;
};
export type Changes = {
  readonly contentType: string | null;
  readonly cacheControl: string | null;
  /** undefined: unchanged. */
  readonly contentEncoding: string | null | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
};
export type Address = { readonly bucketId: string; readonly name: string };
export type ObjectsContext = StoreContext & { readonly links: Links };
/** A page of `listV2` in supabase-js's format. */
export type Paged = {
  readonly hasNext: boolean;
  readonly nextCursor?: string;
  readonly folders: readonly { readonly key: string; readonly name: string }[];
  readonly objects: readonly (Entry & { readonly key: string })[];
};

const UPLOAD_LINK_SECONDS = 7_200;
const FIND = `select ${COLUMNS}, to_jsonb(b) as bucket from storage.bucket_by_id($1) b
  left join storage.objects o on o.bucket_id = b.id and o.name = $2`;

export function createObjects(context: ObjectsContext): Objects {
  const { db, clock, links } = context;
  const writerOf = (caller: Caller): Writer => ({ caller: principalOf(caller) });

  /** Finds an object for reading. With a `principal` policies apply; null reads as the server, after another check. */
  async function findRow(principal: Principal | null, bucketId: string, name: string): Promise<Found> {
    type Row = Omit<StoredObject, 'id'> & { readonly id: string | null; readonly bucket: Bucket };
    const query =
      principal === null ? db.query<Row>(FIND, [bucketId, name]) : db.as<Row>(principal, FIND, [bucketId, name]);
    const row = (await query.catch(denyAsNotFound)).rows[0];
    if (!row) throw storageErrors.noBucket();
    const { bucket, id, ...rest } = row;
    if (id === null) throw storageErrors.noObject();
    const ends =
      bucket.retention_seconds === null ? Infinity : rest.created_at.getTime() + bucket.retention_seconds * 1000;
    if (ends <= clock().getTime()) throw storageErrors.noObject();
    return { bucket, object: { id, ...rest } };
  }
  async function find(caller: Caller, bucketId: string, name: string): Promise<Found> {
    const found = await findRow(principalOf(caller), bucketId, name);
    // Policies do not bind the service role: check owner-only buckets here.
    if (found.bucket.owner_only && (caller.userId === null || caller.userId !== found.object.owner))
      throw storageErrors.noObject();
    return found;
  }

  return {
    find,
    upload: (caller, bucketId, name, incoming) =>
      storeObject(context, writerOf(caller), { bucketId, name, replace: incoming.replace }, incoming),
    async findPublic(bucketId, name) {
      const found = await findRow(null, bucketId, name);
      if (!found.bucket.public) throw storageErrors.noObject();
      return found;
    },
    async remove(caller, bucketId, names) {
      await bucketOf(db, bucketId);
      const text = `delete from storage.objects o where o.bucket_id = $1 and o.name = any($2::text[]) returning ${COLUMNS}`;
      const { rows } = await db.as<StoredObject>(principalOf(caller), text, [bucketId, names]).catch(denyAsNotFound);
      for (const row of rows) await deleteBytes(context, row.storage_key);
      return rows;
    },
    async list(caller, bucketId, { prefix, limit, offset, search, sortBy }) {
      const bucket = await bucketOf(db, bucketId);
      if (bucket.owner_only && caller.userId === null) return [];
      const values = [bucketId, prefix, search, sortBy.column, sortBy.order, limit, offset];
      return (await db.as<Entry>(principalOf(caller), LISTING, values).catch(denyAsNotFound)).rows;
    },
    async page(caller, bucketId, { prefix, cursor, limit, with_delimiter, sortBy }) {
      const bucket = await bucketOf(db, bucketId);
      if (bucket.owner_only && caller.userId === null) return toPage([], limit);
      const [at, name] = cursor ?? [null, null];
      // One row more than requested shows whether there is a next page.
      const values = [bucketId, prefix, with_delimiter, sortBy.column, sortBy.order, at, name, limit + 1];
      return toPage((await db.as<PageEntry>(principalOf(caller), PAGE, values).catch(denyAsNotFound)).rows, limit);
    },
    async move(caller, from, to) {
      const { object, bucket } = await find(caller, from.bucketId, from.name);
      await checkRelocation(db, bucket, object, to);
      return relocate(db, caller, from, to);
    },
    async copy(caller, from, to, changes) {
      const { object, bucket } = await find(caller, from.bucketId, from.name);
      await checkRelocation(db, bucket, object, to);
      return duplicate(context, writerOf(caller), object, to, changes);
    },
    async sign(caller, { bucketId, name }, seconds, transform) {
      const { bucket } = await find(caller, bucketId, name);
      if (transform !== null && bucket.owner_only) throw storageErrors.noObject();
      const session = bucket.owner_only ? caller.sessionId : null;
      const claims = { kind: 'read' as const, bucketId, name, session, transform };
      return links.sign(claims, Math.min(seconds, bucket.max_signed_seconds));
    },
    async findSigned(bucketId, name, token) {
      const claims = await links.verify('read', bucketId, name, token);
      return { ...(await findRow(null, bucketId, name)), claims };
    },
    async signUpload(caller, objectPath) {
      const bucket = await bucketOf(db, objectPath.bucketId);
      const session = bucket.owner_only ? caller.sessionId : null;
      await authorizeUpload(context, writerOf(caller), bucket, objectPath, { contentType: null, size: null });
      return links.sign({ kind: 'write', ...objectPath, session, ownerId: caller.userId }, UPLOAD_LINK_SECONDS);
    },
    async uploadSigned(bucketId, name, token, incoming) {
      const { ownerId, replace } = await links.verify('write', bucketId, name, token);
      return storeObject(context, { ownerId }, { bucketId, name, replace }, incoming);
    },
  };
}

function toPage(rows: readonly PageEntry[], limit: number): Paged {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const folders = shown.filter(({ id }) => id === null);
  const files = shown.filter(({ id }) => id !== null);
  return {
    hasNext: rows.length > limit,
    ...(rows.length > limit && last ? { nextCursor: writeCursor([last.at, last.name]) } : {}),
    folders: folders.map(({ name }) => ({ key: name.slice(0, -1), name })),
    objects: files.map(({ at: _at, ...entry }) => ({ ...entry, key: entry.name })),
  };
}

/** Applies the target bucket's rules. Refuses owner-only buckets, and moves into a bucket that re-encodes pictures. */
async function checkRelocation(db: Database, source: Bucket, object: StoredObject, to: Address): Promise<void> {
  checkName(to.name);
  const target = await bucketOf(db, to.bucketId);
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
    const { rows } = await db.as<StoredObject>(principalOf(caller), text, values);
    if (!rows[0]) throw storageErrors.denied();
    return rows[0];
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.denied();
    if (error instanceof DatabaseError && error.code === '23505') throw storageErrors.duplicate();
    throw error;
  }
}

async function duplicate(
  context: StoreContext,
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
  await authorizeUpload(context, writer, await bucketOf(context.db, to.bucketId), to, { contentType, size });
  const key = `objects/${randomUUID()}`;
  await markForDeletion(context, key);
  return discardOnRefusal(context, key, async () => {
    if (!(await context.store.copy(object.storage_key, key))) throw storageErrors.noObject();
    return insert(context.db, writer, to, { ...row, key });
  });
}

/** Reports missing rights as "not found", so that they do not reveal what exists. */
function denyAsNotFound(error: unknown): never {
  if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.noObject();
  throw error;
}
