import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quoteSlots, type Rates } from '#rules/pricing.ts';
import { specifiedRates } from '#tests/support/rates.ts';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import { addStudiosAndCustomers, KIM, NOW, OTHER_STUDIO, STUDIO } from './booking-rows.ts';

/** The date of NOW in Sydney. */
const TODAY = '2031-03-01';
const flat = (cents: number) => ({
  hourCents: Array.from({ length: 168 }, () => cents),
  volumePercents: Array.from({ length: 24 }, (_, index) => index),
});
const day = (cents: number, name = 'Festival') => ({ name, hourCents: Array.from({ length: 24 }, () => cents) });

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
const set = ({ value }: Rows, change: Row, now = NOW): Promise<unknown> =>
  value(`select private.${'firstDay' in change ? 'set_special_days' : 'set_price_list'}($1::jsonb, $2::uuid, $3)`, [
    change,
    KIM,
    now,
  ]);
const readRates = ({ value }: Rows, from: string, to = from, studio = STUDIO): Promise<Rates> =>
  value('select private.rates_json($1, $2, $3)', [studio, from, to]) as Promise<Rates>;
const audited = async ({ query }: Rows): Promise<unknown> =>
  (
    await query<{ entry: unknown }>(
      `select jsonb_build_array(actor, action, resource_type, resource_id, details) as entry from public.audit_logs
       where resource_type in ('price_list', 'special_days') order by created_at, resource_id`,
    )
  ).map(({ entry }) => entry);

describe('a new studio', () => {
  test(
    'begins with the prices of the specification, for all hours of a week and all numbers of hours [spec 9.1, 9.2, 9.3, 9.4]',
    withStudios(async (rows) => {
      const rates = await readRates(rows, '2031-03-02', '2031-03-08');
      expect(rates).toEqual(specifiedRates);
      const week = ['02', '03', '04', '05', '06', '07', '08'].flatMap((date) =>
        Array.from({ length: 24 }, (_, hour) => ({ date: `2031-03-${date}`, hour })),
      );
      const totals = (prices: Rates) => week.map((slot) => quoteSlots([slot], prices).totalCents);
      expect(totals(rates)).toEqual(totals(specifiedRates));
    }),
  );
});

