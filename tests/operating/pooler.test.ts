import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkout, mailsTo, readPayment, span, type TestServer } from '#tests/support/test-server.ts';
import { hasPooler, pooledEngine } from './pooler.ts';

describe.skipIf(!hasPooler)(`a server on ${pooledEngine.name}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await pooledEngine.open();
  }, 120_000);
  afterAll(() => server.close());

  test('every connection has the settings of its login, though PgBouncer passes no startup options on', async () => {
    const settings = `select current_setting('timezone') as zone, current_setting('jit') as jit, current_setting('statement_timeout') as longest`;
    expect(await server.app.db.queryRow(settings)).toEqual({ zone: 'UTC', jit: 'off', longest: '30s' });
    const guest = { role: 'anon', claims: '{"role":"anon"}' } as const;
    expect(await server.app.db.transactionAs(guest, (tx) => tx.queryRow(settings))).toEqual({
      zone: 'UTC',
      jit: 'off',
      longest: '3s',
    });
  });

  test('hours are held, paid, confirmed and mailed, and a message of the database reaches a page that listens', async () => {
    const customer = await server.addCustomer();
    const heard: unknown[] = [];
    const page = createClient(server.url, server.app.keys.anonKey, { auth: { persistSession: false } });
    const joined = new Promise((resolve) => {
      page
        .channel('hours')
        .on('broadcast', { event: 'change' }, ({ payload }) => heard.push(payload.n))
        .subscribe((status) => status === 'SUBSCRIBED' && resolve(status));
    });
    await joined;
    const held = await server.call('create-payment', checkout(span(server.now(), 30)), customer.token);
    expect(held.status).toBe(200);
    const payment = await readPayment(server, held.body['bookingId']);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: payment.id });
    await server.settle();
    expect((await mailsTo(server, customer.email)).length).toBeGreaterThan(0);
    const { rows } = await server.app.db.query<{ status: string }>('select status from private.booking');
    expect(rows).toEqual([{ status: 'confirmed' }]);
    await server.app.db.query(`select realtime.send('{"n": 1}'::jsonb, 'change', 'hours', false)`);
    await expect.poll(() => heard, { timeout: 20_000 }).toContain(1);
    await page.removeAllChannels();
  });

  test('statements that change their text and their number of values run on any connection', async () => {
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        server.app.db.queryRow<{ sum: number }>(
          `select ${Array.from({ length: (index % 5) + 1 }, (_, n) => `$${n + 1}::int`).join(' + ')} as sum`,
          Array.from({ length: (index % 5) + 1 }, (_, n) => n + index),
        ),
      ),
    );
    const expected = Array.from({ length: 60 }, (_, index) =>
      Array.from({ length: (index % 5) + 1 }, (_, n) => n + index).reduce((sum, value) => sum + value, 0),
    );
    expect(results.map((row) => row?.sum)).toEqual(expected);
  });
});
