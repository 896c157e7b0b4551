import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatMoney } from '#rules/money.ts';
import type { Database } from '#server/db/database.ts';
import { ensureCode, requestFirstCode } from '#server/operations/access/issue-first-code.ts';
import { renewCode } from '#server/operations/access/renew-code.ts';
import { showAccess } from '#server/operations/access/show-access.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { releaseOwnHold } from '#server/operations/bookings/release.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { ProviderError } from '#server/providers/call.ts';
import { constants as studio } from '#rules/venue.ts';
import {
  addPerson,
  type BookingSystem,
  createBookingSystem,
  databases,
  HOUR,
  LOCK,
  MINUTE,
  START,
  STUDIO,
  type PersonOptions,
} from './booking-system.ts';

describe.each(databases)('bookings on $name', ({ open }) => {
  let opened: Awaited<ReturnType<typeof open>>;
  let db: Database;
  let system: BookingSystem;
  beforeAll(async () => {
    opened = await open();
    db = opened.db;
  }, 180_000);
  afterAll(() => opened.close());
  beforeEach(async () => {
    // Tests do not share hours: those of earlier tests are freed.
    await db.query(`delete from private.outbox`);
    await db.query(
      `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
    );
    system = await createBookingSystem(db);
  });

  const readBooking = async (id: string) =>
    db.queryRow<{ status: string; reason: string | null; verification: string; terms: string; phone: string | null }>(
      `select status, cancel_reason as reason, id_verification_id as verification, terms_version as terms, contact_phone as phone
       from private.booking where id = $1::uuid`,
      [id],
    );
  async function addCoupon(
    more: { max?: number | null; perUser?: number | null; percent?: number } = {},
  ): Promise<string> {
    const code = `C${randomUUID().slice(0, 8).toUpperCase()}`;
    await db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, max_uses, per_user_limit)
       values ($1, 'percentage', $2::numeric, $3::int, $4::int)`,
      [code, more.percent ?? 10, more.max ?? null, more.perUser ?? null],
    );
    return code;
  }
  const readUnits = async (code: string): Promise<number | undefined> =>
    (await db.queryRow<{ n: number }>('select current_uses as n from public.discount_codes where code = $1', [code]))
      ?.n;
  /** Returns when the person's limit of tries is full again, in milliseconds; each try moves it. */
  const guessesUntil = async (person: string): Promise<number> =>
    (
      await db.queryRow<{ at: Date }>(
        `select full_at as at from private.rate_bucket where name = 'coupon-guess' and key = $1`,
        [`user:${person}`],
      )
    )?.at.getTime() ?? 0;

  describe('the right to hold hours', () => {
    const bornYears = (years: number, days = 0): string => {
      const at = new Date(START + days * 24 * HOUR);
      return `${at.getUTCFullYear() - years}-${String(at.getUTCMonth() + 1).padStart(2, '0')}-${String(at.getUTCDate()).padStart(2, '0')}`;
    };
    test.each<readonly [string, PersonOptions, string]>([
      ['a customer who turns 18 tomorrow', { born: bornYears(18, 1) }, 'age_required'],
      ['a customer whose address is not confirmed', { mailConfirmed: false }, 'mail_unconfirmed'],
      ['a customer without a verification', { verifiedUntil: null }, 'id_required'],
      ['a customer whose verification has expired', { verifiedUntil: new Date(START - 1) }, 'id_required'],
      ['a customer who accepted no terms', { terms: null }, 'terms_required'],
      ['a customer who accepted other terms', { terms: '2001-01' }, 'terms_required'],
    ])('is refused to %s, with the reason', async (_who, given, code) => {
      const person = await addPerson(db, given);
      const request = system.request(person, { termsAccepted: false });
      await expect(holdBooking(system.services, request)).rejects.toMatchObject({ name: 'Refusal', code });
      expect(await db.queryRow('select 1 from private.booking where user_id = $1::uuid', [person])).toBeNull();
    });

    test('includes a customer who turns 18 today', async () => {
      const person = await addPerson(db, { born: bornYears(18) });
      expect(await holdBooking(system.services, system.request(person))).toMatchObject({
        totalCents: expect.any(Number),
      });
    });

    test('needs a verification that is valid until the end of the session', async () => {
      const span = system.nextSpan(2);
      const end = span.endTime.getTime();
      const short = await addPerson(db, { verifiedUntil: new Date(end - 1) });
      await expect(holdBooking(system.services, system.request(short, span))).rejects.toMatchObject({
        code: 'id_required',
        message: 'Please verify your ID before you book.',
      });
      const long = await addPerson(db, { verifiedUntil: new Date(end) });
      const { bookingId } = await holdBooking(system.services, system.request(long, span));
      const used = await db.queryRow<{ id: string }>(
        'select id from public.id_verifications where user_id = $1::uuid',
        [long],
      );
      expect(await readBooking(bookingId)).toMatchObject({ verification: used?.id, terms: studio.termsVersion });
    });

    test('accepts terms agreed to with the booking, and stores them', async () => {
      const person = await addPerson(db, { terms: null });
      await holdBooking(system.services, system.request(person, { termsAccepted: true }));
      await holdBooking(system.services, system.request(person, { termsAccepted: false }));
    });

    test('excludes unknown studios, past hours, spans off the hour and spans of more than a day', async () => {
      const person = await addPerson(db);
      const at = (from: number, to: number) => ({ startTime: new Date(from), endTime: new Date(to) });
      const week = START + 30 * 24 * HOUR;
      const refused = async (more: object) =>
        expect(holdBooking(system.services, system.request(person, more))).rejects;
      await (
        await refused({ studioId: randomUUID() })
      ).toMatchObject({ code: 'invalid_request', message: 'Selected studio not found.' });
      const onTheHour = { code: 'invalid_request', message: 'Bookings start and end on the hour, Sydney time.' };
      const past = { code: 'slot_closed', message: 'This time can no longer be booked.' };
      await (await refused(at(START - HOUR, START))).toMatchObject(past);
      await (await refused(at(week + MINUTE, week + HOUR + MINUTE))).toMatchObject(onTheHour);
      await (await refused(at(week, week))).toMatchObject(onTheHour);
      const tooLong = { code: 'invalid_request', message: 'A booking can be up to 24 hours long.' };
      for (const hours of [25, 27]) await (await refused(at(week, week + hours * HOUR))).toMatchObject(tooLong);
      await (
        await refused(at(START + 400 * 24 * HOUR, START + 400 * 24 * HOUR + HOUR))
      ).toMatchObject({ code: 'slot_closed', message: 'This time can’t be booked.' });
    });

    test('refuses a different price on the screen and names the right one', async () => {
      const person = await addPerson(db);
      const span = system.nextSpan();
      const refused = await holdBooking(system.services, system.request(person, { ...span, shownTotalCents: 1 })).catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({
        code: 'price_changed',
        message: 'The price of this booking has changed. Please check the new total.',
        details: { total: expect.any(Number), couponCode: null },
      });
      const total = (refused as { details: { total: number } }).details.total * 100;
      const held = await holdBooking(system.services, system.request(person, { ...span, shownTotalCents: total }));
      expect(held.totalCents).toBe(total);
    });
  });

  describe('holds', () => {
    test('a customer can have two; the refusal of a third names both, and releasing one makes room', async () => {
      const person = await addPerson(db);
      const first = await holdBooking(system.services, system.request(person));
      const second = await holdBooking(system.services, system.request(person));
      const third = system.request(person);
      await expect(holdBooking(system.services, third)).rejects.toMatchObject({
        code: 'too_many_holds',
        message: expect.stringMatching(
          /^Waiting for your payment: Studio, .*; Studio, .* \(reference [\w-]+\)\. Pay for one/,
        ),
        details: { holds: [{ bookingId: first.bookingId }, { bookingId: second.bookingId }] },
      });
      const { booking } = await releaseOwnHold(system.services, first.bookingId, person);
      expect(booking.status).toBe('cancelled');
      expect(await holdBooking(system.services, third)).toMatchObject({ url: expect.any(String) });
    });

    test('other customers get neither held nor paid hours; the same customer gets their own hold again', async () => {
      const [customer, other] = [await addPerson(db), await addPerson(db)];
      const span = system.nextSpan();
      const held = await holdBooking(system.services, system.request(customer, span));
      expect(await holdBooking(system.services, system.request(customer, span))).toEqual(held);
      const taken = { code: 'slot_taken', message: 'Someone else just booked this time. Please choose another.' };
      await expect(holdBooking(system.services, system.request(other, span))).rejects.toMatchObject(taken);
      const sessionId = await system.readSessionId(held.bookingId);
      system.provider.move(sessionId, 'pay');
      await settlePayment(system.services, sessionId);
      await expect(holdBooking(system.services, system.request(other, span))).rejects.toMatchObject(taken);
      await expect(holdBooking(system.services, system.request(customer, span))).rejects.toMatchObject({
        code: 'slot_taken',
        message: `You’ve already booked this time. Your reference is ${held.reference}.`,
      });
    });

    test('an expired hold is released for another customer only after the provider has closed its session', async () => {
      const [customer, other] = [await addPerson(db), await addPerson(db)];
      const span = system.nextSpan();
      const held = await holdBooking(system.services, system.request(customer, span));
      system.state.now += 16 * MINUTE;
      system.provider.failing = new ProviderError('stripe', 'no_response', { retryable: true });
      await expect(holdBooking(system.services, system.request(other, span))).rejects.toMatchObject({
        code: 'slot_taken',
      });
      system.provider.failing = null;
      expect((await holdBooking(system.services, system.request(other, span))).bookingId).not.toBe(held.bookingId);
      expect(await readBooking(held.bookingId)).toMatchObject({ status: 'cancelled', reason: 'hold_expired' });
    });

    test('of another customer cannot be released, cancelled or read', async () => {
      const [customer, other] = [await addPerson(db), await addPerson(db)];
      const { bookingId } = await holdBooking(system.services, system.request(customer));
      const missing = { code: 'not_found', message: 'Booking not found' };
      await expect(releaseOwnHold(system.services, bookingId, other)).rejects.toMatchObject(missing);
      await expect(cancelBooking(system.services, bookingId, other)).rejects.toMatchObject(missing);
      await expect(readOwnBooking(system.services, other, bookingId)).rejects.toMatchObject(missing);
      await expect(readOwnBooking(system.services, customer, null)).rejects.toMatchObject(missing);
      expect(await readOwnBooking(system.services, customer, bookingId)).toMatchObject({
        id: bookingId,
        status: 'pending',
      });
    });

    test('without an id, the newest confirmed booking is read', async () => {
      const person = await addPerson(db);
      await system.book(person);
      system.state.now += MINUTE;
      const newer = await system.book(person);
      expect(await readOwnBooking(system.services, person, null)).toMatchObject({ id: newer.id });
    });
  });

  describe('a unit of a code', () => {
    const give: readonly (readonly [string, (bookingId: string, person: string) => Promise<unknown>])[] = [
      ['the customer releases the hold', (id, person) => releaseOwnHold(system.services, id, person)],
      [
        'the hold expires',
        async () => {
          system.state.now += 16 * MINUTE;
          await releaseExpiredHolds(system.services);
        },
      ],
      [
        'the payment fails',
        async (id) => {
          const session = await system.readSessionId(id);
          system.provider.move(session, 'delay');
          await settlePayment(system.services, session);
          system.provider.move(session, 'delay fails');
          await settlePayment(system.services, session);
        },
      ],
      [
        'the paid booking is cancelled',
        async (id, person) => {
          const session = await system.readSessionId(id);
          system.provider.move(session, 'pay');
          await settlePayment(system.services, session);
          await cancelBooking(system.services, id, person);
        },
      ],
    ];
    test.each(give)('is returned once when %s, and another customer can use it', async (_when, release) => {
      const [person, other] = [await addPerson(db), await addPerson(db)];
      const code = await addCoupon({ max: 1, perUser: 1 });
      const held = await holdBooking(system.services, system.request(person, { couponCode: code }));
      expect(await readUnits(code)).toBe(1);
      await expect(holdBooking(system.services, system.request(other, { couponCode: code }))).rejects.toMatchObject({
        code: 'coupon_exhausted',
      });
      await release(held.bookingId, person);
      expect(await readBooking(held.bookingId)).toMatchObject({ status: 'cancelled' });
      expect(await readUnits(code)).toBe(0);
      await releaseExpiredHolds(system.services);
      expect(await readUnits(code)).toBe(0);
      await holdBooking(system.services, system.request(other, { couponCode: code }));
      expect(await readUnits(code)).toBe(1);
    });

    test.each([
      ['before', -1, 'replaced', 1],
      ['after', 1, 'hold_expired', 0],
    ] as const)(
      'is moved or returned by the server’s clock when the replaced session closes %s the move ends',
      async (_when, minutes, reason, units) => {
        const person = await addPerson(db);
        const code = await addCoupon({ max: 1 });
        const { bookingId } = await holdBooking(system.services, system.request(person, { couponCode: code }));
        await db.query(
          'update private.coupon_redemption set moving_until = $2::timestamptz where booking_id = $1::uuid',
          [bookingId, new Date(START + 2 * MINUTE)],
        );
        system.state.now = START + (2 + minutes) * MINUTE;
        const session = await system.readSessionId(bookingId);
        system.provider.move(session, 'expire');
        await settlePayment(system.services, session);
        expect(await readBooking(bookingId)).toMatchObject({ status: 'cancelled', reason });
        expect(await readUnits(code)).toBe(units);
      },
    );

    test('stays used by a paid booking', async () => {
      const person = await addPerson(db);
      const code = await addCoupon({ max: 2, perUser: 1 });
      await system.book(person, { couponCode: code });
      expect(await readUnits(code)).toBe(1);
      await expect(holdBooking(system.services, system.request(person, { couponCode: code }))).rejects.toMatchObject({
        code: 'coupon_exhausted',
      });
      expect(await readUnits(code)).toBe(1);
    });

    test('is used by a free booking, which is confirmed at once and returns its result page', async () => {
      const person = await addPerson(db);
      const code = await addCoupon({ percent: 100 });
      const held = await holdBooking(system.services, system.request(person, { couponCode: code.toLowerCase() }));
      expect(held).toMatchObject({
        totalCents: 0,
        url: `https://studio.example/payment-success?session_id=free_${held.bookingId}&booking_id=${held.bookingId}`,
      });
      expect(await readBooking(held.bookingId)).toMatchObject({ status: 'confirmed' });
      expect(await readUnits(code)).toBe(1);
      expect(await settlePayment(system.services, `free_${held.bookingId}`)).toMatchObject({ paid: true });
    });

    test('tries of a code are counted, except the code of an own hold', async () => {
      const person = await addPerson(db);
      const code = await addCoupon();
      const span = system.nextSpan();
      await holdBooking(system.services, system.request(person, { ...span, couponCode: code }));
      const first = await guessesUntil(person);
      expect(first).toBeGreaterThan(0);
      await holdBooking(system.services, system.request(person, { ...span, couponCode: code.toLowerCase() }));
      await holdBooking(system.services, system.request(person, span));
      expect(await guessesUntil(person)).toBe(first);
      await expect(
        holdBooking(system.services, system.request(person, { couponCode: 'NO-SUCH' })),
      ).rejects.toMatchObject({
        code: 'coupon_invalid',
      });
      expect(await guessesUntil(person)).toBeGreaterThanOrEqual(first + 6_000);
    });
  });

  describe('a cancellation', () => {
    /** Makes a confirmed booking of one hour that starts `hoursAhead` hours after START. */
    async function withCode(hoursAhead = 30): Promise<{ id: string; person: string }> {
      const person = await addPerson(db);
      const startTime = new Date(START + hoursAhead * HOUR);
      const { id } = await system.book(person, { startTime, endTime: new Date(startTime.getTime() + HOUR) });
      return { id, person };
    }

    test('removes the access code from the lock and shows it nowhere', async () => {
      const { id, person } = await withCode();
      // The job runs shortly before the start, when only staff can still cancel, so it is run early here.
      await requestFirstCode(system.services, {
        id: randomUUID(),
        subjectId: id,
        kind: 'access.request',
        payload: {},
      } as never);
      expect([...system.state.codes.keys()]).toEqual([expect.stringMatching(new RegExp(`^${LOCK}:\\d{6}$`))]);
      const previous = [...system.state.codes.keys()];
      await cancelBooking(system.services, id, person);
      await system.jobs.drain();
      expect([...system.state.codes.keys()]).toEqual([]);
      expect(system.state.revoked).toEqual(previous);
      const { rows } = await db.query<{ status: string; live: boolean }>(
        `select c.status, s.live from public.booking_access_codes c join private.access_secret s on s.code_id = c.id where c.booking_id = $1::uuid`,
        [id],
      );
      expect(rows).toEqual([{ status: 'revoked', live: false }]);
      const missing = { code: 'not_found', message: 'Booking not found' };
      await expect(showAccess(system.services, id)).rejects.toMatchObject(missing);
      await expect(ensureCode(system.services, id)).rejects.toMatchObject(missing);
      await expect(renewCode(system.services, id, person)).rejects.toMatchObject(missing);
      await requestFirstCode(system.services, {
        id: randomUUID(),
        subjectId: id,
        kind: 'access.request',
        payload: {},
      } as never);
      expect([...system.state.codes.keys()]).toEqual([]);
    });

    test('refunds in full with one key, mails the customer once, and cannot be repeated', async () => {
      const { id, person } = await withCode();
      const payment = await db.queryRow<{ id: string; amount: number }>(
        'select id, amount_cents as amount from private.payment where booking_id = $1::uuid',
        [id],
      );
      await system.jobs.drain();
      system.mails.length = 0;
      expect(await cancelBooking(system.services, id, person)).toEqual({
        refund: 'full',
        amountCents: payment?.amount,
        byHand: false,
      });
      await expect(cancelBooking(system.services, id, person)).rejects.toMatchObject({
        code: 'already_done',
        message: 'This booking is already cancelled.',
      });
      await system.jobs.drain();
      await system.jobs.drain();
      expect(system.provider.refundKeys).toEqual([`refund:${payment?.id}`]);
      expect(await db.queryRow('select state from private.payment where id = $1::uuid', [payment?.id])).toEqual({
        state: 'refunded',
      });
      expect(system.mails.map(({ subject }) => subject)).toEqual([expect.stringMatching(/cancelled/i)]);
    });

    test('names the amount that goes back now, without what staff refunded before, and so does the mail', async () => {
      const person = await addPerson(db);
      const { id, sessionId } = await system.book(person);
      const total = (await readOwnBooking(system.services, person, id)).finalCostCents;
      system.provider.move(sessionId, 'refund part');
      await settlePayment(system.services, sessionId);
      await system.jobs.drain();
      system.mails.length = 0;
      const rest = total - Math.floor(total / 4);
      expect(await cancelBooking(system.services, id, person)).toEqual({
        refund: 'full',
        amountCents: rest,
        byHand: false,
      });
      await system.jobs.drain();
      expect(system.mails.map(({ text }) => text)).toEqual([
        expect.stringContaining(`${formatMoney(rest)} is on its way back to your card`),
      ]);
    });

    test('is possible until exactly 24 hours before the start', async () => {
      const { id, person } = await withCode(48);
      system.state.now = START + 24 * HOUR + 1;
      await expect(cancelBooking(system.services, id, person)).rejects.toMatchObject({
        code: 'too_late',
        message: 'Bookings can be cancelled up to 24 hours before the start. Please contact us instead.',
      });
      expect(await readBooking(id)).toMatchObject({ status: 'confirmed' });
      system.state.now = START + 24 * HOUR;
      expect(await cancelBooking(system.services, id, person)).toMatchObject({ refund: 'full' });
    });

    test('is refused for an unpaid booking', async () => {
      const person = await addPerson(db);
      const { bookingId } = await holdBooking(system.services, system.request(person));
      await expect(cancelBooking(system.services, bookingId, person)).rejects.toMatchObject({
        code: 'not_confirmed',
        message: 'This booking hasn’t been paid yet.',
      });
    });

    test('of a free booking refunds nothing', async () => {
      const person = await addPerson(db);
      const { bookingId } = await holdBooking(
        system.services,
        system.request(person, { couponCode: await addCoupon({ percent: 100 }) }),
      );
      expect(await cancelBooking(system.services, bookingId, person)).toEqual({
        refund: 'none',
        amountCents: 0,
        byHand: false,
      });
      await system.jobs.drain();
      expect(system.provider.refundKeys).toEqual([]);
    });
  });

  test("a payment that differs from the booking's price is refunded, even when provider and payment row agree", async () => {
    const person = await addPerson(db);
    const [bookingId, { startTime, endTime }] = [randomUUID(), system.nextSpan()];
    const session = system.provider.session(bookingId, 'create:1', 4800).id;
    // The payment's amount differs from the booking's price, which is the one that must be paid.
    await db.query(
      `insert into private.booking (id, reference, user_id, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       values ($1::uuid, private.new_reference(), $2::uuid, $3::uuid, 'Studio', $4::timestamptz, $5::timestamptz, $6::timestamptz, 1, 4900, 4900)`,
      [bookingId, person, STUDIO, startTime, endTime, new Date(START + 15 * MINUTE)],
    );
    await db.query(
      `insert into private.payment (booking_id, attempt, kind, state, key, amount_cents, session_id) values ($1::uuid, 1, 'card', 'open', $2, 4800, $3)`,
      [bookingId, `create:${bookingId}:1`, session],
    );
    system.provider.move(session, 'pay');
    await settlePayment(system.services, session);
    expect(await readBooking(bookingId)).toMatchObject({ status: 'cancelled', reason: 'amount_mismatch' });
    await system.jobs.drain();
    expect(system.provider.refundKeys).toHaveLength(1);
  });

  test('a payment that arrives more than half an hour after the start is refunded', async () => {
    for (const [late, status] of [
      [30 * MINUTE, 'confirmed'],
      [30 * MINUTE + 1, 'cancelled'],
    ] as const) {
      system.state.now = START;
      const person = await addPerson(db);
      const startTime = new Date(START + (5 + (late % 2)) * HOUR);
      const { bookingId } = await holdBooking(
        system.services,
        system.request(person, { startTime, endTime: new Date(startTime.getTime() + 2 * HOUR) }),
      );
      const session = await system.readSessionId(bookingId);
      system.provider.move(session, 'pay');
      system.state.now = startTime.getTime() + late;
      await settlePayment(system.services, session);
      expect(await readBooking(bookingId)).toMatchObject({ status });
      await db.query(`delete from private.outbox where kind <> 'payment.refund'`);
      await system.jobs.drain();
      expect(system.provider.refundKeys).toHaveLength(status === 'confirmed' ? 0 : 1);
      await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`, [
        bookingId,
      ]);
    }
  });

  test('a repeated mail has the same key, another mail another key', async () => {
    const person = await addPerson(db);
    const { id } = await system.book(person);
    system.state.mailFails = true;
    await system.jobs.drain();
    system.state.mailFails = false;
    system.state.now += HOUR;
    await system.jobs.drain();
    const job = await db.queryRow<{ id: string }>(
      `select id from private.outbox where kind = 'mail.booking-confirmed' and subject_id = $1::uuid`,
      [id],
    );
    expect(system.mails.map(({ key }) => key)).toEqual([`job-${job?.id}`, `job-${job?.id}`]);
    await cancelBooking(system.services, id, person);
    await system.jobs.drain();
    expect(new Set(system.mails.map(({ key }) => key)).size).toBe(2);
  });

  test('scheduled reconciliation ends only after what it found is settled', async () => {
    await db.query(`delete from private.lease where name = 'reconcile'`);
    const person = await addPerson(db);
    const { bookingId } = await holdBooking(system.services, system.request(person));
    system.provider.move(await system.readSessionId(bookingId), 'pay');
    await system.jobs.scheduler.run();
    expect(await readBooking(bookingId)).toMatchObject({ status: 'confirmed' });
  });
});
