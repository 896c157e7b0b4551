import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { holdEarly } from '#server/operations/customers/hold-early.ts';
import { addPerson, databases, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

/** 11 am in Sydney, a week ahead. */
const FIRST = START + 7 * 24 * HOUR;

describe.each(databases)('early holds on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  let addresses = 0;
  // Each test has its own day: held hours count towards a limit for an hour.
  let day = FIRST;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    cases = await createPaymentCases(db);
    day += 24 * HOUR;
  });

  const span = (from = 0, hours = 1) => ({
    startTime: new Date(day + from * HOUR),
    endTime: new Date(day + (from + hours) * HOUR),
  });
  const newcomer = () => addPerson(db, { verifiedUntil: null });
  const later = (ms: number): void => void (cases.system.state.now += ms);
  const hold = (userId: string, hours = span(), address = `203.0.113.${(addresses += 1)}`) =>
    holdEarly(cases.system.services, { userId, studioId: STUDIO, address, ...hours });
  const minutes = async (work: Promise<Date>): Promise<unknown> =>
    work.then(
      (until) => (until.getTime() - cases.system.state.now) / MINUTE,
      (error: { code: string }) => error.code,
    );
  const pay = (userId: string, hours = span()): Promise<unknown> =>
    holdBooking(cases.system.services, cases.system.request(userId, hours)).then(
      ({ totalCents }) => totalCents,
      (error: { code: string }) => error.code,
    );
  const verify = (userId: string) =>
    db.query(
      `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at)
       values ($1::uuid, 'staff', 'verified', $2::timestamptz, $2::timestamptz + interval '2 years')`,
      [userId, new Date(cases.system.state.now)],
    );

  test('keep hours from others for ten minutes, end by the clock, and become the hold that is paid, at its price', async () => {
    const [ann, ben] = [await newcomer(), await addPerson(db)];
    expect(await minutes(hold(ann))).toBe(10);
    expect(await pay(ben)).toBe('slot_taken');
    expect(await pay(ann)).toBe('id_required');
    await verify(ann);
    const price = await pay(ann);
    expect(price).toBeGreaterThan(0);
    expect(await pay(ben)).toBe('slot_taken');

    const cara = await newcomer();
    expect(await minutes(hold(cara, span(5)))).toBe(10);
    later(9 * MINUTE);
    await releaseExpiredHolds(cases.system.services);
    expect(await pay(ben, span(5))).toBe('slot_taken');
    later(MINUTE);
    await releaseExpiredHolds(cases.system.services);
    expect(await pay(ben, span(5))).toBeGreaterThan(0);
  });

  test('answer a repeated call the same, also for fewer of the hours, and never last longer for it', async () => {
    const ann = await newcomer();
    await hold(ann, span(0, 3));
    later(4 * MINUTE);
    expect(await minutes(hold(ann, span(0, 3)))).toBe(6);
    expect(await minutes(hold(ann, span(1)))).toBe(6);
  });

  test('are one at a time: other hours replace them, and three in a day, each only once in an hour, by whomever', async () => {
    const [ann, ben] = [await newcomer(), await newcomer()];
    await hold(ann);
    await hold(ann, span(2));
    expect(await pay(await addPerson(db))).toBeGreaterThan(0);
    expect(await minutes(hold(ben, span(2)))).toBe('too_many_holds');
    await hold(ann, span(4));
    expect(await minutes(hold(ben, span(2)))).toBe('too_many_holds');
    expect(await minutes(hold(ann, span(6)))).toBe('too_many_holds');
    later(59 * MINUTE);
    expect(await minutes(hold(ben, span(2)))).toBe('too_many_holds');
    later(MINUTE);
    expect(await minutes(hold(ben, span(2)))).toBe(10);
    expect(await minutes(hold(ann, span(6)))).toBe('too_many_holds');
    later(24 * HOUR);
    expect(await minutes(hold(ann, span(6)))).toBe(10);
  });

  test('grow and shift by other hours beside them, and end when the first hours would have ended', async () => {
    const [ann, ben] = [await newcomer(), await addPerson(db)];
    await hold(ann, span(0, 2));
    later(4 * MINUTE);
    expect(await minutes(hold(ann, span(1, 2)))).toBe(6);
    expect(await pay(ben, span(0))).toBeGreaterThan(0);
    expect(await pay(ben, span(2))).toBe('slot_taken');
    later(6 * MINUTE);
    await releaseExpiredHolds(cases.system.services);
    expect(await minutes(hold(ann, span(1, 2)))).toBe('too_many_holds');
  });

  test('stay when other hours are taken', async () => {
    const [ann, ben, cara] = [await newcomer(), await addPerson(db), await addPerson(db)];
    await hold(ann, span(0, 2));
    await pay(ben, span(2));
    expect(await minutes(hold(ann, span(1, 2)))).toBe('slot_taken');
    expect(await pay(cara, span(0, 2))).toBe('slot_taken');
    expect(await minutes(hold(ann, span(0, 2)))).toBe(10);
  });

  test('are three from one network address at once, and the next after twenty minutes', async () => {
    const address = '198.51.100.7';
    for (const from of [0, 1, 2]) expect(await minutes(hold(await newcomer(), span(from), address))).toBe(10);
    const next = await newcomer();
    expect(await minutes(hold(next, span(3), address))).toBe('too_many_holds');
    expect(await minutes(hold(next, span(3), '198.51.100.8'))).toBe(10);
    later(20 * MINUTE);
    expect(await minutes(hold(await newcomer(), span(4), address))).toBe(10);
  });

  test('are for four free hours, a confirmed address, no verified ID and nobody who is blocked', async () => {
    const ann = await newcomer();
    expect(await minutes(hold(ann, span(0, 5)))).toBe('too_many_holds');
    expect(await minutes(hold(await addPerson(db)))).toBe('already_done');
    expect(await minutes(hold(await addPerson(db, { verifiedUntil: null, mailConfirmed: false })))).toBe(
      'mail_unconfirmed',
    );
    await pay(await addPerson(db), span(1));
    expect(await minutes(hold(ann, span(0, 4)))).toBe('slot_taken');
    expect(await minutes(hold(ann, span(2, 4)))).toBe(10);
    await db.query(
      `insert into private.customer_block (user_id, reason, blocked_by, blocked_at) values ($1::uuid, 'test', $1::uuid, $2::timestamptz)`,
      [ann, new Date(START)],
    );
    expect(await minutes(hold(ann, span(8)))).toBe('blocked');
  });

  test('count among the unpaid hours, not among the holds waiting for payment', async () => {
    const ann = await newcomer();
    await hold(ann, span(0, 4));
    const fit = await db.queryRow(`select fit::float8 from private.unpaid_allowance($1::uuid, $2::timestamptz, '{}')`, [
      ann,
      new Date(cases.system.state.now),
    ]);
    expect(fit).toEqual({ fit: 44 });
    const waiting = await db.query('select from private.unpaid_holds($1::uuid, $2::timestamptz)', [
      ann,
      new Date(cases.system.state.now),
    ]);
    expect(waiting.rows).toHaveLength(0);
  });

  test('of the same hours by two people at once go to one of them', async () => {
    const people = await Promise.all([0, 1, 2, 3].map(() => newcomer()));
    const answers = await Promise.all(people.map((id) => minutes(hold(id))));
    expect(answers.filter((answer) => answer === 10)).toHaveLength(1);
  });
});
