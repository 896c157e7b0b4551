import type { Hono } from 'hono';
import { beforeEach, describe, expect, test } from 'vitest';
import { createBodyBudget } from '../bodies/bodies.ts';
import { createJsonBudget } from '../bodies/json-budget.ts';
import type { Env } from '../caller.ts';
import { createMiddleware } from '../middleware.ts';
import { createPolicyReports } from './policy-reports.ts';

const SECRET = 'S3cretOfALink';
const REPORT = {
  'csp-report': {
    'document-uri': `https://site.example/share/${SECRET}?code=${SECRET}#${SECRET}`,
    'violated-directive': 'script-src-elem',
    'effective-directive': 'script-src-elem',
    'original-policy': "default-src 'none'",
    'blocked-uri': `https://elsewhere.example/${SECRET}.js?token=${SECRET}`,
    'source-file': 'https://site.example/assets/page-1a2b.js',
    'script-sample': SECRET,
    referrer: `https://site.example/${SECRET}`,
    'line-number': 12,
    'status-code': 200,
  },
};
const violation = (more: object = {}): object => ({
  type: 'csp-violation',
  age: 5,
  url: `https://site.example/share/${SECRET}`,
  user_agent: SECRET,
  body: {
    effectiveDirective: 'img-src',
    blockedURL: 'data',
    documentURL: `https://site.example/share/${SECRET}`,
    sourceFile: null,
    lineNumber: null,
    disposition: 'enforce',
    ...more,
  },
});

let app: Hono<Env>;
let lines: Record<string, unknown>[];
let counts: () => Readonly<Record<string, number>>;
let wait: number | null;

beforeEach(() => {
  lines = [];
  wait = null;
  const log = (fields: object, message: string): void => void lines.push({ ...fields, message });
  app = createMiddleware({
    log: { info: log, warn: log, error: log },
    accessLog: false,
    trustedProxies: 1,
    siteUrl: 'https://site.example',
    captcha: null,
    hsts: { seconds: 600, subdomains: false, preload: false },
    bodies: createBodyBudget({ total: 4_000_000, perSender: 3_000_000 }),
    json: { budget: createJsonBudget(1), readSender: (_, address) => Promise.resolve({ address }) },
    observe: () => undefined,
  });
  const metrics = { totals: (...args: readonly unknown[]) => void (counts = args[3] as typeof counts) };
  app.route('/', createPolicyReports({ admit: (ip) => Promise.resolve(ip === '203.0.113.9' ? wait : null), metrics }));
});

async function send(body: unknown, type = 'application/csp-report', ip = '203.0.113.9'): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return app.request('/policy-reports', {
    method: 'POST',
    headers: { 'content-type': type, 'content-length': String(Buffer.byteLength(text)), 'x-forwarded-for': ip },
    body: text,
  });
}

test('a report in the old format is counted and logged in one line, without paths, queries or samples', async () => {
  const answer = await send(REPORT);
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  const { requestId, ...line } = lines[0] ?? {};
  expect(requestId).toEqual(expect.any(String));
  expect(line).toEqual({
    directive: 'script-src-elem',
    blocked: 'https://elsewhere.example',
    page: '/share',
    source: 'page-1a2b.js',
    line: 12,
    reports: 1,
    message: 'the content security policy blocked a part of a page',
  });
  expect(JSON.stringify(lines)).not.toContain(SECRET);
  expect(counts()['script-src-elem']).toBe(1);
});

test('reports in the new format are counted one by one, and logged in one line', async () => {
  const answer = await send(
    [violation(), violation(), violation({ effectiveDirective: 'font-src' })],
    'application/reports+json',
  );
  expect(answer.status).toBe(204);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ directive: 'img-src', page: '/share', reports: 3 });
  expect([counts()['img-src'], counts()['font-src']]).toEqual([2, 1]);
  expect(JSON.stringify(lines)).not.toContain(SECRET);
});

test('an unknown directive, page or address is logged as “other”, so that the line is short', async () => {
  const long = 'x'.repeat(4_000);
  await send(
    [
      violation({
        effectiveDirective: long,
        blockedURL: long,
        documentURL: `https://a.example/${SECRET}`,
        sourceFile: long,
      }),
    ],
    'application/reports+json',
  );
  expect(lines[0]).toMatchObject({ directive: 'other', blocked: 'other', page: 'other', source: 'other' });
  await send([violation({ blockedURL: `https://${long}.example/` })], 'application/reports+json');
  expect(JSON.stringify(lines[1]).length).toBeLessThan(500);
  expect(counts()).not.toHaveProperty(long);
});

describe('refused without a line in the log', () => {
  test.each([
    ['another content type', 415, 'text/plain', JSON.stringify(REPORT)],
    ['not JSON', 400, 'application/csp-report', '{'],
    ['another shape', 400, 'application/csp-report', '{"csp-report":{"document-uri":7}}'],
    [
      'another kind of report',
      400,
      'application/reports+json',
      JSON.stringify([{ ...violation(), type: 'deprecation' }]),
    ],
    ['no report', 400, 'application/reports+json', '[]'],
    ['21 reports', 400, 'application/reports+json', JSON.stringify(Array.from({ length: 21 }, () => violation()))],
    ['many members', 400, 'application/csp-report', `[${'1,'.repeat(600)}1]`],
    ['more than 16 KB', 413, 'application/csp-report', JSON.stringify({ ...REPORT, more: 'x'.repeat(16_384) })],
  ])('%s: %i', async (_, status, type, body) => {
    expect((await send(body, type)).status).toBe(status);
    expect(lines).toEqual([]);
    expect(Object.values(counts()).every((count) => count === 0)).toBe(true);
  });

  test('more reports than an address may send: 429 with the time to wait', async () => {
    wait = 17;
    const answer = await send(REPORT);
    expect([answer.status, answer.headers.get('retry-after'), lines]).toEqual([429, '17', []]);
    expect((await send(REPORT, 'application/csp-report', '198.51.100.4')).status).toBe(204);
  });
});
