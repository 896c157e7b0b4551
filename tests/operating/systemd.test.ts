import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '#tests/support/test-server.ts';
import { installDebian, makeDebian, mayInstall, PATHS, run } from './debian.ts';
import { PRODUCTION } from './production.ts';

/**
 * Tests step 5 of docs/deploying.md, with the commands read from the page, in a Debian that is booted with systemd in a container of
 * systemd-nspawn. Runs only in `npm run test:long`, as root, which installs what it needs.
 */
const ROOT = new URL('../../', import.meta.url).pathname;
const runs = process.env['TEST_LONG'] === '1' && mayInstall;

/** Returns the block of commands on the page that contains these words. */
function commandsWith(words: string): string {
  const page = readFileSync(join(ROOT, 'docs', 'deploying.md'), 'utf8');
  const blocks = Array.from(page.matchAll(/^```sh\n([^]*?)^```$/gm), ([, block = '']) => block);
  const found = blocks.filter((block) => block.includes(words));
  expect(found, words).toHaveLength(1);
  return found[0] ?? '';
}

describe.runIf(runs)('the server under systemd', () => {
  let folder: string;
  let root: string;
  let machine: ChildProcess | undefined;
  let leader: string;

  beforeAll(async () => {
    installDebian('mmdebstrap');
    installDebian('systemd-container', 'systemd-nspawn');
    folder = mkdtempSync(join(tmpdir(), 'systemd-'));
    root = join(folder, 'root');
    makeDebian(root, '/usr', 'systemd', 'systemd-sysv', 'dbus', 'procps', 'curl');
    // Builds with the oldest Node that the page names, and without the variables of the tests, which would build for development.
    const build = ['npm', 'exec', '--yes', '--package=node@18', '--', 'node', join(ROOT, 'bin', 'build.js')];
    run('env', ['-u', 'NODE_ENV', '-u', 'VITEST', ...build, join(root, 'opt', 'studio')]);
    for (const name of ['deploy', '.env.example'])
      cpSync(join(ROOT, name), join(root, 'root', name), { recursive: true });
    machine = spawn(
      'systemd-nspawn',
      [
        '--quiet',
        '--register=no',
        '--keep-unit',
        '--private-network',
        '--console=pipe',
        '--boot',
        `--directory=${root}`,
      ],
      { stdio: 'ignore', env: { PATH: PATHS, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' } },
    );
    // Before systemd starts, systemd-nspawn has other children.
    leader = await until(() => {
      const of = ['-o', 'pid=,comm=', '--ppid', String(machine?.pid)];
      const { stdout } = spawnSync('ps', of, { encoding: 'utf8' });
      return Promise.resolve(/^ *(\d+) systemd$/m.exec(stdout)?.[1]);
    }, 60_000);
    await until(() => Promise.resolve(/running|degraded/.test(inside('systemctl is-system-running').stdout)), 60_000);
    expect(inside(commandsWith('/etc/studio/studio.env\n'))).toMatchObject({ status: 0 });
    const lines = Object.entries(PRODUCTION).map(([name, value]) => `${name}=${value}`);
    writeFileSync(join(root, 'etc/studio/studio.env'), `${lines.join('\n')}\n`);
  }, 600_000);
  afterAll(async () => {
    if (machine) {
      const ended = once(machine, 'exit');
      // On SIGTERM systemd-nspawn powers the machine off.
      machine.kill('SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  }, 300_000);

  /** Runs shell lines as root of that machine. */
  function inside(lines: string): { status: number | null; stdout: string; stderr: string } {
    const enter = ['--target', leader, '--all', '--root', '--wdns=/root'];
    const command = ['env', '-i', '-C', '/root', `PATH=${PATHS}`, 'HOME=/root', 'bash', '-c', lines];
    return spawnSync('nsenter', [...enter, ...command], { encoding: 'utf8' });
  }
  const show = (property: string): string => inside(`systemctl show --value -p ${property} studio`).stdout.trim();
  const answers = (): boolean => inside('curl -sf http://127.0.0.1:3000/readyz').status === 0;
  const untilAnswers = (): Promise<true> => until(() => Promise.resolve(answers()), 60_000);

  test('the commands of the page start it as its user, with no rights beyond its folder', async () => {
    const start = commandsWith('useradd');
    expect(inside(start.replace(/^journalctl .*$/m, ''))).toMatchObject({ status: 0 });
    await untilAnswers();
    const pid = show('MainPID');
    expect(inside(`ps -o user=,args= -p ${pid}`).stdout).toMatch(
      /^studio +\/usr\/bin\/node \/opt\/studio\/server\/main\.js\n$/,
    );
    const status = inside(`cat /proc/${pid}/status`).stdout;
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(inside(`nsenter -t ${pid} -m touch /opt/studio/x`).stderr).toContain('Read-only file system');
    expect(inside('stat -c "%U %a" /var/lib/studio').stdout).toBe('studio 700\n');
  }, 120_000);

  test('the doctor of the page runs as the same user and names what nobody answers at', () => {
    const { status, stdout, stderr } = inside(commandsWith('systemd-run'));
    expect(stderr).toBe('');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^ok {4}files .* free at \/var\/lib\/studio$/m);
    expect(stdout).toMatch(/^fail {2}payments /m);
  }, 120_000);

  test('a kill is made good within seconds, and a stop ends everything in order', async () => {
    inside('systemctl kill -s KILL studio');
    await until(() => Promise.resolve(show('NRestarts') === '1'), 20_000);
    await untilAnswers();
    expect(inside('systemctl stop studio')).toMatchObject({ status: 0 });
    expect([show('Result'), show('ExecMainStatus'), show('ActiveState')]).toEqual(['success', '0', 'inactive']);
    expect(inside('ps -o args= -u studio').stdout).toBe('');
  }, 120_000);

  test('a wrong setting ends the start for good with its line in the journal', async () => {
    appendFileSync(join(root, 'etc/studio/studio.env'), 'HOLD_MINUTES=soon\n');
    inside('systemctl start studio');
    await until(() => Promise.resolve(show('ActiveState') === 'failed'), 60_000);
    expect([show('ExecMainStatus'), show('NRestarts')]).toEqual(['78', '0']);
    expect(inside('journalctl -u studio -n 20 -o cat').stdout).toMatch(/^configuration: HOLD_MINUTES: /m);
  }, 120_000);
});
