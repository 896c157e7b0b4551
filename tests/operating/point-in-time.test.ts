import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from '#tests/support/postgres.ts';
import {
  checkout,
  freePorts,
  readPayment,
  span,
  startTestServer,
  type TestServer,
} from '#tests/support/test-server.ts';
import { installDebian, mayInstall } from './debian.ts';

/**
 * Tests deploy/pgbackrest.conf with Debian's pgbackrest: the unchanged settings, and the lines and commands in the comments. Only the paths
 * differ, which are set by variables. Runs only in `npm run test:long` and as root, because it installs pgbackrest.
 */
const CONFIGURATION = new URL('../../deploy/pgbackrest.conf', import.meta.url).pathname;
const runs = process.env['TEST_LONG'] === '1' && mayInstall && process.env['TEST_POSTGRES_BIN'] !== undefined;
const APP_SECRET = 'a secret of the test of moments, long enough';

const comments = readFileSync(CONFIGURATION, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('#      '))
  .map((line) => line.slice(1).trim());
/** Returns the only command in the comments that contains these words. */
function commandWith(...words: readonly string[]): string {
  const found = comments.filter((line) => line.startsWith('runuser ') && words.every((word) => line.includes(word)));
  expect(found, words.join(' ')).toHaveLength(1);
  return found[0]?.replace('runuser -u postgres -- ', '') ?? '';
}

describe.runIf(runs)('deploy/pgbackrest.conf', () => {
  let folder: string;
  let postgres: OwnPostgres;
  let port: number;
  let server: TestServer;

  beforeAll(async () => {
    installDebian('pgbackrest');
    folder = mkdtempSync(join(tmpdir(), 'point-in-time-'));
    chmodSync(folder, 0o777);
    mkdirSync(join(folder, 'conf.d'));
    cpSync(CONFIGURATION, join(folder, 'pgbackrest.conf'));
    const cipher = comments.slice(comments.indexOf('[global]'), comments.indexOf('[global]') + 2).join('\n');
    writeFileSync(join(folder, 'conf.d', 'cipher.conf'), `${cipher.replace('…', randomUUID())}\n`, { mode: 0o644 });
    port = await freePorts();
    postgres = startOwnPostgres(port, {
      lines: comments.filter((line) => line.startsWith('archive_')),
      env: environment,
    });
    await onDatabase('postgres', 'create database studio');
    server = await start();
  }, 180_000);
  afterAll(async () => {
    await server.close();
    postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns the variables that set the paths. Everything else is in the file. */
  function environment(data: string): Record<string, string> {
    for (const name of ['repository', 'log', 'lock']) {
      mkdirSync(join(folder, name));
      chmodSync(join(folder, name), 0o777);
    }
    return {
      PGBACKREST_CONFIG: join(folder, 'pgbackrest.conf'),
      PGBACKREST_CONFIG_INCLUDE_PATH: join(folder, 'conf.d'),
      PGBACKREST_REPO1_PATH: join(folder, 'repository'),
      PGBACKREST_LOG_PATH: join(folder, 'log'),
      PGBACKREST_LOCK_PATH: join(folder, 'lock'),
      PGBACKREST_PG1_PATH: data,
      PGBACKREST_PG1_PORT: String(port),
      PGBACKREST_PG1_SOCKET_PATH: dirname(data),
    };
  }
  const start = (): Promise<TestServer> =>
    startTestServer({ databaseUrl: postgres.url.replace(/postgres$/, 'studio'), env: { APP_SECRET } });
  /** Runs a shell command as PostgreSQL's user, with the environment variables of its server. */
  const runAsPostgres = (command: string): string => postgres.run('sh', '-c', command);
  async function onDatabase(database: string, sql: string): Promise<Record<string, unknown>> {
    const client = new pg.Client({ connectionString: postgres.url.replace(/postgres$/, database) });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql);
      return rows[0] ?? {};
    } finally {
      await client.end();
    }
  }

  async function book(hoursAhead: number): Promise<string> {
    const customer = await server.addCustomer();
    const held = await server.call('create-payment', checkout(span(server.now(), hoursAhead)), customer.token);
    expect(held.status).toBe(200);
    const payment = await readPayment(server, held.body['bookingId']);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: payment.id });
    return String(held.body['bookingId']);
  }
  /** Returns the status of bookings after a server has started on the restored database. */
  async function statesAfter(restore: () => void, ...bookings: readonly string[]): Promise<unknown[]> {
    restore();
    postgres.start();
    await expect
      .poll(() => onDatabase('studio', 'select pg_is_in_recovery() as recovering'), { timeout: 60_000 })
      .toEqual({ recovering: false });
    server = await start();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const { rows } = await server.app.db.query<{ id: string; status: string }>(
      'select id, status from private.booking',
    );
    return bookings.map((id) => rows.find((row) => row.id === id)?.status ?? 'missing');
  }

  test('after the loss of the machine every booking is back, and after a mistake those before a moment between two bookings', async () => {
    for (const command of [commandWith('stanza-create'), commandWith('check'), commandWith('--type=full', 'backup')])
      runAsPostgres(command);
    const first = await book(30);
    const { moment } = await onDatabase('studio', 'select now()::text as moment');
    const second = await book(40);
    const { file } = await onDatabase('studio', 'select pg_walfile_name(pg_switch_wal()) as file');
    await expect
      .poll(() => onDatabase('studio', `select last_archived_wal >= '${String(file)}' as sent from pg_stat_archiver`), {
        timeout: 60_000,
      })
      .toEqual({ sent: true });
    await server.close();

    const loseMachine = (): void => {
      const stop = join(process.env['TEST_POSTGRES_BIN'] ?? '', 'pg_ctl');
      postgres.run(stop, '-D', postgres.data, '-m', 'immediate', '-w', 'stop');
      for (const name of readdirSync(postgres.data)) rmSync(join(postgres.data, name), { recursive: true });
      runAsPostgres(commandWith('--delta restore'));
    };
    expect(await statesAfter(loseMachine, first, second)).toEqual(['confirmed', 'confirmed']);
    await server.close();

    const back = commandWith('--type=time', 'restore');
    expect(back).toContain(`--target='2026-11-01 12:00:00+11'`);
    const undoMistake = (): void => {
      postgres.stop();
      runAsPostgres(back.replace('2026-11-01 12:00:00+11', String(moment)));
    };
    expect(await statesAfter(undoMistake, first, second)).toEqual(['confirmed', 'missing']);
    // Bookings made from now on are in the next backup.
    const third = await book(50);
    runAsPostgres(comments.find((line) => line.includes('--type=diff'))?.replace(/^.*?(?=pgbackrest)/, '') ?? 'false');
    expect(third).not.toBe('');
  }, 300_000);

  test('the copies are encrypted, and check fails when the log no longer arrives', async () => {
    const check = comments.find((line) => line.endsWith(' check') && line.includes('* *')) ?? '';
    const command = check.replace(/^.*?(?=pgbackrest)/, '');
    expect(runAsPostgres(command)).toBe('');
    const backups = readdirSync(join(folder, 'repository', 'backup', 'studio')).filter((name) => /^\d/.test(name));
    const [manifest] = backups.map((name) =>
      readFileSync(join(folder, 'repository', 'backup', 'studio', name, 'backup.manifest')),
    );
    expect(manifest?.subarray(0, 8).toString()).toBe('Salted__');
    await onDatabase('studio', `alter system set archive_command = 'false'`);
    await onDatabase('studio', 'select pg_reload_conf()');
    expect(() => runAsPostgres(`${command} --archive-timeout=3`)).toThrow(/archive/);
  }, 120_000);
});
