import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '#sandbox/main.ts';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { createMigratedDatabase, type TestDatabase } from '#tests/support/postgres.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { addCustomer, checkout, freePorts, span } from '#tests/support/test-server.ts';

const ATTEMPTS = process.env['TEST_LONG'] ? 1_000 : 150;

describe.runIf(process.env['TEST_POSTGRES_URL'])('two server processes on one PostgreSQL', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let programs: ServerProcess[] = [];
  let dataDir: string;

  beforeAll(async () => {
    const first = await freePorts();
    const made = await createMigratedDatabase();
    if (!made) throw new Error('PostgreSQL went away');
    database = made;
    dataDir = await mkdtemp(join(tmpdir(), 'two-'));
    sandbox = await startSandbox({ port: first, webhookTarget: `http://localhost:${first + 8}` });
    const env = {
      SANDBOX_PORT: String(first),
      DATABASE_URL: database.url,
      RATE_LIMIT_FACTOR: '10000',
      PAYMENT_ANSWER_SECONDS: '30',
      POOL_SIZE: '8',
      DATA_DIR: dataDir,
    };
    programs = [await startServer({ ...env, PORT: String(first + 8) })];
    programs.push(await startServer({ ...env, PORT: String(first + 9) }));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.kill('SIGTERM')));
    await sandbox.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it(`sell one slot to one of ${ATTEMPTS}`, { timeout: 120_000 }, async () => {
    const app = await compose(
      readConfig({ DATABASE_URL: database.url, DATA_DIR: dataDir, LOG_LEVEL: 'silent', POOL_SIZE: '4' }),
    );
    const tokens: string[] = [];
    for (let at = 0; at < ATTEMPTS; at += 1) tokens.push((await addCustomer(app, new Date())).token);
    const time = span(new Date(), 50);
    const statuses = await Promise.all(
      tokens.map(async (token, at) => {
        const program = programs[at % 2];
        const response = await fetch(`${program?.runtime.apiUrl}/functions/v1/create-payment`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(checkout(time)),
        });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    await app.close();
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(ATTEMPTS - 1);
  });
});
