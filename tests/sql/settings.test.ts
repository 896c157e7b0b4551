import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import { openRows, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';

const STAFF = uuid(7);
const NOW = '2031-03-01T00:00:00Z';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const rolledBack = (work: (rows: Rows) => Promise<void>) => (): Promise<void> => database.rolledBack(work);
const set = ({ value }: Rows, changes: unknown, now = NOW): Promise<unknown> =>
  value('select private.set_business_settings($1::jsonb, $2::uuid, $3)', [changes, STAFF, now]);
const current = ({ value }: Rows): Promise<unknown> => value('select private.business_settings()');

test(
  'the business begins with the settings of rules/business/first-settings.ts',
  rolledBack(async (rows) => {
    expect(await current(rows)).toEqual(firstSettings);
  }),
);

test(
  'a change adds a row with all settings, the audit log has what changed, before and after, and pages of staff are told; the same again does nothing',
  rolledBack(async (rows) => {
    const changed = { ...firstSettings, name: 'Harbour', holdMinutes: 20 };
    for (let round = 0; round < 2; round += 1)
      expect(await set(rows, { name: 'Harbour', holdMinutes: 20, address: firstSettings.address })).toEqual(changed);
    expect(await current(rows)).toEqual(changed);
    expect(
      await rows.query(
        'select settings, created_by, created_at = $1::timestamptz as now from public.business_settings where created_by is not null order by version',
        [NOW],
      ),
    ).toEqual([{ settings: changed, created_by: STAFF, now: true }]);
    expect(await rows.query('select topic, event, private from realtime.messages')).toEqual([
      { topic: 'staff', event: 'settings', private: true },
    ]);
    const entries = await rows.query(
      `select actor, action, details from public.audit_logs where resource_type = 'settings'`,
    );
    expect(entries).toEqual([
      {
        actor: STAFF,
        action: 'update',
        details: {
          before: { name: firstSettings.name, holdMinutes: 15 },
          after: { name: 'Harbour', holdMinutes: 20 },
        },
      },
    ]);
  }),
);

test(
  'each text of the terms has a version of its own, named after its day in Sydney; other changes keep the version',
  rolledBack(async (rows) => {
    const terms = (text: string) => ({ terms: [{ title: 'One', text }] });
    const versionAfter = async (changes: unknown, now?: string): Promise<unknown> =>
      ((await set(rows, changes, now)) as Record<string, unknown>)['termsVersion'];
    expect(await versionAfter({ notice: 'Closed on Monday' })).toBe('2025-10');
    expect(await versionAfter(terms('a'), '2031-03-01T12:59:59Z')).toBe('2031-03-01');
    expect(await versionAfter(terms('b'), '2031-03-01T12:59:59Z')).toBe('2031-03-01.2');
    expect(await versionAfter(terms('b'))).toBe('2031-03-01.2');
    expect(await versionAfter(terms('a'), '2031-03-01T13:00:00Z')).toBe('2031-03-02');
    // Restoring an earlier text creates another version: the customers accepted that text before, but not as a replacement of the one in
    // between.
    expect(await versionAfter({ terms: firstSettings.terms }, '2031-03-01T13:00:00Z')).toBe('2031-03-02.2');
    expect(await rows.value('select private.booking_settings()')).toEqual({
      holdMinutes: 15,
      horizonDays: 90,
      freeCancelHours: 24,
      termsVersion: '2031-03-02.2',
      email: firstSettings.email,
      maxLiveHolds: 2,
      holdsPerHour: 6,
      maxUnpaidHours: 48,
      maxUnpaidHoursOfBooking: 24,
    });
  }),
);

test(
  'a new cancellation period is a new version of the terms, also together with a new text; the same period again is not',
  rolledBack(async (rows) => {
    const after = async (changes: unknown): Promise<unknown> => {
      const { termsVersion, freeCancelHours } = (await set(rows, changes)) as Record<string, unknown>;
      return [termsVersion, freeCancelHours];
    };
    expect(await after({ freeCancelHours: 24 })).toEqual(['2025-10', 24]);
    expect(await after({ freeCancelHours: 48 })).toEqual(['2031-03-01', 48]);
    expect(await after({ freeCancelHours: 48, holdMinutes: 20 })).toEqual(['2031-03-01', 48]);
    expect(await after({ freeCancelHours: 12, terms: [{ title: 'One', text: 'a' }] })).toEqual(['2031-03-01.2', 12]);
    expect(await after({ freeCancelHours: 24 })).toEqual(['2031-03-01.3', 24]);
  }),
);

test(
  'pages get all settings but the limits of holds, the account of sales, the notes for people who arrive and the two texts, which they read on their own',
  rolledBack(async (rows) => {
    const { maxLiveHolds, holdsPerHour, maxUnpaidHours, maxUnpaidHoursOfBooking, salesAccount, ...others } =
      firstSettings;
    expect([maxLiveHolds, holdsPerHour, maxUnpaidHours, maxUnpaidHoursOfBooking]).toEqual([2, 6, 48, 24]);
    const { arrivalNotes, terms, privacy, ...shown } = others;
    expect([arrivalNotes, salesAccount]).toEqual(['', '200']);
    expect(await rows.value('select public.site_settings()')).toEqual(shown);
    expect(await rows.value('select public.site_texts()')).toEqual({
      termsVersion: shown.termsVersion,
      terms,
      privacy,
    });
  }),
);

test(
  'a row of the past cannot be changed or deleted',
  rolledBack(async (rows) => {
    for (const statement of [
      `update public.business_settings set settings = settings`,
      'delete from public.business_settings',
    ])
      expect(await rows.refusal(() => rows.query(statement)), statement).toMatchObject({
        code: '23514',
        constraint: 'settings_history',
      });
  }),
);
