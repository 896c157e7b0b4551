import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeImage } from '#server/db/engine/image.ts';
import { readSchema } from '#server/db/schema/schema.ts';
import { toPreparedName } from './prepared-database.ts';

/** A program of the build: `node prepare-database.ts FOLDER` makes the database of this version for first starts, unless it exists. */
const [folder = ''] = process.argv.slice(2);
const schema = await readSchema(new URL('../../../database/', import.meta.url).pathname);
const file = join(folder, toPreparedName(schema));
if (!existsSync(file)) {
  const image = await makeImage(schema);
  // Those of earlier schemas are removed.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.new`, image);
  await rename(`${file}.new`, file);
}
