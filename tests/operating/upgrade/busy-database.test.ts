import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres } from '#server/db/postgres/open-postgres.ts';
import type { Schema } from '#server/db/schema/schema.ts';
import { checkedOutSchema } from '#tests/support/image.ts';
import { createMigratedDatabase, type TestDatabase } from '#tests/support/postgres.ts';

/** A lock is held this long, which exceeds the time that loading waits for one lock. */
const LONG_MS = 6_000;

describe.runIf(process.env['TEST_POSTGRES_URL'])('a database that others use while it is upgraded', () => {
  let database: TestDatabase;
  let other: pg.Client;
  beforeEach(async () => {
    const created = await createMigratedDatabase();
    if (created === null) throw new Error('PostgreSQL is not available');
    database = created;
    other = new pg.Client({ connectionString: database.url });
    await other.connect();
  }, 60_000);
  afterEach(async () => {
    await other.end();
    await database.drop();
  });

  const upgrade = async (schema: Schema): Promise<void> => {
    const ignore = (): void => undefined;
    const opened = await openPostgres(database.url, { schema, report: ignore, warn: ignore, poolSize: 2 });
    await opened.close();
  };
  const rows = async (sql: string): Promise<unknown[]> => (await other.query<Record<string, unknown>>(sql)).rows;

  /** Returns the schema of a version that changes these objects. */
  const withChanged = async (names: readonly string[]): Promise<Schema> => {
    const schema = await checkedOutSchema();
    const others = schema.code.others.map((object) =>
      names.includes(object.name) ? { ...object, hash: 'changed' } : object,
    );
    expect(others.filter(({ hash }) => hash === 'changed')).toHaveLength(names.length);
    return { ...schema, code: { ...schema.code, others } };
  };
  const changed = () => rows(`select name from private.code_object where hash = 'changed' order by name`);
  const OF_BOOKINGS = 'trigger booking_updated_at on private.booking';
  const OF_PAYMENTS = 'trigger payment_updated_at on private.payment';

  test('loading code gives way to a transaction that holds a lock, and tries again until it ends', async () => {
    await other.query('begin; lock table private.booking in row exclusive mode');
    const upgraded = upgrade(await withChanged([OF_BOOKINGS]));
    await wait(LONG_MS);
    expect(await changed()).toEqual([]);
    await other.query('commit');
    await upgraded;
    expect(await changed()).toEqual([{ name: OF_BOOKINGS }]);
  }, 60_000);

  test('loading code does not deadlock with a transaction that takes the same locks in another order', async () => {
    await other.query('begin; lock table private.payment in row exclusive mode');
    const upgraded = upgrade(await withChanged([OF_BOOKINGS, OF_PAYMENTS]));
    await wait(LONG_MS);
    expect(await changed()).toEqual([]);
    await other.query('lock table private.booking in row exclusive mode');
    await other.query('commit');
    await upgraded;
    expect(await changed()).toEqual([{ name: OF_BOOKINGS }, { name: OF_PAYMENTS }]);
  }, 60_000);

  test('a start without an upgrade does not wait for a transaction that has read the settings', async () => {
    await other.query('begin; select from private.settings');
    await upgrade(await checkedOutSchema());
    await other.query('commit');
  }, 20_000);

  test('an index is built beside readers by a migration without a transaction, while a second server waits to start', async () => {
    const schema = await checkedOutSchema();
    const sql = `-- Runs without a transaction.
      drop index if exists private.booking_probe;
      create index concurrently booking_probe on private.booking (created_at);`;
    const migrations = [...schema.migrations, { name: '9000_probe', sql, checksum: 'probe' }];
    await Promise.all([upgrade({ ...schema, migrations }), upgrade({ ...schema, migrations })]);
    expect(await rows(`select indisvalid from pg_index where indexrelid = 'private.booking_probe'::regclass`)).toEqual([
      { indisvalid: true },
    ]);
    expect(await rows(`select checksum from private.migrations where name = '9000_probe'`)).toEqual([
      { checksum: 'probe' },
    ]);
  }, 60_000);
});
