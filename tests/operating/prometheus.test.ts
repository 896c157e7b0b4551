import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkout, freePorts, span, startTestServer, type TestServer, until } from '#tests/support/test-server.ts';
import { installDebian, mayInstall, PROMTOOL } from './debian.ts';

/**
 * Tests deploy/alerts.yaml and deploy/dashboard.json with Debian's Prometheus. The checks of promtool run wherever it is installed. A real
 * Prometheus reads a real server only in `npm run test:long`, which installs it as root.
 */
const DEPLOY = new URL('../../deploy/', import.meta.url).pathname;
const ALERTS = join(DEPLOY, 'alerts.yaml');
const LONG = process.env['TEST_LONG'] === '1' && mayInstall;
if (LONG) installDebian('prometheus');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Series of three hours, with one sample a minute, for two healthy servers and for other programs on the same machine. */
const WELL: Readonly<Record<string, string>> = {
  'up{job="studio",instance="one"}': '1x180',
  'up{job="studio",instance="two"}': '1x180',
  'up{job="another"}': '0x180',
  'http_requests_total{job="studio",api="rest",method="GET",status="200"}': '0+600x180',
  'http_requests_total{job="studio",api="rest",method="GET",status="503"}': '0+1x180',
  'http_requests_total{job="another",status="500"}': '0+9000x180',
  'http_request_seconds_bucket{job="studio",api="rest",le="0.1"}': '0+600x180',
  'http_request_seconds_bucket{job="studio",api="rest",le="1"}': '0+600x180',
  'http_request_seconds_bucket{job="studio",api="rest",le="+Inf"}': '0+600x180',
  'http_request_seconds_bucket{job="studio",api="functions",le="1"}': '0+0x180',
  'http_request_seconds_bucket{job="studio",api="functions",le="+Inf"}': '0+60x180',
  'requests_refused_total{job="studio",kind="guest"}': '0x180',
  'database_refused_total{job="studio",class="guest"}': '0x180',
  'outbox_waiting{job="studio"}': '3x180',
  'outbox_failing{job="studio"}': '0x180',
  'outbox_oldest_seconds{job="studio"}': '4x180',
  'provider_circuits_open{job="studio"}': '0x180',
  'backup_age_seconds{job="studio"}': '80000x180',
  'disk_free_bytes{job="studio"}': '40000000000x180',
  'disk_size_bytes{job="studio"}': '100000000000x180',
  'database_embedded_bytes{job="studio"}': '400000000x180',
  'database_vacuum_age_seconds{job="studio"}': '80000x180',
  'database_transaction_age{job="studio"}': '5000x180',
  'process_resident_memory_bytes{job="studio"}': '600000000x180',
  'process_resident_memory_bytes{job="another"}': '9000000000x180',
};
/** Changes to the series that make each alert fire, and the number of minutes that the change must last. */
const TROUBLE: readonly [alert: string, minutes: number, changed: Readonly<Record<string, string>>][] = [
  ['StudioDown', 1, { 'up{job="studio",instance="two"}': '1x99 0x80' }],
  ['StudioErrors', 5, { 'http_requests_total{job="studio",api="rest",method="GET",status="503"}': '0x99 0+20x80' }],
  ['StudioSlow', 10, { 'http_request_seconds_bucket{job="studio",api="rest",le="0.1"}': '0+600x99 60000+540x80' }],
  ['StudioOverloaded', 5, { 'requests_refused_total{job="studio",kind="guest"}': '0x99 0+30x80' }],
  ['StudioOverloaded', 5, { 'database_refused_total{job="studio",class="guest"}': '0x99 0+30x80' }],
  ['StudioJobsLate', 5, { 'outbox_oldest_seconds{job="studio"}': '4x99 1000x80' }],
  ['StudioJobsFailing', 30, { 'outbox_failing{job="studio"}': '0x99 1x80' }],
  ['StudioProviderDown', 5, { 'provider_circuits_open{job="studio"}': '0x99 1x80' }],
  ['StudioBackupOld', 30, { 'backup_age_seconds{job="studio"}': '80000x99 100000x80' }],
  ['StudioBackupOld', 30, { 'backup_age_seconds{job="studio"}': '80000x99 -1x80' }],
  ['StudioDiskFull', 10, { 'disk_free_bytes{job="studio"}': '40000000000x99 9000000000x80' }],
  ['StudioDatabaseLarge', 0, { 'database_embedded_bytes{job="studio"}': '400000000x99 3000000000x80' }],
  ['StudioVacuumMissing', 60, { 'database_vacuum_age_seconds{job="studio"}': '80000x99 300000x80' }],
  ['StudioVacuumMissing', 60, { 'database_transaction_age{job="studio"}': '5000x99 1500000000x80' }],
  ['StudioMemory', 15, { 'process_resident_memory_bytes{job="studio"}': '600000000x99 3000000000x80' }],
];
/** Maximum number of minutes after a change until `rate` over five minutes passes its bound. */
const LATER = 6;