describe('price lists', () => {
  test(
    'are set for one studio or all from a day on, and each change is in the audit log with what was there before',
    withStudios(async (rows) => {
      const list = { validFrom: '2031-03-08', ...flat(3_000) };
      expect(await set(rows, { studioId: STUDIO, validFrom: '2031-03-08', prices: flat(3_000) })).toBe('set');
      expect((await readRates(rows, '2031-03-07')).lists).toEqual(specifiedRates.lists);
      expect((await readRates(rows, '2031-03-08')).lists).toEqual([list]);
      expect((await readRates(rows, '2031-03-08', undefined, OTHER_STUDIO)).lists).toEqual(specifiedRates.lists);
      expect((await readRates(rows, '2031-03-07', '2031-03-08')).lists).toHaveLength(2);
      await rows.query('delete from public.studios where id not in ($1, $2)', [STUDIO, OTHER_STUDIO]);
      expect(await set(rows, { studioId: null, validFrom: '2031-03-08', prices: flat(4_000) })).toBe('set');
      const both = { validFrom: '2031-03-08', ...flat(4_000) };
      expect((await readRates(rows, '2031-03-08')).lists).toEqual([both]);
      expect((await readRates(rows, '2031-03-08', undefined, OTHER_STUDIO)).lists).toEqual([both]);
      // Idempotent.
      expect(await set(rows, { studioId: null, validFrom: '2031-03-08', prices: flat(4_000) })).toBe('set');
      expect(await set(rows, { studioId: STUDIO, validFrom: '2031-03-08', prices: null })).toBe('set');
      expect((await readRates(rows, '2031-03-08')).lists).toEqual(specifiedRates.lists);
      expect(await audited(rows)).toEqual([
        [KIM, 'create', 'price_list', STUDIO, { after: list }],
        [KIM, 'update', 'price_list', STUDIO, { before: list, after: both }],
        [KIM, 'create', 'price_list', OTHER_STUDIO, { after: both }],
        [KIM, 'delete', 'price_list', STUDIO, { before: both }],
      ]);
    }),
  );

  test(
    'can begin today once, and are kept once their day has come',
    withStudios(async (rows) => {
      const today = { studioId: STUDIO, validFrom: TODAY };
      expect(await set(rows, { ...today, prices: flat(3_000) })).toBe('set');
      expect(await set(rows, { ...today, prices: flat(3_000) })).toBe('set');
      for (const change of [
        { ...today, prices: flat(3_100) },
        { ...today, prices: null },
        { studioId: STUDIO, validFrom: '2031-02-28', prices: flat(3_000) },
        { studioId: STUDIO, validFrom: '2000-01-01', prices: null },
      ])
        expect(await rows.refusal(() => set(rows, change))).toMatchObject({
          code: '23514',
          constraint: 'price_history',
        });
      // At one minute to midnight in Sydney, the prices still begin on the next day there.
      const tomorrow = { studioId: STUDIO, validFrom: '2031-03-02', prices: flat(3_000) };
      expect(await set(rows, tomorrow, '2031-03-01T12:59:00Z')).toBe('set');
      const later = { ...tomorrow, prices: flat(3_200) };
      expect(await rows.refusal(() => set(rows, later, '2031-03-01T13:00:00Z'))).toMatchObject({
        constraint: 'price_history',
      });
    }),
  );

  test(
    'of an unknown studio or without anything to remove are answered so',
    withStudios(async (rows) => {
      expect(await set(rows, { studioId: uuid(99), validFrom: '2031-03-08', prices: flat(3_000) })).toBe('no_studio');
      expect(await set(rows, { studioId: STUDIO, validFrom: '2031-03-08', prices: null })).toBe('none');
    }),
  );

  test(
    'set the cheapest hour of a studio from their first day on',
    withStudios(async (rows) => {
      const rate = () => rows.value('select hourly_rate from public.studios where id = $1', [STUDIO]);
      await set(rows, { studioId: STUDIO, validFrom: '2031-03-02', prices: flat(3_050) });
      expect(await rate()).toBe('49.00');
      await rows.query('select private.update_hourly_rates($1)', ['2031-03-01T13:00:00Z']);
      expect(await rate()).toBe('30.50');
    }),
  );

  test(
    'of the last seven days, of today and later are those of current_price_lists',
    withStudios(async (rows) => {
      const add = (from: string) =>
        rows.query(
          `insert into public.price_lists (studio_id, valid_from, hour_cents, volume_percents)
           select $1, ${from}, hour_cents, volume_percents from private.first_prices()`,
          [STUDIO],
        );
      for (const days of [-20, -9, -7, 0, 9]) await add(`(now() at time zone 'Australia/Sydney')::date + ${days}`);
      const found = await rows.query<{ days: number }>(
        `select valid_from - (now() at time zone 'Australia/Sydney')::date as days from public.current_price_lists
         where studio_id = $1 order by valid_from`,
        [STUDIO],
      );
      expect(found).toEqual([{ days: -7 }, { days: 0 }, { days: 9 }]);
    }),
  );
});

