import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { weeklyDates } from '#rules/finding/series.ts';
import { studioDate, type StudioDate } from '#rules/studio-time.ts';
import type { Database } from '#server/db/database.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { releaseHold } from '#server/operations/bookings/release.ts';
import type { StaffBooking } from '#server/operations/bookings/store-staff-booking.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { markPaid } from '#server/operations/staff/mark-paid.ts';
import { addPerson, databases, HOUR, MINUTE, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

const PRICE = 5_900;
const WEEK = 7 * 24 * HOUR;

describe.each(databases)('a weekly series that staff book on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  let staff: string;
  beforeAll(async () => {
    ({ db, close } = await open());
    staff = await addPerson(db);
    await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff]);
    await db.query(`insert into public.staff_permissions (user_id, permission) values ($1::uuid, 'bookings')`, [staff]);
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    cases = await createPaymentCases(db);
  });

  /** Returns a booking of three weeks, for a guest who pays by a link. */
  function createRequest(more: Partial<StaffBooking> = {}): StaffBooking & { readonly series: readonly StudioDate[] } {
    const span = { ...cases.system.nextSpan(), ...more };
    return {
      studioId: STUDIO,
      customerEmail: `${randomUUID().slice(0, 13)}@example.com`,
      customerName: 'Sam Guest',
      payment: 'link',
      notes: null,
      requestId: null,
      actor: staff,
      money: 'held',
      ...span,
      series: weeklyDates(studioDate(span.startTime), 3),
    };
  }
  const book = (request: StaffBooking) => bookForStaff(cases.system.services, request);
  const drain = () => cases.system.jobs.drain();
  const mailsTo = (email: string) => cases.system.mails.filter(({ to }) => to === email);
  const readAddress = async (userId: string): Promise<string> =>
    (await db.queryRow<{ email: string }>('select email from auth.users where id = $1::uuid', [userId]))?.email ?? '';
  type Row = { id: string; place: number; status: string; start: Date; reference: string };
  /** Returns the bookings of a series with their newest payments. */
  const order = async (first: string) =>
    (
      await db.query<Row & Record<string, unknown>>(
        `select b.id, b.order_place as place, b.status, b.start_time as start, b.reference, b.final_cost_cents as cents, p.kind, p.state,
           p.paid_cents as paid, p.session_id as session, (select x.booking_id from private.payment x where x.id = p.share_of) as "shareOf"
         from private.booking b cross join lateral (
           select * from private.payment x where x.booking_id = b.id order by x.attempt desc limit 1) p
         where b.order_id = $1::uuid order by b.order_place`,
        [first],
      )
    ).rows;
  const countBookings = async (): Promise<number> =>
    (await db.queryRow<{ count: number }>('select count(*)::int as count from private.booking'))?.count ?? 0;

  test('is one order of a guest with one link, which confirms all of it with one mail', async () => {
    const request = createRequest();
    const created = await book(request);
    const held = await order(created.bookingId);
    expect(held.map(({ start }) => start.getTime() - request.startTime.getTime())).toEqual([0, WEEK, 2 * WEEK]);
    for (const share of held)
      expect(share).toMatchObject({
        status: 'pending',
        cents: PRICE,
        kind: 'card',
        state: 'open',
        shareOf: held[0]?.id,
      });
    const session = String(held[0]?.['session']);
    expect(await cases.payments.getSession(session)).toMatchObject({ amountCents: 3 * PRICE });
    await drain();
    const [link, ...others] = mailsTo(request.customerEmail);
    expect(others).toEqual([]);
    expect(link?.subject).toMatch(/^Please pay/);
    for (const words of [created.url ?? 'no link', '$177', ...held.map(({ reference }) => reference)])
      expect(link?.text).toContain(words);
    cases.system.provider.move(session, 'pay');
    await settlePayment(cases.payment, session);
    await drain();
    for (const share of await order(created.bookingId))
      expect(share).toMatchObject({ status: 'confirmed', state: 'paid', paid: PRICE });
    expect(mailsTo(request.customerEmail).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Please pay/),
      expect.stringMatching(/^3 bookings confirmed/),
    ]);
  });

  test('is booked once by the same call, which is refused for other dates', async () => {
    const request = createRequest({ requestId: randomUUID() });
    const created = await book(request);
    const before = await countBookings();
    expect(await book(request)).toEqual(created);
    for (const series of [request.series.slice(0, 2), null])
      await expect(book({ ...request, series })).rejects.toMatchObject({
        code: 'already_done',
        message: 'This request already made another booking.',
      });
    expect(await countBookings()).toBe(before);
  });

  test.each([
    ['free', 0],
    ['elsewhere', 4_000],
  ] as const)('that is %s is confirmed at once, each at its price, with one mail', async (payment, cents) => {
    const person = await addPerson(db);
    const email = await readAddress(person);
    const priceCents = payment === 'free' ? null : cents;
    const { bookingId, url } = await book(createRequest({ payment, priceCents, customerEmail: email }));
    expect(url).toBeNull();
    for (const share of await order(bookingId))
      expect(share).toMatchObject({ status: 'confirmed', cents, kind: payment, state: 'paid', paid: cents });
    await drain();
    expect(mailsTo(email).map(({ subject }) => subject)).toEqual([expect.stringMatching(/^3 bookings confirmed/)]);
  });

  test('changes nothing when one of its dates is taken, and the refusal names the date and the booking', async () => {
    const request = createRequest();
    const later = new Date(request.startTime.getTime() + WEEK);
    const hours = { startTime: later, endTime: new Date(later.getTime() + HOUR) };
    const taken = await book({ ...createRequest({ ...hours, payment: 'free' }), series: null });
    const before = await countBookings();
    await expect(book(request)).rejects.toMatchObject({
      code: 'slot_taken',
      message: expect.stringMatching(/^These hours are no longer free on .*\. Please leave that date out\.$/),
      details: { dates: [request.series[1]], bookings: [{ id: taken.bookingId }] },
    });
    expect(await countBookings()).toBe(before);
    const rest = request.series.filter((_, index) => index !== 1);
    expect(await order((await book({ ...request, series: rest })).bookingId)).toHaveLength(2);
  });

  test('changes nothing when one of its dates is closed, and the refusal names the date', async () => {
    const request = createRequest();
    const startTime = new Date(request.startTime.getTime() + WEEK);
    const closure = { studioId: STUDIO, startTime, endTime: new Date(startTime.getTime() + HOUR) };
    await closeHours(cases.system.services, { ...closure, weeks: 1, reason: 'Paint', public: true }, staff);
    const before = await countBookings();
    await expect(book(request)).rejects.toMatchObject({
      code: 'slot_closed',
      message: expect.stringMatching(/^These hours are no longer free on .*\. Please leave that date out\.$/),
      details: { dates: [request.series[1]] },
    });
    expect(await countBookings()).toBe(before);
    await db.query('delete from private.closed_span');
  });

  test.each([
    ['guests', `'a@example.com'`, `'b@example.com'`, '$1', '$1'],
    ['makers', `'a@example.com'`, `'a@example.com'`, '$1', 'null'],
  ])(
    'is refused by the database when its bookings have different %s',
    async (_what, guestEmail, other, maker, second) => {
      const [first, next] = [randomUUID(), randomUUID()];
      const insert = (id: string, place: number, guest: string, by: string): string =>
        `insert into private.booking (id, order_id, order_place, order_size, reference, guest_email, guest_name, studio_id, studio_name, start_time,
         end_time, status, hold_expires_at, total_hours, slots, base_cost_cents, discount_cents, final_cost_cents, policy, made_by)
       values ('${id}', '${first}', ${place}, 2, private.new_reference(), ${guest}, 'Sam', '${STUDIO}', 'Studio', '2031-05-0${place}T00:00:00Z',
         '2031-05-0${place}T01:00:00Z', 'pending', '2031-04-01T00:00:00Z', 1, '[]', 100, 0, 100, '{}', ${by})`;
      const inserted = db.transaction(async (tx) => {
        await tx.query(insert(first, 1, guestEmail, `${maker}::uuid`), maker === '$1' ? [staff] : []);
        await tx.query(insert(next, 2, other, `${second}::uuid`), second === '$1' ? [staff] : []);
      });
      await expect(inserted).rejects.toMatchObject({ constraint: 'booking_order_whole' });
    },
  );

  test('takes the hours of an expired hold', async () => {
    cases.system.state.hour += 5;
    const { id, request } = await cases.held();
    cases.system.state.now += 16 * MINUTE;
    const startTime = new Date(request.startTime.getTime() - WEEK);
    const requested = createRequest({ startTime, endTime: new Date(startTime.getTime() + HOUR) });
    expect(await order((await book(requested)).bookingId)).toHaveLength(3);
    expect(await cases.readBooking(id)).toMatchObject({ status: 'cancelled' });
  });

  test('has a price of its own that counts for each date, and is at most that of the list of each', async () => {
    await expect(book(createRequest({ priceCents: PRICE + 1 }))).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The price can’t be higher than the list price.',
      details: { field: 'priceCents', listCents: PRICE },
    });
    const { bookingId } = await book(createRequest({ priceCents: 2_000 }));
    const shares = await order(bookingId);
    expect(shares.map(({ cents }) => cents)).toEqual([2_000, 2_000, 2_000]);
    expect(await cases.payments.getSession(String(shares[0]?.['session']))).toMatchObject({ amountCents: 6_000 });
  });

  test('is marked as paid as a whole, from any of its bookings, and only once', async () => {
    const { bookingId } = await book(createRequest());
    const [first, second] = await order(bookingId);
    const mark = () => markPaid(cases.system.services, { bookingId: second?.id ?? '', actor: staff, money: 'held' });
    expect(await mark()).toMatchObject({ id: second?.id, status: 'confirmed' });
    expect(await cases.payments.getSession(String(first?.['session']))).toMatchObject({ status: 'expired' });
    const paid = await order(bookingId);
    for (const share of paid)
      expect(share).toMatchObject({ status: 'confirmed', kind: 'elsewhere', paid: PRICE, shareOf: bookingId });
    expect(await mark()).toMatchObject({ status: 'confirmed' });
    await settlePayment(cases.payment, String(first?.['session']));
    expect(await order(bookingId)).toEqual(paid);
    const cancelled = await cancelForStaff(cases.system.services, {
      bookingId: paid[2]?.id ?? '',
      refund: 'full',
      reason: 'Ill',
      actor: staff,
      money: 'held',
    });
    expect(cancelled).toMatchObject({ refundCents: PRICE, byHand: true });
    expect((await order(bookingId)).map(({ status }) => status)).toEqual(['confirmed', 'confirmed', 'cancelled']);
  });

  test('that nobody pays is released as a whole, with one mail to the customer and one to who made it', async () => {
    const request = createRequest();
    const { bookingId } = await book(request);
    await releaseHold(cases.payment, bookingId, 'hold_expired');
    cases.system.state.now += 2 * MINUTE;
    await drain();
    const released = await order(bookingId);
    expect(released.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const notices = [mailsTo(request.customerEmail), mailsTo(await readAddress(staff))].map((mails) =>
      mails.filter(({ subject }) => /no longer held|Not paid/.test(subject)),
    );
    expect(notices.map((mails) => mails.length)).toEqual([1, 1]);
    for (const { reference } of released) expect(notices[0]?.[0]?.text).toContain(reference);
    for (const [mail] of notices) expect(mail?.text).toContain('$177');
  });

  test.each([
    ['in time', async () => undefined],
    [
      'when the provider tells of its closed session first',
      async () => {
        const { expireSession } = cases.payments;
        cases.payments.expireSession = async (id) => {
          const session = await expireSession(id);
          await settlePayment(cases.payment, id);
          return session;
        };
      },
    ],
  ])('that staff release before it is paid, %s, has one mail, about all of it', async (_when, prepare) => {
    const request = createRequest();
    const { bookingId } = await book(request);
    const [, second] = await order(bookingId);
    await prepare();
    await cancelForStaff(cases.system.services, {
      bookingId: second?.id ?? '',
      refund: 'none',
      reason: 'Called off',
      actor: staff,
      money: 'held',
    });
    cases.system.state.now += 2 * MINUTE;
    await drain();
    const released = await order(bookingId);
    expect(released.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const mails = mailsTo(request.customerEmail);
    expect(mails.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^Booking cancelled/)]);
    for (const { reference } of released) expect(mails[0]?.text).toContain(reference);
  });
});
