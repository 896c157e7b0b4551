import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { migratedImage } from '#tests/support/image.ts';
import { createTestDatabase } from '#tests/support/postgres.ts';
import { type Database, DatabaseError } from './database.ts';
import { createPglite } from './engine/pglite.ts';
import { createPostgres } from './postgres/postgres.ts';

async function withPostgres(work: (db: Database) => Promise<void>): Promise<void> {
  const server = await createTestDatabase();
  const url = server?.url ?? '';
  // The pool has one connection, so the next statement sees the state in which a transaction leaves it.
  const db = createPostgres({ backendUrl: url, authenticatorUrl: url, poolSize: 1, warn: () => undefined });
  try {
    await work(db);
  } finally {
    await db.close();
    await server?.drop();
  }
}
async function withEmbedded(work: (db: Database) => Promise<void>): Promise<void> {
  const db = await createPglite(await migratedImage());
  try {
    await work(db);
  } finally {
    await db.close();
  }
}
const engines = [
  { name: 'embedded', on: withEmbedded },
  ...(process.env['TEST_POSTGRES_URL'] ? [{ name: 'PostgreSQL', on: withPostgres }] : []),
];

describe.each(engines)('transactions on $name', ({ on }) => {
  test('a transaction commits all statements or none, and the next one starts clean', async () => {
    await on(async (db) => {
      await db.query('create table note (n int primary key)');
      const notes = async (): Promise<unknown> => (await db.query('select n from note order by n')).rows;
      await db.transaction(async (tx) => {
        await tx.query('insert into note values (1)');
        await tx.query('insert into note values (2)');
      });
      expect(await notes()).toEqual([{ n: 1 }, { n: 2 }]);
      const late = db.transaction(async (tx) => {
        await tx.query('insert into note values (3)');
        await tx.query('insert into note values (1)');
      });
      await expect(late).rejects.toThrow(DatabaseError);
      const early = db.transaction(async (tx) => {
        await tx.query('insert into note values (1)');
      });
      await expect(early).rejects.toThrow(DatabaseError);
      expect(await notes()).toEqual([{ n: 1 }, { n: 2 }]);
      const thrown = db.transaction(async (tx) => {
        await tx.query('insert into note values (4)');
        throw new Error('changed its mind');
      });
      await expect(thrown).rejects.toThrow('changed its mind');
      expect(await notes()).toEqual([{ n: 1 }, { n: 2 }]);
    });
  }, 60_000);

  test('a transaction without statements opens none in the database', async () => {
    await on(async (db) => {
      expect(await db.transaction(async () => 'nothing')).toBe('nothing');
      const thrown = db.transaction(() => Promise.reject(new Error('before the first')));
      await expect(thrown).rejects.toThrow('before the first');
      const first = await db.queryRow('select txid_current() as id');
      const second = await db.queryRow('select txid_current() as id');
      expect(second).not.toEqual(first);
    });
  }, 60_000);
});

test.runIf(process.env['TEST_POSTGRES_URL'])(
  'a connection that breaks between two statements fails its transaction and nothing else',
  async () => {
    const server = await createTestDatabase();
    const url = server?.url ?? '';
    const warned: string[] = [];
    const warn = (line: string): void => void warned.push(line);
    const db = createPostgres({ backendUrl: url, authenticatorUrl: url, poolSize: 1, warn });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    const broken = db.transaction(async ({ queryRow, query }) => {
      const own = await queryRow<{ pid: number }>('select pg_backend_pid() as pid');
      await other.query('select pg_terminate_backend($1)', [own?.pid]);
      await expect.poll(() => warned.length).toBeGreaterThan(0);
      await query('select 1');
    });
    await expect(broken).rejects.toThrow(DatabaseError);
    expect((await db.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    const limits = await db.query(
      `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    expect(limits.rows).toEqual([{ statement: '30s', idle: '30s' }]);
    await other.end();
    await db.close();
    await server?.drop();
  },
  60_000,
);
