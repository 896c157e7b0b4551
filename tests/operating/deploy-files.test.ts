import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WEBHOOK_EVENTS } from '#server/providers/stripe/events.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const settings = [...read('.env.example').matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
/** Variables in these files that belong to other programs. */
const OTHERS = /^(POSTGRES_|MINIO_ROOT_|SITE_ADDRESS|SERVERS|DEBIAN_FRONTEND|STRIPE_SECRET_KEY_FILE=)/;

test('every setting that deploy/ and docs/deploying.md give is one that the server knows', () => {
  const given = [
    ...read('deploy/compose.yaml').matchAll(/^ {4,}([A-Z][A-Z0-9_]+):/gm),
    ...read('deploy/studio.service').matchAll(/^Environment=([A-Z][A-Z0-9_]+)=/gm),
    ...read('deploy/Containerfile')
      .split('\n')
      .filter((line) => line.startsWith('ENV '))
      .flatMap((line) => [...line.matchAll(/ ([A-Z][A-Z0-9_]+)=/g)]),
    ...read('docs/deploying.md').matchAll(/\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g),
  ].map(([, name = '']) => name);
  const isSetting = (name: string): boolean =>
    settings.includes(name.replace(/_FILE$/, '')) || settings.includes(name) || OTHERS.test(name);
  expect(given.length).toBeGreaterThan(40);
  expect([...new Set(given)].filter((name) => !isSetting(name))).toEqual([]);
});

test.each(['docs/deploying.md', 'docs/running.md'])('%s names every event that the payment webhook needs', (page) => {
  const named = [...read(page).matchAll(/`([a-z_]+\.[a-z_.]*\*?)`/g)].map(([, name = '']) => name);
  const isNamed = (event: string): boolean =>
    named.some((name) => (name.endsWith('*') ? event.startsWith(name.slice(0, -1)) : event === name));
  expect(WEBHOOK_EVENTS.filter((event) => !isNamed(event))).toEqual([]);
});

test('each secret of compose.yaml is a file that a service reads', () => {
  const compose = read('deploy/compose.yaml');
  const files = [...compose.matchAll(/^ {2}(\w+): \{ file: \.\/secrets\/(\w+) \}/gm)].map(([, name, file]) => [
    name,
    file,
  ]);
  expect(files.length).toBeGreaterThan(6);
  for (const [name, file] of files) {
    expect(file).toBe(name);
    expect(compose).toContain(`_FILE: /run/secrets/${name}`);
  }
});

test('compose.yaml checks the health as the image does, for engines that leave out the check of an image', () => {
  const ofImage = /CMD \["node", "-e", "(.*)"\]/.exec(read('deploy/Containerfile'))?.[1];
  const ofCompose = /healthcheck:[^]*?- -e\n\s+- '(.*)'/.exec(read('deploy/compose.yaml'))?.[1];
  expect(ofCompose).toBe(ofImage?.replace('${process.env.PORT}', '3000'));
});

test('neither git nor the build of the image takes the secrets that compose.yaml reads', () => {
  const ignoredByGit = read('.gitignore').split('\n');
  const ignoredByBuild = read('.dockerignore').split('\n');
  for (const path of ['deploy/secrets', 'deploy/studio.env']) {
    expect(ignoredByGit.map((line) => line.replace(/^\/|\/$/g, ''))).toContain(path);
    expect(ignoredByBuild).toContain(path);
  }
});

test('no setting of docs/deploying.md has a comment on its line, which systemd would take as part of the value', () => {
  const lines = read('docs/deploying.md').split('\n');
  expect(lines.filter((line) => /^[A-Z][A-Z0-9_]+=/.test(line)).length).toBeGreaterThan(6);
  expect(lines.filter((line) => /^[A-Z][A-Z0-9_]+=.*\s#/.test(line))).toEqual([]);
});

test.runIf(spawnSync('systemd-analyze', ['--version']).status === 0)(
  'systemd reads studio.service without complaint and rates its exposure as low',
  () => {
    const unit = join(ROOT, 'deploy', 'studio.service');
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    const complaints = verified.stderr.split('\n').filter((line) => line.includes('studio.service'));
    // The program itself is not installed on this machine.
    expect(complaints.filter((line) => !line.includes('is not executable'))).toEqual([]);
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
      encoding: 'utf8',
    });
    expect(Number(/exposure level for studio\.service: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(2.5);
  },
);

test('docs/deploying.md names every file of deploy/', () => {
  const text = read('docs/deploying.md');
  expect(readdirSync(join(ROOT, 'deploy')).filter((name) => !text.includes(name))).toEqual([]);
});

test('the Caddyfile logs failed requests without query, headers and the secrets of wallets, and no others', () => {
  const lines = read('deploy/Caddyfile')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('#'));
  const [, pattern = ''] = /^request>uri regexp "(.*)" "\$1"$/m.exec(lines.join('\n')) ?? [];
  const logged = (uri: string): string => uri.replace(new RegExp(pattern, 'g'), '$1');
  expect(logged('/regenerate-pin?booking_id=b&token=secret')).toBe('/regenerate-pin');
  expect(logged('/functions/v1/wallet-service/v1/devices/secret/x?y')).toBe('/functions/v1/wallet-service/');
  expect(logged('/booking')).toBe('/booking');
  expect(lines).toContain('request>headers delete');
  // A `log` in the site block would log every request, with its own encoder.
  expect(lines.filter((line) => /^log\b/.test(line))).toEqual(['log {']);
});

test('nginx.conf logs the path of a request without its query, which has secrets, and no page that led there', () => {
  const lines = read('deploy/nginx.conf')
    .split('\n')
    .map((line) => line.trim());
  const site = lines.filter((line) => !line.startsWith('#')).join('\n');
  const [, format = ''] = /log_format studio '([^]*?)';/.exec(site) ?? [];
  expect(format).toContain('$studio_path');
  expect(format).not.toMatch(/\$(request|request_uri|args|query_string|is_args|arg_\w+|uri|document_uri|http_\w+)\b/);
  expect(site).toMatch(/map \$request_uri \$studio_path \{\n"~\^\(\?<studio_asked>\[\^\?\]\*\)" \$studio_asked;\n\}/);
  const servers = site.split(/^server \{$/m).slice(1);
  expect(servers.length).toBe(2);
  for (const server of servers) {
    expect(server).toContain('access_log /var/log/nginx/studio.log studio;');
    // From level `error` on, the error log contains whole requests.
    expect(server).toMatch(/error_log \S+ crit;/);
    const logs = [...server.matchAll(/access_log ([^;]*);/g)].map(([, log]) => log);
    expect(logs.filter((log) => log !== 'off' && log !== '/var/log/nginx/studio.log studio')).toEqual([]);
  }
});

test('the hosted workflow runs the tests with Node 24, and each action that it uses is pinned by its commit', () => {
  const workflow = read('.github/workflows/ci.yml');
  expect(workflow).toMatch(/^ +node-version: 24$/m);
  const used = [...workflow.matchAll(/uses: (\S+)(.*)$/gm)].map(([, action, version]) => `${action}${version}`);
  expect(used).toHaveLength(2);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
