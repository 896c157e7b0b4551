import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { weeklyDates } from '#rules/finding/series.ts';
import type { Database } from '#server/db/database.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { readExtension } from '#server/operations/bookings/own-move.ts';
import { quoteSeries } from '#server/operations/bookings/quote-series.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { addPerson, databases, HOUR, MINUTE, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

const DAY = 24 * HOUR;
type Span = { readonly startTime: Date; readonly endTime: Date };
const span = (start: string, end: string): Span => ({ startTime: new Date(start), endTime: new Date(end) });

/**
 * On Sunday 4 April 2027 at 3 am, 16:00 UTC on Saturday, the clocks go back to 2 am. The hour from 2 am is one hour to book and lasts two.
 */
const APRIL = {
  now: '2027-03-20T00:00:00Z',
  friday: span('2027-04-01T23:00:00Z', '2027-04-02T01:00:00Z'),
  oneToTwo: span('2027-04-03T14:00:00Z', '2027-04-03T15:00:00Z'),
  oneToThree: span('2027-04-03T14:00:00Z', '2027-04-03T17:00:00Z'),
  oneToFour: span('2027-04-03T14:00:00Z', '2027-04-03T18:00:00Z'),
} as const;
/** On Sunday 3 October 2027 at 2 am, 16:00 UTC on Saturday, the clocks go forward to 3 am. 3 am follows 1 am. */
const OCTOBER = {
  now: '2027-09-18T00:00:00Z',
  friday: span('2027-10-01T00:00:00Z', '2027-10-01T02:00:00Z'),
  oneToThree: span('2027-10-02T15:00:00Z', '2027-10-02T16:00:00Z'),
  oneToFour: span('2027-10-02T15:00:00Z', '2027-10-02T17:00:00Z'),
} as const;

