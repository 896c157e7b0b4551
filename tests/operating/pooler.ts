import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLoginName } from '#server/db/postgres/address.ts';
import { type Engine, engines } from '#tests/support/engines.ts';
import { createTestDatabase } from '#tests/support/postgres.ts';
import { freePorts, startTestServer, type TestServer } from '#tests/support/test-server.ts';

const BINARY = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => spawnSync(path, ['-V']).status === 0);

/** Whether PgBouncer is installed and PostgreSQL is tested. */
export const hasPooler = BINARY !== undefined && engines.some(({ name }) => name === 'PostgreSQL');

/** PostgreSQL behind PgBouncer, as an engine to test if `hasPooler`. */
export const pooledEngine: Engine = { name: 'PostgreSQL behind PgBouncer', open: openPooled };

/**
 * Starts a server that reaches a new database through PgBouncer, which hands out six connections per login, each for one transaction at a
 * time.
 */
async function openPooled(env: Record<string, string> = {}): Promise<TestServer> {
  const database = await createTestDatabase();
  if (!database) throw new Error('PostgreSQL is not available');
  const pooler = await startPooler(database.url);
  const server = await startTestServer({
    databaseUrl: pooler.url,
    env: { ...env, DATABASE_POOL_MODE: 'transaction', DATABASE_DIRECT_URL: database.url },
  });
  return {
    ...server,
    ownerUrl: database.url,
    async close() {
      await server.close();
      await pooler.stop();
      await database.drop();
    },
  };
}

async function startPooler(databaseUrl: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const direct = new URL(databaseUrl);
  const name = direct.pathname.slice(1);
  const port = await freePorts();
  const folder = await mkdtemp(join(tmpdir(), 'pooler-'));
  const users = (['backend', 'authenticator'] as const).map((login) => `"${getLoginName(login, name)}" ""`);
  await writeFile(join(folder, 'users.txt'), `${users.join('\n')}\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${name} = host=${direct.hostname} port=${direct.port} dbname=${name}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 6
max_client_conn = 200
log_connections = 0
log_disconnections = 0
`,
  );
  await chmod(folder, 0o755);
  // PgBouncer refuses to run as root.
  const as = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(BINARY ?? '', ['-q', ...as, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  await untilOpen(port, child);
  direct.port = String(port);
  return {
    url: direct.href,
    async stop() {
      if (child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGINT');
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilOpen(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries += 1) {
    const open = await new Promise<boolean>((settle) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('connect', () => settle(socket.destroy() !== null));
      socket.on('error', () => settle(false));
    });
    if (open) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error('PgBouncer did not start');
}
