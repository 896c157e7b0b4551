/** `npm run database:files`: creates an embedded database in memory, and writes `database/types.ts` and `database/tables.sql` from it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSchema } from '#server/db/schema/schema.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { generateTables } from './tables.ts';
import { generateTypes } from './types.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'database');
const ignore = (): void => undefined;

const schema = await readSchema(FOLDER);
const db = await openEmbedded(null, { schema, report: ignore, warn: ignore });
await writeFile(join(FOLDER, 'types.ts'), await generateTypes(db));
await writeFile(join(FOLDER, 'tables.sql'), await generateTables(db));
await db.close();
