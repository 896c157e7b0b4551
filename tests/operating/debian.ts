import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';

/** Helpers that run Debian programs, or create a minimal Debian in a folder, in which the files of deploy/ are tested. */

export const isThere = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
export const mayInstall = process.getuid?.() === 0 && isThere('apt-get');

/** Path of Prometheus's promtool, installed on this machine or fetched by `npm test`; empty if there is none. */
export const PROMTOOL = process.env['PROMTOOL'] || (isThere('promtool') ? 'promtool' : '');

/** Installs a Debian package unless its program is already installed. */
export function installDebian(name: string, program = name): void {
  if (isThere(program)) return;
  const quiet = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  spawnSync('apt-get', ['-q', 'update'], quiet);
  spawnSync('apt-get', ['-q', '-y', '--no-install-recommends', 'install', name], quiet);
}

/** Runs a command that must succeed, and returns its output. */
export function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  expect(status, `${command} ${args.join(' ')}\n${(stdout + stderr).slice(-3_000)}`).toBe(0);
  return stdout;
}

export const PATHS = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** The folder in which the Node image installs Node and npm on Debian. */
export const NODE_IMAGE = '/usr/local';

/** Creates a minimal Debian in the folder `root`, with this machine's Node and npm below `prefix`. */
export function makeDebian(root: string, prefix: string, ...packages: readonly string[]): void {
  run('mmdebstrap', ['--variant=minbase', `--include=${['ca-certificates', ...packages].join(',')}`, 'bookworm', root]);
  const modules = join(root, prefix, 'lib/node_modules');
  mkdirSync(modules, { recursive: true });
  const npm = dirname(dirname(realpathSync(run('sh', ['-c', 'command -v npm']).trim())));
  cpSync(npm, join(modules, 'npm'), { recursive: true });
  cpSync(process.execPath, join(root, prefix, 'bin/node'), { dereference: true });
  run('chroot', [root, 'ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', join(prefix, 'bin/npm')]);
  // Copies the files that this machine needs to reach the registry.
  const { SSL_CERT_FILE, NODE_EXTRA_CA_CERTS } = readRegistry();
  for (const file of new Set(['/etc/resolv.conf', SSL_CERT_FILE, NODE_EXTRA_CA_CERTS]))
    if (file !== undefined && existsSync(file)) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      cpSync(file, join(root, file), { dereference: true });
    }
}

/** Returns the arguments of `unshare` that run a command as root in the Debian at `root`, with /proc and /dev. */
export function inDebian(root: string, command: readonly string[]): string[] {
  const variables = Object.entries({ PATH: PATHS, HOME: '/tmp', ...readRegistry() }).map((pair) => pair.join('='));
  const mounts = `mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"`;
  return ['-m', 'sh', '-c', mounts, root, 'env', '-i', ...variables, ...command];
}

/** Returns the settings for the npm registry, proxies and certificates of this machine. */
function readRegistry(): Record<string, string> {
  const names = /^(https?_proxy|no_proxy|npm_config_registry|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS)$/i;
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => names.test(entry[0])),
  );
}
