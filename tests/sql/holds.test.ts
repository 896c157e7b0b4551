import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import {
  addBooking,
  addPayment,
  addStudiosAndCustomers,
  addRedemption,
  ALEX,
  at,
  hold,
  KIM,
  NOW,
  OTHER_STUDIO,
  readState,
  STUDIO,
  tryOut,
} from './booking-rows.ts';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const withStudios = (work: (rows: Rows) => Promise<void>) => (): Promise<void> =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await work(rows);
  });

describe('a new hold', () => {
  test(
    'is a pending booking with its quote, a payment to be made, and the accepted terms',
    withStudios(async (rows) => {
      const { outcome, booking, payment } = await hold(rows, { contactPhone: '0400000000' });
      expect([outcome, booking?.['status'], payment?.['state']]).toEqual(['held', 'pending', 'intent']);
      expect(
        await rows.query(
          `select reference ~ '^[2-9A-HJKMNP-Z]{4}-[2-9A-HJKMNP-Z]{4}$' as named, user_id, studio_id, start_time, end_time, status, hold_expires_at,
             total_hours::float as hours, slots, base_cost_cents as cents, coupon_id, coupon_terms, terms_version, policy, contact_phone, created_at from private.booking`,
        ),
      ).toEqual([
        {
          named: true,
          user_id: ALEX,
          studio_id: STUDIO,
          start_time: new Date(at(600)),
          end_time: new Date(at(660)),
          status: 'pending',
          hold_expires_at: new Date(at(15)),
          hours: 1,
          slots: ['10:00'],
          cents: 4900,
          coupon_id: null,
          coupon_terms: null,
          terms_version: 'v1',
          policy: { freeCancelHours: 24 },
          contact_phone: '0400000000',
          created_at: new Date(NOW),
        },
      ]);
      const id = booking?.id ?? '';
      expect(
        await rows.query('select booking_id, attempt, kind, key, amount_cents, session_id from private.payment'),
      ).toEqual([
        {
          booking_id: id,
          attempt: 1,
          kind: 'card',
          key: `create:${id}:1`,
          amount_cents: 4900,
          session_id: null,
        },
      ]);
      expect(await rows.query('select user_id, version from public.terms_acceptances')).toEqual([
        { user_id: ALEX, version: 'v1' },
      ]);
    }),
  );

  test(
    'that costs nothing has a free payment without a payment session',
    withStudios(async (rows) => {
      const { booking, payment } = await hold(rows, { finalCostCents: 0, discountCents: 4900 });
      expect([payment?.['kind'], payment?.['sessionId']]).toEqual(['free', `free_${booking?.id ?? ''}`]);
    }),
  );
});

