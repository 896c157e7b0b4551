import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migratedImage } from '#tests/support/image.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/postgres.ts';
import { type Database, DatabaseError } from './database.ts';
import { createPglite } from './engine/pglite.ts';
import { createPostgres } from './postgres/postgres.ts';

/** More statements than a connection keeps prepared. */
const MANY = 700;
const ENGINES = ['embedded', ...(process.env['TEST_POSTGRES_URL'] ? ['PostgreSQL'] : [])];

describe.each(ENGINES)('prepared statements on %s', (name) => {
  let db: Database;
  let server: TestDatabase | null = null;
  beforeAll(async () => {
    if (name === 'embedded') {
      db = await createPglite(await migratedImage());
      return;
    }
    server = await createTestDatabase();
    const url = server?.url ?? '';
    db = createPostgres({ backendUrl: url, authenticatorUrl: url, poolSize: 2, warn: () => undefined });
  }, 60_000);
  afterAll(async () => {
    await db.close();
    await server?.drop();
  });
  const ask = async (at: number): Promise<unknown> => {
    const { rows } = await db.query(`select $1::int + ${at} as "sum ${at}", 'x' as word`, [1]);
    return rows;
  };

  test('a reused statement name returns the rows and columns of its new text', async () => {
    for (let index = 0; index < MANY; index += 1)
      expect(await ask(index)).toEqual([{ [`sum ${index}`]: index + 1, word: 'x' }]);
    for (let index = 0; index < MANY; index += 50)
      expect(await ask(index)).toEqual([{ [`sum ${index}`]: index + 1, word: 'x' }]);
    const all = await Promise.all(Array.from({ length: MANY }, (_, index) => ask(index)));
    expect(all).toEqual(Array.from({ length: MANY }, (_, index) => [{ [`sum ${index}`]: index + 1, word: 'x' }]));
  }, 60_000);

  test('rarely used statements are closed while frequently used ones stay prepared', async () => {
    const often = `select 'often' as word`;
    for (let index = 0; index < MANY; index += 1) {
      await db.query(`select ${index} as odd`);
      if (index % 20 === 0) await db.query(often);
    }
    const { rows } = await db.query<{ kept: number; often: number }>(
      `select count(*)::int as kept, count(*) filter (where statement = $1)::int as often from pg_prepared_statements`,
      [often],
    );
    expect(rows[0]?.kept).toBeLessThanOrEqual(601);
    if (name === 'embedded') expect(rows[0]?.often).toBe(1);
  }, 60_000);

  test('failed statements do not break later uses of their names', async () => {
    for (let index = 0; index < MANY; index += 1) {
      const wrong = db.as({ role: 'nobody at all', claims: '{}' }, `select ${index} as never`);
      await expect(wrong).rejects.toThrow(DatabaseError);
    }
    for (let index = 0; index < MANY; index += 40)
      expect(await ask(index)).toEqual([{ [`sum ${index}`]: index + 1, word: 'x' }]);
  }, 60_000);
});