describe('special days', () => {
  const festival = { studioId: STUDIO, firstDay: '2031-03-05', lastDay: '2031-03-06' };
  test(
    'are part of the prices of their days, are replaced and removed before they begin, and are in the audit log',
    withStudios(async (rows) => {
      const stored = { firstDay: '2031-03-05', lastDay: '2031-03-06', ...day(9_000) };
      expect(await set(rows, { ...festival, prices: day(9_000) })).toBe('set');
      expect((await readRates(rows, '2031-03-01', '2031-03-05')).specialDays).toEqual([stored]);
      expect((await readRates(rows, '2031-03-06', '2031-03-09')).specialDays).toEqual([stored]);
      for (const other of ['2031-03-04', '2031-03-07']) expect((await readRates(rows, other)).specialDays).toEqual([]);
      expect(await set(rows, { ...festival, prices: day(9_000) })).toBe('set');
      expect(await set(rows, { ...festival, prices: day(8_000) })).toBe('set');
      expect((await readRates(rows, '2031-03-05')).specialDays).toEqual([{ ...stored, ...day(8_000) }]);
      expect(
        await rows.refusal(() => set(rows, { ...festival, lastDay: '2031-03-05', prices: day(1_000) })),
      ).toMatchObject({ code: '23P01', constraint: 'special_days_apart' });
      expect(await set(rows, { ...festival, prices: null })).toBe('set');
      expect(await set(rows, { ...festival, prices: null })).toBe('none');
      expect(await set(rows, { ...festival, studioId: uuid(99), prices: null })).toBe('no_studio');
      expect(await audited(rows)).toEqual([
        [KIM, 'create', 'special_days', STUDIO, { after: stored }],
        [KIM, 'update', 'special_days', STUDIO, { before: stored, after: { ...stored, ...day(8_000) } }],
        [KIM, 'delete', 'special_days', STUDIO, { before: { ...stored, ...day(8_000) } }],
      ]);
    }),
  );

  test(
    'that have begun are kept; their removal ends them with today',
    withStudios(async (rows) => {
      await set(rows, { ...festival, prices: day(9_000) });
      const during = '2031-03-05T01:00:00Z';
      expect(await rows.refusal(() => set(rows, { ...festival, prices: day(8_000) }, during))).toMatchObject({
        constraint: 'price_history',
      });
      expect(await set(rows, { ...festival, prices: null }, during)).toBe('set');
      expect((await readRates(rows, '2031-03-05')).specialDays).toMatchObject([{ lastDay: '2031-03-05' }]);
      expect((await readRates(rows, '2031-03-06')).specialDays).toEqual([]);
      expect(
        await rows.refusal(() => set(rows, { ...festival, lastDay: '2031-03-05', prices: null }, during)),
      ).toMatchObject({ constraint: 'price_history' });
      const past = { ...festival, firstDay: '2031-03-04', lastDay: '2031-03-04', prices: day(9_000) };
      expect(await rows.refusal(() => set(rows, past, during))).toMatchObject({ constraint: 'price_history' });
      expect(await set(rows, { ...past, firstDay: '2031-03-06', lastDay: '2031-03-06' }, during)).toBe('set');
    }),
  );
});

describe('whatever writes the tables', () => {
  const refused = { code: '23514', constraint: 'price_history' };
  test(
    'prices that have begun are neither changed nor removed, unless their studio is',
    withStudios(async (rows) => {
      const run = (text: string) => () => rows.query(`${text} and studio_id = $1`, [STUDIO]);
      expect(await rows.refusal(run('delete from public.price_lists where true'))).toMatchObject(refused);
      await set(rows, { studioId: STUDIO, validFrom: '2031-03-08', prices: flat(3_000) });
      expect(
        await rows.refusal(
          run(`update public.price_lists set hour_cents = hour_cents where valid_from > '2031-01-01'`),
        ),
      ).toMatchObject(refused);
      expect(await rows.refusal(run(`delete from public.price_lists where valid_from > '2031-01-01'`))).toBeNull();

      await rows.query(
        `insert into public.special_days (studio_id, name, first_day, last_day, hour_cents)
         select $1, 'Now', (now() at time zone 'Australia/Sydney')::date - 1, (now() at time zone 'Australia/Sydney')::date + 2, array_fill(5000, array[24])`,
        [STUDIO],
      );
      for (const change of [
        'delete from public.special_days where true',
        `update public.special_days set name = 'Other' where true`,
        'update public.special_days set last_day = last_day + 1 where true',
        'update public.special_days set last_day = last_day - 3 where true',
      ])
        expect([change, await rows.refusal(run(change))]).toMatchObject([change, refused]);
      expect(await rows.refusal(run('update public.special_days set last_day = last_day - 2 where true'))).toBeNull();
      await rows.query('delete from public.studios where id = $1', [STUDIO]);
      expect(await rows.value('select count(*)::int from public.price_lists where studio_id = $1', [STUDIO])).toBe(0);
    }),
  );
});
