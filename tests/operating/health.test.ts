import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReadiness, databaseChecks, diskCheck } from '#server/http/health/readiness.ts';
import { engines, onlyPostgres } from '#tests/support/engines.ts';
import type { TestServer } from '#tests/support/test-server.ts';

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe.each(engines)('the health of a server on $name', (engine) => {
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
});

test.skipIf(onlyPostgres)(
  'a check that fails, throws or hangs makes the server not ready; concurrent callers share a round',
  async () => {
    let rounds = 0;
    const lines: string[] = [];
    const log = { ...LOG, error: ({ check }: Record<string, unknown>) => void lines.push(String(check)) };
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
    expect(lines).toEqual(['bad', 'broken', 'hanging', 'disk']);
  },
);

test.skipIf(onlyPostgres)(
  'a database that takes no writes, or lacks a migration of the program, fails its check only',
  async () => {
    const db = (fails: RegExp) => ({
      query: (text: string) =>
        fails.test(text) ? Promise.reject(new Error('read-only')) : Promise.resolve({ rows: [], count: 1 }),
      one: () => Promise.resolve({ n: 1 }),
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
