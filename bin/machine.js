// Programs that the tests need and that npm cannot install: a browser and a separate PostgreSQL server.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownNode, root, run, say } from './project.js';

const OLDEST_POSTGRES = 15;

/** Returns the first line that a command prints, or '' if it fails or is missing. */
const firstLine = (command, ...args) => {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n')[0] : '';
};
export const which = (name) => firstLine('sh', '-c', `command -v "${name}"`);
const isRoot = process.getuid?.() === 0;

/** Options that make apt-get fail within seconds if there is no network. */
const APT_OPTIONS = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20'];

/** Installs a system package if the user is root. Returns false if the package could not be installed. */
export async function aptInstall(name) {
  if (!isRoot || which('apt-get') === '') return false;
  say(`     installing ${name} with apt-get ...`);
  const quietly = { DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-q', ...APT_OPTIONS];
  await run('apt-get', [...options, 'update'], quietly);
  return (await run('apt-get', [...options, '-y', '--no-install-recommends', 'install', name], quietly)).code === 0;
}

const MEMORY_FOLDER = '/dev/shm';
/** The least free memory for temporary files, in bytes: so much that the databases of a test run never take what the tests need. */
const ROOM_IN_MEMORY = 8 * 1024 ** 3;

/**
 * Returns the folder for temporary files of a test run. It is in memory if there is plenty, because creating and deleting the files of
 * hundreds of databases takes a tenth of the run on a disk. Otherwise it is the system's temporary folder.
 */
export function temporaryFolder() {
  // The first releases of Node 20 lack this function; they only have to install the project's own Node.
  const memory = process.availableMemory?.() ?? 0;
  if (process.env.TMPDIR || !existsSync(MEMORY_FOLDER) || memory < 2 * ROOM_IN_MEMORY) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize < ROOM_IN_MEMORY ? tmpdir() : MEMORY_FOLDER;
}

/**
 * Finds a Chromium: CHROMIUM_PATH, the headless shell, its system package, an installed browser, the system's browser package, then
 * Playwright's download. The shell renders a page in half the time of a full browser. Returns its path, '' for Playwright's own, or null if
 * none is available.
 */
export async function findChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given) return existsSync(given) ? given : null;
  const shell = ['chromium-headless-shell'];
  const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const installed = (names) => names.map(which).find((path) => path !== '');
  const found =
    installed(shell) ??
    ((await aptInstall('chromium-headless-shell')) ? installed(shell) : undefined) ??
    installed(browsers) ??
    ((await aptInstall('chromium')) ? installed(browsers) : undefined);
  if (found) return found;
  say('     downloading a browser ...');
  const cli = join(root, 'node_modules', '@playwright', 'test', 'cli.js');
  const { code, output } = await run(ownNode(), [cli, 'install', 'chromium']);
  if (code !== 0) say(output.slice(-1500));
  return code === 0 ? '' : null;
}

/**
 * Finds promtool, which checks metrics and rules of Prometheus: on the path, or unpacked from the Debian package, which is not installed
 * because it would start a server. Returns '' if there is none; its tests are then left out.
 */
export async function findPromtool() {
  const installed = which('promtool');
  const folder = join(root, 'node_modules', '.cache', 'promtool');
  const unpacked = join(folder, 'usr', 'bin', 'promtool');
  if (installed !== '' || existsSync(unpacked)) return installed || unpacked;
  if (!isRoot || which('apt-get') === '' || which('dpkg-deb') === '') return '';
  say('     fetching promtool with apt-get ...');
  mkdirSync(folder, { recursive: true });
  const fetch = ['-q', ...APT_OPTIONS, 'download', 'prometheus'];
  const { code } = await run('sh', [
    '-c',
    `cd "$0" && { apt-get ${fetch.join(' ')} || { apt-get -q update && apt-get ${fetch.join(' ')}; }; } && dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb`,
    folder,
  ]);
  return code === 0 && existsSync(unpacked) ? unpacked : '';
}

/** Returns the folder with initdb and postgres, version 15 or newer; undefined if there is none. */
export function findPostgres() {
  const packaged = '/usr/lib/postgresql';
  const folders = existsSync(packaged) ? readdirSync(packaged).map((name) => join(packaged, name, 'bin')) : [];
  return [firstLine('pg_config', '--bindir'), ...folders]
    .filter((bin) => bin !== '' && existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')))
    .find((bin) => Number(/\d+/.exec(firstLine(join(bin, 'postgres'), '--version'))?.[0]) >= OLDEST_POSTGRES);
}

/** Returns an unprivileged user if necessary, because PostgreSQL refuses to run as root. */
function unprivilegedUser() {
  if (!isRoot) return {};
  const user = ['postgres', 'nobody'].find((name) => firstLine('id', '-u', name) !== '');
  return { uid: Number(firstLine('id', '-u', user)), gid: Number(firstLine('id', '-g', user)) };
}

const freePort = () =>
  new Promise((settle) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => settle(port));
    });
  });

/**
 * Starts PostgreSQL in a temporary folder on a free port: `{ url, bin, version, stop }`, with a superuser's url. It may lose data at a
 * power cut (fsync=off), which makes tests faster. `more`: further settings. Returns null if no PostgreSQL is available.
 */
export async function startPostgres(...more) {
  const bin =
    findPostgres() ??
    ((await aptInstall(`postgresql-${OLDEST_POSTGRES}`)) || (await aptInstall('postgresql'))
      ? findPostgres()
      : undefined);
  if (bin === undefined) return null;
  // The tests of these two programs are left out if they cannot be installed.
  if (which('pgbouncer') === '' && !existsSync('/usr/sbin/pgbouncer')) await aptInstall('pgbouncer');
  const packaged = /^\/usr\/lib\/postgresql\/(\d+)\/bin$/.exec(bin);
  if (packaged && !existsSync(`/usr/share/postgresql/${packaged[1]}/extension/plpgsql_check.control`))
    await aptInstall(`postgresql-${packaged[1]}-plpgsql-check`);
  const folder = mkdtempSync(join(tmpdir(), 'npm-test-postgres-'));
  const as = { ...unprivilegedUser(), cwd: folder };
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const created = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...as, encoding: 'utf8' },
  );
  const port = await freePort();
  const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'shared_buffers=128MB', ...more];
  const server =
    created.status === 0
      ? spawn(
          join(bin, 'postgres'),
          [
            '-D',
            data,
            '-p',
            port,
            '-h',
            '127.0.0.1',
            '-k',
            folder,
            ...settings.flatMap((setting) => ['-c', setting]),
          ].map(String),
          // The server has a separate process group: Ctrl-C stops the tests first, and they stop the server.
          { ...as, stdio: 'ignore', detached: true },
        )
      : null;
  const gone = new Promise((settle) => (server ? server.once('exit', settle) : settle()));
  const stop = async () => {
    server?.kill('SIGINT');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; server && server.exitCode === null && tries < 150; tries += 1) {
    if (spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status === 0) {
      const version = /\d[\d.]*/.exec(firstLine(join(bin, 'postgres'), '--version'))?.[0];
      return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, bin, version, stop };
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  say(`     PostgreSQL did not start. ${created.stderr}`);
  await stop();
  return null;
}
