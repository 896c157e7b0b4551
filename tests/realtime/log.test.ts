import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { freePorts } from '#tests/support/test-server.ts';
import { connectRealtime, refusedUpgrade } from './client.ts';

/** A separate server process, whose whole output can be read. */
let program: ServerProcess;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'realtime-log-'));
  const first = await freePorts();
  program = await startServer({
    DATA_DIR: dataDir,
    PORT: String(first + 8),
    SANDBOX_PORT: String(first),
    LOG_LEVEL: 'debug',
    ACCESS_LOG: 'true',
    REALTIME_MAX_SOCKETS_PER_ADDRESS: '3',
    REALTIME_MAX_CHANNELS_PER_SOCKET: '2',
    REALTIME_JOINS_PER_SECOND: '1',
  });
}, 120_000);
afterAll(async () => {
  await program.kill('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

test('after every kind of refusal, no key, no token and no payload is in the log', async () => {
  const { apiUrl, anonKey, serviceRoleKey } = program.runtime;
  const forged = `${serviceRoleKey.slice(0, -6)}forged`;
  const path = '/realtime/v1/websocket?vsn=2.0.0&apikey=';
  for (const key of [forged, 'not-a-key-at-all', '']) await refusedUpgrade(apiUrl, `${path}${key}`);
  await refusedUpgrade(apiUrl, `/realtime/v1/elsewhere?apikey=${serviceRoleKey}`);
  const client = await connectRealtime(apiUrl, anonKey);
  await client.join('private-topic', { private: true }, forged);
  await client.join('private-topic', { private: true }, serviceRoleKey);
  await client.join('a', {
    postgres_changes: [{ event: '*', schema: 'public', table: 'secret-table', filter: 'x=eq.secret-value' }],
  });
  await client.join('too-many');
  client.send('3', 'x', 'realtime:a', 'secret-event', { payload: 'secret-payload' });
  client.send('3', 'y', 'realtime:a', 'access_token', { access_token: forged });
  client.sendRaw('secret-frame');
  client.sendRaw(new Uint8Array([3, 255, 1]));
  await client.frame(({ event, topic }) => event === 'phx_close' && topic === 'realtime:a');
  const others = [await connectRealtime(apiUrl, anonKey), await connectRealtime(apiUrl, anonKey)];
  await refusedUpgrade(apiUrl, `${path}${anonKey}`);
  for (let count = 0; count <= 61; count += 1)
    others[0]?.send('1', String(count), 'realtime:b', 'phx_join', { access_token: forged });
  expect(await others[0]?.closed).toBe(1001);
  for (const url of ['/api/broadcast', '/api/broadcast/t/events/e?private=true', '/websocket'])
    for (const key of [forged, anonKey])
      await fetch(`${apiUrl}/realtime/v1${url}${url.includes('?') ? '&' : '?'}apikey=${key}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, apikey: key, 'content-type': 'application/json' },
        body: '{"secret":"secret-body"}',
      });
  for (const connection of [client, ...others]) connection.close();
  const log = program.output();
  // The requests themselves are logged, which shows that the log is not empty.
  expect(log).toContain('/realtime/v1/api/broadcast');
  const parts = [anonKey, serviceRoleKey, forged].flatMap((token) => token.split('.').slice(1));
  const secrets = [
    ...parts,
    'not-a-key-at-all',
    'secret-payload',
    'secret-frame',
    'secret-body',
    'secret-value',
    'apikey=',
  ];
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
});
