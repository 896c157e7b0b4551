import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
let folder: string;
let built: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-'));
  built = join(folder, 'dist');
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin', 'build.js'), built], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  });
  expect(status, stdout + stderr).toBe(0);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the build has what the server needs, without sandbox, tests and packages for development', () => {
  for (const part of [
    'server/main.js',
    'database/migrations/0200_schemas.sql',
    'database/code/bookings/holds.sql',
    'database/released.json',
    'web/index.html',
    'web/.render',
  ])
    expect(existsSync(join(built, part)), part).toBe(true);
  expect(globSync('prepared/*.tar', { cwd: built })).toHaveLength(1);
  for (const part of ['sandbox', 'tests', 'node_modules/vite', 'node_modules/vitest', 'node_modules/node'])
    expect(existsSync(join(built, part)), part).toBe(false);
  expect(
    globSync(['{server,rules,database}/**/*.ts', '**/*.test.*'], { cwd: built, exclude: ['node_modules'] }),
  ).toEqual([]);
});

test('every module of the build names files and packages that are there', () => {
  const missing = globSync('{server,rules}/**/*.js', { cwd: built }).flatMap((file) => {
    const path = join(built, file);
    const text = readFileSync(path, 'utf8');
    const named = [
      ...text.matchAll(/^(?:import|export|\}) (?:.* )?from '([^'\n]+)';$/gm),
      ...text.matchAll(/(?:\bimport|require\.resolve)\('([^'\n]+)'\)/g),
      ...text.matchAll(/new URL\('([^'\n]+)', import\.meta\.url\)/g),
    ].map(([, name = '']) => name);
    return named.filter((name) => !isThere(path, name)).map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

function isThere(from: string, name: string): boolean {
  if (name.startsWith('node:')) return true;
  if (name.startsWith('#')) return existsSync(join(built, name.slice(1).replace(/\.ts$/, '.js')));
  if (/^\.|^[\w-]+\.js$/.test(name) && name !== 'tesseract.js') return existsSync(join(dirname(from), name));
  // A package may have modules for `import` only, which `require` does not find.
  const [scope = '', short = ''] = name.split('/');
  const packageName = scope.startsWith('@') ? `${scope}/${short}` : scope;
  return createRequire(from)
    .resolve.paths(name)!
    .slice(0, 4)
    .some((path) => path.startsWith(built) && existsSync(join(path, packageName)));
}

/** Returns the program that systemd runs, as a path in the build. */
function mainOfUnit(): string {
  const unit = readFileSync(join(ROOT, 'deploy', 'studio.service'), 'utf8');
  const [, program, main = ''] = /^ExecStart=(\S+) \/opt\/studio\/(\S+)$/m.exec(unit) ?? [];
  expect(program).toBe('/usr/bin/node');
  return join(built, main);
}

test('the build runs by itself, as the systemd unit starts it: pages, data and a clean stop', async () => {
  const env = { DATA_DIR: join(folder, 'data'), PORT: String(await freePorts()), SANDBOX: 'on' };
  const server = await startServer(env, mainOfUnit());
  // It begins with the prepared database.
  expect(server.output()).not.toContain('migrating');
  const { apiUrl, anonKey } = server.runtime;
  const booking = await (await fetch(`${apiUrl}/booking`)).text();
  expect(booking).toContain(anonKey);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(booking)?.[1] ?? '';
  expect((await fetch(`${apiUrl}${script}`)).headers.get('content-type')).toContain('javascript');
  const studios = await fetch(`${apiUrl}/rest/v1/studios?select=name`, { headers: { apikey: anonKey } });
  expect(await studios.json()).toHaveLength(3);
  expect(await server.kill('SIGTERM')).toBe(0);
}, 60_000);

test('with a Node that is too old the build ends with 1 and one line', () => {
  // Makes the program see another version of Node.
  const old = `Object.defineProperty(process, 'version', { value: 'v18.20.0' });
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } });`;
  const file = join(folder, 'old.mjs');
  writeFileSync(file, old);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', file, mainOfUnit()], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  expect([status, stdout, stderr]).toEqual([1, '', 'Node 24 or newer is needed; this is v18.20.0.\n']);
});
