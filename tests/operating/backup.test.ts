import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { createDiskStore } from '#server/providers/disk-store.ts';
import { answerBackups } from '#server/start/backup/backup-socket.ts';
import { decrypt, encrypt } from '#server/start/backup/encrypted-file.ts';
import { runBackup, runRestoreFile } from '#server/start/backup/run.ts';
import { type OpenCopy, runVerifyBackup } from '#server/start/backup/verify-backup.ts';
import { engines, oneEngine, onlyPostgres } from '#tests/support/engines.ts';
import { createTestDatabase } from '#tests/support/postgres.ts';
import { checkout, span, type TestServer } from '#tests/support/test-server.ts';

const LONG = process.env['TEST_LONG'] !== undefined;
const quiet = (): void => undefined;
const PASSPHRASE = 'a passphrase of several words';

const openCopy: OpenCopy = (memory, dataDir) =>
  compose(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }), { memory });

// With TEST_LONG a backup of each engine is restored into the other.
describe.each(LONG ? engines : oneEngine)('a backup of $name', (engine) => {
  let server: TestServer;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backup-'));
    file = join(folder, 'one.backup');
    server = await engine.open({ BACKUP_DIR: join(folder, 'nights'), BACKUP_KEEP: '1', BACKUP_PASSPHRASE: PASSPHRASE });
    const customer = await server.addCustomer();
    const held = await server.call('create-payment', checkout(span(server.now(), 30)), customer.token);
    expect(held.status).toBe(200);
    // These values could be altered by a conversion to text or JSON: quotes, line breaks, a JSON null, bytes, a list.
    await server.app.db.query(
      `insert into private.settings (name, value) values ('odd', 'null'), ('odder', '"a\\\\ \\"b\\" \\n (c), ''d''"')`,
    );
    const store = createDiskStore(join(folder, 'source', 'objects'));
    // The bytes are random, so that they fill many frames.
    await store.put('objects/5a000000-0000-4000-8000-00000000000a', randomBytes(9_000_000));
    await writeFile(join(folder, 'source', 'keys.json'), await readFile(join(server.dataDir, 'keys.json')));
    const source = {
      db: server.app.db,
      store,
      dataDir: join(folder, 'source'),
      settings: {
        SITE_URL: 'https://a.example',
        DATA_DIR: '/old/data',
        PORT: '8080',
        A_KEY: 'one\ntwo\n',
        JSON_KEY: '{\n  "a": "b\\nc"\n}\n',
      },
    };
    // The backup is made by a running server, because no other program may read the embedded database.
    const stop = await answerBackups(source, quiet);
    expect(await runBackup(createConfig({ DATA_DIR: source.dataDir }), file, quiet)).toBe(0);
    await stop();
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const createConfig = (env: Record<string, string>) =>
    readConfig({ LOG_LEVEL: 'silent', BACKUP_PASSPHRASE: PASSPHRASE, ...env });

  test('is restored beside, its sums and its money are right, a customer signs in and reads a booking', async () => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    expect(await runVerifyBackup(createConfig({ DATA_DIR: folder }), file, openCopy, print)).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^restored \d+ rows of \d+ tables and 1 files; every sum is right$/),
      'the money audit finds nothing',
      'the customer of the latest booking signs in and reads it',
      'the backup is good',
    ]);
  }, 120_000);

  test('is restored into an empty folder and an empty database, with keys and settings, and not over anything', async () => {
    const database = LONG && engine.name === 'PostgreSQL' ? null : await createTestDatabase();
    const dataDir = join(folder, 'restored');
    const env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
    expect(await runRestoreFile(createConfig(env), file, quiet)).toBe(0);
    expect(await readFile(join(dataDir, 'keys.json'), 'utf8')).toBe(
      await readFile(join(folder, 'source', 'keys.json'), 'utf8'),
    );
    // A file of settings has one line per setting.
    expect(await readFile(join(dataDir, 'restored-settings.env'), 'utf8')).toBe(
      String.raw`SITE_URL=https://a.example|A_KEY=one\ntwo\n|JSON_KEY={"a":"b\nc"}|`.replaceAll('|', '\n'),
    );
    expect(existsSync(join(dataDir, 'objects/objects/5a000000-0000-4000-8000-00000000000a'))).toBe(true);
    await expect(runRestoreFile(createConfig(env), file, quiet)).rejects.toThrow(
      'exists; restore into an empty DATA_DIR',
    );
    const nothing = createConfig({ DATA_DIR: join(folder, 'nothing') });
    await expect(runBackup(nothing, join(folder, 'b'), quiet)).rejects.toThrow('There is no database in');
    await expect(runBackup(nothing, join(folder, 'no', 'b'), quiet)).rejects.toThrow('There is no folder');
    if (database) {
      const elsewhere = createConfig({ ...env, DATA_DIR: join(folder, 'elsewhere') });
      await expect(runRestoreFile(elsewhere, file, quiet)).rejects.toThrow('the database is not empty');
    }
    await database?.drop();
  }, 120_000);

  test('is not restored with another passphrase, or when its end is missing, and leaves no database', async () => {
    const cut = join(folder, 'cut.backup');
    const whole = await readFile(file);
    await writeFile(cut, whole.subarray(0, whole.length - 100));
    const dataDir = join(folder, 'refused');
    const stranger = createConfig({ DATA_DIR: dataDir, BACKUP_PASSPHRASE: 'another passphrase' });
    await expect(runRestoreFile(stranger, file, quiet)).rejects.toThrow('the passphrase is wrong');
    const restored = runRestoreFile(createConfig({ DATA_DIR: dataDir }), cut, quiet);
    await expect(restored).rejects.toThrow('the backup is cut off or damaged');
    expect(existsSync(join(dataDir, 'database'))).toBe(false);
  }, 120_000);

  test('is no file when the server that makes it fails half way', async () => {
    const dataDir = join(folder, 'failing');
    await mkdir(dataDir);
    let called = false;
    const store = {
      ...createDiskStore(join(folder, 'source', 'objects')),
      // One megabyte leaves the server before the fault occurs.
      async get(): Promise<Uint8Array> {
        if (called) throw new Error('the disk is broken');
        called = true;
        return Promise.resolve(randomBytes(1_000_000));
      },
      async *list() {
        yield { key: 'objects/a', writtenAt: new Date() };
        yield { key: 'objects/b', writtenAt: new Date() };
      },
    };
    const stop = await answerBackups({ db: server.app.db, store, dataDir, settings: {} }, quiet);
    const broken = join(folder, 'broken.backup');
    const failed = runBackup(createConfig({ DATA_DIR: dataDir }), broken, quiet);
    await expect(failed).rejects.toThrow('the backup is cut off or damaged');
    expect(existsSync(broken)).toBe(false);
    await stop();
  }, 60_000);

  test('is made every night by itself, and the oldest are deleted', async () => {
    const nights = (): Promise<string[]> => readdir(join(folder, 'nights'));
    const newest = async (): Promise<string> => (await nights()).at(-1) ?? '';
    await server.settle();
    // The server's own schedule may have started the job, and `settle` does not wait for a job that is already running.
    await expect.poll(newest).toMatch(/^studio-\d{4}-\d{2}-\d{2}\.backup$/);
    const first = await newest();
    await server.settle();
    expect(await nights()).toEqual([first]);
    server.advance(86_400_000);
    await server.settle();
    // The old backup is deleted last.
    await expect.poll(nights).not.toContain(first);
    expect(await nights()).toHaveLength(1);
  });
});

test.skipIf(onlyPostgres)(
  'a wrong passphrase, a changed byte, a missing end and an appended byte are noticed',
  async () => {
    const plain = Buffer.alloc(150_000, 'a customer');
    const whole = await buffer(encrypt(Readable.from([plain]), PASSPHRASE));
    const read = (bytes: Buffer, passphrase = PASSPHRASE) => buffer(decrypt(Readable.from([bytes]), passphrase));
    expect(await read(whole)).toEqual(plain);
    expect(whole.includes('customer')).toBe(false);
    const changed = Buffer.from(whole);
    changed[whole.length >> 1] = (changed[whole.length >> 1] ?? 0) ^ 1;
    await expect(read(changed)).rejects.toThrow('the backup is damaged');
    await expect(read(whole.subarray(0, whole.length - 100))).rejects.toThrow('the backup is cut off or damaged');
    for (const more of ['x', 'an appended text'])
      await expect(read(Buffer.concat([whole, Buffer.from(more)]))).rejects.toThrow('after the end of the backup');
    await expect(read(whole, 'another passphrase')).rejects.toThrow('the passphrase is wrong');
  },
);