describe.runIf(PROMTOOL !== '')('promtool', () => {
  const promtool = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  };

  test('accepts deploy/alerts.yaml', () => {
    expect(promtool('check', 'rules', ALERTS)).toMatch(/SUCCESS: \d+ rules found/);
  });

  test('accepts the configuration of docs/metrics.md with these rules', () => {
    const page = readFileSync(join(DEPLOY, '..', 'docs', 'metrics.md'), 'utf8');
    const token = join(folder, 'token');
    writeFileSync(token, 'a token');
    const [, block = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
    const file = join(folder, 'documented.yml');
    writeFileSync(file, block.replace('/etc/prometheus/studio-token', token).replace('alerts.yaml', ALERTS));
    expect(promtool('check', 'config', file)).toMatch(/SUCCESS: .*1 rule files found/);
  });

  test.runIf(LONG)(
    'finds that each alert fires by its own trouble after its time, alone, and none before or because of other programs',
    () => {
      const named = Array.from(readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g), ([, name]) => name);
      expect([...new Set(TROUBLE.map(([alert]) => alert))]).toEqual(named);
      const tests = TROUBLE.map(([alert, minutes, changed]) => ({
        interval: '1m',
        input_series: Object.entries({ ...WELL, ...changed }).map(([series, values]) => ({ series, values })),
        promql_expr_test: [
          { at: 99, alerts: [] },
          { at: 100 + minutes - 1, alerts: [] },
          { at: 100 + minutes + LATER, alerts: [alert] },
        ].map(({ at, alerts }) => ({
          eval_time: `${at}m`,
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          exp_samples: alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
        })),
      }));
      const file = join(folder, 'tests.json');
      // JSON is valid YAML.
      writeFileSync(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests }));
      expect(promtool('test', 'rules', file)).toContain('SUCCESS');
    },
  );
});

describe.runIf(LONG)('Prometheus with a server that works', () => {
  let server: TestServer;
  let prometheus: ChildProcess;
  let url: string;
  let closing: Promise<void> | undefined;
  const closeServer = (): Promise<void> => (closing ??= server.close());

  beforeAll(async () => {
    // The embedded engine has the most metrics.
    server = await startTestServer({
      inFolder: true,
      env: { BACKUP_DIR: join(folder, 'backups'), BACKUP_PASSPHRASE: 'a passphrase of words' },
    });
    const port = await freePorts();
    url = `http://127.0.0.1:${port}`;
    const { host } = new URL(server.url);
    writeFileSync(
      join(folder, 'prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [ALERTS],
        scrape_configs: [{ job_name: 'studio', static_configs: [{ targets: [host] }] }],
      }),
    );
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    await work();
  }, 120_000);
  afterAll(async () => {
    const ended = once(prometheus, 'exit');
    prometheus.kill('SIGTERM');
    await ended;
    await closeServer();
  });

  type Sample = { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] };
  async function query(expression: string): Promise<readonly Sample[]> {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    // Cast: the format of Prometheus's API.
    const body = (await answer.json()) as { status: string; data?: { result: readonly Sample[] } };
    expect([expression, body.status]).toEqual([expression, 'success']);
    return body.data?.result ?? [];
  }
  const count = async (name: string): Promise<number> => Number((await query(`sum(${name})`))[0]?.value[1] ?? 0);

  /** Makes a booking and a failure of the server between two readings. */
  async function work(): Promise<void> {
    await until(() => count('up').catch(() => 0), 30_000);
    const before = await count('http_requests_total');
    const customer = await server.addCustomer();
    await server.call('create-payment', checkout(span(server.now(), 30)), customer.token);
    await server.client().from('studios').select('name');
    await server.sandbox('/api/faults', { provider: 'stripe', kind: 'status', status: 503, seconds: 30 });
    const other = await server.addCustomer();
    const failed = await server.call('create-payment', checkout(span(server.now(), 40)), other.token);
    expect(failed.status).toBeGreaterThanOrEqual(500);
    await until(async () => (await count('http_requests_total')) > before + 2, 30_000);
    // A rate needs two readings of each status.
    await until(async () => (await query('rate(http_requests_total{status=~"5.."}[5m])')).length > 0, 30_000);
  }

  test('every expression of deploy/dashboard.json has an answer, with the labels that its legend names', async () => {
    // Cast: the part of a dashboard that the test reads.
    const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'dashboard.json'), 'utf8')) as {
      panels: { targets: { expr: string; legendFormat: string }[] }[];
    };
    const targets = panels.flatMap((panel) => panel.targets);
    expect(targets.length).toBeGreaterThan(20);
    for (const { expr, legendFormat } of targets) {
      const samples = await query(expr);
      expect(samples, expr).not.toEqual([]);
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        for (const { metric } of samples) expect(metric[label], `${expr}: ${label}`).toBeTruthy();
    }
  });

  test('every rule of deploy/alerts.yaml is evaluated without a fault, and none fires', async () => {
    // Cast: the format of Prometheus's API.
    const rules = async () =>
      (
        (await (await fetch(`${url}/api/v1/rules`)).json()) as {
          data: { groups: { rules: { name: string; health: string; state: string }[] }[] };
        }
      ).data.groups.flatMap((group) => group.rules);
    await expect
      .poll(async () => (await rules()).every(({ health }) => health === 'ok'), { timeout: 20_000 })
      .toBe(true);
    expect((await rules()).filter(({ state }) => state === 'firing')).toEqual([]);
  });

  test('a server that does not answer becomes up == 0, which StudioDown asks for', async () => {
    expect(await query('up{job="studio"} == 0')).toEqual([]);
    await closeServer();
    await expect.poll(async () => (await query('up{job="studio"} == 0')).length, { timeout: 20_000 }).toBe(1);
  });
});
