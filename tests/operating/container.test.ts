import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts, until } from '#tests/support/test-server.ts';

/**
 * The steps of deploy/Containerfile, read from the file and run in bare Debian roots: no registry of images is needed. Only in
 * `npm run test:long`, as root, with mmdebstrap, which it installs.
 */
const ROOT = new URL('../../', import.meta.url).pathname;
const runs = process.env['TEST_LONG'] === '1' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

type Step = { readonly word: string; readonly rest: string };
type Stage = { readonly name: string; readonly image: string; readonly steps: readonly Step[] };

/** Reads the stages of a Containerfile. */
function readStages(text: string): Stage[] {
  const steps = text
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line): Step => ({ word: line.split(' ')[0] ?? '', rest: line.replace(/^[A-Z]+ +/, '') }));
  return steps.flatMap(({ word, rest }, at) => {
    if (word !== 'FROM') return [];
    const [image = '', , name = ''] = rest.split(' ');
    const end = steps.findIndex((step, index) => index > at && step.word === 'FROM');
    return [{ name, image, steps: steps.slice(at + 1, end === -1 ? undefined : end) }];
  });
}
const stages = readStages(readFileSync(join(ROOT, 'deploy', 'Containerfile'), 'utf8'));

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  expect(status, `${command} ${args.join(' ')}\n${(stdout + stderr).slice(-3_000)}`).toBe(0);
  return stdout;
}

