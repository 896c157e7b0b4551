import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measureEngine } from '#server/start/observe/embedded.ts';
import { createMetrics } from '#server/http/metrics/metrics.ts';
import { oneEngine, onlyPostgres } from '#tests/support/engines.ts';
import { openMigratedDatabase } from '#tests/support/image.ts';
import type { TestServer } from '#tests/support/test-server.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const DASHBOARD = 'deploy/dashboard.json';
const ALERTS = 'deploy/alerts.yaml';
/** The metrics of our own in docs/metrics.md; several may share a row. */
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
  let exported: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'metrics-'));
    server = await engine.open({ BACKUP_DIR: join(folder, 'backups'), BACKUP_PASSPHRASE: 'a passphrase of words' });
    const embedded = createMetrics();
    const db = await openMigratedDatabase();
    measureEngine(embedded, db, folder);
    exported = [...namesIn(await (await fetch(`${server.url}/metrics`)).text()), ...namesIn(await embedded.text())];
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

  test.each([DASHBOARD, ALERTS])('every metric that %s asks for exists', (path) => {
    const asked = expressions(path).flatMap(metricsOf);
    expect(asked.length).toBeGreaterThan(10);
    const known = new Set([...exported, 'up', ...exported.map((name) => `${name}_bucket`)]);
    expect([...new Set(asked)].filter((name) => !known.has(name))).toEqual([]);
  });
});

test.skipIf(onlyPostgres)('each alert says what is wrong and what to do', () => {
  const alerts = read(ALERTS).split('- alert:').slice(1);
  expect(alerts.length).toBeGreaterThan(8);
  for (const alert of alerts) expect(alert).toMatch(/expr: .+[^]*summary: .+[^]*description: ['"].+['"]/);
});

test.skipIf(onlyPostgres || !existsSync('/usr/bin/promtool'))('Prometheus accepts the rules', () => {
  expect(execFileSync('/usr/bin/promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' })).toContain('SUCCESS');
});

/** Every expression in a dashboard or a file of rules. */
function expressions(path: string): string[] {
  const text = read(path);
  if (path === ALERTS) return Array.from(text.matchAll(/^\s+expr: (.+)$/gm), ([, found = '']) => found);
  // Cast: the part of a dashboard that is read.
  const { panels } = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** The metrics of an expression: words outside of braces and lists of labels that are neither functions nor operators. */
function metricsOf(expression: string): string[] {
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ');
  const words = Array.from(bare.matchAll(/[a-z_]\w*(?=\s*(\(?))/gi), ([word, next]) => ({
    word,
    called: next === '(',
  }));
  return words
    .filter(({ word, called }) => !called && !['and', 'or', 'e9', 'e'].includes(word))
    .map(({ word }) => word);
}