describe('a repeated request for the same hours', () => {
  test(
    'returns the same hold with its newest payment, and keeps the latest phone number',
    withStudios(async (rows) => {
      await addBooking(rows, 30, { contact_phone: '0400000000' });
      await addPayment(rows, 30, 'expired');
      await addPayment(rows, 30, 'open', { attempt: 2 });
      await addBooking(rows, 31, { user_id: KIM, start_time: at(900), end_time: at(960) });
      await addPayment(rows, 31, 'expired', { attempt: 3 });
      const phones: unknown[] = [];
      for (const contactPhone of [undefined, '0400000001', null]) {
        const { outcome, booking, payment } = await hold(rows, { contactPhone });
        expect([outcome, booking?.id, payment?.id]).toEqual(['existing', uuid(30), uuid(3002)]);
        phones.push(await rows.value('select contact_phone from private.booking where id = $1', [uuid(30)]));
      }
      expect(phones).toEqual(['0400000000', '0400000001', '0400000001']);
      expect(await rows.value('select count(*) from private.booking')).toBe(2);
    }),
  );

  test(
    'with another price, code or span, or after the hold expired, needs the old payment session closed first',
    withStudios(async (rows) => {
      await addBooking(rows, 30);
      await addPayment(rows, 30, 'open');
      await addBooking(rows, 31, { user_id: KIM, start_time: at(900), end_time: at(960) });
      await addPayment(rows, 31, 'open');
      const request = (more: Row, now?: string) => tryOut(rows, () => hold(rows, more, now));
      const replace = { outcome: 'replace', bookingIds: [uuid(30)] };
      expect((await request({}, at(14.9)))['outcome']).toBe('existing');
      expect(await request({}, at(15))).toEqual(replace);
      expect(await request({ finalCostCents: 5000 })).toEqual(replace);
      expect(await request({ couponId: uuid(20), couponTerms: {} })).toEqual(replace);
      expect(await request({ endTime: at(720) })).toEqual(replace);
      expect(await request({ startTime: at(570) })).toEqual(replace);
    }),
  );

  test(
    'replaces the old hold once its payment session is closed',
    withStudios(async (rows) => {
      await addBooking(rows, 30);
      await addPayment(rows, 30, 'expired');
      await addBooking(rows, 31, { user_id: KIM, start_time: at(900), end_time: at(960) });
      await addPayment(rows, 31, 'open');
      const { outcome, booking } = await hold(rows);
      expect([outcome, await readState(rows, 30), await readState(rows, 31)]).toEqual([
        'held',
        'cancelled replaced',
        'pending',
      ]);
      expect(booking?.id).not.toBe(uuid(30));
      expect(
        await rows.query(
          `select resource_id, details from public.audit_logs where resource_type = 'booking' and action = 'update'`,
        ),
      ).toEqual([{ resource_id: uuid(30), details: { status: 'cancelled', reason: 'replaced' } }]);
    }),
  );
});

describe('hours that are taken', () => {
  const outcomeBeside = (rows: Rows, more: Row, request: Row = {}, now?: string) =>
    tryOut(rows, async () => {
      await addBooking(rows, 30, { user_id: KIM, ...more });
      const { outcome, expired, mine } = await hold(rows, request, now);
      return outcome === 'taken' ? { expired, mine } : outcome;
    });

  test(
    'belong to an overlapping booking in the same studio; an expired hold is listed for release',
    withStudios(async (rows) => {
      const nobody = { expired: [], mine: null };
      expect(await outcomeBeside(rows, {})).toEqual(nobody);
      expect(await outcomeBeside(rows, {}, {}, at(14.9))).toEqual(nobody);
      expect(await outcomeBeside(rows, {}, {}, at(15))).toEqual({ expired: [uuid(30)], mine: null });
      expect(await outcomeBeside(rows, { status: 'confirmed' }, {}, at(20))).toEqual(nobody);
      expect(await outcomeBeside(rows, { start_time: at(630), end_time: at(690) })).toEqual(nobody);
      expect(await outcomeBeside(rows, { status: 'cancelled', cancel_reason: 'customer' })).toBe('held');
      expect(await outcomeBeside(rows, { studio_id: OTHER_STUDIO })).toBe('held');
      expect(await outcomeBeside(rows, { start_time: at(660), end_time: at(720) })).toBe('held');
      expect(await outcomeBeside(rows, { start_time: at(540), end_time: at(600) })).toBe('held');
    }),
  );

  test(
    "return the reference of the customer's own booking and never of another's",
    withStudios(async (rows) => {
      await addBooking(rows, 31, { status: 'confirmed' });
      await addBooking(rows, 32, {
        user_id: KIM,
        reference: 'ZZZZ-9999',
        hold_expires_at: at(-1),
        start_time: at(660),
        end_time: at(720),
      });
      expect(await hold(rows, { endTime: at(720) })).toEqual({
        outcome: 'taken',
        expired: [uuid(32)],
        mine: 'AAAA-0031',
      });
    }),
  );

  test(
    "change nothing: the customer's own hold stays, and moving uses stay with their holds",
    withStudios(async (rows) => {
      await addBooking(rows, 30, { user_id: KIM, status: 'confirmed', start_time: at(660), end_time: at(720) });
      await addBooking(rows, 31);
      await addPayment(rows, 31, 'expired');
      const moving = { moving_until: at(2) };
      await addRedemption(rows, 31, moving);
      await addBooking(rows, 32, { status: 'cancelled', cancel_reason: 'abandoned' });
      await addRedemption(rows, 32, moving);
      await addBooking(rows, 33, { user_id: KIM, start_time: at(900), end_time: at(960) });
      await addRedemption(rows, 33, { user_id: KIM, ...moving });
      expect((await hold(rows, { endTime: at(720) })).outcome).toBe('taken');
      expect([await readState(rows, 31), await readState(rows, 32), await readState(rows, 33)]).toEqual([
        'pending reserved',
        'cancelled abandoned reserved moving',
        'pending reserved moving',
      ]);
    }),
  );
});

