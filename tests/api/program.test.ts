import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migratedFolder } from '#tests/support/image.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { type Program, startProgram } from '#tests/support/program.ts';

/** The contract of the running program (docs/running.md): one process per folder, exit codes, addresses, shutdown. */
const ROOT = new URL('../../', import.meta.url).pathname;
const TRIES = process.env['TEST_LONG'] === '1' ? 100 : 2;
let dataDir: string;
let program: Program;

/** Runs a script of bin/ with these variables until it exits. */
function runScript(
  name: string,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin', name), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, output: stdout + stderr };
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'program-'));
  program = await startProgram({ dataDir });
}, 120_000);
afterAll(async () => {
  await program.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('it prints its addresses and is ready', async () => {
  expect(program.output()).toContain(program.apiUrl);
  expect(program.output()).toContain(program.sandboxUrl);
  for (const path of ['/healthz', '/readyz', '/booking'])
    expect((await fetch(`${program.apiUrl}${path}`)).status, path).toBe(200);
  expect((await fetch(program.sandboxUrl)).status).toBe(200);
});

test('status prints the values that scripts need, from a file that only its owner can read', async () => {
  const { status, output } = runScript('status.js', { DATA_DIR: dataDir });
  expect(status).toBe(0);
  expect(output.trim().split('\n')).toEqual([
    `API_URL=${program.apiUrl}`,
    `ANON_KEY=${program.anonKey}`,
    `SERVICE_ROLE_KEY=${program.serviceRoleKey}`,
    `DATABASE_URL=${program.databaseUrl}`,
    `SANDBOX_URL=${program.sandboxUrl}`,
  ]);
  expect((await stat(join(dataDir, 'runtime.json'))).mode & 0o777).toBe(0o600);
});

test('client-keys prints the keys for other programs', () => {
  const { status, output } = runScript('command.js', { DATA_DIR: dataDir }, 'client-keys');
  expect([status, output]).toEqual([0, `ANON_KEY=${program.anonKey}\nSERVICE_ROLE_KEY=${program.serviceRoleKey}\n`]);
});

test('status prints no key of a production', async () => {
  const folder = join(dataDir, 'production');
  await mkdir(folder);
  const runtime = { pid: process.pid, apiUrl: 'https://studio.example.com', anonKey: 'public' };
  await writeFile(join(folder, 'runtime.json'), JSON.stringify(runtime));
  const { status, output } = runScript('status.js', { DATA_DIR: folder });
  expect([status, output]).toEqual([0, 'API_URL=https://studio.example.com\nKeys are printed in development only.\n']);
});

test('status says so when no server has run', () => {
  const { status, output } = runScript('status.js', { DATA_DIR: join(dataDir, 'nothing-here') });
  expect(status).toBe(1);
  expect(output).toContain('npm start');
});

test('in use ports of the sandbox stop the start before anything is migrated, with one line about them as the last', async () => {
  const sandboxPort = program.ports.sandboxPort + 30;
  const occupied = createServer().listen(sandboxPort + 2, '127.0.0.1');
  await once(occupied, 'listening');
  const folder = join(dataDir, 'without-sandbox');
  const { status, output } = runScript('start.js', {
    DATA_DIR: folder,
    PORT: String(program.ports.port + 1),
    SANDBOX_PORT: String(sandboxPort),
  });
  occupied.close();
  expect(status).toBe(1);
  expect(output.trim().split('\n').at(-1)).toBe(
    'Ports of the sandbox are in use; set SANDBOX_PORT to the first of eight free ones.',
  );
  expect(output).not.toContain('    at ');
  expect(existsSync(join(folder, 'database'))).toBe(false);
}, 60_000);

test('a second program on the same folder ends with 75 and says why; the first keeps running', async () => {
  const ports = { PORT: String(program.ports.port), SANDBOX_PORT: String(program.ports.sandboxPort) };
  for (let n = 0; n < TRIES; n += 1) {
    const { status, output } = runScript('start.js', { DATA_DIR: dataDir, ...ports });
    expect(output).toContain('another server is running');
    expect(status).toBe(75);
  }
  expect((await fetch(`${program.apiUrl}/readyz`)).status).toBe(200);
}, 600_000);

test('an invalid setting stops the start and is named', () => {
  const { status, output } = runScript('start.js', {
    DATA_DIR: join(dataDir, 'other'),
    HOLD_MINUTES: 'soon',
    SANDBOX_PORT: String(program.ports.sandboxPort + 20),
  });
  expect(output).toContain('HOLD_MINUTES');
  expect(status).toBe(78);
});

const OTHER_VERSION = `insert into private.migrations (name, checksum) values ('0042_of_another_version', '')`;

/** Starts the program on the data of another version, and expects it to exit with one line about the version. */
function expectRefusal(env: Readonly<Record<string, string>>): void {
  const { status, output } = runScript('start.js', {
    SANDBOX_PORT: String(program.ports.sandboxPort + 20),
    PORT: String(program.ports.port + 1),
    ...env,
  });
  expect(output.split('\n').filter((line) => line.includes('0042'))).toEqual([
    'the database has the unknown migration 0042_of_another_version; start the version that wrote this data',
  ]);
  expect(output).not.toContain('    at ');
  expect(status).toBe(78);
}

test('a data folder of another version is refused in one line', async () => {
  const folder = join(dataDir, 'older');
  await migratedFolder(join(folder, 'database'));
  const database = await PGlite.create(join(folder, 'database'));
  await database.exec(OTHER_VERSION);
  await database.close();
  expectRefusal({ DATA_DIR: folder });
}, 120_000);

test.skipIf(!process.env['TEST_POSTGRES_URL'])(
  'a PostgreSQL database of another version is refused in one line',
  async () => {
    const database = await createMigratedDatabase();
    const client = new pg.Client({ connectionString: database!.url });
    await client.connect();
    await client.query(OTHER_VERSION);
    await client.end();
    expectRefusal({ DATA_DIR: join(dataDir, 'on-postgres'), DATABASE_URL: database!.url });
    await database!.drop();
  },
  120_000,
);

test('the lock of a killed server does not block the next start', async () => {
  for (let n = 0; n < TRIES; n += 1) {
    await program.kill();
    program = await startProgram({ dataDir, ports: program.ports });
  }
  expect((await fetch(`${program.apiUrl}/readyz`)).status).toBe(200);
}, 600_000);

test('SIGTERM ends it with 0 and leaves no keys in the folder, status says that nothing runs, and it can start again', async () => {
  expect(await program.stop()).toBe(0);
  expect(existsSync(join(dataDir, 'runtime.json'))).toBe(false);
  expect(runScript('status.js', { DATA_DIR: dataDir })).toMatchObject({
    status: 1,
    output: expect.stringContaining('No server runs'),
  });
  program = await startProgram({ dataDir, ports: program.ports });
});

/** Whether a process exists and is not a zombie that waits for its parent. */
const isRunning = (pid: number): boolean => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
};

test.each(['SIGKILL', 'SIGHUP'] as const)('%s of the launcher ends the server and the sandbox too', async (signal) => {
  const { status, stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(program.child.pid)], { encoding: 'utf8' });
  expect(status).toBe(0);
  const children = stdout.trim().split('\n').map(Number);
  expect(children).toContain(program.serverPid);
  expect(children).toHaveLength(2);
  program.child.kill(signal);
  await expect.poll(() => children.filter(isRunning)).toEqual([]);
  program = await startProgram({ dataDir, ports: program.ports });
});

test.runIf(process.env['TEST_LONG'] === '1')('a server that hangs is killed after fifteen seconds', async () => {
  const began = performance.now();
  process.kill(program.serverPid, 'SIGSTOP');
  expect(await program.stop()).not.toBe(0);
  expect(performance.now() - began).toBeGreaterThan(14_000);
  program = await startProgram({ dataDir, ports: program.ports });
});
