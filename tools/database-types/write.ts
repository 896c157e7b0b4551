/** `npm run types:database`: migrates an embedded database in memory and writes `database/types.ts` from it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMigrations } from '#server/db/migrate.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { generateTypes } from './generate.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'database');
const ignore = (): void => undefined;

const migrations = await readMigrations(join(FOLDER, 'migrations'));
const db = await openEmbedded(null, { migrations, report: ignore, warn: ignore });
await writeFile(join(FOLDER, 'types.ts'), await generateTypes(db));
await db.close();
