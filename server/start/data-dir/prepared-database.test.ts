import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { checkedOutSchema, imageFile } from '#tests/support/image.ts';
import { toPreparedName, unpackPrepared } from './prepared-database.ts';

const schema = await checkedOutSchema();
let place: string;
let folder: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'prepared-'));
  folder = join(place, 'database');
  await copyFile(await imageFile(), join(place, toPreparedName(schema)));
});
afterEach(() => rm(place, { recursive: true, force: true }));

test('a first start gets the whole database, which needs no migration and outlives a restart', async () => {
  // A start that was killed while it unpacked leaves this folder.
  await mkdir(`${folder}.new`);
  await writeFile(join(`${folder}.new`, 'part'), '');
  await unpackPrepared(folder, schema, true, place);
  expect(await readdir(place)).toEqual([toPreparedName(schema), 'database'].toSorted());
  expect(await readdir(folder)).not.toContain('part');
  const lines: string[] = [];
  for (const count of [1, 2]) {
    const db = await openEmbedded(folder, { schema, report: (line) => void lines.push(line), warn: () => undefined });
    await db.query(`insert into private.settings (name, value) values ($1, '1')`, [`probe ${count}`]);
    expect((await db.query(`select from private.settings where name like 'probe %'`)).count).toBe(count);
    await db.close();
  }
  expect(lines).toEqual([]);
}, 60_000);

test('an existing database is left alone', async () => {
  await mkdir(folder);
  await unpackPrepared(folder, schema, false, place);
  expect(await readdir(folder)).toEqual([]);
});

test('a database that was prepared for another schema is not used', async () => {
  await unpackPrepared(folder, { ...schema, migrations: schema.migrations.slice(1) }, false, place);
  expect(await readdir(place)).toEqual([toPreparedName(schema)]);
});
