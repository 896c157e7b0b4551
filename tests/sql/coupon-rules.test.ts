import { afterAll, beforeAll, expect, test } from 'vitest';
import { worksAt } from '#rules/coupon-discount.ts';
import { slotsOfSpan } from '#rules/slots.ts';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import {
  addBooking,
  addPerson,
  addStudiosAndCustomers,
  ALEX,
  at,
  CODE,
  hold,
  KIM,
  NOW,
  TERMS,
  tryOut,
} from './booking-rows.ts';

/** Tests rules of codes in addition to those of the specification. NOW is a Saturday, 11 am in Sydney. */
let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const STAFF = uuid(3);
const withCodes = (work: (rows: Rows) => Promise<void>) => (): Promise<void> =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await addPerson(rows, STAFF);
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [STAFF]);
    await work(rows);
  });
/** Updates columns of the code. */
const change = (rows: Rows, columns: string): Promise<unknown> =>
  rows.query(`update public.discount_codes set ${columns} where id = $1`, [CODE]);

test(
  'a code for one address works for that account only, and a code with a first day from then on',
  withCodes(async (rows) => {
    const problem = (user: string | null, now = NOW) =>
      rows.value('select private.coupon_problem(d, $1, 2, $2) from public.discount_codes d where d.id = $3', [
        user,
        now,
        CODE,
      ]);
    await rows.query(`update auth.users set email = 'alex@example.com' where id = $1`, [ALEX]);
    await change(rows, `customer_email = ' ALEX@example.com '`);
    expect([await problem(ALEX), await problem(KIM), await problem(null)]).toEqual([
      null,
      'This code is for another email address.',
      'Please sign in to use this code.',
    ]);
    await change(rows, `customer_email = '', valid_from = '${at(60)}'`);
    expect([await problem(null), await problem(KIM, at(60))]).toEqual([
      'You can use this code from 1 March 2031.',
      null,
    ]);
    await change(rows, 'active = false');
    expect(await problem(null)).toBe('Invalid coupon code');
  }),
);

test(
  'the words for days and hours',
  withCodes(async ({ value }) => {
    const words = (days: number[] | null, from: number | null = null, until: number | null = null) =>
      value('select private.coupon_hours_text($1::smallint[], $2::smallint, $3::smallint)', [days, from, until]);
    expect(await words(null)).toBeNull();
    expect(await words([4, 1, 2, 3, 1])).toBe('Monday to Thursday');
    expect(await words([5, 6, 0])).toBe('Friday to Sunday');
    expect(await words([0, 6])).toBe('Saturday and Sunday');
    expect(await words([0, 1, 3])).toBe('Monday, Wednesday and Sunday');
    expect(await words([3])).toBe('Wednesday');
    expect(await words(null, 9, 17)).toBe('from 9 am to 5 pm');
    expect(await words([1, 2, 3, 4], 12, 24)).toBe('Monday to Thursday from noon to midnight');
    expect(await words(null, 22, 6)).toBe('from 10 pm to 6 am');
  }),
);

