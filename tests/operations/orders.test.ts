import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addDays, slotStart, studioDate } from '#rules/studio-time.ts';
import { formatMoney } from '#rules/money.ts';
import { weeklyDates } from '#rules/finding/series.ts';
import type { Database } from '#server/db/database.ts';
import type { Services } from '#server/operations/core/services.ts';
import { cancelBooking, cancelSeries } from '#server/operations/bookings/cancel.ts';
import { cancelForStaff, cancelSeriesForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { holdBooking, type HoldRequest, type HoldResult } from '#server/operations/bookings/hold.ts';
import { type Move, moveBooking } from '#server/operations/bookings/move.ts';
import { quoteSeries } from '#server/operations/bookings/quote-series.ts';
import { releaseOwnHold } from '#server/operations/bookings/release.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { ensureCustomer } from '#server/operations/customers/provider-customer.ts';
import { refundPayment } from '#server/operations/payments/refund.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { reconcilePayments } from '#server/operations/reconciliation/reconcile-payments.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { readPdf } from '#tests/support/files/pdf-text.ts';
import { addPerson, databases, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { killedAt } from './killed-process.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

type Row = { id: string; status: string; cents: number; place: number; reason: string | null };

const RACES = process.env['TEST_LONG'] ? 200 : 8;
const STOPS = process.env['TEST_LONG'] ? 'all' : 6;

/** Each test has its own week, so that it does not meet the hours of another test. */
let next = 0;

describe.each(databases)('orders on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    cases = await createPaymentCases(db);
    next += 1;
  });

  const context = () => cases.system.services;
  const provider = () => cases.system.provider;
  /** An hour or more on a day of this test, and the dates of its weeks. */
  function weekly(weeks: number, hours = 2): Omit<Partial<HoldRequest>, 'series'> & { series: string[] } {
    const date = addDays(studioDate(new Date(START)), 3 + (next % 7));
    const startTime = slotStart(date, (Math.floor(next / 7) * 3) % 22) ?? new Date(0);
    return {
      startTime,
      endTime: new Date(startTime.getTime() + hours * HOUR),
      series: weeklyDates(date, weeks),
    };
  }
  const request = (person: string, more: Partial<HoldRequest>) => cases.system.request(person, more);
  /**
   * Holds hours. First, a neighbour whose ID expires before the last of their dates is refused the same hours, or is told that they are not
   * valid hours.
   */
  async function hold(person: string, more: Partial<HoldRequest>): Promise<HoldResult> {
    const requested = request(person, more);
    const last = requested.series?.at(-1);
    const neighbour = await addPerson(db, { verifiedUntil: last === undefined ? null : slotStart(last, 0) });
    await expect(holdBooking(context(), { ...requested, userId: neighbour })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:id_required|invalid_request)$/),
    });
    return holdBooking(context(), requested);
  }
  const refusal = async (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
  async function readRows(bookingId: string): Promise<Row[]> {
    const { rows } = await db.query<Row>(
      `select id, status, final_cost_cents as cents, order_place as place, cancel_reason as reason from private.booking where order_id = $1::uuid order by order_place`,
      [bookingId],
    );
    return rows;
  }
  const readSessionId = async (bookingId: string): Promise<string> =>
    (
      await db.queryRow<{ id: string }>(
        'select session_id as id from private.payment where booking_id = $1::uuid order by attempt desc limit 1',
        [bookingId],
      )
    )?.id ?? '';
  async function paid(
    person: string,
    more: Partial<HoldRequest>,
  ): Promise<{ id: string; session: string; rows: Row[] }> {
    const { bookingId: id } = await hold(person, more);
    const session = await readSessionId(id);
    provider().move(session, 'pay');
    await settlePayment(context(), session);
    return { id, session, rows: await readRows(id) };
  }
  const drain = () => cases.system.jobs.drain();
  /**
   * Requires that each paid cent belongs to a booking that was kept or has been refunded. `charges`: how many saved cards paid for it last.
   * `given`: the refunds by staff of bookings that were kept.
   */
  async function audit(orderId: string, session: string, { charges = 0, given = 0 } = {}): Promise<void> {
    const cards = provider().events.filter(({ type }) => type === 'payment_intent.succeeded');
    const ids = [session, ...cards.slice(cards.length - charges).map(({ objectId }) => objectId)];
    const sessions = await Promise.all(ids.map((id) => provider().payments.getSession(id)));
    const sum = (cents: readonly number[]): number => cents.reduce((total, amount) => total + amount, 0);
    const taken = sum(sessions.map((session) => (session.paymentStatus === 'paid' ? session.amountCents : 0)));
    const back = sum(sessions.map((session) => session.refundedCents));
    const row = await db.queryRow<{ paid: number; back: number; kept: number; documents: number }>(
      `with mine as (select id, status, final_cost_cents from private.booking where order_id = $1::uuid),
         money as (select p.id, p.paid_cents from private.payment p where p.booking_id in (select id from mine) and p.state not in ('expired', 'failed'))
       select (select coalesce(sum(paid_cents), 0)::int from money) as paid,
         (select coalesce(sum(r.amount_cents), 0)::int from private.refund r where r.payment_id in (select id from money) and r.status = 'succeeded') as back,
         (select coalesce(sum(final_cost_cents), 0)::int from mine where status = 'confirmed') as kept,
         (select coalesce(sum(case d.kind when 'invoice' then d.cents else -d.cents end), 0)::int from private.document d
           where d.payment_id in (select id from money) and d.voided_at is null) as documents`,
      [orderId],
    );
    expect({ paid: row?.paid, back: row?.back, kept: (row?.kept ?? 0) - given }).toEqual({
      paid: taken,
      back,
      kept: taken - back,
    });
    if (row?.documents !== 0) expect(row?.documents).toBe(taken - back);
  }

  test('is held as a whole with one session, and the payment confirms all of it [spec 10.4]', async () => {
    const person = await addPerson(db);
    const held = await hold(person, weekly(3));
    const rows = await readRows(held.bookingId);
    expect(rows.map(({ status, place }) => `${status} ${place}`)).toEqual(['pending 1', 'pending 2', 'pending 3']);
    expect(held.totalCents).toBe(rows.reduce((sum, { cents }) => sum + cents, 0));
    const repeated = await hold(person, weekly(3));
    expect(repeated).toMatchObject({ bookingId: held.bookingId, url: held.url });
    const session = await readSessionId(held.bookingId);
    expect((await provider().payments.getSession(session)).amountCents).toBe(held.totalCents);
    provider().move(session, 'pay');
    await settlePayment(context(), session);
    expect((await readRows(held.bookingId)).map(({ status }) => status)).toEqual([
      'confirmed',
      'confirmed',
      'confirmed',
    ]);
    await settlePayment(context(), session);
    await drain();
    await audit(held.bookingId, session);
    const documents = await db.query<{ cents: number }>(
      `select d.cents from private.document d join private.booking b on b.id = d.booking_id where b.order_id = $1::uuid order by d.number`,
      [held.bookingId],
    );
    expect(documents.rows.map(({ cents }) => cents)).toEqual(rows.map(({ cents }) => cents));
  });

  test('keeps the clock over a night when the clocks change [spec 10.4]', async () => {
    const person = await addPerson(db);
    // The clocks go back on Sunday 6 April 2031.
    const startTime = slotStart('2031-03-30', 10) ?? new Date(0);
    const { rows } = await paid(person, {
      startTime,
      endTime: new Date(startTime.getTime() + HOUR),
      series: ['2031-03-30', '2031-04-06'],
    });
    const times = await db.query<{ at: string }>(
      `select to_char(start_time at time zone 'Australia/Sydney', 'MM-DD HH24:MI') as at from private.booking where id = any ($1::uuid[]) order by start_time`,
      [rows.map(({ id }) => id)],
    );
    expect(times.rows.map(({ at }) => at)).toEqual(['03-30 10:00', '04-06 10:00']);
  });

  test('is held not at all when one date is taken, and the refusal and the quote name that date', async () => {
    const [person, other] = [await addPerson(db), await addPerson(db)];
    const requested = weekly(4);
    const taken = slotStart(requested.series[2] ?? '', 0)?.getTime() ?? 0;
    const [first = ''] = requested.series;
    const offset = (requested.startTime?.getTime() ?? 0) - (slotStart(first, 0)?.getTime() ?? 0);
    await cases.system.book(other, { startTime: new Date(taken + offset), endTime: new Date(taken + offset + HOUR) });
    const error = await hold(person, requested).catch((problem: unknown) => problem);
    expect(error).toMatchObject({ code: 'slot_taken', details: { dates: [requested.series[2]] } });
    expect(await db.query('select from private.booking where user_id = $1::uuid', [person])).toMatchObject({
      count: 0,
    });
    const quoted = await quoteSeries(context(), {
      ...request(person, requested),
      dates: { weeks: 4 },
      couponCode: null,
    });
    expect(quoted.map(({ problem }) => problem)).toEqual([null, null, 'taken', null]);
    const kept = requested.series.filter((_, index) => index !== 2);
    const held = await hold(person, { ...requested, series: kept });
    expect(held.totalCents).toBe(quoted.reduce((sum, { totalCents }) => sum + (totalCents ?? 0), 0));
  });

  test('counts as one unpaid hold, is replaced as a whole, and released as a whole', async () => {
    const person = await addPerson(db);
    const requested = weekly(4);
    const first = await hold(person, requested);
    const shorter = await hold(person, { ...requested, series: requested.series.slice(0, 2) });
    expect((await readRows(first.bookingId)).map(({ reason }) => reason)).toEqual(Array(4).fill('replaced'));
    const { rows } = await db.query(
      'select from private.unpaid_holds($1::uuid, $2::timestamptz) u where u.status = $3',
      [person, new Date(cases.system.state.now), 'pending'],
    );
    expect(rows).toHaveLength(1);
    const last = (await readRows(shorter.bookingId)).at(-1)?.id ?? '';
    await releaseOwnHold(context(), last, person);
    expect((await readRows(shorter.bookingId)).map(({ status, reason }) => `${status} ${reason}`)).toEqual(
      Array(2).fill('cancelled abandoned'),
    );
    expect(await readSessionId(shorter.bookingId).then((id) => provider().payments.getSession(id))).toMatchObject({
      status: 'expired',
    });
  });

  test('ends unpaid as a whole, and late money goes back as a whole', async () => {
    const person = await addPerson(db);
    const held = await hold(person, weekly(3));
    const session = await readSessionId(held.bookingId);
    cases.system.state.now += 20 * MINUTE;
    await releaseExpiredHolds(context());
    expect((await readRows(held.bookingId)).map(({ reason }) => reason)).toEqual(Array(3).fill('hold_expired'));
    provider().force(session, 'pay');
    await settlePayment(context(), session);
    await drain();
    await settlePayment(context(), session);
    await audit(held.bookingId, session);
    expect(await provider().payments.getSession(session)).toMatchObject({ refundedCents: held.totalCents });
    const returned = cases.system.mails.filter(({ subject }) => subject.startsWith('Your payment is going back'));
    expect(returned).toHaveLength(1);
    expect(returned[0]?.text).toContain(formatMoney(held.totalCents));
  });

  test('each booking is cancelled with its own share, moved, and refunded apart [spec 10.4]', async () => {
    const person = await addPerson(db);
    const { id, session, rows } = await paid(person, weekly(4));
    const cancelled = await cancelBooking(context(), rows[1]?.id ?? '', person);
    expect(cancelled).toMatchObject({ refund: 'full', amountCents: rows[1]?.cents });
    await cancelBooking(context(), rows[0]?.id ?? '', person);
    const late =
      (
        await db.queryRow<{ at: string }>('select end_time as at from private.booking where id = $1::uuid', [
          rows[2]?.id,
        ])
      )?.at ?? '';
    await moveBooking(context(), {
      bookingId: rows[2]?.id ?? '',
      studioId: STUDIO,
      startTime: new Date(Date.parse(late) - HOUR),
      endTime: new Date(late),
      waive: false,
      actor: person,
      customer: person,
    });
    await drain();
    await settlePayment(context(), session);
    await drain();
    expect((await readRows(id)).map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'confirmed',
      'confirmed',
    ]);
    await audit(id, session);
  });

  test('a refund of all at the provider ends all of it, a part is divided among its bookings', async () => {
    const person = await addPerson(db);
    const { id, session, rows } = await paid(person, weekly(3));
    provider().move(session, 'refund part');
    await settlePayment(context(), session);
    const part = (await provider().payments.getSession(session)).refundedCents;
    const divided = await db.query<{ cents: number }>(
      `select p.refunded_cents as cents from private.payment p join private.booking b on b.id = p.booking_id where b.order_id = $1::uuid`,
      [id],
    );
    expect(divided.rows.reduce((sum, { cents }) => sum + cents, 0)).toBe(part);
    expect(divided.rows.every(({ cents }) => Math.abs(cents - part / rows.length) < 2)).toBe(true);
    provider().move(session, 'refund all');
    await settlePayment(context(), session);
    await settlePayment(context(), session);
    expect((await readRows(id)).map(({ status }) => status)).toEqual(Array(3).fill('cancelled'));
    await audit(id, session);
  });

  test('a dispute is one of each booking, and decides about each', async () => {
    const person = await addPerson(db);
    const { id, session, rows } = await paid(person, weekly(2));
    provider().move(session, 'dispute');
    await settlePayment(context(), session);
    const states = async () =>
      (
        await db.query<{ state: string }>(
          'select p.state from private.payment p join private.booking b on b.id = p.booking_id where b.order_id = $1::uuid order by b.order_place',
          [id],
        )
      ).rows.map(({ state }) => state);
    expect(await states()).toEqual(['disputed', 'disputed']);
    await cancelForStaff(context(), {
      bookingId: rows[0]?.id ?? '',
      refund: 'full',
      reason: 'asked',
      actor: person,
      money: 'held' as const,
    });
    provider().move(session, 'dispute won');
    await settlePayment(context(), session);
    await drain();
    expect(await states()).toEqual(['refunded', 'paid']);
    await audit(id, session);
  });

  test('staff release the hold of an order as a whole', async () => {
    const person = await addPerson(db);
    const held = await hold(person, weekly(3));
    const [, second] = await readRows(held.bookingId);
    await cancelForStaff(context(), {
      bookingId: second?.id ?? '',
      refund: 'none',
      reason: 'asked',
      actor: person,
      money: 'held' as const,
    });
    expect((await readRows(held.bookingId)).map(({ status }) => status)).toEqual(Array(3).fill('cancelled'));
  });

  test('a closed date of a series is named in the refusal', async () => {
    const person = await addPerson(db);
    const requested = weekly(3);
    const [first = '', second = ''] = requested.series;
    const apart = (slotStart(second, 0)?.getTime() ?? 0) - (slotStart(first, 0)?.getTime() ?? 0);
    const later = (at: Date | undefined): Date => new Date((at?.getTime() ?? 0) + apart);
    const closure = { studioId: STUDIO, startTime: later(requested.startTime), endTime: later(requested.endTime) };
    await closeHours(context(), { ...closure, weeks: 1, reason: 'Paint', public: true }, randomUUID());
    await expect(hold(person, requested)).rejects.toMatchObject({
      code: 'slot_closed',
      message: expect.stringMatching(/^These hours are no longer free on .*\. Please leave that date out\.$/),
      details: { dates: [second] },
    });
    await db.query('delete from private.closed_span');
  });

  test('refuses dates that are no series', async () => {
    const person = await addPerson(db);
    const requested = weekly(2);
    const [first = ''] = requested.series;
    for (const series of [
      [first],
      [first, addDays(first, 8)],
      [addDays(first, 7), addDays(first, 14)],
      weeklyDates(first, 9),
    ])
      expect(await refusal(hold(person, { ...requested, series }))).toBe('invalid_request');
  });

  test('the database keeps an order whole and as it is', async () => {
    const person = await addPerson(db);
    const held = await hold(person, weekly(3));
    const constraint = (text: string) =>
      db.query(text, [held.bookingId]).then(
        () => null,
        (error: { constraint?: string }) => error.constraint,
      );
    expect(
      await constraint(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`),
    ).toBe('booking_order_whole');
    expect(
      await constraint(
        `update private.booking set hold_expires_at = hold_expires_at + interval '1 hour' where id = $1::uuid`,
      ),
    ).toBe('booking_order_whole');
    expect(await constraint('update private.booking set order_size = 4 where order_id = $1::uuid')).toBe(
      'order_frozen',
    );
    expect(await constraint('update private.payment set share_of = null where booking_id = $1::uuid')).toBe(
      'order_frozen',
    );
  });

  test('a code counts for each booking while it has uses left, the earliest first', async () => {
    const person = await addPerson(db);
    await db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, max_uses) values ($1, 'percentage', 50, 2)`,
      [`SERIES${next}`],
    );
    const plain = await quoteSeries(context(), {
      ...request(person, weekly(3)),
      dates: { weeks: 3 },
      couponCode: null,
    });
    const [full = 0] = plain.map(({ totalCents }) => totalCents ?? 0);
    const half = Math.round(full / 2);
    const requested = { ...weekly(3), couponCode: `series${next}` };
    const quoted = await quoteSeries(context(), { ...request(person, requested), dates: { weeks: 3 } });
    expect(quoted.map(({ totalCents }) => totalCents)).toEqual([half, half, full]);
    const held = await hold(person, requested);
    expect((await readRows(held.bookingId)).map(({ cents }) => cents)).toEqual([half, half, full]);
    expect(await hold(person, { ...requested, couponCode: null })).toMatchObject({ bookingId: held.bookingId });
    expect(
      await refusal(
        hold(await addPerson(db), {
          ...weekly(2),
          ...cases.system.nextSpan(),
          couponCode: `SERIES${next}`,
          series: null,
        }),
      ),
    ).toBe('coupon_exhausted');
    await releaseOwnHold(context(), held.bookingId, person);
    expect(
      await db.queryRow('select current_uses as uses from public.discount_codes where code = $1', [`SERIES${next}`]),
    ).toEqual({ uses: 0 });
  });

  test('the mail of the payment lists all dates, with the receipts and a calendar of all', async () => {
    const person = await addPerson(db);
    const { rows } = await paid(person, weekly(3));
    await drain();
    const mails = cases.system.mails.filter(({ subject }) => subject.includes('confirmed'));
    expect(mails.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^3 bookings confirmed: Studio/)]);
    expect(mails[0]?.calendar?.content.match(/BEGIN:VEVENT/g)).toHaveLength(3);
    expect(await readPdf(mails[0]?.document?.content ?? new Uint8Array())).toHaveLength(rows.length);
  });

  test('all that are left are cancelled at once: by the customer, who keeps what is too late, and by staff, who learn that an unknown booking is not there', async () => {
    const person = await addPerson(db);
    const { id, session, rows } = await paid(person, weekly(3));
    cases.system.state.now = START + 4 * 24 * HOUR;
    const begins =
      (await db.queryRow<{ at: string }>('select start_time as at from private.booking where id = $1::uuid', [id]))
        ?.at ?? '';
    cases.system.state.now = Date.parse(begins) - HOUR;
    const done = await cancelSeries(context(), id, person);
    expect(done).toMatchObject({
      refund: 'part',
      cancelled: 2,
      kept: 1,
      amountCents: (rows[1]?.cents ?? 0) + (rows[2]?.cents ?? 0),
    });
    expect(await refusal(cancelSeries(context(), id, await addPerson(db)))).toBe('not_found');
    const byStaff = { bookingId: id, refund: 'none', reason: 'asked', actor: person, money: 'held' as const } as const;
    expect(await cancelSeriesForStaff(context(), byStaff)).toMatchObject({ cancelled: 1, refundCents: 0 });
    expect(await cancelSeriesForStaff(context(), byStaff)).toMatchObject({ cancelled: 1, refundCents: 0 });
    const unknown = cancelSeriesForStaff(context(), { ...byStaff, bookingId: randomUUID() });
    expect(await refusal(unknown)).toBe('not_found');
    await drain();
    await settlePayment(context(), session);
    expect((await provider().payments.getSession(session)).refundedCents).toBe(done.amountCents);
  });

  test('a booking of the series that is over is not counted among those that it is too late to cancel', async () => {
    const person = await addPerson(db);
    const { id } = await paid(person, weekly(3));
    const first = await db.queryRow<{ over: Date }>(
      'select end_time as over from private.booking where id = $1::uuid',
      [id],
    );
    cases.system.state.now = first?.over.getTime() ?? 0;
    expect(await cancelSeries(context(), id, person)).toMatchObject({ refund: 'full', cancelled: 2, kept: 0 });
  });

  test(`in ${RACES} races of series and single bookings no hour is sold twice, and an order is held as a whole or not at all`, async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => addPerson(db)));
    for (let round = 0; round < RACES; round += 1) {
      next += 1;
      const requested = weekly(4);
      const later = {
        ...requested,
        startTime: new Date((requested.startTime?.getTime() ?? 0) + HOUR),
        endTime: new Date((requested.endTime?.getTime() ?? 0) + HOUR),
      };
      const week = 7 * 24 * HOUR * (1 + (round % 3));
      const single = {
        startTime: new Date((requested.startTime?.getTime() ?? 0) + week),
        endTime: new Date((requested.endTime?.getTime() ?? 0) + week),
      };
      const [a = '', b = '', c = '', d = ''] = people;
      const calls = [
        hold(a, requested),
        hold(b, later),
        hold(c, single),
        hold(d, { ...requested, series: requested.series.slice(0, 2) }),
      ];
      const ended = await Promise.allSettled(round % 2 === 0 ? calls : calls.toReversed());
      for (const result of ended)
        if (result.status === 'rejected')
          expect(result.reason).toMatchObject({ code: expect.stringMatching(/^slot_(taken|closed)$/) });
      const held = ended.flatMap((result) => (result.status === 'fulfilled' ? [result.value.bookingId] : []));
      expect(held.length).toBeGreaterThan(0);
      const { rows: broken } = await db.query(
        `select b.order_id from private.booking b where b.order_id = any ($1::uuid[]) group by b.order_id
         having count(*) <> min(b.order_size) or not bool_and(b.status = 'pending')`,
        [held],
      );
      expect(broken).toEqual([]);
      const { rows: twice } = await db.query(
        `select from private.booking x join private.booking y on x.id < y.id and x.studio_id = y.studio_id and x.during && y.during
         where x.status in ('pending', 'confirmed') and y.status in ('pending', 'confirmed')`,
      );
      expect(twice).toEqual([]);
      for (const person of people)
        for (const { id } of (
          await db.query<{ id: string }>(
            `select id from private.booking where user_id = $1::uuid and status = 'pending'`,
            [person],
          )
        ).rows)
          await releaseOwnHold(context(), id, person);
      await db.query(
        'update private.booking set created_at = created_at - interval $$2 hours$$ where user_id = any ($1::uuid[])',
        [people],
      );
    }
  });

  /** Runs `work` as a caller whose process is killed at some step, then as two tabs. */
  async function inTabs(dying: Services, work: (by: Services) => Promise<unknown>): Promise<void> {
    await work(dying).catch(() => null);
    await Promise.allSettled([work(context()), work(context())]);
  }

  test(`a server that is killed at each of ${STOPS} sampled steps of the way of a series loses and doubles no cent: hold, pay, cancel one, refund, extend one with a saved card, refund a part, cancel all`, async () => {
    async function way(dieAt: number, lost: boolean): Promise<number> {
      next += 1;
      const person = await addPerson(db);
      const series = weekly(3);
      const requested = request(person, series);
      await ensureCustomer(context(), person, 'person@example.com');
      provider().saveCard(person, 'pm_1', 'pays');
      const killed = killedAt(context(), dieAt, lost);
      const dying: Services = { ...killed.context, openings: (_key, run) => run() };
      await inTabs(dying, (by) => holdBooking(by, requested));
      const held = await holdBooking(context(), requested);
      const session = await readSessionId(held.bookingId);
      provider().move(session, 'pay');
      await settlePayment(dying, session).catch(() => null);
      await reconcilePayments(cases.payment);
      await settlePayment(context(), session);
      const rows = await readRows(held.bookingId);
      expect(rows.map(({ status }) => status)).toEqual(Array(3).fill('confirmed'));
      const [first = '', second = '', third = ''] = rows.map(({ id }) => id);

      await inTabs(dying, (by) => cancelBooking(by, second, person));
      const payment = await db.queryRow<{ id: string }>('select id from private.payment where booking_id = $1::uuid', [
        second,
      ]);
      await refundPayment(dying, payment?.id ?? '').catch(() => null);
      await drain();
      await settlePayment(context(), session);
      await drain();
      await audit(held.bookingId, session);
      expect((await provider().payments.getSession(session)).refundedCents).toBe(rows[1]?.cents);

      const from = { studioId: STUDIO, startTime: series.startTime, endTime: series.endTime };
      const longer = { ...from, endTime: new Date((series.endTime?.getTime() ?? 0) + HOUR) };
      const tap = { bookingId: first, ...longer, waive: false, actor: person, customer: person, card: 'pm_1' } as Move;
      const before = provider().charged.length;
      await inTabs(dying, (by) => moveBooking(by, tap));
      expect(await moveBooking(context(), tap)).toMatchObject({ waiting: null });
      expect(provider().charged.length - before).toBe(1);
      const part = {
        bookingId: third,
        cents: 1_000,
        reason: 'Sorry',
        requestId: null,
        actor: person,
        money: 'held' as const,
      };
      await inTabs(dying, (by) => refundForStaff(by, part));
      await drain();
      await audit(held.bookingId, session, { charges: 1, given: 1_000 });

      await inTabs(dying, (by) => cancelSeries(by, first, person));
      await drain();
      await settlePayment(context(), session);
      await audit(held.bookingId, session, { charges: 1 });
      expect((await readRows(held.bookingId)).map(({ status }) => status)).toEqual(Array(3).fill('cancelled'));
      return killed.steps();
    }
    const all = await way(Infinity, false);
    if (STOPS === 'all')
      for (let index = 1; index <= all; index += 1) for (const lost of [false, true]) await way(index, lost);
    else for (let stop = 0; stop < STOPS; stop += 1) await way(1 + Math.floor((stop * all) / STOPS), stop % 2 === 1);
  }, 1_200_000);

  test(`in ${RACES} races of two tabs, one of which pays while the other books other dates, one order is kept and the other money goes back`, async () => {
    for (let round = 0; round < RACES; round += 1) {
      next += 1;
      const person = await addPerson(db);
      const requested = weekly(3);
      const first = await hold(person, requested);
      const session = await readSessionId(first.bookingId);
      const pay = async (): Promise<void> => {
        for (let pause = 0; pause < round % 16; pause += 1) await db.query('select 1');
        // A session can be paid only until the provider has closed it.
        if ((await provider().payments.getSession(session)).status !== 'open') return;
        provider().move(session, 'pay');
        // The customer returns to the page or closes the tab.
        if (round % 3 > 0)
          await Promise.allSettled([settlePayment(context(), session), settlePayment(context(), session)]);
      };
      const replace = () => hold(person, { ...requested, series: requested.series.slice(0, 2) }).catch(() => null);
      const calls = round % 2 === 0 ? [pay, replace] : [replace, pay];
      await Promise.all(calls.map((call) => call()));
      await settlePayment(context(), session);
      await drain();
      await audit(first.bookingId, session);
      const kept = (await readRows(first.bookingId)).filter(({ status }) => status === 'confirmed');
      expect([0, 3]).toContain(kept.length);
      await db.query(
        `update private.booking set created_at = created_at - interval $$2 hours$$ where user_id = $1::uuid`,
        [person],
      );
    }
  });
});
