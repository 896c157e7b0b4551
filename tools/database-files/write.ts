/** `npm run database:files`: creates an embedded database in memory, and writes the files from it that `FILES` names. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSchema } from '#server/db/schema/schema.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { FILES } from './files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ignore = (): void => undefined;

const schema = await readSchema(join(ROOT, 'database'));
const db = await openEmbedded(null, { schema, report: ignore, warn: ignore });
for (const [path, generate] of FILES) await writeFile(join(ROOT, path), await generate(db));
await db.close();
process.stdout.write('database/types.ts, database/tables.sql and docs/data-model.md are written.\n');
