import { chownSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { killPostgres, postgresAccount, type Program, startProgram, untilTrue } from './programs.ts';

/**
 * Three PostgreSQL nodes under Patroni with a synchronous standby, behind HAProxy and PgBouncer, all on this machine, with the files of
 * `deploy/`.
 */
export type DatabaseCluster = {
  /** The URLs through PgBouncer, and through HAProxy without PgBouncer, both for the owner of the database. */
  readonly pooledUrl: string;
  readonly directUrl: string;
  /** Returns the name of the node that is the primary, or that was until it vanished. */
  primary(): Promise<string>;
  /**
   * Kills the PostgreSQL of the primary. `machine` also kills its Patroni, which otherwise notices the loss. Returns a function that
   * restarts what was killed.
   */
  killPrimary(what: 'machine' | 'process'): Promise<() => void>;
  /** Makes the synchronous standby the primary, as for maintenance. */
  switchOver(): Promise<void>;
  /** Waits until three nodes are running and a synchronous standby is replicating. */
  untilWhole(seconds: number): Promise<void>;
  /** Returns how many broadcasts and table changes the databases failed to deliver, according to their logs. */
  broadcastFailures(): Promise<number>;
  close(): Promise<void>;
};

type Node = { readonly name: string; readonly port: number; readonly rest: number };
type Member = {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
};

const DEPLOY = new URL('../../deploy/', import.meta.url).pathname;
const HOST = '127.0.0.1';
const SECRET = 'drill-secret';
const LEADER_SECONDS = 60;

/** Uses 20 ports starting at `first`. `folder` holds logs and data. */
export async function startDatabaseCluster(first: number, folder: string): Promise<DatabaseCluster> {
  const { uid, gid } = postgresAccount();
  await chmod(folder, 0o755);
  const data = join(folder, 'postgres');
  await mkdir(data);
  if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid);
  const log = (name: string): string => join(folder, `${name}.log`);
  const etcd = startProgram('etcd', etcdArguments(first, join(folder, 'etcd')), { log: log('etcd') });
  const nodes: readonly Node[] = [1, 2, 3].map((n) => ({ name: `db${n}`, port: first + 1 + n, rest: first + 4 + n }));
  const running = new Map<string, Program>();
  const startNode = (node: Node): void => {
    const env = nodeEnvironment(node, first, join(data, node.name));
    running.set(
      node.name,
      startProgram('patroni', [join(DEPLOY, 'patroni.yaml')], { log: log(node.name), asPostgres: true, env }),
    );
  };
  const membersBy = async ({ rest }: Node): Promise<readonly Member[]> => {
    const answer = await fetch(`http://${HOST}:${rest}/cluster`, { signal: AbortSignal.timeout(2_000) });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return ((await answer.json()) as { members: Member[] }).members;
  };
  const members = async (): Promise<readonly Member[]> => {
    for (const node of nodes) {
      // If a node is down or slow to answer, the next one is asked.
      const found = await membersBy(node).catch(() => null);
      if (found) return found;
    }
    throw new Error('no node answers');
  };
  /** Waits for a leader, because on a busy machine a node answers late. */
  const leader = async (): Promise<Node> => {
    const found: Node[] = [];
    await untilTrue('a primary', LEADER_SECONDS, async () => {
      const name = (await members()).find(({ role }) => role === 'leader')?.name;
      found.push(...nodes.filter((node) => node.name === name));
      return found.length > 0;
    });
    if (!found[0]) throw new Error('there is no primary');
    return found[0];
  };
  const untilWhole = async (seconds: number): Promise<void> => {
    await untilTrue('three nodes with a synchronous standby', seconds, async () => {
      const all = await members();
      return (
        all.length === 3 &&
        all.every(({ state }) => state === 'running' || state === 'streaming') &&
        // A former primary briefly runs on its old timeline before it follows the new primary.
        new Set(all.map(({ timeline }) => timeline)).size === 1 &&
        all.some(({ role }) => role === 'leader') &&
        all.some(({ role }) => role === 'sync_standby')
      );
    });
  };
  await untilTrue('etcd', 30, async () => (await fetch(`http://${HOST}:${first}/health`)).ok);
  for (const node of nodes) startNode(node);
  await untilWhole(120);
  const primary = await leader();
  await createDatabase(`postgres://postgres:${SECRET}@${HOST}:${primary.port}/postgres`);
  const proxy = await startProxy(nodes, first, folder, log('haproxy'));
  const pooler = await startPooler(first, folder, log('pgbouncer'));
  const urlAt = (port: number): string => `postgres://studio:${SECRET}@${HOST}:${port}/studio`;
  return {
    pooledUrl: urlAt(first + 9),
    directUrl: urlAt(first + 8),
    untilWhole,
    primary: async () => (await leader()).name,
    async killPrimary(what) {
      const node = await leader();
      if (what === 'machine') await running.get(node.name)?.kill();
      killPostgres(join(data, node.name));
      return () => {
        if (what === 'machine') startNode(node);
      };
    },
    async switchOver() {
      const all = await members();
      const [from, to] = ['leader', 'sync_standby'].map((role) => all.find((member) => member.role === role)?.name);
      const answer = await fetch(`http://${HOST}:${(await leader()).rest}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: from, candidate: to }),
      });
      if (!answer.ok) throw new Error(`Patroni refused the switchover: ${await answer.text()}`);
    },
    broadcastFailures: async () => {
      const logs = await Promise.all(nodes.map(({ name }) => readFile(log(name), 'utf8')));
      return logs.join('').split('WarnSendingBroadcastMessage').length - 1;
    },
    async close() {
      await pooler.stop();
      await proxy.stop();
      await Promise.all([...running.values()].map((program) => program.stop()));
      // If Patroni was killed because it took too long, it leaves its PostgreSQL behind.
      for (const { name } of nodes) killPostgres(join(data, name));
      await etcd.stop();
    },
  };
}

function etcdArguments(port: number, folder: string): string[] {
  const [client, peer] = [`http://${HOST}:${port}`, `http://${HOST}:${port + 1}`];
  const options = {
    name: 'one',
    'data-dir': folder,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `one=${peer}`,
  };
  return [...Object.entries(options).flatMap(([option, value]) => [`--${option}`, value]), '--unsafe-no-fsync'];
}

/** Returns the settings that `deploy/patroni.yaml` leaves to the environment. */
function nodeEnvironment({ name, port, rest }: Node, etcd: number, folder: string): Record<string, string> {
  return {
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: `${HOST}:${rest}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${HOST}:${rest}`,
    PATRONI_POSTGRESQL_LISTEN: `${HOST}:${port}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${HOST}:${port}`,
    PATRONI_POSTGRESQL_DATA_DIR: folder,
    // The nodes share a machine and an account, and each writes its own file on how to reach the primary.
    PATRONI_POSTGRESQL_PGPASS: `${folder}.pgpass`,
    PATRONI_ETCD3_HOSTS: `${HOST}:${etcd}`,
    PATRONI_SUPERUSER_PASSWORD: SECRET,
    PATRONI_REPLICATION_PASSWORD: SECRET,
  };
}

/** Runs the commands that the comments of `deploy/patroni.yaml` and `deploy/pgbouncer.ini` give to the operator. */
async function createDatabase(superuserUrl: string): Promise<void> {
  const once =
    /# Then, once, as the superuser: (.*)$/m.exec(readFileSync(join(DEPLOY, 'patroni.yaml'), 'utf8'))?.[1] ?? '';
  const inside = [...readFileSync(join(DEPLOY, 'pgbouncer.ini'), 'utf8').matchAll(/^; {3}(\S.*| {2}\S.*)$/gm)].map(
    ([, line]) => line,
  );
  const run = async (url: string, statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const sql of statements) await client.query(sql.replace("'…'", `'${SECRET}'`));
    await client.end();
  };
  await run(superuserUrl, once.split(/;\s*/).filter(Boolean));
  await run(superuserUrl.replace(/postgres$/, 'studio'), [inside.join('\n').replace("'…'", `'${SECRET}'`)]);
}

async function startProxy(nodes: readonly Node[], first: number, folder: string, log: string): Promise<Program> {
  const file = join(folder, 'haproxy.cfg');
  const text = replaceAll(readFileSync(join(DEPLOY, 'haproxy.cfg'), 'utf8'), [
    ['}:5000"', `}:${first + 8}"`],
    ['}:5001"', `}:${first + 10}"`],
  ]);
  await writeFile(file, text);
  const env: Record<string, string> = { HAPROXY_LISTEN: HOST };
  for (const { name, port, rest } of nodes) {
    env[name.toUpperCase()] = `${HOST}:${port}`;
    env[`${name.toUpperCase()}_CHECK`] = String(rest);
  }
  return startProgram('haproxy', ['-db', '-f', file], { log, env });
}

async function startPooler(first: number, folder: string, log: string): Promise<Program> {
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  const text = replaceAll(readFileSync(join(DEPLOY, 'pgbouncer.ini'), 'utf8'), [
    ['host=127.0.0.1 port=5432', `host=${HOST} port=${first + 8}`],
    ['listen_port = 6432', `listen_port = ${first + 9}`],
    ['/etc/pgbouncer/users.txt\n', `${users}\n`],
  ]);
  await writeFile(users, `"pgbouncer" "${SECRET}"\n`);
  await writeFile(file, text);
  return startProgram('/usr/sbin/pgbouncer', [file], { log, asPostgres: true });
}

/** Replaces settings that must differ on this machine. Throws if a text is not in the file. */
function replaceAll(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((done, [from, to]) => {
    if (!done.includes(from)) throw new Error(`deploy/ does not contain ${from}`);
    return done.replace(from, to);
  }, text);
}
