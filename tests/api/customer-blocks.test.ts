import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import {
  checkout,
  type Customer,
  readPayment,
  span,
  STUDIO_A,
  type TestServer,
  until,
} from '#tests/support/test-server.ts';

const RACES = process.env['TEST_LONG'] ? 1_000 : 15;

describe.each(engines)('blocked customers on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  let customer: Customer;
  let hoursAhead = 24 * 20;
  beforeAll(async () => {
    server = await open();
    staff = await server.addCustomer();
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff.id]);
  }, 180_000);
  afterAll(() => server.close());
  beforeEach(async () => {
    customer = await server.addCustomer();
    hoursAhead += 10;
  });

  const rows = <R>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> =>
    server.app.db.query<R>(text, values).then((result) => result.rows);
  const block = (more: Record<string, unknown> = {}, token = staff.token) =>
    server.call('staff-block-customer', { userId: customer.id, reason: 'Broke a mixer', ...more }, token);
  const unblock = (token = staff.token) => server.call('staff-unblock-customer', { userId: customer.id }, token);
  const hold = (hours = 0, who = customer, at = hoursAhead) =>
    server.call('create-payment', checkout(span(server.now(), at + hours)), who.token);
  const refusal = {
    status: 403,
    body: { error: { code: 'blocked', message: expect.stringContaining('Please email') } },
  };
  const readStatus = async (id: unknown): Promise<unknown> =>
    (await rows<{ status: string }>('select status from private.booking where id = $1::uuid', [id]))[0]?.status;

  it('cannot hold hours and read why, others can, and after the block they can again', async () => {
    expect(await block()).toEqual({ status: 200, body: { blocked: true, bookings: [], left: 0 } });
    expect(await hold()).toMatchObject(refusal);
    expect((await hold(0, staff)).status).toBe(200);
    expect(await unblock()).toEqual({ status: 200, body: { blocked: false } });
    expect((await hold(1)).status).toBe(200);
  });

  it('are blocked until the given time only', async () => {
    await block({ until: new Date(server.now().getTime() + 3_600_000).toISOString() });
    expect(await hold()).toMatchObject(refusal);
    server.advance(3_600_001);
    expect((await hold()).status).toBe(200);
  });

  it('get no booking and no confirmation from the database itself', async () => {
    const held = await hold();
    await block();
    const { startTime, endTime } = span(server.now(), hoursAhead + 3);
    for (const statement of [
      `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       values (private.new_reference(), '${customer.id}', '${STUDIO_A}', 'A', '${startTime}', '${endTime}', now(), 1, 0, 0)`,
      `update private.booking set status = 'confirmed' where id = '${String(held.body['bookingId'])}'`,
    ])
      await expect(server.app.db.query(statement)).rejects.toMatchObject({ constraint: 'booking_not_blocked' });
    await expect(
      server.app.db.transaction(async (tx) => {
        await tx.query('set transaction isolation level repeatable read');
        await tx.query(
          `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
           values (private.new_reference(), '${staff.id}', '${STUDIO_A}', 'A', '${startTime}', '${endTime}', now(), 1, 0, 0)`,
        );
      }),
    ).rejects.toMatchObject({ code: '25001' });
  });

  it('are blocked with the answer naming their bookings that are not over, and unpaid holds end', async () => {
    const held = await hold();
    await rows(
      `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, base_cost_cents, final_cost_cents, notes, cancel_reason)
       select private.new_reference(), $1::uuid, $2::uuid, 'A', $3::timestamptz + n * interval '1 day', $3::timestamptz + n * interval '1 day' + interval '1 hour',
         status, $3::timestamptz, 1, 0, 0, 'test', reason
       from (values (-400, 'confirmed', null), (400, 'confirmed', null), (401, 'cancelled', 'staff')) as v (n, status, reason)`,
      [customer.id, STUDIO_A, span(server.now(), 0).startTime],
    );
    const { body } = await block();
    expect(body['bookings']).toMatchObject([
      { id: held.body['bookingId'], reference: held.body['reference'], status: 'pending' },
      { status: 'confirmed' },
    ]);
    await server.settle();
    expect(await readStatus(held.body['bookingId'])).toBe('cancelled');
  });

  describe('with bookings that are paid', () => {
    const addPaid = async (hours: number): Promise<string> => {
      const { startTime, endTime } = span(server.now(), hours);
      const created = await server.call(
        'staff-create-booking',
        {
          studioId: STUDIO_A,
          startTime,
          endTime,
          customerEmail: customer.email,
          customerName: 'Alex Citizen',
          payment: 'elsewhere',
        },
        staff.token,
      );
      return String(created.body['bookingId']);
    };
    const alerts = async (): Promise<unknown[]> => {
      const at = server.now().toISOString();
      const { data } = await server.client(staff.token).rpc('staff_alerts', { at, most: 1_000 });
      const own = await rows<{ id: string }>('select id from private.booking where user_id = $1::uuid', [customer.id]);
      const found = data?.filter(({ kind }) => kind === 'blocked_booking').map(({ booking_id: id }) => id) ?? [];
      return found
        .filter((id) => own.some((booking) => booking.id === id))
        .map(String)
        .toSorted();
    };

    it('keep them until staff decide, who see each on Today and can keep or cancel it', async () => {
      const [first, second] = [await addPaid(hoursAhead), await addPaid(hoursAhead + 2)];
      expect(await alerts()).toEqual([]);
      expect((await block()).body).toMatchObject({ left: 2 });
      expect([await readStatus(first), await alerts()]).toEqual(['confirmed', [first, second].toSorted()]);
      const kept = await server.client(staff.token).rpc('keep_blocked_booking', { booking: first });
      expect([kept.data, await alerts()]).toEqual([true, [second]]);
      await server.call('staff-cancel-booking', { bookingId: second, refund: 'none', reason: 'Blocked' }, staff.token);
      expect(await alerts()).toEqual([]);
      await unblock();
      expect((await block({ reason: 'Again' })).body).toMatchObject({ left: 1 });
      expect(await alerts()).toEqual([first]);
      await unblock();
      expect(await alerts()).toEqual([]);
    });

    it('keep them all where staff say so, and nothing is on Today', async () => {
      const id = await addPaid(hoursAhead);
      expect((await block({ bookings: 'keep' })).body).toMatchObject({ left: 0 });
      expect([await readStatus(id), await alerts()]).toEqual(['confirmed', []]);
    });

    it.each([['terms'], ['refund']])('lose them with %s: all are cancelled, with the money back', async (bookings) => {
      const ids = [await addPaid(hoursAhead), await addPaid(hoursAhead + 2)];
      expect((await block({ bookings })).body).toMatchObject({ left: 0 });
      expect([await Promise.all(ids.map(readStatus)), await alerts()]).toEqual([['cancelled', 'cancelled'], []]);
      const refunds = await rows<{ refund: string }>(
        'select refund from private.cancellation where booking_id = any ($1::uuid[])',
        [ids],
      );
      expect(refunds).toEqual([{ refund: 'full' }, { refund: 'full' }]);
    });

    it('keep those whose refund needs a permission that staff lack, and these are on Today', async () => {
      const soon = await addPaid(2);
      const late = await addPaid(hoursAhead);
      const other = await server.addCustomer();
      await rows(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [other.id]);
      await rows('delete from public.staff_permissions where user_id = $1::uuid', [other.id]);
      await rows(`insert into public.staff_permissions (user_id, permission) values ($1::uuid, 'bookings')`, [
        other.id,
      ]);
      expect((await block({ bookings: 'refund' }, other.token)).body).toMatchObject({ left: 1 });
      expect([await readStatus(soon), await readStatus(late), await alerts()]).toEqual([
        'confirmed',
        'cancelled',
        [soon],
      ]);
    });
  });

  it('who pay for an older hold get their money back, and the booking is cancelled', async () => {
    const held = await hold();
    await block();
    expect(await hold()).toMatchObject(refusal);
    const { id } = await readPayment(server, held.body['bookingId']);
    await server.sandbox(`/api/payments/${id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: id }, customer.token);
    expect(await readStatus(held.body['bookingId'])).toBe('cancelled');
    await until(async () => {
      await server.settle();
      const found = await rows<{ state: string; reason: string }>(
        'select state, refund_reason as reason from private.payment where booking_id = $1::uuid',
        [held.body['bookingId']],
      );
      return found[0]?.state === 'refunded' && found[0].reason === 'blocked';
    });
  });

  it('are in the audit log with reason and end before and after; the same block again adds no entry', async () => {
    const end = new Date(server.now().getTime() + 86_400_000).toISOString();
    for (const more of [{}, {}, { until: end }]) await block(more);
    await unblock();
    await unblock();
    const log = await rows<{ action: string; details: Record<string, { until?: string }> }>(
      `select action, details from public.audit_logs where resource_type = 'customer_block' and resource_id = $1 order by created_at`,
      [customer.id],
    );
    expect(log.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
    expect(log[0]?.details).toEqual({ after: { reason: 'Broke a mixer' } });
    expect(log[1]?.details).toMatchObject({ before: { reason: 'Broke a mixer' }, after: { reason: 'Broke a mixer' } });
    expect(new Date(log[1]?.details['after']?.until ?? '').toISOString()).toBe(end);
  });

  it.each([
    ['no reason', { reason: ' ' }, 400],
    ['an end that is over', { until: '2020-01-01T00:00:00Z' }, 400],
    ['an account that does not exist', { userId: randomUUID() }, 404],
  ])('%s is refused', async (_name, more, status) => {
    expect((await block(more)).status).toBe(status);
  });

  it('guests, customers and staff without the permission neither block nor unblock', async () => {
    const colleague = await server.addCustomer();
    const permissions = ['identity', 'money', 'settings'];
    await server.call('staff-set-permissions', { userId: colleague.id, permissions }, staff.token);
    for (const [token, status] of [
      [customer.token, 403],
      [colleague.token, 403],
      [server.app.keys.anonKey, 401],
    ] as const) {
      expect((await block({}, token)).status).toBe(status);
      expect((await unblock(token)).status).toBe(status);
    }
    expect((await hold()).status).toBe(200);
  });

  it(
    `in ${RACES} races of a hold and a block the hold is refused or the answer names it`,
    { timeout: 600_000 },
    async () => {
      const at = hoursAhead + 100;
      for (let race = 0; race < RACES; race += 1) {
        const person = await server.addCustomer();
        const [held, blocked] = await Promise.all([hold(0, person, at + (race % 1_000)), block({ userId: person.id })]);
        expect(blocked.status).toBe(200);
        if (held.status === 403) expect(blocked.body['bookings']).toEqual([]);
        else expect(blocked.body['bookings']).toMatchObject([{ id: held.body['bookingId'] }]);
      }
    },
  );
});
