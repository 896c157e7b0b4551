import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import pg from 'pg';
import type { Database, Principal } from '#server/db/database.ts';
import { openPostgres } from '#server/db/postgres/open-postgres.ts';
import { checkedOutSchema } from '#tests/support/image.ts';
import { type OwnPostgres, startOwnPostgres } from '#tests/support/postgres.ts';
import { freePorts } from '#tests/support/test-server.ts';

const read = { transaction_read_only: 'on' };
const GUEST: Principal = { role: 'anon', claims: '{"role":"anon"}', settings: read, caller: 'ip:203.0.113.7' };
const OTHER: Principal = { ...GUEST, caller: 'ip:203.0.113.8' };
const CUSTOMER: Principal = {
  role: 'authenticated',
  claims: '{"role":"authenticated"}',
  settings: read,
  caller: 'user:1',
};
const WHO = 'select pg_is_in_recovery() as replica, (select count(*)::int from public.seen) as rows';

describe.runIf(process.env['TEST_POSTGRES_BIN'])('DATABASE_REPLICA_URL', () => {
  let primary: OwnPostgres;
  let replica: OwnPostgres;
  let db: Database;
  const warnings: string[] = [];

  beforeAll(async () => {
    const port = await freePorts();
    primary = startOwnPostgres(port);
    replica = startOwnPostgres(port + 1, { from: primary.url });
    db = await openPostgres(primary.url, {
      schema: await checkedOutSchema(),
      report: () => undefined,
      warn: (line) => void warnings.push(line),
      poolSize: 4,
      replica: { url: replica.url, maxLagMs: 3_000 },
    });
    await onPrimary('create table public.seen (line text); grant select, insert on public.seen to anon, authenticated');
  }, 120_000);
  afterAll(async () => {
    await db.close();
    replica.remove();
    primary.remove();
  });

  async function onPrimary(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: primary.url });
    await client.connect();
    await client.query(sql);
    await client.end();
  }
  const answer = async (principal: Principal): Promise<unknown> => (await db.as(principal, WHO)).rows[0];
  const replicaAnswers = async (principal: Principal): Promise<boolean> =>
    (await db.as<{ replica: boolean }>(principal, 'select pg_is_in_recovery() as replica')).rows[0]?.replica === true;
  const untilReplica = (principal: Principal): Promise<void> =>
    expect.poll(() => replicaAnswers(principal), { timeout: 20_000 }).toBe(true);

  test('the replica answers reads of guests, the primary everybody else', async () => {
    await untilReplica(GUEST);
    expect(await replicaAnswers(CUSTOMER)).toBe(false);
    expect(await replicaAnswers({ ...CUSTOMER, role: 'service_role' })).toBe(false);
    expect(await replicaAnswers({ ...GUEST, settings: {} })).toBe(false);
    expect(await db.queryRow('select pg_is_in_recovery() as replica')).toEqual({ replica: false });
  });

  test('a guest who writes reads the own row at once, in 30 tries, and other guests stay at the replica', async () => {
    await untilReplica(GUEST);
    for (let n = 1; n <= 30; n += 1) {
      await db.as({ ...GUEST, settings: {} }, `insert into public.seen values ('x')`);
      expect(await answer(GUEST)).toMatchObject({ rows: n });
    }
    expect(await replicaAnswers(OTHER)).toBe(true);
    await untilReplica(GUEST);
    expect(await answer(GUEST)).toEqual({ replica: true, rows: 30 });
  });

  test('who is notified of a change reads it, in 20 tries', async () => {
    await untilReplica(OTHER);
    let heard = Promise.withResolvers<void>();
    const stop = await db.listen('seen', () => heard.resolve());
    for (let n = 31; n <= 50; n += 1) {
      heard = Promise.withResolvers<void>();
      await onPrimary(`insert into public.seen values ('y'); notify seen`);
      await heard.promise;
      expect(await answer(OTHER)).toMatchObject({ rows: n });
    }
    await stop();
  });

  test('while the replica stands still guests read at the primary after the time it may be behind', async () => {
    await untilReplica(GUEST);
    warnings.length = 0;
    const client = new pg.Client({ connectionString: replica.url });
    await client.connect();
    await client.query('select pg_wal_replay_pause()');
    await onPrimary(`insert into public.seen values ('z')`);
    await expect.poll(() => answer(GUEST), { timeout: 20_000 }).toEqual({ replica: false, rows: 51 });
    // The next comparison of the two servers detects the delay too.
    await expect
      .poll(() => warnings.at(-1), { timeout: 20_000 })
      .toBe('the replica is behind or down; the primary answers guests');
    await client.query('select pg_wal_replay_resume()');
    await client.end();
    await untilReplica(GUEST);
    expect(warnings.at(-1)).toBe('the replica has caught up and answers guests');
  }, 60_000);

  test('no read of a guest fails when the replica goes away, and it is used again when it is back', async () => {
    await untilReplica(GUEST);
    let answers = 0;
    let stopping = true;
    const reading = (async () => {
      while (stopping || answers < 50) {
        await answer(GUEST);
        answers += 1;
      }
    })();
    await new Promise((done) => setTimeout(done, 50));
    replica.stop();
    stopping = false;
    await reading;
    expect(await replicaAnswers(GUEST)).toBe(false);
    replica.start();
    await untilReplica(GUEST);
  }, 60_000);
});
