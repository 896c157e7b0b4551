// `npm run test:cluster`: three PostgreSQL servers under Patroni, HAProxy and PgBouncer, whose primary is killed and handed over while
// customers book (`-- --failovers 50
// --switchovers 50`, `-- --restarts 10`). `npm run test:soak`: servers that are killed or restarted for an hour (`-- --minutes 10 --ends
// restart --every 20`). As root on Debian both install the programs that they need.
import { spawn } from 'node:child_process';
import { aptInstall, findPostgres, which } from './machine.js';
import { exitWithError, install, ownEnv, ownNode, root, say } from './project.js';

const NEEDED = {
  cluster: { patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy', '/usr/sbin/pgbouncer': 'pgbouncer' },
  soak: {},
};
const [drill, ...args] = process.argv.slice(2);

await install().catch(exitWithError);
for (const [program, name] of Object.entries(NEEDED[drill])) {
  if (which(program) === '') await aptInstall(name);
  if (which(program) === '') {
    say(`Left out: ${name} is not installed.`);
    process.exit(0);
  }
}
const bin = findPostgres() ?? ((await aptInstall('postgresql-15')) ? findPostgres() : undefined);
if (bin === undefined) {
  say('Left out: PostgreSQL 15 or newer is not installed.');
  process.exit(0);
}
spawn(ownNode(), [`tests/cluster/${drill}.ts`, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...ownEnv(), TEST_POSTGRES_BIN: bin },
}).on('exit', (code) => process.exit(code ?? 1));
