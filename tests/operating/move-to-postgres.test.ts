import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { DirectoryLocked } from '#server/db/directory-lock.ts';
import { runMoveToPostgres } from '#server/start/backup/move-to-postgres.ts';
import { migratedFolder } from '#tests/support/image.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/postgres.ts';

describe.skipIf(process.env['TEST_POSTGRES_URL'] === undefined)('npm run move-to-postgres', () => {
  let dataDir: string;
  let database: TestDatabase;
  const createConfig = (env: Record<string, string> = {}) =>
    readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env });
  const move = async (url: string): Promise<string[]> => {
    const lines: string[] = [];
    await runMoveToPostgres(createConfig({ DATABASE_URL: url }), (line) => lines.push(line));
    return lines;
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'move-'));
    await migratedFolder(join(dataDir, 'database'));
    const created = await createTestDatabase();
    if (!created) throw new Error('PostgreSQL is there');
    database = created;
  });
  afterAll(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('is refused while a server runs; then carries everything over, with the keys, and leaves nothing to write to', async () => {
    const before = await compose(createConfig());
    const [{ id }] = (await before.db.query<{ id: string }>(`select id from auth.users order by email limit 1`))
      .rows as [{ id: string }];
    await before.db.query(
      `insert into private.outbox (kind, subject_id, payload, due_at) values ('mail.customer', $1, '{"a": "\\u00e9 \\"b\\""}', now())`,
      [id],
    );
    const token = before.keys.sign({ sub: id, role: 'authenticated' }, 600, new Date());
    const count = await countRows(before);
    await expect(move(database.url)).rejects.toBeInstanceOf(DirectoryLocked);
    await before.close();

    const lines = await move(database.url);
    expect(lines.at(-2)).toMatch(/^moved \d+ rows of \d+ tables and 0 files; every sum is right$/);
    expect(existsSync(join(dataDir, 'database'))).toBe(false);
    expect(existsSync(join(dataDir, 'database.moved'))).toBe(true);
    const after = await compose(createConfig({ DATABASE_URL: database.url }));
    expect(after.db.kind).toBe('postgres');
    expect(await countRows(after)).toEqual(count);
    expect(await after.keys.verify(token, new Date())).toMatchObject({ sub: id });
    await after.close();
    await expect(move(database.url)).rejects.toThrow('there is no embedded database to move');
  }, 120_000);

  test('is refused into a database that is in use', async () => {
    await rm(join(dataDir, 'database.moved'), { recursive: true });
    await migratedFolder(join(dataDir, 'database'));
    await expect(move(database.url)).rejects.toThrow('the database is not empty');
    expect(existsSync(join(dataDir, 'database'))).toBe(true);
  }, 120_000);
});

async function countRows({ db }: Pick<Awaited<ReturnType<typeof compose>>, 'db'>): Promise<unknown> {
  return db.queryRow(
    `select (select count(*)::int from auth.users) as users, (select count(*)::int from public.studios) as studios,
       (select max(payload::text) from private.outbox where kind = 'mail.customer') as payload`,
  );
}
