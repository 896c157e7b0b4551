import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import type { StaffBooking } from '#server/operations/bookings/store-staff-booking.ts';
import type { MoneyRight } from '#server/operations/core/concessions.ts';
import { blockCustomer } from '#server/operations/customers/block.ts';
import { openSession } from '#server/operations/payments/open-session.ts';
import { releaseHold } from '#server/operations/bookings/release.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { markPaid } from '#server/operations/staff/mark-paid.ts';
import { latestPayment, readBooking } from '#server/operations/core/booking-rows.ts';
import { addPerson, databases, STUDIO } from './booking-system.ts';
import { createPaymentCases, fails, noResponse, type PaymentCases } from './payment-cases.ts';

const STAFF = randomUUID();
const PRICE = 5_900;

describe.each(databases)('a booking by a link that is paid elsewhere on $name', ({ open }) => {
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

  const createRequest = (more: Partial<StaffBooking> = {}): StaffBooking => ({
    studioId: STUDIO,
    ...cases.system.nextSpan(),
    customerEmail: `${randomUUID().slice(0, 13)}@example.com`,
    customerName: 'Sam Guest',
    payment: 'link',
    notes: null,
    requestId: null,
    actor: STAFF,
    money: 'held',
    ...more,
  });
  const book = async (more: Partial<StaffBooking> = {}): Promise<{ id: string; session: string; email: string }> => {
    const request = createRequest(more);
    const { bookingId } = await bookForStaff(cases.system.services, request);
    return { id: bookingId, session: await cases.system.readSessionId(bookingId), email: request.customerEmail };
  };
  const mark = (bookingId: string, money: MoneyRight = 'held') =>
    markPaid(cases.system.services, { bookingId, actor: STAFF, money });
  const payments = async (bookingId: string) =>
    (
      await db.query(
        `select attempt, kind, state, amount_cents as amount, paid_cents as paid from private.payment where booking_id = $1::uuid order by attempt`,
        [bookingId],
      )
    ).rows;

  test('is confirmed at its price with mail and audit entry, its link is closed, and the same call again changes nothing', async () => {
    const { id, session, email } = await book({ priceCents: 4_000 });
    expect(await mark(id)).toMatchObject({ id, status: 'confirmed' });
    expect(await cases.payments.getSession(session)).toMatchObject({ status: 'expired' });
    const after = [
      { attempt: 1, kind: 'card', state: 'expired', amount: 4_000, paid: null },
      { attempt: 2, kind: 'elsewhere', state: 'paid', amount: 4_000, paid: 4_000 },
    ];
    expect(await payments(id)).toEqual(after);
    expect(await mark(id)).toMatchObject({ id, status: 'confirmed' });
    expect(await payments(id)).toEqual(after);
    // The provider reports the closed session.
    await settlePayment(cases.payment, session);
    expect(await cases.readBooking(id)).toEqual({ status: 'confirmed', reason: null });
    const { rows: entries } = await db.query(
      `select details from public.audit_logs where resource_id = $1 and actor = $2::uuid and details ? 'before'`,
      [id, STAFF],
    );
    expect(entries).toEqual([
      { details: { before: { payment: 'link' }, after: { payment: 'elsewhere', paidCents: 4_000 } } },
    ]);
    await cases.system.jobs.drain();
    expect(cases.system.mails.filter(({ to }) => to === email).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Booking confirmed/),
    ]);
    expect(await cases.readJobKinds(id)).toContain('access.request');
  });

  test('gives its money back by hand when it is cancelled', async () => {
    const { id } = await book();
    await mark(id);
    const cancelled = { bookingId: id, refund: 'full' as const, reason: 'Ill', actor: STAFF, money: 'held' as const };
    expect(await cancelForStaff(cases.system.services, cancelled)).toMatchObject({ refundCents: PRICE, byHand: true });
    await cases.system.jobs.drain();
    expect(cases.system.provider.refundKeys).toEqual([]);
  });

  test('stays paid by the link when the customer was faster', async () => {
    const { id, session } = await book();
    cases.system.provider.move(session, 'pay');
    const paid = {
      code: 'already_done',
      message: 'This booking is already paid, so nothing was changed. Reload the booking.',
    };
    await expect(mark(id)).rejects.toMatchObject(paid);
    expect(await cases.readBooking(id)).toEqual({ status: 'confirmed', reason: null });
    expect(await payments(id)).toMatchObject([{ kind: 'card', state: 'paid', paid: PRICE }]);
    await expect(mark(id)).rejects.toMatchObject(paid);
    expect(await payments(id)).toHaveLength(1);
  });

  test('stays unpaid while its payment is on its way or the provider does not answer', async () => {
    const slow = await book();
    cases.system.provider.move(slow.session, 'delay');
    await expect(mark(slow.id)).rejects.toMatchObject({
      code: 'payment_processing',
      message: 'The customer is paying for this booking right now, so nothing was changed. Reload the booking.',
      details: { bookingId: slow.id },
    });
    expect(await cases.readBooking(slow.id)).toMatchObject({ status: 'pending' });

    const { id } = await book();
    const { expireSession } = cases.payments;
    cases.payments.expireSession = fails(noResponse);
    await expect(mark(id)).rejects.toBe(noResponse);
    expect(await payments(id)).toMatchObject([{ kind: 'card', state: 'open' }]);
    cases.payments.expireSession = expireSession;
    expect(await mark(id)).toMatchObject({ status: 'confirmed' });
  });

  test('cannot be paid by a page that another call opens meanwhile', async () => {
    const { createSession } = cases.payments;
    cases.payments.createSession = fails(noResponse);
    cases.payments.findSession = () => Promise.resolve(null);
    const { bookingId: id } = await bookForStaff(cases.system.services, createRequest());
    let sessionId = '';
    cases.payments.createSession = async (input) => {
      await mark(id);
      const session = await createSession(input);
      sessionId = session.id;
      return session;
    };
    const [booking, payment] = [await readBooking(db, id), await latestPayment(db, id)];
    if (!booking || !payment) throw new Error('no booking');
    await expect(
      openSession(cases.system.services, booking, payment, { email: 'guest@example.com', hours: 1 }),
    ).rejects.toMatchObject({ code: 'slot_taken' });
    expect(await cases.payments.getSession(sessionId)).toMatchObject({ status: 'expired' });
    expect(await cases.readBooking(id)).toEqual({ status: 'confirmed', reason: null });
  });

  test('is refused for the hold of a customer, for a booking that is over, to staff without the permission for money, and for a blocked customer', async () => {
    await expect(mark((await cases.held()).id)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Only a booking that staff made, with a link, can be marked as paid.',
      details: { field: 'bookingId' },
    });
    await expect(mark(randomUUID())).rejects.toMatchObject({ code: 'not_found', message: 'Booking not found' });
    const { id } = await book();
    await expect(mark(id, 'missing')).rejects.toMatchObject({
      code: 'not_yours',
      message: 'This booking would be paid outside this site. You need the “Money” permission for this.',
      details: { permission: 'money' },
    });
    await expect(mark(id, 'needs_second_factor')).rejects.toMatchObject({ code: 'second_factor_required' });
    expect(await payments(id)).toMatchObject([{ kind: 'card', state: 'open' }]);
    const person = await addPerson(db);
    const account = await db.queryRow<{ email: string }>('select email from auth.users where id = $1::uuid', [person]);
    const blocked = await book({ customerEmail: account?.email ?? '' });
    await blockCustomer(cases.system.services, { userId: person, reason: 'Damage', until: null }, STAFF);
    await expect(mark(blocked.id)).rejects.toMatchObject({
      code: 'blocked',
      message: 'This customer is blocked, so nothing was booked. Unblock them first.',
    });
    expect(await payments(blocked.id)).toMatchObject([{ kind: 'card' }]);
    await releaseHold(cases.payment, id, 'hold_expired');
    await expect(mark(id)).rejects.toMatchObject({
      code: 'slot_taken',
      message: 'This link was not paid in time, so the hours are free again. Book them again.',
    });
    expect(await cases.readBooking(id)).toMatchObject({ status: 'cancelled' });
  });
});
