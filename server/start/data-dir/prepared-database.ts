import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackImage } from '#server/db/engine/image.ts';
import { getFingerprint, type Schema } from '#server/db/schema/schema.ts';

/** The build puts the prepared database next to the server; in a source checkout it is in dist. */
const FOLDER = new URL(
  import.meta.url.endsWith('.js') ? '../../../prepared' : '../../../dist/prepared',
  import.meta.url,
).pathname;

/** Returns the name of the file with the database that prepare-database.ts has made for a schema. */
export const toPreparedName = (schema: Schema): string => `${getFingerprint(schema)}.tar`;

/**
 * Unpacks the prepared database of this version for a first start, so that the engine need not create one: that takes seconds, and memory
 * that the process keeps. Does nothing if the folder exists or no database is prepared. A killed start leaves the whole folder or none.
 */
export async function unpackPrepared(folder: string, schema: Schema, sync: boolean, prepared = FOLDER): Promise<void> {
  const file = join(prepared, toPreparedName(schema));
  if (existsSync(folder) || !existsSync(file)) return;
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  unpackImage(await readFile(file), unfinished, sync);
  await rename(unfinished, folder);
}
