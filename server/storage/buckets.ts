import type { Hono } from 'hono';
import { z } from 'zod';
import { type Database, DatabaseError, type Result } from '#server/db/database.ts';
import type { Caller, Env } from '#server/http/caller.ts';
import { readJson } from './core/body.ts';
import { getCaller, type StorageContext } from './core/context.ts';
import { storageErrors } from './core/errors.ts';
import { readBucket, toPrincipal } from './core/store.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
]);
const MIME = /^([\w.+-]+|\*)\/([\w.+-]+|\*)$/;

/** Reads a number of bytes or a size such as '20mb' (in powers of 1,000, as in hosted Supabase). Returns null for anything else. */
function readSize(text: string | number): number | null {
  const found = /^(\d{1,15}(?:\.\d{1,6})?)\s*([kmg]?b)?$/i.exec(String(text).trim());
  if (!found) return null;
  const bytes = Math.floor(Number(found[1]) * (UNITS.get(found[2]?.toLowerCase() ?? 'b') ?? 1));
  return bytes > 0 ? bytes : null;
}

const settingsSchema = z.looseObject({
  public: z.boolean().nullish(),
  file_size_limit: z.union([z.number(), z.string().max(30)]).nullish(),
  allowed_mime_types: z.array(z.string().max(255)).max(200).nullish(),
  // This server supports only standard buckets without versioning.
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

/**
 * Adds `/bucket`. The policies on `storage.buckets` and `storage.objects` decide who may see, create, change, empty and delete a bucket.
 */
export function addBuckets(router: Hono<Env>, context: StorageContext): void {
  const { db } = context;
  router.get('/bucket', async (c) => {
    const caller = await getCaller(context, c);
    const page = pageSchema.safeParse(c.req.query());
    if (!page.success) throw storageErrors.body();
    const { limit, offset, search, sortColumn, sortOrder } = page.data;
    // Interpolation is safe: column and direction come from fixed lists.
    const text = `select ${COLUMNS} from storage.buckets where strpos(lower(id), lower($1)) > 0 or $1 = '' order by ${sortColumn} ${sortOrder}, id limit $2::int offset $3::int`;
    return c.json((await db.as(toPrincipal(caller), text, [search, limit, offset])).rows);
  });
  router.get('/bucket/:id', async (c) => {
    const caller = await getCaller(context, c);
    const text = `select ${COLUMNS} from storage.buckets where id = $1`;
    const { rows } = await db.as(toPrincipal(caller), text, [c.req.param('id')]);
    if (!rows[0]) throw storageErrors.noBucket();
    return c.json(rows[0]);
  });
  router.post('/bucket', async (c) => {
    const caller = await getCaller(context, c);
    const body = await readJson(c.req.raw, newBucketSchema);
    const id = body.id ?? body.name;
    const settings = checkSettings(context, body);
    const text = `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values ($1, $2, $3, $4::bigint, $5::text[])`;
    const values = [id, body.name, settings.public ?? false, settings.size ?? null, settings.types ?? null];
    await refuseDatabaseErrors(db.as(toPrincipal(caller), text, values));
    return c.json({ name: id });
  });
  router.put('/bucket/:id', async (c) => {
    const caller = await getCaller(context, c);
    const { public: open, size, types } = checkSettings(context, await readJson(c.req.raw, settingsSchema));
    // An omitted setting keeps its value; null removes a limit.
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
    await requireChange(db.as(toPrincipal(caller), text, values));
    return c.json({ message: 'Successfully updated' });
  });
  router.post('/bucket/:id/empty', async (c) => {
    const caller = await getCaller(context, c);
    const id = c.req.param('id');
    await requireBucket(db, caller, id);
    // This deletes the rows; the next cleanups delete their bytes.
    await refuseDatabaseErrors(db.as(toPrincipal(caller), 'delete from storage.objects where bucket_id = $1', [id]));
    return c.json({ message: 'Empty bucket has been queued. Completion may take up to an hour.' });
  });
  router.delete('/bucket/:id', async (c) => {
    const caller = await getCaller(context, c);
    await requireChange(db.as(toPrincipal(caller), 'delete from storage.buckets where id = $1', [c.req.param('id')]));
    return c.json({ message: 'Successfully deleted' });
  });
  // No CDN sits in front of this server, so there is nothing to purge.
  router.delete('/cdn/:id{.+}', async (c) => {
    const caller = await getCaller(context, c);
    if (caller.role !== 'service_role') throw storageErrors.denied();
    await readBucket(db, c.req.param('id').split('/')[0] ?? '');
    return c.json({ message: 'success' });
  });
}

/** Checks bucket settings. Missing values stay undefined and nulls stay null. Throws `StorageRefusal`. */
function checkSettings(
  { sizeMax }: StorageContext,
  { public: open, file_size_limit: limit, allowed_mime_types: types }: Settings,
): { public: boolean | null | undefined; size: number | null | undefined; types: string[] | null | undefined } {
  const size = limit === null || limit === undefined ? limit : readSize(limit);
  if (size === null && limit !== null) throw storageErrors.sizeLimit();
  if (size !== null && size !== undefined && size > sizeMax) throw storageErrors.tooLarge();
  const odd = types?.find((type) => !MIME.test(type));
  if (odd !== undefined) throw storageErrors.mime(odd);
  return { public: open, size, types };
}

/** Throws `StorageRefusal` if the bucket does not exist or the caller cannot see it. */
async function requireBucket(db: Database, caller: Caller, id: string): Promise<void> {
  const { rows } = await db.as(toPrincipal(caller), 'select 1 from storage.buckets where id = $1', [id]);
  if (!rows[0]) throw storageErrors.noBucket();
}

async function requireChange(query: Promise<Result>): Promise<void> {
  if ((await refuseDatabaseErrors(query)).count === 0) throw storageErrors.noBucket();
}

/** Turns database errors into storage refusals. */
function refuseDatabaseErrors(query: Promise<Result>): Promise<Result> {
  return query.catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.code === '42501') throw storageErrors.denied();
    if (error.code === '23505') throw storageErrors.bucketExists();
    if (error.code === '23503') throw storageErrors.bucketNotEmpty();
    if (error.constraint === 'buckets_id_check') throw storageErrors.bucketName();
    throw error;
  });
}
