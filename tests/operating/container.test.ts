import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts, until } from '#tests/support/test-server.ts';
import { inDebian, installDebian, makeDebian, mayInstall, NODE_IMAGE, PATHS, run } from './debian.ts';
import { PRODUCTION } from './production.ts';

/**
 * Runs the steps of deploy/Containerfile, read from the file, in bare Debian roots, so that no image registry is needed. Runs only in `npm
 * run test:long`, as root, with mmdebstrap, which the test installs.
 */
const ROOT = new URL('../../', import.meta.url).pathname;
const runs = process.env['TEST_LONG'] === '1' && mayInstall;

/** `cap_drop: [ALL]` and `no-new-privileges` of compose.yaml. */
const NO_RIGHTS = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
/** Secrets that are read from files, as in compose.yaml. */
const SECRETS = ['APP_SECRET', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'IGLOOHOME_CLIENT_SECRET', 'SMTP_URL'];

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

test('the image has two stages of the same Node, and the second begins without what the first has built with', () => {
  expect(stages.map(({ name }) => name)).toEqual(['build', '']);
  expect(new Set(stages.map(({ image }) => image)).size).toBe(1);
  const [, final] = stages;
  const words = final?.steps.map(({ word }) => word) ?? [];
  expect(words.indexOf('USER')).toBeGreaterThan(words.lastIndexOf('RUN'));
  expect(words).toEqual(expect.arrayContaining(['HEALTHCHECK', 'STOPSIGNAL', 'VOLUME']));
  // If the first process were a shell, it would not pass on the stop signal.
  expect(final?.steps.find(({ word }) => word === 'CMD')?.rest).toMatch(/^\["node", /);
});

describe.runIf(runs)('the steps of deploy/Containerfile', () => {
  let folder: string;
  let final: string;

  beforeAll(() => {
    installDebian('mmdebstrap', '/usr/bin/mmdebstrap');
    folder = mkdtempSync(join(tmpdir(), 'container-'));
    final = join(folder, 'final');
    makeDebian(join(folder, 'build'), NODE_IMAGE);
    run('cp', ['-a', join(folder, 'build'), final]);
    for (const stage of stages) runStage(stage);
  }, 1_200_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

  function runStage(stage: Stage): void {
    const root = join(folder, stage.name || 'final');
    let working = '/';
    for (const { word, rest } of stage.steps) {
      if (word === 'WORKDIR') working = rest;
      if (word === 'WORKDIR') run('chroot', [root, 'mkdir', '-p', rest]);
      else if (word === 'COPY') copyInto(root, working, rest);
      else if (word === 'RUN') run('unshare', inDebian(root, ['env', '-C', working, 'sh', '-c', rest]));
    }
  }

  function copyInto(root: string, working: string, rest: string): void {
    const [, stage] = /^--from=(\S+)/.exec(rest) ?? [];
    const words = rest.split(' ').filter((word) => !word.startsWith('--'));
    const last = words.at(-1) ?? '';
    const target = join(root, isAbsolute(last) ? last : join(working, last));
    for (const source of words.slice(0, -1)) {
      if (stage !== undefined) copy(join(folder, stage, source), target);
      else if (source === '.') copyContext(target);
      else copy(join(ROOT, source), join(target, source));
    }
  }

  /** Copies the files that .dockerignore does not exclude. */
  function copyContext(target: string): void {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n');
    for (const name of readdirSync(ROOT).filter((name) => !ignored.includes(name)))
      copy(join(ROOT, name), join(target, name));
    for (const name of ignored) rmSync(join(target, name), { recursive: true, force: true });
  }

  /** Returns the command for COPY. As in a container build, the files belong to root. */
  const copy = (from: string, to: string): string =>
    run('cp', ['-rT', '--preserve=mode,links', '--no-preserve=ownership', from, to]);

  /** Returns the numeric user and group of the image's user. */
  function readAccount(name: string): { uid: string; gid: string } {
    const [, , uid = '', gid = ''] =
      readFileSync(join(final, 'etc/passwd'), 'utf8')
        .split('\n')
        .find((line) => line.startsWith(`${name}:`))
        ?.split(':') ?? [];
    return { uid, gid };
  }

  test('the image has the program without sources, sandbox and build tools, and the user owns nothing but its data', () => {
    expect(existsSync(join(final, 'app/server/main.js'))).toBe(true);
    for (const part of ['app/sandbox', 'app/tests', 'app/node_modules/vite', 'src'])
      expect(existsSync(join(final, part)), part).toBe(false);
    const inRoot = (...command: string[]): string => run('unshare', inDebian(final, command));
    expect(inRoot('find', '/', '-xdev', '-user', 'studio', '-not', '-path', '/proc/*').trim()).toBe('/data');
    expect(inRoot('find', '/app', '-perm', '/022', '-not', '-type', 'l').trim()).toBe('');
    expect(inRoot('psql', '--version')).toContain('psql');
  });

  test('it runs as process 1 without rights on a root that can only be read, is healthy, and the signal to stop reaches it', async () => {
    const image = getImage(stages[1]);
    const { uid, gid } = readAccount(image.user);
    expect(uid).toBe('10001');
    // As in compose.yaml, the secrets are files that only this user can read.
    mkdirSync(join(final, 'run/secrets'), { recursive: true });
    const settings = Object.entries(PRODUCTION).map(([name, value]): [string, string] => {
      if (!SECRETS.includes(name)) return [name, value];
      const path = `/run/secrets/${name.toLowerCase()}`;
      writeFileSync(join(final, path), value, { mode: 0o400 });
      chownSync(join(final, path), Number(uid), Number(gid));
      return [`${name}_FILE`, path];
    });
    const env = { ...image.env, ...Object.fromEntries(settings), PORT: String(await freePorts()) };
    const variables = Object.entries({ PATH: PATHS, HOME: '/nonexistent', ...env }).map((pair) => pair.join('='));
    const started = ['env', '-i', '-C', image.folder, ...variables, ...image.command];
    const command = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...NO_RIGHTS, ...started];
    const mounts = `mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; mount -t tmpfs tmpfs "$0/tmp"; mount -t tmpfs -o mode=700,uid=${uid},gid=${gid} tmpfs "$0/data"; mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"`;
    const container = spawn(
      'unshare',
      ['-m', '-p', '-f', '--kill-child', 'sh', '-ec', `${mounts}; exec chroot "$0" "$@"`, final, ...command],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let printed = '';
    container.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until(() => Promise.resolve(printed.includes('ready on') || container.exitCode !== null), 90_000);
    expect(printed).toContain('ready on');
    const server = spawnSync('ps', ['-o', 'pid=', '--ppid', String(container.pid)], { encoding: 'utf8' }).stdout.trim();
    expect(readFileSync(`/proc/${server}/status`, 'utf8')).toMatch(/^NSpid:\t\d+\t1$/m);

    /** Does what `podman exec` does, with the user and the variables of the container. */
    const execute = (more: readonly string[], user = image.user): SpawnSyncReturns<string> => {
      const as = user === 'root' ? [] : [`--setuid=${uid}`, `--setgid=${gid}`];
      const enter = ['--target', server, '--mount', '--pid', '--root', ...as, 'env', '-i', '-C', image.folder];
      return spawnSync('nsenter', [...enter, ...variables, ...more], { encoding: 'utf8' });
    };
    expect(execute(image.healthCheck)).toMatchObject({ status: 0, stderr: '' });
    expect(execute(['touch', '/app/x'], 'root').stderr).toContain('Read-only file system');
    expect(readFileSync(`/proc/${server}/status`, 'utf8')).toMatch(
      /^Uid:\t10001\t[^]*^CapBnd:\t0+$[^]*^NoNewPrivs:\t1$/m,
    );
    const page = await fetch(`http://127.0.0.1:${env.PORT}/booking`);
    expect([page.status, (await page.text()).includes('</html>')]).toEqual([200, true]);
    // This is the command of docs/deploying.md for containers. It exits with 1, because the providers cannot be reached.
    const doctor = execute(['npm', 'run', '-s', 'doctor', '--', '--json']);
    expect(doctor.stderr).toBe('');
    expect(JSON.parse(doctor.stdout)).toMatchObject({ ok: false, findings: expect.any(Array) });
    process.kill(Number(server), 'SIGTERM');
    expect(await once(container, 'exit')).toEqual([0, null]);
  }, 180_000);
});

/** Returns what the last stage defines for a container. */
function getImage(stage: Stage | undefined): {
  env: Record<string, string>;
  user: string;
  folder: string;
  command: string[];
  healthCheck: string[];
} {
  const last = (word: string): string => stage?.steps.findLast((step) => step.word === word)?.rest ?? '';
  const list = (text: string): string[] => JSON.parse(/\[.*\]$/.exec(text)?.[0] ?? '[]') as string[];
  const env = Array.from(last('ENV').matchAll(/(\w+)=(\S+)/g), ([, name = '', value = '']) => [name, value]);
  return {
    env: Object.fromEntries(env) as Record<string, string>,
    user: last('USER'),
    folder: last('WORKDIR'),
    command: list(last('CMD')),
    healthCheck: list(last('HEALTHCHECK')),
  };
}
