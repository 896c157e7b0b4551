import { fork } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createClient } from '@supabase/supabase-js';
import { openBenchServer } from './test-server.ts';
import { type Load, load } from './callers/load.ts';

/** Compares downloads of 1 MB through `/storage/v1` with a bare Node file server, one after the other in each round, each in a separate process. */
const CONNECTIONS = 16;
/** The length of a turn. Turns are short, so that both sides see the same load on the machine. */
const SECONDS = 2;
const ROUNDS = 9;
const SIZE = 1024 * 1024;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Serves the limit: a server that only reads the file and writes it to the socket. */
async function serveFile(path: string): Promise<void> {
  const server = createServer((_, response) => {
    void stat(path).then(({ size }) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
      createReadStream(path).pipe(response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // Cast: a TCP server has an AddressInfo once it listens.
  process.send?.((server.address() as AddressInfo).port);
}

const fetchAll = (url: string, path: string, headers: Record<string, string> = {}): Promise<Load> =>
  load(url, { connections: CONNECTIONS, seconds: SECONDS, make: () => ({ method: 'GET', path, headers }) });

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-storage-'));
  const file = join(folder, 'megabyte.bin');
  const bytes = randomBytes(SIZE);
  await writeFile(file, bytes);
  const bare = fork(fileURLToPath(import.meta.url), ['serve', file]);
  const port = await new Promise<number>((resolve) => bare.once('message', (message) => resolve(Number(message))));
  const target = await openBenchServer();
  const { apiUrl, anonKey, serviceRoleKey } = target.runtime;
  const storage = createClient(apiUrl, serviceRoleKey, { auth: { persistSession: false } }).storage;
  await storage.createBucket('bench', { public: true });
  const added = await storage.from('bench').upload('megabyte.bin', bytes, { contentType: 'application/octet-stream' });
  if (added.error) throw added.error;
  const bearer = { apikey: anonKey, authorization: `Bearer ${serviceRoleKey}` };
  const ways = [
    { name: 'public', path: '/storage/v1/object/public/bench/megabyte.bin', headers: {} },
    { name: 'with a bearer', path: '/storage/v1/object/bench/megabyte.bin', headers: bearer },
  ];
  const limitUrl = `http://127.0.0.1:${port}`;
  await fetchAll(limitUrl, '/');
  for (const { name, path, headers } of ways) {
    await fetchAll(apiUrl, path, headers);
    const all = { ours: 0, limit: 0, failed: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const ours = await fetchAll(apiUrl, path, headers);
      const limit = await fetchAll(limitUrl, '/');
      all.ours += ours.perSecond / ROUNDS;
      all.limit += limit.perSecond / ROUNDS;
      all.failed += ours.failed + limit.failed;
    }
    say(
      `download of 1 MB ${name}: ${all.ours.toFixed(0)}/s, bare file server ${all.limit.toFixed(0)}/s, ratio ${(all.ours / all.limit).toFixed(2)} (goal 0.80), ${all.failed} failed`,
    );
  }
  bare.kill();
  await target.close();
  await rm(folder, { recursive: true, force: true });
}

await (process.argv[2] === 'serve' ? serveFile(process.argv[3] ?? '') : main());