test('the image has two stages of the same Node, and the second begins without what the first has built with', () => {
  expect(stages.map(({ name }) => name)).toEqual(['build', '']);
  expect(new Set(stages.map(({ image }) => image)).size).toBe(1);
  const [, final] = stages;
  const words = final?.steps.map(({ word }) => word) ?? [];
  expect(words.indexOf('USER')).toBeGreaterThan(words.lastIndexOf('RUN'));
  expect(words).toEqual(expect.arrayContaining(['HEALTHCHECK', 'STOPSIGNAL', 'VOLUME']));
  // A shell as the first process would keep the signal to stop.
  expect(final?.steps.find(({ word }) => word === 'CMD')?.rest).toMatch(/^\["node", /);
});

describe.runIf(runs)('the steps of deploy/Containerfile', () => {
  let folder: string;
  const rootOf = (stage: Stage): string => join(folder, stage.name || 'final');
  const state = { folder: '/', env: {} as Record<string, string>, user: 'root' };

  beforeAll(() => {
    if (!existsSync('/usr/bin/mmdebstrap')) {
      run('apt-get', ['-q', 'update']);
      run('apt-get', ['-q', '-y', '--no-install-recommends', 'install', 'mmdebstrap']);
    }
    folder = mkdtempSync(join(tmpdir(), 'container-'));
    makeBase(join(folder, 'build'));
    run('cp', ['-a', join(folder, 'build'), join(folder, 'final')]);
    for (const stage of stages) for (const step of stage.steps) runStep(stage, step);
  }, 1_200_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What the image of Node is: Debian with Node and npm. */
  function makeBase(root: string): void {
    run('mmdebstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', root]);
    const npm = dirname(dirname(realpathSync(run('sh', ['-c', 'command -v npm']).trim())));
    mkdirSync(join(root, 'usr/local/lib/node_modules'), { recursive: true });
    cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
    cpSync(process.execPath, join(root, 'usr/local/bin/node'), { dereference: true });
    run('chroot', [root, 'ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm']);
    // What this machine needs to reach the registry.
    const { SSL_CERT_FILE, NODE_EXTRA_CA_CERTS } = registryOf();
    for (const file of new Set(['/etc/resolv.conf', SSL_CERT_FILE, NODE_EXTRA_CA_CERTS]))
      if (file !== undefined) {
        mkdirSync(join(root, dirname(file)), { recursive: true });
        cpSync(file, join(root, file), { dereference: true });
      }
  }

  function runStep(stage: Stage, { word, rest }: Step): void {
    const root = rootOf(stage);
    if (word === 'WORKDIR') {
      state.folder = rest;
      run('chroot', [root, 'mkdir', '-p', rest]);
    } else if (word === 'ENV')
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) state.env[name] = value;
    else if (word === 'USER') state.user = rest;
    else if (word === 'COPY') copyInto(root, rest);
    else if (word === 'RUN') inRoot(root, ['sh', '-c', `cd ${state.folder} && ${rest}`]);
  }

  function copyInto(root: string, rest: string): void {
    const [, stage] = /^--from=(\S+)/.exec(rest) ?? [];
    const words = rest.split(' ').filter((one) => !one.startsWith('--'));
    const target = join(root, state.folder, words.at(-1) ?? '').replace(
      join(root, state.folder, '/app'),
      join(root, '/app'),
    );
    for (const source of words.slice(0, -1)) {
      if (stage !== undefined) cpSync(join(folder, stage, source), join(root, words.at(-1) ?? ''), { recursive: true });
      else if (source === '.') copyContext(target);
      else cpSync(join(ROOT, source), join(target, source));
    }
  }

  /** What .dockerignore leaves. */
  function copyContext(target: string): void {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n');
    const left = run('ls', ['-A', ROOT]).trim().split('\n');
    for (const name of left.filter((one) => !ignored.includes(one)))
      cpSync(join(ROOT, name), join(target, name), { recursive: true });
  }

  /** As in a container, the root has a /proc and /dev of its own while the command runs. */
  const SETUP = `mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot`;
  function inside(root: string, user: string, command: readonly string[], env: Record<string, string> = {}): string[] {
    const all = {
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      HOME: '/tmp',
      ...registryOf(),
      ...state.env,
      ...env,
    };
    const variables = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    const as = user === 'root' ? [] : [`--userspec=${user}:${user}`];
    return ['-m', 'sh', '-c', `${SETUP} ${as.join(' ')} "$0" "$@"`, root, 'env', '-i', ...variables, ...command];
  }
  const inRoot = (root: string, command: readonly string[]): string => run('unshare', inside(root, 'root', command));

  /** The npm registry and proxies that this machine uses. */
  function registryOf(): Record<string, string> {
    const names = /^(https?_proxy|no_proxy|npm_config_registry|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS)$/i;
    return Object.fromEntries(
      Object.entries(process.env).filter((entry): entry is [string, string] => names.test(entry[0])),
    );
  }

  test('the image has the program without sources, sandbox and build tools, and the user owns nothing but its data', () => {
    const final = join(folder, 'final');
    expect(existsSync(join(final, 'app/server/main.js'))).toBe(true);
    for (const part of ['app/sandbox', 'app/tests', 'app/node_modules/vite', 'src'])
      expect(existsSync(join(final, part))).toBe(false);
    expect(inRoot(final, ['find', '/', '-xdev', '-user', 'studio', '-not', '-path', '/proc/*']).trim()).toBe('/data');
    expect(inRoot(final, ['psql', '--version'])).toContain('psql');
    expect(dirname(join(final, 'app/server'))).toBe(join(final, 'app'));
  });

  test('it runs without rights on a root that can only be read, is healthy, and the signal to stop reaches it', async () => {
    const final = join(folder, 'final');
    const port = await freePorts();
    const command = JSON.parse(stages[1]?.steps.find(({ word }) => word === 'CMD')?.rest ?? '[]') as string[];
    const check = /CMD (\[.*\])$/.exec(stages[1]?.steps.find(({ word }) => word === 'HEALTHCHECK')?.rest ?? '')?.[1];
    // Without production, which would refuse the missing keys: what runs is the same.
    const env = { NODE_ENV: 'development', SANDBOX: 'on', LOG_LEVEL: 'silent', PORT: String(port) };
    const [, , , , root = '', ...rest] = inside(final, state.user, command, env);
    const readOnly = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount -t tmpfs tmpfs "$0/tmp" && mount -t tmpfs -o mode=777 tmpfs "$0/data" && ${SETUP} --userspec=${state.user}:${state.user} "$0" sh -c 'cd /app && touch /app/x 2>/dev/null; exec "$@"' sh "$@"`;
    const server = spawn('unshare', ['-m', 'sh', '-c', readOnly, root, ...rest], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    server.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until(() => Promise.resolve(printed.includes('ready on') || server.exitCode !== null), 90_000);
    expect(printed).toContain('ready on');
    expect(existsSync(join(final, 'app/x'))).toBe(false);
    expect(spawnSync('ps', ['-o', 'user=,args=', '-p', String(server.pid)], { encoding: 'utf8' }).stdout).toMatch(
      /^10001 +node server\/main\.js/,
    );
    const healthy = JSON.parse(check ?? '[]') as string[];
    const probe = spawn('unshare', inside(final, 'root', healthy, env), { stdio: 'inherit' });
    expect(await once(probe, 'exit')).toEqual([0, null]);
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
  }, 180_000);
});
