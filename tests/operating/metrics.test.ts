import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measureEngine } from '#server/start/observe/embedded.ts';
import { createMetrics, measureDatabase } from '#server/http/metrics/metrics.ts';
import { PROMTOOL } from './debian.ts';
import type { Database } from '#server/db/database.ts';
import { oneEngine, onlyPostgres } from '#tests/support/engines.ts';
import { openMigratedDatabase } from '#tests/support/image.ts';
import type { TestServer } from '#tests/support/test-server.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const DASHBOARD = 'deploy/dashboard.json';
const ALERTS = 'deploy/alerts.yaml';
/** Returns our own metrics in docs/metrics.md, where several may share a row. */
const documented = (): string[] =>
  read('docs/metrics.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => Array.from((line.split('|')[1] ?? '').matchAll(/`(\w+)`/g), ([, name = '']) => name));
const ofNode = (name: string): boolean => /^(process|nodejs)_/.test(name);
const namesIn = (text: string): string[] => Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name = '']) => name);

describe.each(oneEngine)('metrics on $name', (engine) => {
  let server: TestServer;
  let folder: string;
  let exposition: string;
  let exported: string[];
  let samples: Sample[];
  let types: { readonly name: string; readonly type: string }[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'metrics-'));
    server = await engine.open({ BACKUP_DIR: join(folder, 'backups'), BACKUP_PASSPHRASE: 'a passphrase of words' });
    const embedded = createMetrics();
    const db = await openMigratedDatabase();
    measureEngine(embedded, db, folder);
    await server.client().from('studios').select('name');
    const text = await (await fetch(`${server.url}/metrics`)).text();
    // Both expositions contain the metrics of Node, and one exposition must not contain a metric twice.
    const ofEngine = (await embedded.text()).split('\n\n').filter((part) => !text.includes(part.split('\n')[0] ?? ''));
    exposition = `${[text.trimEnd(), ...ofEngine].join('\n')}\n`;
    exported = namesIn(exposition);
    samples = samplesIn(exposition);
    types = Array.from(exposition.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type = '']) => ({ name, type }));
    await db.close();
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('docs/metrics.md has every metric of ours, and no other', () => {
    const ours = [...new Set(exported)].filter((name) => !ofNode(name));
    expect(documented().toSorted()).toEqual(ours.toSorted());
  });

  test('every counter of ours ends in _total, and nothing else does', () => {
    const ours = types.filter(({ name }) => !ofNode(name));
    expect(ours.filter(({ name, type }) => (type === 'counter') !== name.endsWith('_total'))).toEqual([]);
  });

  test.runIf(PROMTOOL !== '')('promtool check metrics finds no fault in the metrics of ours', () => {
    const { status, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], { encoding: 'utf8', input: exposition });
    // promtool exits with 3 if it finds faults: prom-client itself names three gauges like counters.
    expect([0, 3], stderr).toContain(status);
    expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_active_'))).toEqual([]);
  });

  test.each([DASHBOARD, ALERTS])('every metric that %s asks for exists', (path) => {
    const requested = expressions(path).flatMap(findMetrics);
    expect(requested.length).toBeGreaterThan(10);
    const existing = new Set([...exported, 'up', ...exported.map((name) => `${name}_bucket`)]);
    expect([...new Set(requested)].filter((name) => !existing.has(name))).toEqual([]);
  });

  test.each([DASHBOARD, ALERTS])('every label that %s asks for is one of its metric, with that value', (path) => {
    const requested = expressions(path).flatMap(findLabels);
    expect(requested.length).toBeGreaterThan(3);
    const unknown = requested.filter(
      ({ name, label, value }) =>
        // Prometheus adds these two labels.
        !['job', 'instance'].includes(label) &&
        !samples.some(
          (sample) =>
            sample.name === name && (value === null ? label in sample.labels : sample.labels[label] === value),
        ),
    );
    expect(unknown).toEqual([]);
  });
});

test.skipIf(onlyPostgres)('each alert says what is wrong and what to do', () => {
  const alerts = read(ALERTS).split('- alert:').slice(1);
  expect(alerts.length).toBeGreaterThan(8);
  for (const alert of alerts) expect(alert).toMatch(/expr: .+[^]*summary: .+[^]*description: ['"].+['"]/);
});

/** Returns every expression in a dashboard or a file of rules. */
function expressions(path: string): string[] {
  const text = read(path);
  if (path === ALERTS) return Array.from(text.matchAll(/^\s+expr: (.+)$/gm), ([, found = '']) => found);
  // Cast: the type has only the part of a dashboard that the test reads.
  const { panels } = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>> };

/** Returns the samples of an exposition. */
function samplesIn(text: string): Sample[] {
  return Array.from(text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm), ([, name = '', labels = '']) => ({
    name,
    labels: Object.fromEntries(Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, label, value]) => [label, value])),
  }));
}

/** Returns the labels that an expression selects or groups by. `value` is null if the label may have any value. */
function findLabels(expression: string): { name: string; label: string; value: string | null }[] {
  const selected = Array.from(expression.matchAll(/(\w+)\{([^}]*)\}/g)).flatMap(([, name = '', labels = '']) =>
    Array.from(labels.matchAll(/(\w+)(=~?)"([^"]*)"/g), ([, label = '', operator, value = '']) => ({
      name,
      label,
      value: operator === '=' ? value : null,
    })),
  );
  const [name = ''] = findMetrics(expression);
  const grouped = Array.from(expression.matchAll(/\bby \(([^)]*)\)/g)).flatMap(([, labels = '']) =>
    labels.split(',').map((label) => ({ name, label: label.trim(), value: null })),
  );
  return [...selected, ...grouped];
}

/** Returns the metrics of an expression: the words outside braces and label lists that are neither functions nor operators. */
function findMetrics(expression: string): string[] {
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ');
  const words = Array.from(bare.matchAll(/[a-z_]\w*(?=\s*(\(?))/gi), ([word, next]) => ({
    word,
    called: next === '(',
  }));
  return words
    .filter(({ word, called }) => !called && !['and', 'or', 'e9', 'e'].includes(word))
    .map(({ word }) => word);
}

test.skipIf(onlyPostgres)(
  'a scrape leaves out what cannot be read in time and answers with the rest, and what can be read again is there again',
  async () => {
    const metrics = createMetrics();
    let state: 'works' | 'fails' | 'hangs' = 'works';
    const read = <T>(value: T): Promise<T> =>
      state === 'works'
        ? Promise.resolve(value)
        : state === 'fails'
          ? Promise.reject(new Error('down'))
          : new Promise(() => undefined);
    metrics.gauge('jobs', 'Jobs', () => read(4));
    metrics.labelled('rooms', 'Rooms', 'state', () => read({ open: 3 }));
    metrics.labelled('waiting', 'Waiting', 'class', () => ({ guest: 7 }));
    // Cast: the test reads neither the load nor the rows.
    measureDatabase(metrics, { load: () => ({}), queryRow: () => read({}) } as unknown as Database);
    const scrape = async () => {
      const found = samplesIn(await metrics.text()).filter(({ name }) => !ofNode(name));
      return found.map(({ name }) => name);
    };
    const upIn = async () => /^database_up (\d)$/m.exec(await metrics.text())?.[1];
    for (const next of ['works', 'fails', 'works', 'hangs', 'works'] as const) {
      state = next;
      const works = state === 'works';
      expect(await scrape()).toEqual(works ? ['jobs', 'rooms', 'waiting', 'database_up'] : ['waiting', 'database_up']);
      expect(await upIn()).toBe(works ? '1' : '0');
    }
  },
  60_000,
);
