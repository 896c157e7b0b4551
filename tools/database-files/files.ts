import type { Database } from '#server/db/database.ts';
import { generateDataModel } from './data-model.ts';
import { generateTables } from './tables.ts';
import { generateTypes } from './types.ts';

/** Files that are generated from a database of this version, each with its generator. */
export const FILES: readonly (readonly [path: string, generate: (db: Database) => Promise<string>])[] = [
  ['database/types.ts', generateTypes],
  ['database/tables.sql', generateTables],
  ['docs/data-model.md', generateDataModel],
];