const elsewhere = (offset: number): Row => ({ start_time: at(1200 + offset * 60), end_time: at(1260 + offset * 60) });

describe('too many holds', () => {
  test(
    'are refused at the limit of unpaid ones, which are listed in the order they were made',
    withStudios(async (rows) => {
      await addBooking(rows, 30, { ...elsewhere(0), created_at: at(-100) });
      await addBooking(rows, 31, { ...elsewhere(1), created_at: at(-110) });
      expect((await tryOut(rows, () => hold(rows))).outcome).toBe('held');
      const { outcome, holds, retryAt } = await tryOut(rows, () => hold(rows, { maxLiveHolds: 2 }));
      expect([outcome, holds?.map(({ id }) => id), retryAt]).toEqual(['too_many_holds', [uuid(31), uuid(30)], null]);
      // A hold that the new hold replaces does not count.
      await addBooking(rows, 32);
      await addPayment(rows, 32, 'expired');
      expect((await hold(rows)).outcome).toBe('held');
    }),
  );

  test(
    "do not include other customers' holds, paid ones, ones with a payment in progress, or test bookings",
    withStudios(async (rows) => {
      await addBooking(rows, 30, elsewhere(0));
      await addBooking(rows, 31, { user_id: KIM, ...elsewhere(1) });
      await addBooking(rows, 32, { status: 'confirmed', confirmed_at: at(-110), ...elsewhere(2) });
      await addBooking(rows, 33, elsewhere(3));
      await addPayment(rows, 33, 'processing');
      await addBooking(rows, 34, { notes: 'test', ...elsewhere(4) });
      await addBooking(rows, 35, { status: 'cancelled', cancel_reason: 'hold_expired', ...elsewhere(5) });
      expect((await tryOut(rows, () => hold(rows, { maxLiveHolds: 2 }))).outcome).toBe('held');
      const { outcome, holds } = await hold(rows, { maxLiveHolds: 1 });
      expect([outcome, holds?.map(({ id }) => id)]).toEqual(['too_many_holds', [uuid(30)]]);
    }),
  );

  const ended =
    (number: number, minutes: number, more: Row = {}) =>
    (rows: Rows) =>
      addBooking(rows, number, {
        status: 'cancelled',
        cancel_reason: 'replaced',
        created_at: at(minutes),
        ...elsewhere(number - 30),
        ...more,
      });

  test(
    'within an hour are refused with the time of the next free one',
    withStudios(async (rows) => {
      for (const add of [ended(30, -60), ended(31, -50), ended(32, -30)]) await add(rows);
      expect((await tryOut(rows, () => hold(rows))).outcome).toBe('held');
      // An open hold counts as a live hold, and towards the limit per hour only during its first hour.
      const open = ended(34, -60, { status: 'pending', cancel_reason: null });
      expect((await tryOut(rows, () => open(rows).then(() => hold(rows)))).outcome).toBe('held');
      await ended(33, -10, { cancel_reason: 'abandoned' })(rows);
      const retryHold = async (more: Row = {}) => {
        const { outcome, holds, retryAt } = await tryOut(rows, () => hold(rows, more));
        return [outcome, holds, retryAt && new Date(retryAt).toISOString()];
      };
      expect(await retryHold()).toEqual(['too_many_holds', [], at(10)]);
      expect(await retryHold({ holdsPerHour: 2 })).toEqual(['too_many_holds', [], at(30)]);
      expect((await retryHold({ holdsPerHour: 4 }))[0]).toBe('held');
    }),
  );

  test(
    "within an hour do not include other customers' holds, paid ones, failed payments, ones with a payment in progress, or test bookings",
    withStudios(async (rows) => {
      for (const add of [
        ended(30, -40),
        ended(31, -59, { user_id: KIM }),
        ended(32, -58, { status: 'confirmed', cancel_reason: null, confirmed_at: at(-58) }),
        ended(33, -57, { cancel_reason: 'customer', confirmed_at: at(-57) }),
        ended(34, -56, { cancel_reason: 'payment_failed' }),
        ended(35, -55, { notes: 'test' }),
        ended(36, -54, { status: 'pending', cancel_reason: null }),
      ])
        await add(rows);
      await addPayment(rows, 36, 'processing');
      expect((await tryOut(rows, () => hold(rows, { holdsPerHour: 2 }))).outcome).toBe('held');
      const { outcome, holds, retryAt } = await hold(rows, { holdsPerHour: 1 });
      expect([outcome, holds, new Date(retryAt ?? '').toISOString()]).toEqual(['too_many_holds', [], at(20)]);
    }),
  );
});

