import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { cancelForStaff, type StaffCancellation } from '#server/operations/bookings/cancel-for-staff.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { addPerson, databases, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

const STAFF = randomUUID();
const DAY = 24 * HOUR;
/** A Saturday at 11 am in Sydney, a week ahead, when an hour costs $59; two days later it costs $49. */
const SATURDAY = START + 7 * DAY;
const MONDAY = SATURDAY + 2 * DAY;

describe.each(databases)('what staff undo on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    await db.query('delete from private.closed_span');
    cases = await createPaymentCases(db);
  });

  const at = (start: number) => ({ startTime: new Date(start), endTime: new Date(start + HOUR) });
  const context = () => cases.system.services;
  const drain = () => cases.system.jobs.drain();
  const later = (ms: number): void => void (cases.system.state.now += ms);
  async function booked(start = SATURDAY) {
    const created = await cases.system.book(await addPerson(db), at(start));
    await drain();
    cases.system.mails.length = 0;
    return created;
  }
  const cancel = async (bookingId: string, refund: StaffCancellation['refund'] = 'full') => {
    const request = { bookingId, refund, reason: 'Flood', actor: STAFF, money: 'held' as const, undoable: true };
    return (await cancelForStaff(context(), request)).undo?.id ?? '';
  };
  const move = async (bookingId: string, start: number) => {
    const request = {
      bookingId,
      studioId: STUDIO,
      ...at(start),
      waive: true,
      actor: STAFF,
      money: 'held' as const,
      undoable: true,
    };
    return (await moveBooking(context(), request)).undo?.id ?? '';
  };
  const undo = (undoId: string) => undoForStaff(context(), { undoId, actor: STAFF });
  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    );
  const row = (bookingId: string) =>
    db.queryRow<Record<string, unknown>>(
      `select b.status, b.cancel_reason as reason, b.cancelled_at as cancelled, b.start_time as start, b.final_cost_cents as cost,
         b.waived_cents as waived, b.base_cost_cents as base, (select string_agg(p.state, ' ') from private.payment p where p.booking_id = b.id) as payments,
         (select count(*)::int from private.partial_refund r join private.payment p on p.id = r.payment_id where p.booking_id = b.id) as parts
       from private.booking b where b.id = $1::uuid`,
      [bookingId],
    );
  async function returned(sessionId: string): Promise<readonly number[]> {
    const { paymentIntentId } = await cases.payments.getSession(sessionId);
    return (await cases.payments.listRefunds(paymentIntentId ?? '')).map(({ amountCents }) => amountCents);
  }

  test.each(['full', 'none', 1_000] as const)(
    'a cancellation with the refund %s is undone without a mail or a refund, once; the code comes at its time',
    async (refund) => {
      const { id, sessionId } = await booked();
      const before = await row(id);
      const undoId = await cancel(id, refund);
      await drain();
      expect(cases.system.mails).toEqual([]);
      expect(await undo(undoId)).toEqual({ bookingId: id, reference: expect.any(String), kind: 'cancel' });
      expect(await undo(undoId)).toMatchObject({ bookingId: id });
      later(MINUTE);
      await drain();
      expect(await row(id)).toEqual(before);
      expect(cases.system.mails).toEqual([]);
      expect(await returned(sessionId)).toEqual([]);
      cases.system.state.now = SATURDAY - 10 * MINUTE;
      await drain();
      await drain();
      expect([...cases.system.state.codes.keys()]).toHaveLength(1);
      expect(await cancel(id, refund)).not.toBe('');
    },
  );

  test('a code that became due while the booking was cancelled is requested after the undo', async () => {
    const { id } = await booked();
    cases.system.state.now = SATURDAY - HOUR - 5_000;
    const undoId = await cancel(id);
    later(6_000);
    await drain();
    expect(cases.system.state.codes.size).toBe(0);
    await undo(undoId);
    await drain();
    expect(cases.system.state.codes.size).toBe(1);
    cases.system.state.now = SATURDAY - 10 * MINUTE;
    await drain();
    expect(cases.system.mails.map(({ subject }) => subject)).toEqual([expect.stringContaining('Your access code')]);
  });

  test('after its time a cancellation has gone out, and is not undone', async () => {
    const { id, sessionId } = await booked();
    const undoId = await cancel(id);
    later(10_000);
    expect(await refusal(undo(undoId))).toMatchObject({
      code: 'too_late',
      message: 'This can no longer be undone, because its emails and refunds have been sent.',
    });
    await drain();
    expect(cases.system.mails.map(({ subject }) => subject)).toEqual([expect.stringContaining('Booking cancelled')]);
    expect(await returned(sessionId)).toEqual([5_900]);
    expect(await refusal(undo(randomUUID()))).toMatchObject({
      code: 'not_found',
      message: 'There is nothing to undo.',
    });
  });

  test('hours that somebody took or staff closed meanwhile keep the booking cancelled, and its jobs run', async () => {
    const [taken, two] = [await booked(), await booked(MONDAY)];
    const [first, second] = [await cancel(taken.id), await cancel(two.id)];
    await holdBooking(context(), cases.system.request(await addPerson(db), at(SATURDAY)));
    await closeHours(context(), { studioId: STUDIO, ...at(MONDAY), weeks: 1, reason: 'Paint', public: false }, STAFF);
    expect(await refusal(undo(first))).toMatchObject({
      code: 'slot_taken',
      message: 'Someone else has booked these hours in the meantime.',
    });
    expect(await refusal(undo(second))).toMatchObject({
      code: 'slot_closed',
      message: 'The studio is now closed at this time.',
    });
    later(MINUTE);
    await drain();
    expect(await returned(taken.sessionId)).toEqual([5_900]);
    expect(await returned(two.sessionId)).toEqual([4_900]);
  });

  test('undoing a cancellation takes the use of the discount code again, and is refused when somebody else has taken the last one', async () => {
    const code = `U${randomUUID().slice(0, 8).toUpperCase()}`;
    await db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, max_uses) values ($1, 'percentage', 10, 1)`,
      [code],
    );
    const uses = () =>
      db.queryRow(
        `select d.current_uses as uses, (select string_agg(r.state, ' ' order by r.state desc) from private.coupon_redemption r where r.coupon_id = d.id) as states
         from public.discount_codes d where d.code = $1`,
        [code],
      );
    const { id } = await cases.system.book(await addPerson(db), { ...at(SATURDAY), couponCode: code });
    const first = await cancel(id);
    expect(await uses()).toEqual({ uses: 0, states: 'returned' });
    await undo(first);
    expect(await uses()).toEqual({ uses: 1, states: 'committed' });
    const second = await cancel(id);
    await cases.system.book(await addPerson(db), { ...at(MONDAY), couponCode: code });
    expect(await refusal(undo(second))).toMatchObject({
      code: 'coupon_exhausted',
      message: 'Someone else has used the discount code in the meantime.',
    });
    expect(await row(id)).toMatchObject({ status: 'cancelled' });
    expect(await uses()).toEqual({ uses: 1, states: 'returned committed' });
  });

  test('a move to cheaper hours is undone: old hours and price, no refund, no mail; the code comes at the old time', async () => {
    const { id, sessionId } = await booked();
    const before = await row(id);
    const undoId = await move(id, MONDAY);
    expect(await row(id)).toMatchObject({ cost: 4_900, parts: 1 });
    expect(await undo(undoId)).toMatchObject({ kind: 'move' });
    expect(await undo(undoId)).toMatchObject({ kind: 'move' });
    later(MINUTE);
    await drain();
    expect(await row(id)).toEqual(before);
    expect(cases.system.mails).toEqual([]);
    expect(await returned(sessionId)).toEqual([]);
    cases.system.state.now = SATURDAY - 10 * MINUTE;
    await drain();
    await drain();
    expect(cases.system.state.requests.at(-1)).toMatchObject({ endsAt: new Date(SATURDAY + HOUR) });
    expect(await cancel(id)).not.toBe('');
  });

  test('a second move ends the undo of the first, and near the start, where a code is due, there is none', async () => {
    const { id } = await booked();
    const first = await move(id, MONDAY);
    const second = await move(id, MONDAY + HOUR);
    expect(await refusal(undo(first))).toMatchObject({ code: 'too_late' });
    await undo(second);
    expect(await row(id)).toMatchObject({ start: new Date(MONDAY) });
    cases.system.state.now = MONDAY - 61 * MINUTE;
    expect(await move(id, MONDAY + 2 * HOUR)).not.toBe('');
    cases.system.state.now = MONDAY + 2 * HOUR - 60 * MINUTE;
    expect(await move(id, MONDAY + 3 * HOUR)).toBe('');
  });
});