test(
  'a code misses the same hours as on the page, also when the clocks change and over midnight',
  withCodes(async (rows) => {
    const rules = [
      { weekdays: [1, 2, 3, 4], from: null, until: null },
      { weekdays: [0], from: 1, until: 3 },
      { weekdays: null, from: 22, until: 6 },
      { weekdays: [6, 0], from: 9, until: 24 },
      { weekdays: null, from: 0, until: 2 },
    ];
    // These cover the clock changes of April and October, and an ordinary week.
    const starts = ['2031-04-05T09:00:00Z', '2031-10-04T09:00:00Z', '2031-06-10T00:00:00Z'];
    let [missed, met] = [0, 0];
    for (const { weekdays, from, until } of rules) {
      await rows.query(
        'update public.discount_codes set weekdays = $2::smallint[], from_hour = $3::smallint, until_hour = $4::smallint where id = $1',
        [CODE, weekdays, from, until],
      );
      const spans = starts.flatMap((start) =>
        Array.from({ length: 30 }, (_, hour) =>
          [1, 2, 5].map((hours) => [Date.parse(start) + hour * 3_600_000, hours] as const),
        ).flat(),
      );
      const answers = await rows.query<{ missed: boolean }>(
        `select private.coupon_misses_hours(d, s.start, s.start + s.hours * interval '1 hour') as missed
         from unnest($2::timestamptz[], $3::int[]) with ordinality as s(start, hours, at), public.discount_codes d where d.id = $1 order by s.at`,
        [CODE, spans.map(([start]) => new Date(start).toISOString()), spans.map(([, hours]) => hours)],
      );
      for (const [number, [start, hours]] of spans.entries()) {
        const slots = slotsOfSpan(new Date(start), new Date(start + hours * 3_600_000));
        // The repeated hour cannot be booked alone.
        if (slots === null || slots.length === 0) continue;
        const fits = worksAt({ weekdays, fromHour: from, untilHour: until, worksWhen: '' }, slots);
        expect([new Date(start).toISOString(), hours, weekdays, from, answers[number]?.missed]).toEqual([
          new Date(start).toISOString(),
          hours,
          weekdays,
          from,
          !fits,
        ]);
        if (fits) met += 1;
        else missed += 1;
      }
    }
    expect(Math.min(missed, met)).toBeGreaterThan(50);
  }),
);

test(
  'a hold is refused when the rules changed after the check, and the code keeps its use',
  withCodes(async (rows) => {
    const outcome = (columns: string): Promise<unknown> =>
      tryOut(rows, async () => {
        await change(rows, columns);
        let held = '';
        const refused = await rows.refusal(async () => {
          held = (
            await hold(rows, { couponId: CODE, couponTerms: TERMS, couponDiscountCents: 1000, finalCostCents: 3900 })
          ).outcome;
        });
        return refused ? `${refused.code} ${refused.message}` : held;
      });
    // The requested hour begins on Saturday at 9 pm in Sydney.
    expect(await outcome('weekdays = array[6], from_hour = 21, until_hour = 22')).toBe('held');
    expect(await outcome('weekdays = array[1,2,3,4]')).toBe('HC003 This code works Monday to Thursday.');
    expect(await outcome('from_hour = 9, until_hour = 21')).toBe('HC003 This code works from 9 am to 9 pm.');
    expect(await outcome(`customer_email = 'kim@example.com'`)).toBe('HC003 This code is for another email address.');
    expect(await outcome(`valid_from = '${at(1)}'`)).toBe('HC003 You can use this code from 1 March 2031.');
    expect(await rows.value('select current_uses from public.discount_codes where id = $1', [CODE])).toBe(0);
  }),
);

test(
  'the check of a code tells when it works, and with the hours of the booking whether it does',
  withCodes(async (rows) => {
    await change(rows, 'weekdays = array[1,2,3,4], from_hour = 9, until_hour = 17');
    const when = 'Monday to Thursday from 9 am to 5 pm';
    const hours = { weekdays: [1, 2, 3, 4], from_hour: 9, until_hour: 17, works_when: when };
    const check = (start: string | null, end: string | null) =>
      rows.query(`select * from public.validate_discount_code('dance', 1, $1, $2)`, [start, end]);
    expect(await check(null, null)).toMatchObject([{ is_valid: true, error_message: null, ...hours }]);
    expect(await check(at(600), at(660))).toMatchObject([
      { id: null, is_valid: false, error_message: `This code works ${when}.`, works_when: null },
    ]);
    // It is Monday 3 March 2031, 9 am in Sydney.
    expect(await check('2031-03-02T22:00:00Z', '2031-03-03T06:00:00Z')).toMatchObject([{ is_valid: true, ...hours }]);
    expect(await check('2031-03-02T22:00:00Z', '2031-03-03T07:00:00Z')).toMatchObject([{ is_valid: false }]);
  }),
);

