import { z } from 'zod';
import type { Caller } from '#server/http/caller.ts';
import type { StorageContext } from '../core/context.ts';
import { readBucket, toPrincipal } from '../core/store.ts';
import { denyAsNotFound } from './find.ts';

/** The query of supabase-js's `list`, which returns the content of one folder. */
export const listingSchema = z.looseObject({
  prefix: z
    .string()
    .max(1_024)
    .default('')
    .transform((prefix) => (prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`)),
  limit: z.number().int().min(1).max(1_000).default(100),
  offset: z.number().int().min(0).max(1_000_000).default(0),
  search: z.string().max(1_024).default(''),
  sortBy: z
    .looseObject({
      column: z.enum(['name', 'created_at', 'updated_at', 'last_accessed_at']).default('name'),
      order: z.enum(['asc', 'desc']).default('asc'),
    })
    .default({ column: 'name', order: 'asc' }),
});
export type Listing = z.output<typeof listingSchema>;

/** A file, or a folder, which has only its name set. */
export type Entry = {
  readonly name: string;
  readonly id: string | null;
  readonly created_at: Date | null;
  readonly updated_at: Date | null;
  readonly last_accessed_at: Date | null;
  readonly metadata: unknown;
};

/**
 * $1 bucket, $2 prefix, $3 search, $4 column, $5 direction, $6 limit, $7 offset. Folders come first; a folder is a common prefix of names.
 */
const LISTING = `
with inside as (
  select substr(o.name, char_length($2) + 1) as rest, o.* from storage.objects o where o.bucket_id = $1 and starts_with(o.name, $2)
), entries as (
  select distinct split_part(i.rest, '/', 1) as name, null::uuid as id, null::timestamptz as created_at, null::timestamptz as updated_at,
    null::timestamptz as last_accessed_at, null::jsonb as metadata
  from inside i where strpos(i.rest, '/') > 0
  union all
  select i.rest, i.id, i.created_at, i.updated_at, i.last_accessed_at, i.metadata || jsonb_build_object('lastModified', i.updated_at, 'httpStatusCode', 200)
  from inside i where strpos(i.rest, '/') = 0 and i.rest <> ''
)
select name, id, created_at, updated_at, last_accessed_at, metadata from entries
where strpos(lower(name), lower($3)) > 0 or $3 = ''
order by (id is not null),
  case when $5 = 'asc' then case $4 when 'created_at' then created_at when 'updated_at' then updated_at when 'last_accessed_at' then last_accessed_at end end asc,
  case when $5 = 'desc' then case $4 when 'created_at' then created_at when 'updated_at' then updated_at when 'last_accessed_at' then last_accessed_at end end desc,
  case when $5 = 'desc' and $4 = 'name' then name end desc,
  name
limit $6::int offset $7::int`;

/** The query of supabase-js's `listV2`, which returns a page of everything that starts with a prefix. */
export const pageSchema = z.looseObject({
  prefix: z.string().max(1_024).default(''),
  cursor: z
    .string()
    .max(4_096)
    .nullish()
    .transform((text, context) => {
      const read = text ? readCursor(text) : null;
      if (text && read === null) context.addIssue({ code: 'custom', message: 'not a cursor of ours' });
      return read;
    }),
  limit: z.number().int().min(1).max(1_000).default(1_000),
  with_delimiter: z.boolean().default(false),
  sortBy: z
    .looseObject({
      column: z.enum(['name', 'created_at', 'updated_at']).default('name'),
      order: z.enum(['asc', 'desc']).default('asc'),
    })
    .default({ column: 'name', order: 'asc' }),
});
export type Page = z.output<typeof pageSchema>;

/** A file, or with `with_delimiter` a folder, whose name ends with `/`. `at` is its sort key. */
type PageEntry = Entry & { readonly at: string };
type Cursor = readonly [at: string, name: string];

const cursorSchema = z.tuple([z.string(), z.string()]);
const writeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url');
function readCursor(text: string): Cursor | null {
  try {
    return cursorSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))).data ?? null;
  } catch {
    return null; // the text is not JSON, so this server did not issue the cursor
  }
}

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.US'`;
/** $1 bucket, $2 prefix, $3 whether to group by folder, $4 column, $5 direction, $6 and $7 cursor or null, $8 limit. */
const PAGE = `
with inside as (
  select case when $3::boolean and strpos(substr(o.name, char_length($2) + 1), '/') > 0 then $2 || split_part(substr(o.name, char_length($2) + 1), '/', 1) || '/' end as folder, o.*
  from storage.objects o where o.bucket_id = $1 and starts_with(o.name, $2)
), entries as (
  select distinct i.folder as name, null::uuid as id, null::timestamptz as created_at, null::timestamptz as updated_at, null::timestamptz as last_accessed_at, null::jsonb as metadata, '' as at
  from inside i where i.folder is not null
  union all
  select i.name, i.id, i.created_at, i.updated_at, i.last_accessed_at, i.metadata,
    case $4 when 'created_at' then to_char(i.created_at at time zone 'UTC', ${TIME}) when 'updated_at' then to_char(i.updated_at at time zone 'UTC', ${TIME}) else '' end
  from inside i where i.folder is null
)
select name, id, created_at, updated_at, last_accessed_at, metadata, at from entries
where $6::text is null or case $5 when 'asc' then (at collate "C", name collate "C") > ($6 collate "C", $7::text collate "C") else (at collate "C", name collate "C") < ($6 collate "C", $7 collate "C") end
order by case when $5 = 'asc' then at end collate "C", case when $5 = 'asc' then name end collate "C", at collate "C" desc, name collate "C" desc
limit $8::int`;

/** Lists one folder as the caller: its folders, and its files with their properties. Throws `StorageRefusal`. */
export async function listObjects(
  { db }: StorageContext,
  caller: Caller,
  bucketId: string,
  { prefix, limit, offset, search, sortBy }: Listing,
): Promise<Entry[]> {
  const bucket = await readBucket(db, bucketId);
  if (bucket.owner_only && caller.userId === null) return [];
  const values = [bucketId, prefix, search, sortBy.column, sortBy.order, limit, offset];
  return (await db.as<Entry>(toPrincipal(caller), LISTING, values).catch(denyAsNotFound)).rows;
}

/** Lists a page of everything that starts with a prefix, as the caller. Throws `StorageRefusal`. */
export async function listPage(
  { db }: StorageContext,
  caller: Caller,
  bucketId: string,
  { prefix, cursor, limit, with_delimiter, sortBy }: Page,
): Promise<Paged> {
  const bucket = await readBucket(db, bucketId);
  if (bucket.owner_only && caller.userId === null) return toPage([], limit);
  const [at, name] = cursor ?? [null, null];
  // One row more than requested shows whether there is a next page.
  const values = [bucketId, prefix, with_delimiter, sortBy.column, sortBy.order, at, name, limit + 1];
  return toPage((await db.as<PageEntry>(toPrincipal(caller), PAGE, values).catch(denyAsNotFound)).rows, limit);
}

/** A page of `listV2` in supabase-js's format. */
export type Paged = {
  readonly hasNext: boolean;
  readonly nextCursor?: string;
  readonly folders: readonly { readonly key: string; readonly name: string }[];
  readonly objects: readonly (Entry & { readonly key: string })[];
};

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
