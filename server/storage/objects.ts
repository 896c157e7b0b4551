import { randomUUID } from 'node:crypto';
import { type Database, DatabaseError, type Principal } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { checkName } from './address.ts';
import { storageErrors } from './errors.ts';
import {
  bucketOf,
  checkType,
  forget,
  insert,
  storeObject,
  type StoreContext,
  discardOnRefusal,
  authorizeUpload,
  noteUnfinished,
  type ObjectPath,
  principalOf,
  type Writer,
} from './store.ts';
import { type Entry, LISTING, type Listing, PAGE, type Page, type PageEntry, writeCursor } from './listing.ts';
import type { Links, Ticket } from './links.ts';
import { COLUMNS, type Bucket, type Found, type StoredObject } from './rows.ts';
import type { Transformation } from './pictures/transformation.ts';
import type { Incoming } from './upload.ts';

/** Everything is done as the caller: policies on `storage.objects` say who may. Throws `StorageRefusal`. */
export type Objects = {
  upload(caller: Caller, bucketId: string, name: string, incoming: Incoming): Promise<StoredObject>;
  find(caller: Caller, bucketId: string, name: string): Promise<Found>;
  /** Without a caller; only from a public bucket. */
  findPublic(bucketId: string, name: string): Promise<Found>;
  remove(caller: Caller, bucketId: string, names: readonly string[]): Promise<StoredObject[]>;
  list(caller: Caller, bucketId: string, listing: Listing): Promise<Entry[]>;
  page(caller: Caller, bucketId: string, page: Page): Promise<Paged>;
  /** The same bytes under another name, in another bucket where policies let the caller. */
  move(caller: Caller, from: Address, to: Address): Promise<StoredObject>;
  /** `changes` null: everything said of the first is said of the copy; else what is left out stays, and what people added is gone. */
  copy(caller: Caller, from: Address, to: ObjectPath, changes: Changes | null): Promise<StoredObject>;
  /** A token that reads one object, good for at most the bucket's time. */
  sign(caller: Caller, at: Address, seconds: number, transform: Transformation | null): Promise<string>;
  findSigned(bucketId: string, name: string, token: string): Promise<Found & { readonly ticket: Ticket }>;
  /** A token that writes one object as the caller's own, for two hours. */
  signUpload(caller: Caller, objectPath: ObjectPath): Promise<string>;
  uploadSigned(bucketId: string, name: string, token: string, incoming: Incoming): Promise<StoredObject>;
};
export type Changes = {
  readonly contentType: string | null;
  readonly cacheControl: string | null;
  /** undefined: stays. */
  readonly contentEncoding: string | null | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
};
export type Address = { readonly bucketId: string; readonly name: string };
export type ObjectsParts = StoreContext & { readonly links: Links };
/** A page of `listV2`, in supabase-js's words. */
export type Paged = {
  readonly hasNext: boolean;
  readonly nextCursor?: string;
  readonly folders: readonly { readonly key: string; readonly name: string }[];
  readonly objects: readonly (Entry & { readonly key: string })[];
};

const UPLOAD_LINK_SECONDS = 7_200;
const FIND = `select ${COLUMNS}, to_jsonb(b) as bucket from storage.bucket_named($1) b
  left join storage.objects o on o.bucket_id = b.id and o.name = $2`;

