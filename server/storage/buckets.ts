import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { type Database, DatabaseError, type Result } from '#server/db/database.ts';
import type { Caller, Env } from '#server/http/caller.ts';
import { readJson } from './body.ts';
import { storageErrors } from './errors.ts';
import { bucketOf, principalOf } from './store.ts';

export type BucketParts = { readonly db: Database; readonly sizeMax: number };
type ReadHere = (c: Context<Env>) => Promise<Caller>;

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };
const MIME = /^([\w.+-]+|\*)\/([\w.+-]+|\*)$/;

/** A number of bytes, or '20mb': thousands, as hosted Supabase counts. Null where it is neither. */
export function readSize(text: string | number): number | null {
  const found = /^(\d{1,15}(?:\.\d{1,6})?)\s*([kmg]?b)?$/i.exec(String(text).trim());
  if (!found) return null;
  const bytes = Math.floor(Number(found[1]) * (UNITS[found[2]?.toLowerCase() ?? 'b'] ?? 1));
  return bytes > 0 ? bytes : null;
}

const settingsSchema = z.looseObject({
  public: z.boolean().nullish(),
  file_size_limit: z.union([z.number(), z.string().max(30)]).nullish(),
  allowed_mime_types: z.array(z.string().max(255)).max(200).nullish(),
  // There is one kind of bucket here, and one version of everything in it.
  type: z.literal('STANDARD').nullish(),
  versioning_status: z.enum(['DISABLED', 'SUSPENDED']).nullish(),
});
const newBucketSchema = settingsSchema.extend({ id: z.string().max(200).optional(), name: z.string().max(200) });
type Settings = z.output<typeof settingsSchema>;

const COLUMNS = 'id, name, owner, public, file_size_limit, allowed_mime_types, created_at, updated_at';
const count = (max: number, otherwise: number) => z.coerce.number().int().min(0).max(max).default(otherwise);
const pageSchema = z.object({
  limit: count(1_000, 100),
  offset: count(1_000_000, 0),
  search: z.string().max(100).default(''),
  sortColumn: z.enum(['id', 'name', 'created_at', 'updated_at']).default('name'),
  sortOrder: z.enum(['asc', 'desc']).default('asc'),
});

/** `/bucket`: who may see, make, change, empty and delete one is said by policies on `storage.buckets` (and `storage.objects`). */
export function addBuckets(router: Hono<Env>, parts: BucketParts, caller: ReadHere): void {
  const { db } = parts;
  router.get('/bucket', async (c) => {
    const who = await caller(c);
    const page = pageSchema.safeParse(c.req.query());
    if (!page.success) throw storageErrors.body();
    const { limit, offset, search, sortColumn, sortOrder } = page.data;
    // Column and direction are words of our own list.
    const text = `select ${COLUMNS} from storage.buckets where strpos(lower(id), lower($1)) > 0 or $1 = '' order by ${sortColumn} ${sortOrder}, id limit $2::int offset $3::int`;
    return c.json((await db.as(principalOf(who), text, [search, limit, offset])).rows);
  });
  router.get('/bucket/:id', async (c) => {
    const who = await caller(c);
    const text = `select ${COLUMNS} from storage.buckets where id = $1`;
    const { rows } = await db.as(principalOf(who), text, [c.req.param('id')]);
    if (!rows[0]) throw storageErrors.noBucket();
    return c.json(rows[0]);
  });
  router.post('/bucket', async (c) => {
    const who = await caller(c);
    const asked = await readJson(c.req.raw, newBucketSchema);
    const id = asked.id ?? asked.name;
    const settings = checkSettings(parts, asked);
    const text = `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values ($1, $2, $3, $4::bigint, $5::text[])`;
    const values = [id, asked.name, settings.public ?? false, settings.size ?? null, settings.types ?? null];
    await told(db.as(principalOf(who), text, values));
    return c.json({ name: id });
  });
  router.put('/bucket/:id', async (c) => {
    const who = await caller(c);
    const { public: open, size, types } = checkSettings(parts, await readJson(c.req.raw, settingsSchema));
    // What is left out keeps its value; null takes a limit away.
    const text = `update storage.buckets set public = coalesce($2::boolean, public), file_size_limit = case when $3 then $4::bigint else file_size_limit end,
      allowed_mime_types = case when $5 then $6::text[] else allowed_mime_types end where id = $1`;
    const values = [
      c.req.param('id'),
      open ?? null,
      size !== undefined,
      size ?? null,
      types !== undefined,
      types ?? null,
    ];
    await changed(db.as(principalOf(who), text, values));
    return c.json({ message: 'Successfully updated' });
  });
  router.post('/bucket/:id/empty', async (c) => {
    const who = await caller(c);
    const id = c.req.param('id');
    await seen(db, who, id);
    // The rows go now, their bytes with the next sweeps.
    await told(db.as(principalOf(who), 'delete from storage.objects where bucket_id = $1', [id]));
    return c.json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' });
  });
  router.delete('/bucket/:id', async (c) => {
    const who = await caller(c);
    await changed(db.as(principalOf(who), 'delete from storage.buckets where id = $1', [c.req.param('id')]));
    return c.json({ message: 'Successfully deleted' });
  });
  // There is no cache of ours in front: nothing is in it already.
  router.delete('/cdn/:id{.+}', async (c) => {
    const who = await caller(c);
    if (who.role !== 'service_role') throw storageErrors.denied();
    await bucketOf(db, c.req.param('id').split('/')[0] ?? '');
    return c.json({ message: 'success' });
  });
}

/** What is missing stays undefined, what is null stays null. Throws `StorageRefusal`. */
function checkSettings(
  { sizeMax }: BucketParts,
  { public: open, file_size_limit: limit, allowed_mime_types: types }: Settings,
): { public: boolean | null | undefined; size: number | null | undefined; types: string[] | null | undefined } {
  const size = limit === null || limit === undefined ? limit : readSize(limit);
  if (size === null && limit !== null) throw storageErrors.sizeLimit();
  if (size !== null && size !== undefined && size > sizeMax) throw storageErrors.tooLarge();
  const odd = types?.find((type) => !MIME.test(type));
  if (odd !== undefined) throw storageErrors.mime(odd);
  return { public: open, size, types };
}

/** The bucket is there and the caller may know of it. */
async function seen(db: Database, who: Caller, id: string): Promise<void> {
  const { rows } = await db.as(principalOf(who), 'select 1 from storage.buckets where id = $1', [id]);
  if (!rows[0]) throw storageErrors.noBucket();
}

async function changed(asked: Promise<Result>): Promise<void> {
  if ((await told(asked)).count === 0) throw storageErrors.noBucket();
}

/** A refusal of the database in the words of this door. */
function told(asked: Promise<Result>): Promise<Result> {
  return asked.catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.code === '42501') throw storageErrors.denied();
    if (error.code === '23505') throw storageErrors.bucketExists();
    if (error.code === '23503') throw storageErrors.bucketNotEmpty();
    if (error.constraint === 'buckets_id_check') throw storageErrors.bucketName();
    throw error;
  });
}