test(
  'gift codes are made once, for one use each, by staff with the permission, and counted with what they brought and cost',
  withCodes(async (rows) => {
    const make = (number: number, amount = 3, prefix = ' gift ') =>
      rows.value('select public.make_gift_codes($1, $2, $3, $4)', [
        uuid(number),
        amount,
        prefix,
        { discount_type: 'fixed', discount_value: 59, weekdays: [1], code: 'X', max_uses: 9, current_uses: 7 },
      ]);
    await rows.setClaims({ role: 'authenticated', sub: KIM });
    for (const call of [
      () => make(40),
      () => rows.query('select * from public.gift_batches()'),
      () => rows.query('select * from public.discount_code_results(array[]::uuid[])'),
      () => rows.query('select public.set_gift_batch_active($1, false)', [uuid(40)]),
    ])
      expect((await rows.refusal(call))?.code).toBe('42501');
    await rows.setClaims({ role: 'authenticated', sub: STAFF });
    expect([await make(40), await make(40, 5, 'OTHER')]).toEqual([3, 3]);
    for (const [amount, prefix] of [
      [501, 'A'],
      [0, 'A'],
      [1, 'A B'],
    ] as const)
      expect((await rows.refusal(() => make(41, amount, prefix)))?.code).toBe('23514');
    const codes = await rows.query<Row & { id: string; code: string }>(
      'select id, code, max_uses, current_uses, works_when, active from public.discount_codes where gift_batch_id = $1',
      [uuid(40)],
    );
    for (const code of codes)
      expect(code).toMatchObject({
        code: expect.stringMatching(/^GIFT-[2-9A-Z]{4}-[2-9A-Z]{4}$/),
        max_uses: 1,
        current_uses: 0,
        works_when: 'Monday',
        active: true,
      });
    expect(
      await rows.query(`select action, resource_type, resource_id from public.audit_logs where actor is not null`),
    ).toEqual([{ action: 'create', resource_type: 'gift_codes', resource_id: uuid(40) }]);
    const used = { coupon_id: codes[0]?.id, coupon_discount_cents: 4000, final_cost_cents: 900 };
    await addBooking(rows, 30, { ...used, status: 'confirmed' });
    await addBooking(rows, 31, { ...used, start_time: at(700), end_time: at(760) });
    await rows.query('update public.discount_codes set current_uses = 1 where id = $1', [codes[0]?.id]);
    expect(await rows.value('select public.set_gift_batch_active($1, false)', [uuid(40)])).toBe(3);
    expect(await rows.value('select public.set_gift_batch_active($1, false)', [uuid(40)])).toBe(0);
    await rows.query('update public.discount_codes set active = true where id = $1', [codes[1]?.id]);
    const money = { sold: '9.00', discount: '40.00' };
    expect(await rows.query('select * from public.gift_batches()')).toMatchObject([
      { id: uuid(40), prefix: 'GIFT', codes: 3, used: 1, active: 1, works_when: 'Monday', ...money },
    ]);
    expect(
      await rows.query('select * from public.discount_code_results($1)', [[...codes.map(({ id }) => id), CODE]]),
    ).toEqual([{ coupon_id: codes[0]?.id, bookings: 1, ...money }]);
  }),
);

test(
  'the audit log has what staff changed of a code, before and after',
  withCodes(async (rows) => {
    await change(rows, `weekdays = array[1], description = 'Quiet days'`);
    expect(await rows.value(`select details from public.audit_logs where action = 'update'`)).toEqual({
      code: 'DANCE',
      active: true,
      discount_type: 'fixed',
      discount_value: 10,
      before: { weekdays: null, works_when: null, description: null },
      after: { weekdays: [1], works_when: 'Monday', description: 'Quiet days' },
    });
  }),
);
