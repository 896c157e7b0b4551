import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { checkout, type Customer, span, STUDIO_B, type TestServer } from '#tests/support/test-server.ts';

const ATTEMPTS = process.env['TEST_LONG'] ? 1_000 : 150;
const AT_ONCE = 50;

/**
 * Runs `count` calls, many of them concurrently, and counts the statuses. A call that a busy server refuses with 503 is repeated, as a
 * customer would do.
 */
async function callAtOnce(count: number, work: (at: number) => Promise<number>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) {
        const at = next;
        next += 1;
        let status = await work(at);
        while (status === 503) {
          await new Promise((resolve) => setTimeout(resolve, 500));
          status = await work(at);
        }
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  return statuses;
}

describe.each(engines)('races on $name', ({ open, name }) => {
  let server: TestServer;
  let people: Customer[];
  beforeAll(async () => {
    server = await open();
    people = await Promise.all(Array.from({ length: ATTEMPTS }, () => server.addCustomer()));
  }, 120_000);
  afterAll(() => server.close());
  const token = (at: number): string => people[at]?.token ?? '';

  it(`sell one slot to one of ${ATTEMPTS}, and refuse the others with 409`, { timeout: 120_000 }, async () => {
    const time = span(server.now(), 50);
    const statuses = await callAtOnce(
      ATTEMPTS,
      async (at) => (await server.call('create-payment', checkout(time), token(at))).status,
    );
    expect(Object.fromEntries(statuses)).toEqual({ 200: 1, 409: ATTEMPTS - 1 });
    const sessions = await server.sandbox('/api/payments');
    expect(sessions).toHaveLength(1);
  });

  it('redeem a single-use coupon once', { timeout: 120_000 }, async () => {
    await server.app.db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, max_uses) values ('ONCE', 'percentage', 10, 1)`,
    );
    const count = Math.min(ATTEMPTS, 200);
    const statuses = await callAtOnce(
      count,
      async (at) =>
        (
          await server.call(
            'create-payment',
            checkout(span(server.now(), 100 + at), { couponCode: 'ONCE' }, STUDIO_B),
            token(at),
          )
        ).status,
    );
    expect(statuses.get(200)).toBe(1);
    expect((statuses.get(409) ?? 0) + (statuses.get(422) ?? 0)).toBe(count - 1);
    expect(
      await server.app.db.queryRow(`select current_uses as n from public.discount_codes where code = 'ONCE'`),
    ).toEqual({
      n: 1,
    });
  });

  it('open one payment session for fifty clicks', { timeout: 60_000 }, async () => {
    const time = span(server.now(), 400);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => server.call('create-payment', checkout(time), token(3))),
    );
    const urls = new Set(answers.filter((answer) => answer.status === 200).map((answer) => answer.body['url']));
    expect(urls.size).toBe(1);
    const bookings = await server.app.db.queryRow<{ n: number }>(
      `select count(*)::int as n from private.booking where user_id = $1::uuid and start_time = $2::timestamptz`,
      [people[3]?.id, time.startTime],
    );
    expect(bookings?.n).toBe(1);
  });

  it('negative control: without the two guards the slot is sold many times', { timeout: 60_000 }, async () => {
    await dropAsOwner(server, 'alter table private.booking drop constraint booking_one_per_slot');
    // The embedded engine runs one statement at a time, so the check before the insert would be sufficient there.
    await dropAsOwner(
      server,
      `do $$ begin execute replace(pg_get_functiondef('private.hold_booking(jsonb, timestamptz)'::regprocedure), 'if v_taker.found then', 'if false then'); end $$`,
    );
    const time = span(server.now(), 60);
    const statuses = await callAtOnce(
      20,
      async (at) => (await server.call('create-payment', checkout(time), token(20 + at))).status,
    );
    expect(statuses.get(200) ?? 0, `on ${name}`).toBeGreaterThan(1);
  });
});

/** Drops a guard as the owner of the tables, because the server's own role is not allowed to. */
async function dropAsOwner(server: TestServer, sql: string): Promise<void> {
  const url = server.ownerUrl;
  if (url === null) return void (await server.app.db.query(sql));
  const { default: pg } = await import('pg');
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(sql);
  await owner.end();
}