test(
  'own_hold finds the unpaid hold for exactly these hours, and whether it can still be paid',
  withStudios(async (rows) => {
    await addBooking(rows, 30, { coupon_id: uuid(20), coupon_terms: { code: 'DANCE' } });
    await addPayment(rows, 30, 'expired');
    await addBooking(rows, 31, { user_id: KIM, ...elsewhere(0) });
    await addPayment(rows, 31, 'open');
    const found = async (...[user, studio, from, to]: string[]) =>
      (await rows.value('select private.own_hold($1, $2, $3, $4)', [user, studio, from, to])) as
        | (Row & { booking: Row })
        | null;
    const own = await found(ALEX, STUDIO, at(600), at(660));
    expect([own?.booking['id'], own?.['couponId'], own?.['coupon'], own?.['payable']]).toEqual([
      uuid(30),
      uuid(20),
      { code: 'DANCE' },
      false,
    ]);
    await addPayment(rows, 30, 'open', { attempt: 2 });
    expect((await found(ALEX, STUDIO, at(600), at(660)))?.['payable']).toBe(true);
    for (const other of [
      [KIM, STUDIO, at(600), at(660)],
      [ALEX, OTHER_STUDIO, at(600), at(660)],
      [ALEX, STUDIO, at(601), at(660)],
      [ALEX, STUDIO, at(600), at(661)],
    ])
      expect((await found(...other)) ?? null).toBeNull();
    await rows.query(`update private.booking set status = 'cancelled', cancel_reason = 'abandoned' where id = $1`, [
      uuid(30),
    ]);
    expect((await found(ALEX, STUDIO, at(600), at(660))) ?? null).toBeNull();
  }),
);

test(
  'payment_is_processing is true only while a payment of that booking is processing',
  withStudios(async (rows) => {
    await addBooking(rows, 30);
    await addBooking(rows, 31, elsewhere(0));
    await addPayment(rows, 30, 'open');
    await addPayment(rows, 31, 'processing');
    const isProcessing = (number: number) => rows.value('select private.payment_is_processing($1)', [uuid(number)]);
    expect([await isProcessing(30), await isProcessing(31), await isProcessing(32)]).toEqual([false, true, false]);
  }),
);
