import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeRuntime, removeRuntime, writeRuntime } from './runtime-file.ts';

const KEYS = { anonKey: 'the public key', serviceRoleKey: 'the service key' };
const CONFIG = {
  dataDir: '/data',
  databaseUrl: 'postgres://owner:hidden@db/studio',
  production: true,
  sandboxUrl: null,
  siteUrl: 'https://studio.example.com',
};
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runtime-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('in production it has neither the service key nor the password of the database, and elsewhere what scripts need', () => {
  expect(describeRuntime(CONFIG, KEYS, { pid: 7, port: 3000 })).toEqual({
    pid: 7,
    apiUrl: 'https://studio.example.com',
    anonKey: 'the public key',
  });
  const local = { ...CONFIG, databaseUrl: null, production: false, siteUrl: 'http://localhost:0' };
  expect(describeRuntime(local, KEYS, { pid: 7, port: 3000 })).toEqual({
    pid: 7,
    apiUrl: 'http://localhost:3000',
    anonKey: 'the public key',
    sandboxUrl: '',
    databaseUrl: 'pglite:///data/database',
    serviceRoleKey: 'the service key',
  });
});

test('only its owner can read it, and a stop removes it unless another server wrote it', async () => {
  await writeRuntime(folder, { pid: 7, apiUrl: 'http://localhost:3000', anonKey: 'key' });
  expect(await readdir(folder)).toEqual(['runtime.json']);
  expect((await stat(join(folder, 'runtime.json'))).mode & 0o777).toBe(0o600);
  await removeRuntime(folder, 8);
  expect(await readdir(folder)).toEqual(['runtime.json']);
  await removeRuntime(folder, 7);
  expect(await readdir(folder)).toEqual([]);
  await removeRuntime(folder, 7);
});
