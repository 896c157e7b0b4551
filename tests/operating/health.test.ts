import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReadiness, databaseChecks, diskCheck } from '#server/http/health/readiness.ts';
import { oneEngine, onlyPostgres } from '#tests/support/engines.ts';
import type { TestServer } from '#tests/support/test-server.ts';

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe.each(oneEngine)('the health of a server on $name', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await engine.open();
  }, 120_000);
  afterAll(() => server.close());

  test('/readyz names each check, and nothing else', async () => {
    const answer = await fetch(`${server.url}/readyz`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({
      status: 'ready',
      checks: { database: 'ok', writable: 'ok', migrations: 'ok', queue: 'ok', disk: 'ok' },
    });
  });

  test('/status.json says what works for customers and since when, and pages ask it without a key', async () => {
    const parts = ['bookings', 'payments', 'doors', 'mails'];
    const read = async (): Promise<Record<string, string>> => {
      // Cast: the response of this server.
      const body = (await (await fetch(`${server.url}/status.json`)).json()) as {
        parts: { name: string; state: string; since: string }[];
      };
      for (const { since } of body.parts) expect(Number.isNaN(Date.parse(since))).toBe(false);
      return Object.fromEntries(body.parts.map(({ name, state }) => [name, state]));
    };
    expect(await read()).toEqual(Object.fromEntries(parts.map((name) => [name, 'working'])));
  });

  test('the id of a request is in its answer and in the mail that it causes later', async () => {
    const customer = await server.addCustomer();
    const requestId = 'from-a-proxy-0001';
    const mailed = await fetch(`${server.url}/auth/v1/recover`, {
      method: 'POST',
      headers: { apikey: server.app.keys.anonKey, 'content-type': 'application/json', 'x-request-id': requestId },
      body: JSON.stringify({ email: customer.email }),
    });
    expect(mailed.status).toBe(200);
    expect(mailed.headers.get('x-request-id')).toBe(requestId);
    await server.settle();
    // The server also sends mails in the background, so this one may still be on its way.
    const headersOfMail = async (): Promise<unknown> => {
      const mails = await server.sandbox(`/api/mail?to=${encodeURIComponent(customer.email)}`);
      return Array.isArray(mails) ? Object(mails[0]).headers : undefined;
    };
    await expect.poll(headersOfMail).toEqual({ 'x-request-id': requestId });
    const refused = await fetch(`${server.url}/rest/v1/`, { headers: { 'x-request-id': 'a b\tc' } });
    expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test.skipIf(onlyPostgres)(
  'a check that fails, throws or hangs makes the server not ready and is logged with its cause; concurrent callers share a round',
  async () => {
    let rounds = 0;
    const lines: string[] = [];
    const log = {
      ...LOG,
      error: ({ check, err }: Record<string, unknown>) => void lines.push(`${String(check)}: ${String(err)}`),
    };
    const run = (result: () => Promise<boolean>): (() => Promise<boolean>) => {
      return () => {
        rounds += 1;
        return result();
      };
    };
    const read = createReadiness({
      log,
      checks: [
        { name: 'good', run: run(() => Promise.resolve(true)) },
        { name: 'bad', run: run(() => Promise.resolve(false)) },
        { name: 'broken', run: run(() => Promise.reject(new Error('no'))) },
        { name: 'hanging', run: run(() => new Promise(() => undefined)) },
        diskCheck('/no/such/folder'),
      ],
    });
    const [first, second] = await Promise.all([read(), read()]);
    expect(first).toEqual({
      ready: false,
      checks: { good: 'ok', bad: 'failed', broken: 'failed', hanging: 'failed', disk: 'failed' },
    });
    expect(second).toBe(first);
    expect(rounds).toBe(4);
    expect(lines).toEqual([
      'bad: undefined',
      'broken: Error: no',
      'hanging: Error: no result within 3000 ms',
      expect.stringContaining('disk: Error: ENOENT'),
    ]);
  },
);

test.skipIf(onlyPostgres)(
  'a database that takes no writes, or lacks a migration of the program, fails its check only',
  async () => {
    const db = (fails: RegExp) => ({
      query: (text: string) =>
        fails.test(text) ? Promise.reject(new Error('read-only')) : Promise.resolve({ rows: [], count: 1 }),
      queryRow: () => Promise.resolve({ n: 1 }),
    });
    const results = async (fails: RegExp, migrations: readonly string[]) => {
      // Cast: the checks read nothing else.
      const checks = databaseChecks(db(fails) as never, migrations);
      return (await createReadiness({ log: LOG, checks })()).checks;
    };
    expect(await results(/insert/, ['0001'])).toEqual({ database: 'ok', writable: 'failed', migrations: 'ok' });
    expect(await results(/never/, ['0001', '0002'])).toEqual({ database: 'ok', writable: 'ok', migrations: 'failed' });
  },
);
