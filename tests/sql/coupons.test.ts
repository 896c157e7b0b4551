import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import {
  addBooking,
  addPayment,
  addStudiosAndCustomers,
  addRedemption,
  ALEX,
  at,
  CODE,
  hold,
  KIM,
  NOW,
  OTHER_CODE,
  readState,
  TERMS,
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
const elsewhere = (offset: number): Row => ({ start_time: at(1200 + offset * 60), end_time: at(1260 + offset * 60) });
const WITH_CODE = { couponId: CODE, couponTerms: TERMS, couponDiscountCents: 1000, finalCostCents: 3900 };

/** Updates columns of the code. */
const change = (rows: Rows, columns: string): Promise<unknown> =>
  rows.query(`update public.discount_codes set ${columns} where id = $1`, [CODE]);
/** Returns how often each of the two codes has been used. */
const used = async ({ query }: Rows): Promise<unknown[]> =>
  (await query<{ uses: number }>('select current_uses as uses from public.discount_codes order by id')).map(
    ({ uses }) => uses,
  );
/** Returns the outcome of a hold with the code, or the error code. */
async function tryHold(rows: Rows, more: Row = {}): Promise<string> {
  let outcome = '';
  const refused = await rows.refusal(async () => {
    outcome = (await hold(rows, { ...WITH_CODE, ...more })).outcome;
  });
  return refused?.code ?? outcome;
}

describe('a hold with a code', () => {
  test(
    'uses the code once and stores its terms with the booking',
    withStudios(async (rows) => {
      const { outcome, booking } = await hold(rows, WITH_CODE);
      expect([outcome, await used(rows)]).toEqual(['held', [1, 0]]);
      expect(
        await rows.query('select booking_id, coupon_id, user_id, state, moving_until from private.coupon_redemption'),
      ).toEqual([{ booking_id: booking?.id, coupon_id: CODE, user_id: ALEX, state: 'reserved', moving_until: null }]);
      expect(
        await rows.query('select coupon_id, coupon_terms, coupon_discount_cents as cents from private.booking'),
      ).toEqual([{ coupon_id: CODE, coupon_terms: TERMS, cents: 1000 }]);
    }),
  );

  test(
    'is refused when the code is inactive, expired, used up or differs from its quote',
    withStudios(async (rows) => {
      const after = (columns: string) =>
        tryOut(rows, async () => {
          await change(rows, columns);
          return tryHold(rows);
        });
      expect(await after('active = true')).toBe('held');
      expect(await after('active = false')).toBe('HC001');
      expect(await after(`expires_at = '${NOW}'`)).toBe('HC001');
      expect(await after(`expires_at = '${at(1)}'`)).toBe('held');
      expect(await after('max_uses = 2, current_uses = 2')).toBe('HC001');
      expect(await after('max_uses = 2, current_uses = 1')).toBe('held');
      expect(await after(`discount_type = 'percentage'`)).toBe('HC001');
      expect(await after('discount_value = 11')).toBe('HC001');
    }),
  );

  test(
    'is refused above the limit per customer; returned uses do not count',
    withStudios(async (rows) => {
      const withRedemption = (limit: number, unit: Row) =>
        tryOut(rows, async () => {
          await addBooking(rows, 30, { status: 'confirmed', ...elsewhere(0) });
          await addRedemption(rows, 30, unit);
          await change(rows, `per_user_limit = ${limit}, current_uses = 1`);
          return tryHold(rows);
        });
      expect(await withRedemption(1, { state: 'committed' })).toBe('HC001');
      expect(await withRedemption(2, { state: 'committed' })).toBe('held');
      expect(await withRedemption(1, { state: 'returned' })).toBe('held');
      expect(await withRedemption(1, { state: 'committed', user_id: KIM })).toBe('held');
      expect(await withRedemption(1, { state: 'committed', coupon_id: OTHER_CODE })).toBe('held');
    }),
  );

  test(
    'does not affect other holds of the customer while uses are left',
    withStudios(async (rows) => {
      await addBooking(rows, 30, elsewhere(0));
      await addRedemption(rows, 30);
      await addBooking(rows, 31);
      await addPayment(rows, 31, 'expired');
      await change(rows, 'current_uses = 1, max_uses = 2');
      expect((await hold(rows, WITH_CODE)).outcome).toBe('held');
      expect([await used(rows), await readState(rows, 30), await readState(rows, 31)]).toEqual([
        [2, 0],
        'pending reserved',
        'cancelled replaced',
      ]);
    }),
  );
});

describe('the last use of a code', () => {
  /** Adds an unpaid hold of Alex at other hours that has the last use of the code, and newer holds that have no use of it to give up. */
  async function withLastUse(rows: Rows, payment: string, limit = 'max_uses = 1'): Promise<void> {
    await addBooking(rows, 30, elsewhere(0));
    await addPayment(rows, 30, payment);
    await addRedemption(rows, 30);
    await addBooking(rows, 31, { created_at: at(-90), ...elsewhere(1) });
    await addRedemption(rows, 31, { coupon_id: OTHER_CODE });
    await addBooking(rows, 32, { created_at: at(-80), ...elsewhere(2) });
    await addRedemption(rows, 32, { state: 'returned' });
    await addBooking(rows, 33, { created_at: at(-70), user_id: KIM, ...elsewhere(3) });
    await addPayment(rows, 33, 'open');
    await change(rows, `current_uses = 1, ${limit}`);
    await rows.query('update public.discount_codes set current_uses = 1 where id = $1', [OTHER_CODE]);
  }
  const ROOM = { maxLiveHolds: 9, holdsPerHour: 9 };

  test.each(['max_uses = 1', 'per_user_limit = 1'])(
    "moves to the new hold from the customer's own hold without an open payment, where %s",
    (limit) =>
      withStudios(async (rows) => {
        await withLastUse(rows, 'expired', limit);
        expect((await hold(rows, { ...WITH_CODE, ...ROOM })).outcome).toBe('held');
        expect([
          await used(rows),
          await readState(rows, 30),
          await readState(rows, 31),
          await readState(rows, 32),
        ]).toEqual([[1, 1], 'cancelled replaced returned', 'pending reserved', 'pending returned']);
      })(),
  );

  test(
    'is reserved for two minutes while the old payment session closes, and moves even when that cancels the old hold',
    withStudios(async (rows) => {
      await withLastUse(rows, 'open');
      expect(await hold(rows, { ...WITH_CODE, ...ROOM })).toEqual({ outcome: 'replace', bookingIds: [uuid(30)] });
      expect(
        await rows.query(
          'select booking_id, moving_until from private.coupon_redemption where moving_until is not null',
        ),
      ).toEqual([{ booking_id: uuid(30), moving_until: new Date(at(2)) }]);
      await rows.query(`update private.booking set status = 'cancelled', cancel_reason = 'abandoned' where id = $1`, [
        uuid(30),
      ]);
      expect([await used(rows), await readState(rows, 30)]).toEqual([[1, 1], 'cancelled abandoned reserved moving']);
      expect((await hold(rows, { ...WITH_CODE, ...ROOM })).outcome).toBe('held');
      expect([await used(rows), await readState(rows, 30)]).toEqual([[1, 1], 'cancelled abandoned returned']);
    }),
  );

  test(
    'is available to another customer when it was not moved in time',
    withStudios(async (rows) => {
      await withLastUse(rows, 'open');
      await addBooking(rows, 40, { status: 'cancelled', cancel_reason: 'abandoned' });
      await rows.query(
        'update private.coupon_redemption set booking_id = $1, moving_until = $2 where booking_id = $3',
        [uuid(40), at(0), uuid(30)],
      );
      expect(await tryHold(rows, { userId: KIM })).toBe('held');
    }),
  );

  test(
    "is not taken from another customer's hold",
    withStudios(async (rows) => {
      await withLastUse(rows, 'expired');
      expect([await tryHold(rows, { userId: KIM }), await readState(rows, 30)]).toEqual(['HC001', 'pending reserved']);
    }),
  );

  test(
    'that is already moving is used, and no further hold is cancelled',
    withStudios(async (rows) => {
      await addBooking(rows, 30, { status: 'cancelled', cancel_reason: 'abandoned', ...elsewhere(0) });
      await addRedemption(rows, 30, { moving_until: at(2) });
      await addBooking(rows, 31, { created_at: at(-90), ...elsewhere(1) });
      await addPayment(rows, 31, 'expired');
      await addRedemption(rows, 31);
      await change(rows, 'current_uses = 2, max_uses = 2');
      expect((await hold(rows, WITH_CODE)).outcome).toBe('held');
      expect([await used(rows), await readState(rows, 30), await readState(rows, 31)]).toEqual([
        [2, 0],
        'cancelled abandoned returned',
        'pending reserved',
      ]);
    }),
  );

  test(
    'moves from a hold at other hours even when the replaced hold has no code',
    withStudios(async (rows) => {
      await addBooking(rows, 30, elsewhere(0));
      await addPayment(rows, 30, 'expired');
      await addRedemption(rows, 30);
      await addBooking(rows, 31);
      await addPayment(rows, 31, 'expired');
      await change(rows, 'current_uses = 1, max_uses = 1');
      expect((await hold(rows, WITH_CODE)).outcome).toBe('held');
      expect([await used(rows), await readState(rows, 30), await readState(rows, 31)]).toEqual([
        [1, 0],
        'cancelled replaced returned',
        'cancelled replaced',
      ]);
    }),
  );

  test(
    'that a paid booking used is refused without closing a payment session',
    withStudios(async (rows) => {
      await addBooking(rows, 30, { status: 'confirmed', ...elsewhere(0) });
      await addRedemption(rows, 30, { state: 'committed' });
      await addBooking(rows, 31);
      await addPayment(rows, 31, 'open');
      await change(rows, 'current_uses = 1, per_user_limit = 1');
      expect(await tryHold(rows)).toBe('HC001');
    }),
  );

  test(
    'comes from the newest of several own holds, and only that hold is cancelled',
    withStudios(async (rows) => {
      for (const [number, minutes] of [
        [30, -110],
        [31, -90],
        [32, -100],
      ] as const) {
        await addBooking(rows, number, { created_at: at(minutes), ...elsewhere(number - 30) });
        await addPayment(rows, number, 'expired');
        await addRedemption(rows, number);
      }
      await change(rows, 'current_uses = 3, max_uses = 3');
      expect((await hold(rows, WITH_CODE)).outcome).toBe('held');
      expect([
        await used(rows),
        await readState(rows, 30),
        await readState(rows, 31),
        await readState(rows, 32),
      ]).toEqual([[3, 0], 'pending reserved', 'cancelled replaced returned', 'pending reserved']);
    }),
  );
});

test(
  'replacing a hold without its code, or with another, returns its use',
  withStudios(async (rows) => {
    await addBooking(rows, 30);
    await addPayment(rows, 30, 'expired');
    await addRedemption(rows, 30);
    await rows.query('update public.discount_codes set current_uses = 5');
    await tryOut(rows, async () => {
      expect((await hold(rows)).outcome).toBe('held');
      expect([await used(rows), await readState(rows, 30)]).toEqual([[4, 5], 'cancelled replaced returned']);
      expect(await rows.value('select count(*) from private.coupon_redemption')).toBe(1);
    });
    const other = { ...WITH_CODE, couponId: OTHER_CODE, couponTerms: { ...TERMS, discountValue: 5 } };
    expect((await hold(rows, other)).outcome).toBe('held');
    expect(await used(rows)).toEqual([4, 6]);
  }),
);

test(
  'uses whose move was never completed are returned to their code',
  withStudios(async (rows) => {
    const ended = { status: 'cancelled', cancel_reason: 'abandoned' };
    await addBooking(rows, 30, ended);
    await addRedemption(rows, 30, { moving_until: NOW });
    await addBooking(rows, 31, { ...ended, ...elsewhere(1) });
    await addRedemption(rows, 31, { moving_until: at(0.1) });
    await addBooking(rows, 32, elsewhere(2));
    await addRedemption(rows, 32, { moving_until: NOW });
    await addBooking(rows, 33, { ...ended, ...elsewhere(3) });
    await addRedemption(rows, 33, { moving_until: NOW, coupon_id: OTHER_CODE });
    await addBooking(rows, 34, { ...ended, ...elsewhere(4) });
    await addRedemption(rows, 34, { moving_until: NOW, state: 'committed' });
    await rows.query('update public.discount_codes set current_uses = 5');
    const back = () => rows.value('select private.return_abandoned_redemptions($1, $2)', [CODE, NOW]);
    expect([await back(), await used(rows), await readState(rows, 30)]).toEqual([
      1,
      [4, 5],
      'cancelled abandoned returned',
    ]);
    for (const number of [31, 32, 33, 34]) expect(await readState(rows, number)).toMatch(/moving$/);
    expect([await back(), await used(rows)]).toEqual([0, [4, 5]]);
  }),
);

test(
  "a customer's own unpaid holds do not block the code for them, and paid uses count against the limit per customer",
  withStudios(async (rows) => {
    const problem = (user: string, now = NOW) =>
      rows.value('select private.coupon_problem(d, $1, 2, $2) from public.discount_codes d where d.id = $3', [
        user,
        now,
        CODE,
      ]);
    const USED_UP = 'This code has been fully used.';
    await addBooking(rows, 30);
    await addRedemption(rows, 30);
    await change(rows, 'current_uses = 1, max_uses = 1');
    expect([await problem(ALEX), await problem(KIM)]).toEqual([null, USED_UP]);
    await rows.query('update private.coupon_redemption set moving_until = $1', [at(1)]);
    expect(await problem(KIM, at(1))).toBe(USED_UP);
    await addBooking(rows, 31, { status: 'cancelled', cancel_reason: 'abandoned', ...elsewhere(1) });
    await rows.query('update private.coupon_redemption set booking_id = $1', [uuid(31)]);
    expect([await problem(KIM), await problem(KIM, at(1))]).toEqual([USED_UP, null]);
    await rows.query(`update private.coupon_redemption set state = 'committed'`);
    expect([await problem(ALEX), await problem(KIM, at(1))]).toEqual([USED_UP, USED_UP]);
    await change(rows, 'max_uses = 2, per_user_limit = 1');
    expect([await problem(ALEX), await problem(KIM)]).toEqual(['You’ve already used this code.', null]);
    await change(rows, 'per_user_limit = 2');
    expect(await problem(ALEX)).toBeNull();
    await change(rows, 'per_user_limit = 1');
    await rows.query(`update private.coupon_redemption set state = 'reserved'`);
    expect(await problem(ALEX)).toBeNull();
    await rows.query(`update private.coupon_redemption set state = 'committed', coupon_id = $1`, [OTHER_CODE]);
    expect(await problem(ALEX)).toBeNull();
  }),
);

test(
  'a code is found in any case and with blanks around it; the answer has its uses',
  withStudios(async (rows) => {
    const lookUp = (code: string | null, hours = 2) =>
      rows.query('select * from public.validate_discount_code($1, $2)', [code, hours]);
    const nothing = {
      id: null,
      code: null,
      discount_type: null,
      discount_value: null,
      min_hours: null,
      expires_at: null,
      max_uses: null,
      current_uses: null,
      is_valid: false,
      weekdays: null,
      from_hour: null,
      until_hour: null,
      works_when: null,
    };
    const found = {
      id: CODE,
      code: 'DANCE',
      discount_type: 'fixed',
      discount_value: '10',
      max_uses: 5,
      current_uses: 1,
      is_valid: true,
    };
    await change(rows, 'max_uses = 5, current_uses = 1');
    expect(await lookUp(' dance ')).toEqual([{ ...nothing, ...found, error_message: null }]);
    await change(rows, 'min_hours = 3');
    expect(await lookUp('dance')).toEqual([
      { ...nothing, error_message: 'This code needs a booking of at least 3 hours.' },
    ]);
    for (const unknown of ['DANCES', '', null])
      expect(await lookUp(unknown)).toEqual([{ ...nothing, error_message: 'Invalid coupon code' }]);
  }),
);

test(
  'lookups of codes are limited per account, and a code that is too long is refused without being counted',
  withStudios(async (rows) => {
    await rows.setClaims({ role: 'authenticated', sub: ALEX });
    const lookUp = (code: string) =>
      rows.refusal(() => rows.query('select * from public.validate_discount_code($1, 2)', [code]));
    // Each try postpones the time at which the limit is full again by six seconds.
    const looks = () =>
      rows.value(
        `select coalesce(sum(extract(epoch from full_at - now())), 0) / 6 from private.rate_bucket where name = 'coupon-guess'`,
      );
    await rows.query('select * from public.validate_discount_code($1, 2)', ['X'.repeat(51)]);
    expect(Number(await looks())).toBe(0);
    await rows.query('select * from public.validate_discount_code($1, 2)', ['X'.repeat(50)]);
    expect(Number(await looks())).toBe(1);
    for (let time = 2; time <= 10; time += 1) await rows.query(`select * from public.validate_discount_code('X', 2)`);
    expect((await lookUp('DANCE'))?.code).toBe('PT429');
  }),
);
