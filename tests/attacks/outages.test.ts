import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import {
  checkout,
  type Customer,
  mailsTo,
  readPayment,
  span,
  STUDIO_A,
  STUDIO_B,
  type TestServer,
} from '#tests/support/test-server.ts';

const MINUTE = 60_000;
const OWNER = 'owner@example.com';

type Row = Record<string, unknown>;

/** Providers are down for longer than twelve tries take. The jobs must still run, once, as soon as the provider is back. */
describe.each(engines)('an outage of 63 minutes on $name', { timeout: 120_000 }, ({ open }) => {
  let server: TestServer;
  let hours = 30;

  beforeAll(async () => {
    server = await open({ OWNER_EMAIL: OWNER });
  });
  afterEach(async () => {
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
  });
  afterAll(() => server.close());

  async function paid(customer: Customer, ahead = (hours += 3), studio = STUDIO_A): Promise<string> {
    const held = await server.call('create-payment', checkout(span(server.now(), ahead), {}, studio), customer.token);
    const payment = await readPayment(server, held.body['bookingId']);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
    expect((await server.call('verify-payment', { sessionId: payment.id })).body).toMatchObject({ paid: true });
    return String(held.body['bookingId']);
  }
  const fault = (provider: string, kind: string, more: Row = {}): Promise<unknown> =>
    server.sandbox('/api/faults', { provider, kind, seconds: 86_400, ...more });
  /** Moves the server's clock in steps and runs everything that is due at each step. */
  async function passTime(minutes: number, step = 3): Promise<void> {
    for (let gone = 0; gone < minutes; gone += step) {
      server.advance(step * MINUTE);
      await server.settle();
    }
  }
  const jobs = (kind: string, subject: string): Promise<Row[]> =>
    server.app.db
      .query<Row>(
        `select o.id, o.tries, o.done_at is not null as done, o.close_reason as closed from private.outbox o
         left join private.payment p on p.id = o.subject_id
         where o.kind = $1 and (o.subject_id = $2::uuid or p.booking_id = $2::uuid)`,
        [kind, subject],
      )
      .then((result) => [...result.rows]);
  const countAlerts = async (id: unknown): Promise<number> =>
    (
      await server.app.db.query(
        `select 1 from public.audit_logs where action = 'alert' and resource_type = 'outbox' and resource_id = $1`,
        [id],
      )
    ).count;

  it('of the mail server: the confirmation arrives once after it, and staff are alerted once', async () => {
    const customer = await server.addCustomer();
    await fault('mail', 'refuse');
    const bookingId = await paid(customer);
    await passTime(63);
    expect(await mailsTo(server, customer.email)).toEqual([]);
    const [job] = await jobs('mail.booking-confirmed', bookingId);
    expect(job).toMatchObject({ done: false, closed: null });
    expect(await countAlerts(job?.['id'])).toBe(1);
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await passTime(18);
    expect(await mailsTo(server, customer.email, 'Booking confirmed')).toHaveLength(1);
    expect(await jobs('mail.booking-confirmed', bookingId)).toMatchObject([{ done: true }]);
  });

  it('of the payment provider: the refund is made once after it, and the owner gets one mail', async () => {
    await fetch(`${server.sandboxUrl}/api/mail`, { method: 'DELETE' });
    const customer = await server.addCustomer();
    const bookingId = await paid(customer, 90);
    const refundsBefore = await server.sandbox('/api/refunds');
    await fault('stripe', 'status', { status: 503 });
    expect((await server.call('cancel-booking', { bookingId }, customer.token)).status).toBe(200);
    await passTime(63);
    const [job] = await jobs('payment.refund', bookingId);
    expect(job).toMatchObject({ done: false, closed: null });
    expect(await countAlerts(job?.['id'])).toBe(1);
    const alerts = await mailsTo(server, OWNER, 'Needs attention');
    const [alert, ...others] = alerts.filter((mail) => mail.text.includes(`Job: ${String(job?.['id'])}`));
    expect(others).toEqual([]);
    expect(alert?.text).toContain('A refund has not gone through');
    expect(alert?.text).toContain(`/admin?tab=today&alert=job_failing.${String(job?.['id'])}`);
    expect(alert?.text).not.toMatch(/http_\d|stripe:/);
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await passTime(18);
    expect(await jobs('payment.refund', bookingId)).toMatchObject([{ done: true }]);
    const refunds = await server.sandbox('/api/refunds');
    expect(Array.isArray(refunds) && Array.isArray(refundsBefore) && refunds.length - refundsBefore.length).toBe(1);
    const payment = await server.app.db.queryRow<{ id: string; state: string }>(
      'select id, state from private.payment where booking_id = $1::uuid',
      [bookingId],
    );
    expect(payment?.state).toBe('refunded');
  });

  it('of the payment provider: a refund that staff close counts as settled by hand, and goes to the provider again when they retry it', async () => {
    const customer = await server.addCustomer();
    const bookingId = await paid(customer, 120);
    const readState = async (): Promise<unknown> =>
      (
        await server.app.db.queryRow<{ state: string }>(
          'select state from private.payment where booking_id = $1::uuid',
          [bookingId],
        )
      )?.state;
    await fault('stripe', 'status', { status: 503 });
    await server.call('cancel-booking', { bookingId }, customer.token);
    await passTime(6);
    expect(await readState()).toBe('refund_pending');
    const [job] = await jobs('payment.refund', bookingId);
    const service = server.client(server.app.keys.serviceRoleKey);
    expect((await service.rpc('close_job', { job: String(job?.['id']), reason: 'paid back in cash' })).data).toBe(true);
    expect(await readState()).toBe('refund_manual');
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await passTime(18);
    expect(await readState()).toBe('refund_manual');
    expect((await service.rpc('retry_job', { job: String(job?.['id']) })).data).toBe(true);
    await passTime(18);
    expect(await readState()).toBe('refunded');
  });

  it('of the lock, and then of the mail server: the access code is mailed within a minute, in the middle of the session [spec 8.28]', async () => {
    const customer = await server.addCustomer();
    const start = Date.parse(span(server.now(), 3).startTime);
    const bookingId = await paid(customer, 3, STUDIO_B);
    await fault('igloohome', 'status', { status: 500 });
    const to = (at: number): void => server.advance(at - server.now().getTime());
    to(start - 60 * MINUTE);
    await passTime(30, 1);
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await passTime(2, 1);
    expect(await jobs('access.request', bookingId)).toMatchObject([{ done: true }]);
    await fault('mail', 'refuse');
    to(start - 15 * MINUTE);
    await passTime(30, 1);
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await passTime(2, 1);
    expect(await mailsTo(server, customer.email, 'access code')).toHaveLength(1);
  });

  it('of the mail server until the session is over: the access mail is closed with that reason, and staff are alerted', async () => {
    const customer = await server.addCustomer();
    const time = span(server.now(), 3);
    const bookingId = await paid(customer, 3, STUDIO_B);
    server.advance(Date.parse(time.startTime) - 20 * MINUTE - server.now().getTime());
    await server.settle();
    await fault('mail', 'refuse');
    await passTime(85, 5);
    const [job] = await jobs('mail.access-code', bookingId);
    expect(job).toMatchObject({ done: false, closed: 'The session ended before the access code could be emailed.' });
    expect(await countAlerts(job?.['id'])).toBeGreaterThanOrEqual(1);
    const { data } = await server
      .client(server.app.keys.serviceRoleKey)
      .from('scheduled_emails')
      .select('status')
      .eq('booking_id', bookingId);
    expect(data).toEqual([{ status: 'cancelled' }]);
  });

  it('staff and the service key, and nobody else, can retry a failing job or close it with a reason; both are recorded', async () => {
    const customer = await server.addCustomer();
    await fault('mail', 'refuse');
    const bookingId = await paid(customer);
    await passTime(30);
    const [before] = await jobs('mail.booking-confirmed', bookingId);
    const job = String(before?.['id']);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(Number(/^outbox_failing (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    for (const client of [server.client(), server.client(customer.token)]) {
      expect((await client.rpc('retry_job', { job })).error?.code).toBe('42501');
      expect((await client.rpc('close_job', { job, reason: 'not mine' })).error?.code).toBe('42501');
    }
    const admin = await server.addCustomer();
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [admin.id]);
    const staff = server.client(admin.token);
    const service = server.client(server.app.keys.serviceRoleKey);
    expect((await staff.rpc('close_job', { job, reason: ' ' })).error?.code).toBe('22023');
    expect((await staff.rpc('close_job', { job, reason: 'closed by phone' })).data).toBe(true);
    expect((await staff.rpc('close_job', { job, reason: 'closed by phone' })).data).toBe(false);
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await passTime(30);
    expect(await mailsTo(server, customer.email)).toEqual([]);
    expect(await jobs('mail.booking-confirmed', bookingId)).toMatchObject([{ done: false, closed: 'closed by phone' }]);
    expect((await service.rpc('retry_job', { job })).data).toBe(true);
    await server.settle();
    expect(await mailsTo(server, customer.email, 'Booking confirmed')).toHaveLength(1);
    expect((await service.rpc('retry_job', { job })).data).toBe(false);
    const { data: entries } = await service
      .from('audit_logs')
      .select('actor,details')
      .eq('resource_id', job)
      .eq('action', 'update')
      .order('created_at');
    expect(entries).toMatchObject([
      { actor: admin.id, details: { by_hand: 'close', reason: 'closed by phone' } },
      { actor: '00000000-0000-0000-0000-000000000000', details: { by_hand: 'retry' } },
    ]);
  });

  it('a reconciliation that fails is retried after half a minute, not after five minutes', async () => {
    const runTimes = async (): Promise<number[]> => {
      const requests = await server.sandbox('/api/requests?provider=stripe');
      return Array.isArray(requests)
        ? requests
            .filter((request: { path: string }) => request.path.startsWith('/v1/checkout/sessions?'))
            .map((request: { status: number }) => request.status)
        : [];
    };
    await passTime(12, 6); // finishes what the previous outage left over
    const before = (await runTimes()).length;
    server.advance(6 * MINUTE);
    await server.sandbox('/api/faults', { provider: 'stripe', kind: 'status', status: 503, count: 1 });
    await server.settle();
    const failed = await runTimes();
    expect([failed.length - before, failed[0]]).toEqual([1, 503]);
    server.advance(31_000);
    await server.settle();
    const statuses = await runTimes();
    expect([statuses.length - before, statuses[0]]).toEqual([2, 200]);
  });

  it('the owner is reminded of a failing job once a day until it is done', async () => {
    await fetch(`${server.sandboxUrl}/api/mail`, { method: 'DELETE' });
    const customer = await server.addCustomer();
    const bookingId = await paid(customer, 150);
    await fault('stripe', 'status', { status: 503 });
    await server.call('cancel-booking', { bookingId }, customer.token);
    const [job] = await jobs('payment.refund', bookingId);
    const reminders = async (): Promise<number> =>
      (await mailsTo(server, OWNER, 'Needs attention')).filter((mail) => mail.text.includes(String(job?.['id'])))
        .length;
    await passTime(60, 10);
    expect(await reminders()).toBe(1);
    await passTime(23 * 60, 115);
    expect(await reminders()).toBe(1);
    await passTime(120, 30);
    expect(await reminders()).toBe(2);
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await passTime(20, 10);
    await passTime(25 * 60, 500);
    expect(await reminders()).toBe(2);
  });
});
