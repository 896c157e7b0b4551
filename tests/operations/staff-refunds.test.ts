import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { cancelForStaff, type StaffCancellation } from '#server/operations/bookings/cancel-for-staff.ts';
import { refundForStaff, type StaffRefund } from '#server/operations/payments/refund-for-staff.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { reconcilePayments } from '#server/operations/reconciliation/reconcile-payments.ts';
import { addPerson, databases, HOUR } from './booking-system.ts';
import { createPaymentCases, noResponse, type PaymentCases } from './payment-cases.ts';

const RACES = process.env['TEST_LONG'] ? 1_000 : 6;
/** The price of one hour on the day of the first bookings. */
const PAID = 5_900;
const STAFF = randomUUID();

describe.each(databases)('refunds by staff on $name', ({ name, open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    cases = await createPaymentCases(db);
  });

  const booked = async () => {
    const person = await addPerson(db);
    return { person, ...(await cases.system.book(person)) };
  };
  const cancel = (bookingId: string, refund: StaffCancellation['refund'], more: Partial<StaffCancellation> = {}) =>
    cancelForStaff(cases.payment, {
      bookingId,
      refund,
      reason: 'Broken mixer',
      actor: STAFF,
      money: 'held' as const,
      ...more,
    }).then(({ refundCents }) => refundCents);
  const refund = (bookingId: string, cents: number, more: Partial<StaffRefund> = {}) =>
    refundForStaff(cases.payment, {
      bookingId,
      cents,
      reason: 'Sorry',
      requestId: null,
      actor: STAFF,
      money: 'held',
      ...more,
    }).then(({ refundId }) => refundId);
  const drain = () => cases.system.jobs.drain();
  /** Moves the clock until the next try of a failed refund is due, and runs it. */
  const nextDay = async () => {
    cases.system.state.now += 25 * HOUR;
    await drain();
  };
  async function readState(bookingId: string) {
    const row = await db.queryRow<Record<string, unknown>>(
      `select b.status, p.state, p.refunded_cents as refunded,
         (select string_agg(x.amount_cents || ' ' || x.state, ', ' order by x.amount_cents, x.state)
          from private.partial_refund x where x.payment_id = p.id) as parts
       from private.booking b join private.payment p on p.booking_id = b.id where b.id = $1::uuid`,
      [bookingId],
    );
    return row ?? {};
  }
  /** Returns the amounts refunded at the provider, in cents, smallest first. */
  async function returned(sessionId: string): Promise<readonly number[]> {
    const { paymentIntentId } = await cases.payments.getSession(sessionId);
    const all = await cases.payments.listRefunds(paymentIntentId ?? '');
    return all
      .filter(({ status }) => status === 'succeeded')
      .map((refund) => refund.amountCents)
      .toSorted((a, b) => a - b);
  }
  const compare = async (sessionId: string) => {
    await settlePayment(cases.payment, sessionId);
    await reconcilePayments(cases.payment);
    await drain();
  };
  const mail = (subject: string) => cases.system.mails.find((mail) => mail.subject.startsWith(subject))?.text;
  const alerts = async (bookingId: string): Promise<readonly unknown[]> =>
    (
      await db.query<{ what: string }>(
        `select coalesce(details ->> 'reason', details ->> 'state', details ->> 'status') as what from public.audit_logs
         where action = 'alert' and details ->> 'bookingId' = $1 order by created_at`,
        [bookingId],
      )
    ).rows.map(({ what }) => what);

  test('a full refund at cancellation returns everything once, ends the code and mails the customer', async () => {
    const { id, sessionId } = await booked();
    expect(await cancel(id, 'full')).toBe(PAID);
    expect(await cases.readJobKinds(id)).toEqual(
      expect.arrayContaining(['access.revoke', 'mail.booking-cancelled', 'payment.refund']),
    );
    await drain();
    await compare(sessionId);
    expect(await readState(id)).toEqual({ status: 'cancelled', state: 'refunded', refunded: PAID, parts: null });
    expect(await returned(sessionId)).toEqual([PAID]);
    expect(mail('Booking cancelled')).toContain('$59 is on its way back');
    expect(await alerts(id)).toEqual([]);
    const log = await db.queryRow(
      `select actor, details from public.audit_logs where resource_type = 'booking' and resource_id = $1 order by created_at desc limit 1`,
      [id],
    );
    expect(log).toEqual({
      actor: STAFF,
      details: {
        before: { status: 'confirmed' },
        after: { status: 'cancelled', refund: 'full', refundCents: PAID },
        reason: 'Broken mixer',
      },
    });
  });

  test.each([
    ['none', 0, []],
    [1_500, 1_500, [1_500]],
    [PAID, PAID, [PAID]],
  ] as const)(
    'a cancellation with the refund %s returns %i cents and never more',
    async (requested, cents, refunds) => {
      const { id, sessionId } = await booked();
      expect(await cancel(id, requested)).toBe(cents);
      await drain();
      for (const move of ['dispute', 'dispute won'] as const) {
        await compare(sessionId);
        cases.system.provider.move(sessionId, move);
      }
      await compare(sessionId);
      await nextDay();
      expect(await returned(sessionId)).toEqual(refunds);
      expect(await readState(id)).toMatchObject({
        status: 'cancelled',
        state: cents === PAID ? 'refunded' : 'paid',
        refunded: cents,
      });
      expect(mail('Booking cancelled')).toContain(cents === 0 ? 'Nothing is refunded' : `$${cents / 100}`);
    },
  );

  test('the same cancellation again answers the same and refunds once; another decision is refused', async () => {
    const { id, sessionId } = await booked();
    for (let times = 0; times < 3; times += 1) {
      expect(await cancel(id, 1_500)).toBe(1_500);
      await drain();
    }
    for (const other of ['full', 'none', 1_400] as const)
      await expect(cancel(id, other)).rejects.toMatchObject({
        code: 'already_done',
        message: 'This booking is already cancelled.',
        details: { refundCents: 1_500 },
      });
    expect(await returned(sessionId)).toEqual([1_500]);
  });

  test('a refund other than the terms give needs the permission money, and the one they give does not', async () => {
    const early = await booked();
    const byTerms = { money: 'missing' as const };
    for (const refused of ['none', 1_500] as const)
      await expect(cancel(early.id, refused, byTerms)).rejects.toMatchObject({
        code: 'not_yours',
        message: 'The terms of this booking give a full refund. You need the “Money” permission for this.',
        details: { permission: 'money' },
      });
    expect(await cancel(early.id, 'full', byTerms)).toBe(PAID);
    const late = await booked();
    cases.system.state.now += 7 * 24 * HOUR - HOUR;
    await expect(cancel(late.id, 'full', byTerms)).rejects.toMatchObject({
      code: 'not_yours',
      message: 'The terms of this booking give no refund. You need the “Money” permission for this.',
    });
    expect(await cancel(late.id, 'none', byTerms)).toBe(0);
  });

  test('a refund of a hold, a booking that is over and more than was paid are refused', async () => {
    const held = await cases.held();
    await expect(refund(held.id, 1)).rejects.toMatchObject({
      code: 'already_done',
      message: 'This booking has no payment that can be refunded.',
    });
    const { id } = await booked();
    const tooMuch = (field: string) => ({
      code: 'invalid_request',
      message: 'This is more than the remaining payment.',
      details: { field, refundableCents: PAID },
    });
    await expect(cancel(id, PAID + 1)).rejects.toMatchObject(tooMuch('refund'));
    await expect(refund(id, PAID + 1)).rejects.toMatchObject(tooMuch('cents'));
    cases.system.state.now += 8 * 24 * HOUR;
    await expect(cancel(id, 'full')).rejects.toMatchObject({
      code: 'too_late',
      message: 'This booking has ended. You can refund it, but not cancel it.',
    });
    await expect(cancel(randomUUID(), 'full')).rejects.toMatchObject({
      code: 'not_found',
      message: 'Booking not found',
    });
  });

  test('parts are refunded up to what was paid; the booking stays, and the same request makes no second one', async () => {
    const { id, sessionId } = await booked();
    const first = await refund(id, 1_000);
    await drain();
    expect(mail('Refund')).toContain('$10 is on its way back');
    expect(await refund(id, 1_000)).toBe(first);
    await drain();
    expect(await returned(sessionId)).toEqual([1_000]);
    expect(await refund(id, 1_000, { requestId: 'second' })).not.toBe(first);
    await expect(refund(id, 900, { requestId: 'second' })).rejects.toMatchObject({
      code: 'already_done',
      message: 'This request already refunded another amount.',
      details: { refundCents: 1_000 },
    });
    await expect(refund(id, PAID - 2_000 + 1)).rejects.toMatchObject({ details: { refundableCents: PAID - 2_000 } });
    await refund(id, PAID - 2_000);
    await drain();
    await compare(sessionId);
    expect(await returned(sessionId)).toEqual([1_000, 1_000, PAID - 2_000]);
    expect(await readState(id)).toEqual({
      status: 'confirmed',
      state: 'refunded',
      refunded: PAID,
      parts: `1000 done, 1000 done, ${PAID - 2_000} done`,
    });
    expect(await alerts(id)).toEqual([]);
    expect(await refund(id, 1_000)).toBe(first);
    await expect(refund(id, 1)).rejects.toMatchObject({ code: 'already_done' });
  });

  test('the database refuses a part above what is left, of an unpaid payment, or with another amount', async () => {
    const { id } = await booked();
    const insert = (bookingId: string, cents: number) =>
      db.query(
        `insert into private.partial_refund (payment_id, request_key, amount_cents, reason, actor)
         select p.id, $2, $3, 'x', p.id from private.payment p where p.booking_id = $1::uuid`,
        [bookingId, randomUUID(), cents],
      );
    const within = { constraint: 'partial_refund_within_payment' };
    await insert(id, PAID - 100);
    await expect(insert(id, 101)).rejects.toMatchObject(within);
    await expect(insert((await cases.held()).id, 1)).rejects.toMatchObject(within);
    for (const change of ['amount_cents = 1', `request_key = 'x'`])
      await expect(db.query(`update private.partial_refund set ${change}`)).rejects.toMatchObject({
        constraint: 'partial_refund_frozen',
      });
    await expect(
      db.transaction(async (tx) => {
        await tx.query('set transaction isolation level repeatable read');
        await tx.query(
          `insert into private.partial_refund (payment_id, request_key, amount_cents, reason, actor)
           select p.id, 'late', 1, 'x', p.id from private.payment p where p.booking_id = $1::uuid`,
          [id],
        );
      }),
    ).rejects.toMatchObject({ code: '25001' });
  });

  test('two parts at the same moment that are together too much: the database refuses the second', async () => {
    const { id } = await booked();
    const insert = (connection: Pick<Database, 'query'>) =>
      connection.query(
        `insert into private.partial_refund (payment_id, request_key, amount_cents, reason, actor)
         select p.id, $2, $3, 'x', p.id from private.payment p where p.booking_id = $1::uuid`,
        [id, randomUUID(), PAID - 100],
      );
    let settled = false;
    let second: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await insert(tx);
      second = insert(db)
        .catch((error: unknown) => error)
        .finally(() => (settled = true));
      // The embedded database runs one transaction at a time, so the second has not begun there.
      const waits = () => tx.queryRow('select from pg_locks where not granted and pid <> pg_backend_pid()');
      while (name === 'PostgreSQL' && !settled && (await waits()) === null) await nextTurn();
    });
    expect(await second).toMatchObject({ constraint: 'partial_refund_within_payment' });
  });

  test.each(['the customer', 'staff'])('a full cancellation by %s after a part refunds only the rest', async (who) => {
    const { id, person, sessionId } = await booked();
    await refund(id, 1_000);
    const rest =
      who === 'staff' ? await cancel(id, 'full') : (await cancelBooking(cases.payment, id, person)).amountCents;
    expect(rest).toBe(PAID - 1_000);
    await drain();
    await nextDay();
    expect((await returned(sessionId)).reduce((sum, cents) => sum + cents, 0)).toBe(PAID);
    expect(await readState(id)).toMatchObject({ status: 'cancelled', state: 'refunded' });
  });

  test('a refund whose answer was lost is found at the provider by its key and not made twice', async () => {
    const { id, sessionId } = await booked();
    const { refund: send } = cases.payments;
    cases.payments.refund = async (input) => {
      await send(input);
      throw noResponse;
    };
    const part = await refund(id, 1_000);
    await drain();
    expect(await readState(id)).toMatchObject({ refunded: 0, parts: '1000 pending' });
    cases.payments.refund = send;
    await nextDay();
    expect(cases.system.provider.refundKeys).toEqual([`refund:${part}`]);
    expect(await returned(sessionId)).toEqual([1_000]);
    expect(await readState(id)).toMatchObject({ state: 'paid', refunded: 1_000, parts: '1000 done' });
  });

  test.each(['pending', 'succeeded'] as const)(
    'a refund that was %s and fails is made again a day later under a new key',
    async (begins) => {
      const { id, sessionId } = await booked();
      cases.system.provider.refundsBegin = begins;
      const part = await refund(id, 1_000);
      await drain();
      cases.system.provider.move(sessionId, 'refund fails');
      await compare(sessionId);
      expect(await readState(id)).toMatchObject({ refunded: 0, parts: '1000 pending' });
      cases.system.provider.refundsBegin = 'succeeded';
      cases.system.state.now += HOUR;
      await drain();
      expect(cases.system.provider.refundKeys).toHaveLength(1);
      await nextDay();
      expect(cases.system.provider.refundKeys).toEqual([`refund:${part}`, `refund:${part}:1`]);
      expect(await returned(sessionId)).toEqual([1_000]);
      expect(await readState(id)).toMatchObject({ state: 'paid', refunded: 1_000, parts: '1000 done' });
    },
  );

  test('a refund that is pending at the provider is followed until it arrives', async () => {
    const { id, sessionId } = await booked();
    cases.system.provider.refundsBegin = 'pending';
    await refund(id, 1_000);
    await drain();
    expect(await readState(id)).toMatchObject({ refunded: 0, parts: '1000 pending' });
    cases.system.provider.move(sessionId, 'refund succeeds');
    cases.system.state.now += HOUR;
    await drain();
    expect(await readState(id)).toMatchObject({ refunded: 1_000, parts: '1000 done' });
    expect(cases.system.provider.refundKeys).toHaveLength(1);
  });

  test.each([
    ['won', '1000 done', [1_000]],
    ['lost', '1000 covered', []],
  ] as const)('a part of a disputed payment waits for the bank; the dispute is %s', async (end, parts, refunds) => {
    const { id, sessionId } = await booked();
    cases.system.provider.move(sessionId, 'dispute');
    await settlePayment(cases.payment, sessionId);
    await refund(id, 1_000);
    await drain();
    expect(await readState(id)).toMatchObject({ state: 'disputed', parts: '1000 pending' });
    cases.system.provider.move(sessionId, `dispute ${end}`);
    await settlePayment(cases.payment, sessionId);
    await nextDay();
    expect(await readState(id)).toMatchObject({ parts });
    expect(await returned(sessionId)).toEqual(refunds);
  });

  test('the full refund of a disputed payment is made when the bank decides for us', async () => {
    const { id, sessionId } = await booked();
    cases.system.provider.move(sessionId, 'dispute');
    await settlePayment(cases.payment, sessionId);
    expect(await cancel(id, 'full')).toBe(0);
    cases.system.provider.move(sessionId, 'dispute won');
    await compare(sessionId);
    expect(await returned(sessionId)).toEqual([PAID]);
  });

  test('a part that no longer fits beside refunds made at the provider is not sent, and staff are alerted', async () => {
    const { id, sessionId } = await booked();
    await refund(id, PAID);
    cases.system.provider.move(sessionId, 'refund part');
    await drain();
    expect(await readState(id)).toMatchObject({ parts: `${PAID} covered` });
    expect(await returned(sessionId)).toEqual([PAID / 4]);
    expect(await alerts(id)).toEqual(['covered']);
    await compare(sessionId);
    await expect(refund(id, PAID)).resolves.toBeDefined();
    await expect(refund(id, PAID - PAID / 4 + 1)).rejects.toMatchObject({
      details: { refundableCents: PAID - PAID / 4 },
    });
  });

  test('a part whose job staff close counts as settled by hand, and goes to the provider when they retry it', async () => {
    const { id, sessionId } = await booked();
    cases.system.provider.failing = noResponse;
    const part = await refund(id, 1_000);
    await drain();
    cases.system.provider.failing = null;
    const call = (text: string, ...more: readonly unknown[]) =>
      db.transaction(async (tx) => {
        await tx.query(`select set_config('request.jwt.claims', '{"role": "service_role"}', true)`);
        const job = await tx.queryRow<{ id: string }>('select id from private.outbox where subject_id = $1::uuid', [
          part,
        ]);
        await tx.queryRow(text, [job?.id, ...more]);
      });
    await call('select public.close_job($1::uuid, $2)', 'paid in cash');
    await nextDay();
    expect(await readState(id)).toMatchObject({ parts: '1000 manual' });
    await expect(refund(id, PAID - 999)).rejects.toMatchObject({ details: { refundableCents: PAID - 1_000 } });
    await call('select public.retry_job($1::uuid)');
    await nextDay();
    expect(await readState(id)).toMatchObject({ parts: '1000 done' });
    expect(await returned(sessionId)).toEqual([1_000]);
  });

  test(
    `in ${RACES} races of two staff and the customer one cancels, and no more goes back than was paid`,
    { timeout: 900_000 },
    async () => {
      const { now, hour } = cases.system.state;
      for (let race = 0; race < RACES; race += 1) {
        Object.assign(cases.system.state, { now, hour });
        const { id, person, sessionId } = await booked();
        const { amountCents: paid } = await cases.payments.getSession(sessionId);
        const settled = await Promise.allSettled([
          cancel(id, 'full'),
          cancel(id, 3_000),
          cancelBooking(cases.payment, id, person),
          refund(id, 3_000),
          refund(id, 3_000, { requestId: 'other' }),
          refund(id, 3_000),
        ]);
        expect(settled.slice(0, 3).filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
        expect(settled.slice(0, 3).filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2);
        await Promise.all([drain(), compare(sessionId)]);
        await nextDay();
        const state = await readState(id);
        const sum = (await returned(sessionId)).reduce((total, cents) => total + cents, 0);
        expect([state['status'], sum, state['refunded']]).toEqual(['cancelled', sum, sum]);
        expect(sum).toBeLessThanOrEqual(paid);
        expect(sum).toBeGreaterThanOrEqual(3_000);
        if (settled[0]?.status === 'fulfilled' || settled[2]?.status === 'fulfilled') expect(sum).toBe(paid);
      }
    },
  );
});
