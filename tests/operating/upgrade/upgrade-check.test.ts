import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { lockDirectory } from '#server/db/directory-lock.ts';
import { createPglite } from '#server/db/engine/pglite.ts';
import { runUpgradeCheck } from '#server/start/doctor/upgrade-check.ts';
import { onlyPostgres } from '#tests/support/engines.ts';
import { migratedFolder } from '#tests/support/image.ts';
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from '#tests/support/postgres.ts';
import { PASSPHRASE } from './contents.ts';
import { type StatePlace, toConfig } from './state-server.ts';
import { type State, unpackState } from './unpack.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const quiet = (): void => undefined;

/** Runs the command and returns its exit code and its output lines. */
async function check(place: StatePlace, file?: string): Promise<{ code: number; lines: readonly string[] }> {
  const lines: string[] = [];
  const config = toConfig(place, { BACKUP_PASSPHRASE: PASSPHRASE });
  const code = await runUpgradeCheck(config, file, (line) => lines.push(line));
  return { code, lines };
}

const FROM_FIRST = `The database has release 0.1.0; this program is release ${version}.`;
const UP_TO_DATE = [`The database has release ${version}; this program is release ${version}.`, 'Migrations: none.'];
const OF_FUNCTIONS = expect.stringMatching(/^Code: (creates .*; )?replaces [1-9]\d* functions/);
const REFUSED = expect.stringMatching(
  /^Refused: the database is older than version 0\.1\.0 \(migration 0143_\w+ is missing or differs\); start commit [\da-f]{40} once, then this version$/,
);
const TRIED = expect.stringMatching(/^A copy of the database was upgraded in \d+\.\d s\. The database itself has not/);
const UNFINISH = 'delete from private.migrations where name = (select max(name) from private.migrations)';

describe.runIf(process.env['TEST_POSTGRES_URL'])('on PostgreSQL', () => {
  let database: TestDatabase;
  let other: pg.Client;
  afterEach(async () => {
    await other.end();
    await database.drop();
  });
  const open = async (created: TestDatabase | null): Promise<StatePlace> => {
    if (created === null) throw new Error('PostgreSQL is not available');
    database = created;
    other = new pg.Client({ connectionString: database.url });
    await other.connect();
    return { dataDir: '/nowhere', databaseUrl: database.url };
  };

  test('a database of this version has nothing to do', async () => {
    const place = await open(await createMigratedDatabase());
    expect(await check(place)).toEqual({ code: 0, lines: [...UP_TO_DATE, 'Code: none.', 'There is nothing to do.'] });
  }, 60_000);

  test('an empty database gets all migrations, in order, and stays empty', async () => {
    const place = await open(await createTestDatabase());
    const { code, lines } = await check(place);
    expect(code).toBe(0);
    expect(lines.slice(0, 3)).toEqual([
      `The database is empty; this program is release ${version}.`,
      expect.stringMatching(/^Migrations: \d+, in this order:$/),
      '  0200_schemas',
    ]);
    expect(lines.at(-1)).toBe('This program can upgrade the database. Nothing has been changed yet.');
    const { rows } = await other.query(`select from pg_namespace where nspname = 'private'`);
    expect(rows).toEqual([]);
  }, 60_000);

  test('a database of a newer release is served as it is', async () => {
    const place = await open(await createMigratedDatabase());
    await other.query(`insert into private.migrations (name, checksum) values ('9999_newer', 'x');
      insert into private.code_object (name, hash, release) values ('function private.newer()', 'x', '99.0.0')`);
    expect(await check(place)).toEqual({
      code: 0,
      lines: [
        `The database has release 99.0.0; this program is release ${version}.`,
        'Migrations: none.',
        'Code: none, because that of the newer release serves this program too.',
        'There is nothing to do.',
      ],
    });
  }, 60_000);
});

