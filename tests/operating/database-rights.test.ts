import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Schema } from '#server/db/schema/schema.ts';
import { getLoginName, withLogin } from '#server/db/postgres/address.ts';
import { openPostgres, type PostgresOpenOptions } from '#server/db/postgres/open-postgres.ts';
import { DatabaseRefused, DatabaseUnreachable } from '#server/db/postgres/refused.ts';
import { restoreDump } from '#server/db/postgres/restore-dump.ts';
import { checkedOutSchema } from '#tests/support/image.ts';
import { type OwnPostgres, startOwnPostgres } from '#tests/support/postgres.ts';
import { freePorts, startTestServer } from '#tests/support/test-server.ts';

/** The secret for all starts: a restored database must be used with the secret of its backup. */
const APP_SECRET = 'a secret of the tests of database rights, long enough';

/** The cluster requires passwords, and the owners of its databases are not superusers, as on a managed PostgreSQL. */
describe.runIf(process.env['TEST_POSTGRES_URL'])('a database of an ordinary owner', () => {
  let cluster: OwnPostgres;
  let port: number;
  let admin: pg.Client;
  let schema: Schema;
  const lines: string[] = [];

  const getUrl = (database: string, password = database): string =>
    `postgres://owner_${database}:${password}@127.0.0.1:${port}/${database}`;
  const options = (): PostgresOpenOptions => ({
    schema,
    report: (line) => lines.push(line),
    warn: (line) => lines.push(line),
    poolSize: 2,
  });
  const rows = async (sql: string): Promise<unknown[]> => (await admin.query<Record<string, unknown>>(sql)).rows;
  const createDatabase = async (name: string, rights = ''): Promise<void> => {
    await admin.query(`create role owner_${name} login ${rights} password '${name}'`);
    await admin.query(`create database ${name} owner owner_${name}`);
  };
  /** Returns whether a connection with this address succeeds. */
  const connects = async (url: string): Promise<boolean> => {
    const client = new pg.Client({ connectionString: url });
    const open = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end();
    return open;
  };

  beforeAll(async () => {
    schema = await checkedOutSchema();
    port = await freePorts();
    cluster = startOwnPostgres(port);
    admin = new pg.Client({ connectionString: cluster.url });
    admin.on('error', () => undefined);
    await admin.connect();
    const [file] = await rows(`select current_setting('hba_file') as path`);
    await admin.query(
      `copy (values ('host all postgres 127.0.0.1/32 trust'), ('host all all 127.0.0.1/32 scram-sha-256')) to '${String((file as { path: string }).path)}'`,
    );
    await admin.query('select pg_reload_conf()');
    await createDatabase('one');
    await createDatabase('two', 'createrole');
  }, 60_000);
  afterAll(async () => {
    await admin.end();
    cluster.remove();
  });

  test('without the right to make roles the start names them in SQL without a secret, and works once an administrator has run it', async () => {
    const refusal: unknown = await openPostgres(getUrl('one'), options()).catch((error: unknown) => error);
    if (!(refusal instanceof DatabaseRefused)) throw refusal;
    const [first = '', ...sql] = refusal.lines;
    expect(first).toContain('the login owner_one of DATABASE_URL has no right to create the roles');
    expect(sql.join('\n')).toContain(`create role "backend_one" login password 'SCRAM-SHA-256$`);
    for (const line of sql) await admin.query(line);
    expect(await rows(`select rolname from pg_roles where rolbypassrls and rolname <> 'postgres'`)).toEqual([]);

    const server = await startTestServer({ databaseUrl: getUrl('one'), env: { APP_SECRET } });
    const studios = await server.app.http.request('/rest/v1/studios?select=name');
    expect(await studios.json()).toHaveLength(3);
    const service = { apikey: server.app.keys.serviceRoleKey };
    const accounts = await server.app.http.request('/rest/v1/profiles?select=id', { headers: service });
    expect(((await accounts.json()) as unknown[]).length).toBeGreaterThan(0);
    const { rows: who } = await server.app.db.query('select current_user::text as name');
    expect(who).toEqual([{ name: 'backend_one' }]);
    await server.close();
  }, 60_000);

  test('a second installation makes its own logins, gets no access to the first and changes nothing there', async () => {
    const first = await openPostgres(getUrl('one'), options());
    const second = await openPostgres(getUrl('two'), options());
    const { rows: found } = await first.query('select current_user::text as name');
    expect(found).toEqual([{ name: 'backend_one' }]);
    expect((await second.query('select current_user::text as name')).rows).toEqual([{ name: 'backend_two' }]);
    const { rows: secrets } = await second.query<{ value: string }>(
      `select value #>> '{}' as value from private.settings where name = 'login_password'`,
    );
    const url = withLogin(getUrl('two'), getLoginName('backend', 'two'), secrets[0]?.value ?? '');
    expect(await connects(url)).toBe(true);
    expect(await connects(url.replace(/two$/, 'one'))).toBe(false);
    await Promise.all([first.close(), second.close()]);
    // The first database still accepts new connections after the second has started.
    const reopened = await openPostgres(getUrl('one'), options());
    expect((await reopened.query('select 1 as fine')).rows).toEqual([{ fine: 1 }]);
    await reopened.close();
  }, 60_000);

  test('a wrong password and a missing database end the start at once, in one line', async () => {
    const refusals = [getUrl('one', 'wrong'), `postgres://postgres@127.0.0.1:${port}/none`].map((url) =>
      openPostgres(url, { ...options(), waitSeconds: 60 }).catch((error: unknown) => error),
    );
    expect(
      (await Promise.all(refusals)).map((error) => (error instanceof DatabaseRefused ? error.lines : error)),
    ).toEqual([
      ['DATABASE_URL: wrong password for the login owner_one'],
      ['DATABASE_URL: the database none does not exist; create it with: createdb none'],
    ]);
  });

  test('connections whose server becomes read-only are dropped, also those that have not written', async () => {
    const db = await openPostgres(getUrl('one'), options());
    const process = async (): Promise<unknown> => (await db.query('select pg_backend_pid() as pid')).rows[0];
    const processes = (): Promise<unknown[]> => Promise.all([process(), process()]);
    const before = await processes();
    expect(new Set(await processes())).toEqual(new Set(before));
    await admin.query('alter system set default_transaction_read_only = on');
    await admin.query('select pg_reload_conf()');
    const write = (): Promise<unknown> => db.query(`update private.settings set value = value where name = 'none'`);
    await expect.poll(() => write().then(() => '', String)).toMatch(/read-only/);
    expect(lines).toContain('the database has become read-only; its connections are dropped');
    for (const replacement of await processes()) expect(before).not.toContainEqual(replacement);
    await admin.query('set transaction_read_only = off');
    await admin.query('alter system reset default_transaction_read_only');
    await admin.query('select pg_reload_conf()');
    await expect.poll(() => write().then(() => '', String)).toBe('');
    await db.close();
  }, 60_000);

  test('a plain dump is restored into a cluster without the roles', async () => {
    const dump = join(tmpdir(), `dump-${port}.sql`);
    const { status } = spawnSync(join(process.env['TEST_POSTGRES_BIN'] ?? '', 'pg_dump'), [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      'postgres',
      '-f',
      dump,
      'one',
    ]);
    expect(status).toBe(0);
    for (const database of ['one', 'two']) {
      await admin.query(`drop database ${database} with (force)`);
      await admin.query(`drop role backend_${database}, authenticator_${database}`);
    }
    await admin.query('drop role authenticator, anon, authenticated, service_role, backend, booking_reader');
    await createDatabase('three', 'createrole');
    const unreadable = restoreDump(getUrl('three'), tmpdir(), { schema, seconds: 0, report: () => undefined });
    await expect(unreadable).rejects.toThrow('EISDIR');
    await restoreDump(getUrl('three'), dump, { schema, seconds: 0, report: () => undefined });
    const server = await startTestServer({ databaseUrl: getUrl('three'), env: { APP_SECRET } });
    const studios = await server.app.http.request('/rest/v1/studios?select=name');
    expect(await studios.json()).toHaveLength(3);
    const service = { apikey: server.app.keys.serviceRoleKey };
    expect((await server.app.http.request('/rest/v1/bookings?select=id', { headers: service })).status).toBe(200);
    const repeated = await restoreDump(getUrl('three'), dump, { schema, seconds: 0, report: () => undefined }).catch(
      String,
    );
    expect(repeated).toContain('is not empty');
    await server.close();
    await rm(dump);
  }, 60_000);

  test('the start waits for a database that is down, reports it once and gives up with a clear line', async () => {
    cluster.stop();
    lines.length = 0;
    const refused = await openPostgres(getUrl('three'), { ...options(), waitSeconds: 0 }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(DatabaseUnreachable);
    expect(String(refused)).toContain(`127.0.0.1:${port}, database three (ECONNREFUSED), after 0 seconds; start it`);
    const waiting = openPostgres(getUrl('three'), { ...options(), waitSeconds: 30 });
    await expect.poll(() => lines.length).toBe(1);
    expect(lines).toEqual([`waiting for the database at 127.0.0.1:${port}, database three (ECONNREFUSED) ...`]);
    cluster.start();
    await (await waiting).close();
    expect(lines).toHaveLength(1);
    admin = new pg.Client({ connectionString: cluster.url });
    admin.on('error', () => undefined);
    await admin.connect();
  }, 60_000);
});