export function createObjects(parts: ObjectsParts): Objects {
  const { db, clock, links } = parts;
  const writerOf = (caller: Caller): Writer => ({ caller: principalOf(caller) });

  /** The one place where an object is found for reading. `principal`: under policies; null: as the server, after another proof. */
  async function look(principal: Principal | null, bucketId: string, name: string): Promise<Found> {
    type Row = Omit<StoredObject, 'id'> & { readonly id: string | null; readonly bucket: Bucket };
    const asked =
      principal === null ? db.query<Row>(FIND, [bucketId, name]) : db.as<Row>(principal, FIND, [bucketId, name]);
    const row = (await asked.catch(hide)).rows[0];
    if (!row) throw storageErrors.noBucket();
    const { bucket, id, ...rest } = row;
    if (id === null) throw storageErrors.noObject();
    const ends = bucket.keep_seconds === null ? Infinity : rest.created_at.getTime() + bucket.keep_seconds * 1000;
    if (ends <= clock().getTime()) throw storageErrors.noObject();
    return { bucket, object: { id, ...rest } };
  }
  async function find(caller: Caller, bucketId: string, name: string): Promise<Found> {
    const found = await look(principalOf(caller), bucketId, name);
    // Policies bind people, but not the service: what is for its owner alone is told apart here.
    if (found.bucket.owner_only && (caller.userId === null || caller.userId !== found.object.owner))
      throw storageErrors.noObject();
    return found;
  }

  return {
    find,
    upload: (caller, bucketId, name, incoming) =>
      storeObject(parts, writerOf(caller), { bucketId, name, replace: incoming.replace }, incoming),
    async findPublic(bucketId, name) {
      const found = await look(null, bucketId, name);
      if (!found.bucket.public) throw storageErrors.noObject();
      return found;
    },
    async remove(caller, bucketId, names) {
      await bucketOf(db, bucketId);
      const text = `delete from storage.objects o where o.bucket_id = $1 and o.name = any($2::text[]) returning ${COLUMNS}`;
      const { rows } = await db.as<StoredObject>(principalOf(caller), text, [bucketId, names]).catch(hide);
      for (const row of rows) await forget(parts, row.storage_key);
      return rows;
    },
    async list(caller, bucketId, { prefix, limit, offset, search, sortBy }) {
      const bucket = await bucketOf(db, bucketId);
      if (bucket.owner_only && caller.userId === null) return [];
      const values = [bucketId, prefix, search, sortBy.column, sortBy.order, limit, offset];
      return (await db.as<Entry>(principalOf(caller), LISTING, values).catch(hide)).rows;
    },
    async page(caller, bucketId, { prefix, cursor, limit, with_delimiter, sortBy }) {
      const bucket = await bucketOf(db, bucketId);
      if (bucket.owner_only && caller.userId === null) return toPage([], limit);
      const [at, name] = cursor ?? [null, null];
      // One more than asked for tells whether there is a next page.
      const values = [bucketId, prefix, with_delimiter, sortBy.column, sortBy.order, at, name, limit + 1];
      return toPage((await db.as<PageEntry>(principalOf(caller), PAGE, values).catch(hide)).rows, limit);
    },
    async move(caller, from, to) {
      const { object, bucket } = await find(caller, from.bucketId, from.name);
      await checkRelocation(db, bucket, object, to);
      return relocate(db, caller, from, to);
    },
    async copy(caller, from, to, changes) {
      const { object, bucket } = await find(caller, from.bucketId, from.name);
      await checkRelocation(db, bucket, object, to);
      return duplicate(parts, writerOf(caller), object, to, changes);
    },
    async sign(caller, { bucketId, name }, seconds, transform) {
      const { bucket } = await find(caller, bucketId, name);
      if (transform !== null && bucket.owner_only) throw storageErrors.noObject();
      const session = bucket.owner_only ? caller.sessionId : null;
      const ticket = { kind: 'read' as const, bucketId, name, session, transform };
      return links.seal(ticket, Math.min(seconds, bucket.max_signed_seconds));
    },
    async findSigned(bucketId, name, token) {
      const ticket = await links.open('read', bucketId, name, token);
      return { ...(await look(null, bucketId, name)), ticket };
    },
    async signUpload(caller, objectPath) {
      const bucket = await bucketOf(db, objectPath.bucketId);
      const session = bucket.owner_only ? caller.sessionId : null;
      await authorizeUpload(parts, writerOf(caller), bucket, objectPath, { contentType: null, size: null });
      return links.seal({ kind: 'write', ...objectPath, session, ownerId: caller.userId }, UPLOAD_LINK_SECONDS);
    },
    async uploadSigned(bucketId, name, token, incoming) {
      const { ownerId, replace } = await links.open('write', bucketId, name, token);
      return storeObject(parts, { ownerId }, { bucketId, name, replace }, incoming);
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

/** What the bucket it goes to says of it. Nothing leaves or enters by this way where only owners read, or where pictures are packed again. */
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
  parts: StoreContext,
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
  await authorizeUpload(parts, writer, await bucketOf(parts.db, to.bucketId), to, { contentType, size });
  const key = `objects/${randomUUID()}`;
  await noteUnfinished(parts, key);
  return discardOnRefusal(parts, key, async () => {
    if (!(await parts.store.copy(object.storage_key, key))) throw storageErrors.noObject();
    return insert(parts.db, writer, to, { ...row, key });
  });
}

/** No right to look at all is told as nothing there. */
function hide(error: unknown): never {
  if (error instanceof DatabaseError && error.code === '42501') throw storageErrors.noObject();
  throw error;
}