describe.runIf(process.env['TEST_POSTGRES_URL'])('a database of 0.1.0 on PostgreSQL', () => {
  let state: State;
  let other: pg.Client;
  beforeAll(async () => {
    state = await unpackState('0.1.0', 'PostgreSQL');
    other = new pg.Client({ connectionString: state.databaseUrl ?? '' });
    await other.connect();
  }, 120_000);
  afterAll(async () => {
    await other.end();
    await state.remove();
  });

  test('can be upgraded, and is read while one server migrates and another one writes', async () => {
    await other.query(`select pg_advisory_lock(7204001)`);
    await other.query('begin; lock table private.booking, private.payment in access exclusive mode');
    expect(await check(state)).toEqual({
      code: 0,
      lines: [
        FROM_FIRST,
        'Migrations: none.',
        OF_FUNCTIONS,
        'This program can upgrade the database. Nothing has been changed yet.',
      ],
    });
    await other.query('commit; select pg_advisory_unlock_all()');
    const { rows } = await other.query(`select to_regclass('private.code_object') as "table"`);
    expect(rows).toEqual([{ table: null }]);
  }, 60_000);

  test('is refused when its chain is unfinished', async () => {
    await other.query(UNFINISH);
    expect(await check(state)).toEqual({ code: 1, lines: [REFUSED] });
  });
});

describe.skipIf(onlyPostgres)('the embedded database', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'upgrade-check-test-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('of this version has nothing to do', async () => {
    await migratedFolder(join(folder, 'database'));
    expect(await check({ dataDir: folder, databaseUrl: null })).toEqual({
      code: 0,
      lines: [...UP_TO_DATE, 'Code: none.', 'There is nothing to do.'],
    });
  }, 60_000);

  test('is not opened while a server runs, and the message names the commands for a backup', async () => {
    const unlock = await lockDirectory(folder);
    const refused = check({ dataDir: folder, databaseUrl: null });
    await expect(refused).rejects.toThrow('npm run backup -- FILE && npm run upgrade:check -- FILE');
    await unlock();
  });

  test('is looked for in DATA_DIR', async () => {
    const elsewhere = { dataDir: join(folder, 'elsewhere'), databaseUrl: null };
    await expect(check(elsewhere)).rejects.toThrow('There is no database in');
  });
});

describe.skipIf(onlyPostgres)('an embedded database of 0.1.0', () => {
  let state: State;
  beforeAll(async () => void (state = await unpackState('0.1.0', 'embedded')), 120_000);
  afterAll(() => state.remove());
  const change = async (sql: string): Promise<void> => {
    const db = await createPglite(join(state.dataDir, 'database'), { warn: quiet });
    await db.script(sql);
    await db.close();
  };

  test('is upgraded in a copy, and stays as it was', async () => {
    const expected = { code: 0, lines: [FROM_FIRST, 'Migrations: none.', OF_FUNCTIONS, TRIED] };
    expect(await check(state)).toEqual(expected);
    expect(await check(state)).toEqual(expected);
  }, 120_000);

  test('is upgraded in a copy that is made of its backup', async () => {
    expect(await check(state, state.backup)).toEqual({
      code: 0,
      lines: [
        `The backup has the tables of release 0.1.0; this program is release ${version}.`,
        'Migrations: none.',
        'Code: not compared, because a backup has rows alone.',
        TRIED,
      ],
    });
  }, 120_000);

  test('is refused when the upgrade fails on its rows, with the reason', async () => {
    // A function of before-tables that cannot be replaced, because its return type differs.
    await change(`drop function private.are_articles(jsonb) cascade;
      create function private.are_articles(jsonb) returns text language sql as $$ select '' $$`);
    const { code, lines } = await check(state);
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(/^Refused: a copy of the database could not be upgraded: .*cannot change return type/);
  }, 120_000);

  test('is refused when its chain is unfinished', async () => {
    await change(UNFINISH);
    expect(await check(state)).toEqual({ code: 1, lines: [REFUSED] });
  }, 120_000);
});
