import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A PostgreSQL server of its own, which can be stopped and started again. Commits wait for the disk, as in production. */
export type OwnPostgres = {
  /** As a superuser of the maintenance database. */
  readonly url: string;
  /** Ends all connections, as a stop by the system's administrator. */
  stop(): void;
  start(): void;
  /** Stops it and deletes its files. */
  remove(): void;
};

/** Creates and starts a server on a port with the programs of `TEST_POSTGRES_BIN`. */
export function startOwnPostgres(port: number): OwnPostgres {
  const folder = mkdtempSync(join(tmpdir(), 'own-postgres-'));
  const account = unprivilegedAccount();
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  const run = (program: string, ...args: readonly string[]): void => {
    const path = join(process.env['TEST_POSTGRES_BIN'] ?? '', program);
    // A started server keeps what it gets as its output open, which would keep us waiting.
    const { status } = spawnSync(path, args, { ...account, cwd: folder, stdio: 'ignore' });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
  };
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c shared_buffers=64MB`;
  const start = (): void => run('pg_ctl', '-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start');
  const stop = (): void => run('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop');
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    remove() {
      stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function unprivilegedAccount(): { uid: number; gid: number } | { uid?: undefined; gid?: undefined } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (name: string, kind: string): number => {
    const { status, stdout } = spawnSync('id', [kind, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : NaN;
  };
  const name = ['postgres', 'nobody'].find((one) => !Number.isNaN(idOf(one, '-u')));
  if (name === undefined) throw new Error('PostgreSQL needs an account other than root');
  return { uid: idOf(name, '-u'), gid: idOf(name, '-g') };
}