// One engine is enough: tests/sql compares instants and Sydney's days in SQL with the rules on every engine.
describe.each(databases.slice(-1))('over the nights on which the clocks change, on $name', ({ open }) => {
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

  const context = () => cases.system.services;
  const readRow = (bookingId: string) =>
    db.queryRow<Record<string, unknown>>(
      `select start_time as "startTime", end_time as "endTime", total_hours::int as hours, final_cost_cents as cents
       from private.booking where id = $1::uuid`,
      [bookingId],
    );
  async function payDifference(bookingId: string): Promise<void> {
    const hold = await db.queryRow<{ session: string }>(
      `select p.session_id as session from private.payment p join private.booking b on b.id = p.booking_id
       where b.moves_booking = $1::uuid and b.status = 'pending'`,
      [bookingId],
    );
    cases.system.provider.move(hold?.session ?? '', 'pay');
    await settlePayment(context(), hold?.session ?? '');
  }
  async function booked(now: string, hours: Span): Promise<{ person: string; id: string }> {
    cases.system.state.now = Date.parse(now);
    const person = await addPerson(db);
    const { id } = await cases.system.book(person, hours);
    await cases.system.jobs.drain();
    cases.system.mails.length = 0;
    return { person, id };
  }
  const move = ({ person, id }: { person: string; id: string }, to: Span, shownCents: number | null = null) =>
    moveBooking(context(), {
      bookingId: id,
      studioId: STUDIO,
      ...to,
      shownCents,
      waive: false,
      actor: person,
      customer: person,
    });
  async function extend({ person, id }: { person: string; id: string }, from: Date) {
    const place = await readExtension(context(), { bookingId: id, customer: person, hours: 1, from });
    const by = { waive: false, actor: person, customer: person, onlyLater: true };
    return moveBooking(context(), { bookingId: id, ...place, ...by });
  }
  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: { code: string }) => error.code,
    );
  /** Returns the mail about the change, and the end of the code that the lock is asked for. */
  async function readNotice(start: Date): Promise<{ mail: string; codeEnds: Date | undefined }> {
    await cases.system.jobs.drain();
    const mail = cases.system.mails.find(({ subject }) => /^Booking (moved|extended)/.test(subject))?.text ?? '';
    cases.system.state.now = Math.max(cases.system.state.now, start.getTime() - 50 * MINUTE);
    await cases.system.jobs.drain();
    return { mail, codeEnds: cases.system.state.requests.at(-1)?.endsAt };
  }

  test.each([
    ['the skipped hour costs nothing', OCTOBER, OCTOBER.oneToFour, 1_000, '3 October 2027, 1 am to 4 am'],
    ['the hour that comes twice costs once', APRIL, APRIL.oneToThree, 2_000, '4 April 2027, 1 am to 3 am'],
  ] as const)('a booking moves into the night: %s', async (_name, night, to, difference, says) => {
    const mine = await booked(night.now, night.friday);
    expect(await move(mine, to, difference)).toMatchObject({ differenceCents: difference });
    await payDifference(mine.id);
    expect(await readRow(mine.id)).toEqual({ ...to, hours: 2, cents: 11_800 + difference });
    const { mail, codeEnds } = await readNotice(to.startTime);
    expect(mail).toContain(says);
    expect(codeEnds).toEqual(to.endTime);
  });

  test.each([
    ['October', OCTOBER.now, span('2027-10-03T01:00:00Z', '2027-10-03T02:00:00Z')],
    ['April', APRIL.now, span('2027-04-04T02:00:00Z', '2027-04-04T03:00:00Z')],
  ])('a booking of the noon after the night of %s moves until 24 hours before, as they pass', async (_, now, noon) => {
    const mine = await booked(now, noon);
    const later = { startTime: noon.endTime, endTime: new Date(noon.endTime.getTime() + HOUR) };
    cases.system.state.now = noon.startTime.getTime() - DAY + 1;
    expect(await refusal(move(mine, later))).toBe('too_late');
    cases.system.state.now -= 1;
    expect(await refusal(move(mine, later))).toBeNull();
  });

  test.each([
    ['forward', OCTOBER.now, OCTOBER.oneToThree, OCTOBER.oneToFour, 5_900, 'October 2027, 1 am to 4 am'],
    ['back', APRIL.now, APRIL.oneToTwo, APRIL.oneToThree, 6_900, 'April 2027, 1 am to 3 am'],
  ] as const)(
    'a further hour when the clocks go %s is one of the clock, at its price',
    async (_, now, hours, to, cents, says) => {
      const mine = await booked(now, hours);
      expect(await extend(mine, hours.endTime)).toMatchObject({ differenceCents: cents });
      await payDifference(mine.id);
      expect(await extend(mine, hours.endTime)).toMatchObject({ waiting: null });
      expect(await readRow(mine.id)).toEqual({ ...to, hours: 2, cents: 6_900 + cents });
      const { mail, codeEnds } = await readNotice(to.startTime);
      expect(mail).toContain(says);
      expect(codeEnds).toEqual(to.endTime);
    },
  );

  test('a session is extended during the second 2 am, and its hours are held until it would have ended', async () => {
    const mine = await booked(APRIL.now, APRIL.oneToThree);
    cases.system.state.now = Date.parse('2027-04-03T16:50:00Z');
    const { waiting, differenceCents } = await extend(mine, APRIL.oneToThree.endTime);
    // Three hours earn the volume discount: $177 instead of $138.
    expect({ until: waiting?.until, differenceCents }).toEqual({
      until: APRIL.oneToThree.endTime,
      differenceCents: 3_900,
    });
    await payDifference(mine.id);
    expect(await readRow(mine.id)).toEqual({ ...APRIL.oneToFour, hours: 3, cents: 17_700 });
  });

  /** Returns the times and prices of a weekly series that begins with `hours`, and books it on the dates that are free. */
  async function bookSeries(now: string, hours: Span, first: string) {
    cases.system.state.now = Date.parse(now);
    const person = await addPerson(db);
    const request = cases.system.request(person, hours);
    const quoted = await quoteSeries(context(), { ...request, dates: { weeks: 3 }, couponCode: null });
    const free = quoted.filter(({ problem }) => problem === null);
    const totalCents = free.reduce((sum, date) => sum + (date.totalCents ?? 0), 0);
    if (free.length < quoted.length)
      expect(
        await refusal(holdBooking(context(), { ...request, series: weeklyDates(first, 3), shownTotalCents: null })),
      ).not.toBeNull();
    const { bookingId } = await holdBooking(context(), {
      ...request,
      series: free.map(({ date }) => date),
      shownTotalCents: totalCents,
    });
    const session = await cases.system.readSessionId(bookingId);
    cases.system.provider.move(session, 'pay');
    await settlePayment(context(), session);
    await cases.system.jobs.drain();
    const { rows } = await db.query<{ start: Date; end: Date; hours: number; cents: number }>(
      `select start_time as start, end_time as end, total_hours::int as hours, final_cost_cents as cents
       from private.booking where order_id = $1::uuid and status = 'confirmed' order by order_place`,
      [bookingId],
    );
    const mail = cases.system.mails.find(({ subject }) => subject.includes('confirmed'));
    return {
      dates: quoted.map(({ date, problem }) => `${date} ${problem ?? 'free'}`),
      // Each row: month, day and hour in UTC; hours to pay for; cents.
      rows: rows.map(
        (row) =>
          `${new Date(row.start).toISOString().slice(5, 13)} to ${new Date(row.end).toISOString().slice(5, 13)}, ${row.hours} for ${row.cents}`,
      ),
      mail: mail?.text ?? '',
      calendar: mail?.calendar?.content ?? '',
    };
  }

  test('a weekly series keeps its hours of the clock, before and after, and its mail says them', async () => {
    const april = await bookSeries(APRIL.now, span('2027-03-27T23:00:00Z', '2027-03-28T01:00:00Z'), '2027-03-28');
    expect(april.rows).toEqual([
      '03-27T23 to 03-28T01, 2 for 11800',
      '04-04T00 to 04-04T02, 2 for 11800',
      '04-11T00 to 04-11T02, 2 for 11800',
    ]);
    const october = await bookSeries(OCTOBER.now, span('2027-09-26T00:00:00Z', '2027-09-26T02:00:00Z'), '2027-09-26');
    expect(october.rows).toEqual([
      '09-26T00 to 09-26T02, 2 for 11800',
      '10-02T23 to 10-03T01, 2 for 11800',
      '10-09T23 to 10-10T01, 2 for 11800',
    ]);
    for (const { mail } of [april, october]) expect(mail.match(/10 am to 12 pm/g)?.length).toBeGreaterThanOrEqual(3);
  });

  test('a series at 2 am has one long hour in April at the price of one, and leaves out the night in October', async () => {
    const april = await bookSeries(APRIL.now, span('2027-03-27T15:00:00Z', '2027-03-27T16:00:00Z'), '2027-03-28');
    expect(april.rows).toEqual([
      '03-27T15 to 03-27T16, 1 for 6900',
      '04-03T15 to 04-03T17, 1 for 6900',
      '04-10T16 to 04-10T17, 1 for 6900',
    ]);
    expect(april.mail.match(/2 am to 3 am/g)?.length).toBeGreaterThanOrEqual(3);
    const october = await bookSeries(OCTOBER.now, span('2027-09-25T16:00:00Z', '2027-09-25T17:00:00Z'), '2027-09-26');
    expect(october.dates).toEqual(['2027-09-26 free', '2027-10-03 skipped', '2027-10-10 free']);
    expect(october.rows).toEqual(['09-25T16 to 09-25T17, 1 for 6900', '10-09T15 to 10-09T16, 1 for 6900']);
  });

  test('a series over the night has an hour less to pay in October, and as many in April', async () => {
    // From Saturday 11 pm to Sunday 4 am.
    const october = await bookSeries(OCTOBER.now, span('2027-09-25T13:00:00Z', '2027-09-25T18:00:00Z'), '2027-09-25');
    expect(october.rows).toEqual([
      '09-25T13 to 09-25T18, 5 for 28500',
      '10-02T13 to 10-02T17, 4 for 22600',
      '10-09T12 to 10-09T17, 5 for 28500',
    ]);
    const april = await bookSeries(APRIL.now, span('2027-03-27T12:00:00Z', '2027-03-27T17:00:00Z'), '2027-03-27');
    expect(april.rows).toEqual([
      '03-27T12 to 03-27T17, 5 for 28500',
      '04-03T12 to 04-03T18, 5 for 28500',
      '04-10T13 to 04-10T18, 5 for 28500',
    ]);
  });
});
