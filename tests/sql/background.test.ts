import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import {
  addBooking,
  addPayment,
  addStudiosAndCustomers,
  ALEX,
  at,
  force,
  KIM,
  OTHER_STUDIO,
  STUDIO,
  tryOut,
} from './booking-rows.ts';

/**
 * Functions that the server runs on a schedule: each must act at its time on its rows, and on no others. The booking's hours are minutes
 * 600 to 660.
 */
let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const check = (work: (rows: Rows) => Promise<void>) => (): Promise<void> =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await work(rows);
  });
const HOUR = 60;
const CONFIRMED = { status: 'confirmed', confirmed_at: at(-10_000) };
const value = async (rows: Rows, expression: string, values: readonly unknown[] = []): Promise<unknown> =>
  (await rows.query(`select ${expression} as value`, [...values]))[0]?.['value'];

/** Returns how many reminders are queued at a minute, and rolls them back. */
const remind = (rows: Rows, minute: number, texts = false): Promise<unknown> =>
  tryOut(rows, () => value(rows, 'private.queue_reminders($1::timestamptz, $2::boolean)', [at(minute), texts]));

test(
  'a mail reminds from 24 to 3 hours before the start',
  check(async (rows) => {
    await addBooking(rows, 30, CONFIRMED);
    const counts: unknown[] = [];
    for (const before of [24 * HOUR + 1, 24 * HOUR, 3 * HOUR, 3 * HOUR - 1, 0])
      counts.push(await remind(rows, 600 - before));
    expect(counts).toEqual([0, 1, 1, 0, 0]);
  }),
);

test(
  'who booked or moved less than six hours before the mail gets none',
  check(async (rows) => {
    const latest = 600 - 30 * HOUR;
    for (const [minute, count] of [
      [latest, 1],
      [latest + 1, 0],
    ] as const) {
      await rows.query('delete from private.booking');
      await addBooking(rows, 30, { status: 'confirmed', confirmed_at: at(minute) });
      expect(await remind(rows, 0)).toBe(count);
    }
    await rows.query(`update private.booking set confirmed_at = $1`, [at(-10_000)]);
    const move = (number: number, minute: number) =>
      force(rows, () =>
        rows.add('private.booking_move', {
          booking_id: uuid(30),
          number,
          from_studio_id: STUDIO,
          from_start_time: at(500),
          from_end_time: at(560),
          studio_id: STUDIO,
          start_time: at(600),
          end_time: at(660),
          final_cost_cents: 4_900,
          difference_cents: 0,
          refund_cents: 0,
          last_code: 0,
          actor: ALEX,
          created_at: at(minute),
        }),
      );
    await move(1, latest);
    expect(await remind(rows, 0)).toBe(1);
    await move(2, latest + 1);
    expect(await remind(rows, 0)).toBe(0);
  }),
);

test(
  'nobody is reminded of a hold, of a test, or who does not want to be; a guest with an address is',
  check(async (rows) => {
    const cases: readonly [Row, number][] = [
      [{ status: 'pending' }, 0],
      [{ notes: 'test' }, 0],
      [{ user_id: null, guest_email: 'guest@example.com' }, 1],
      [{ user_id: null }, 0],
      [{}, 1],
    ];
    for (const [more, count] of cases) {
      await rows.query('delete from private.booking');
      await addBooking(rows, 30, { ...CONFIRMED, ...more });
      expect(await remind(rows, 0), JSON.stringify(more)).toBe(count);
    }
    await rows.query('update public.profiles set remind_by_email = false where user_id = $1', [ALEX]);
    expect(await remind(rows, 0)).toBe(0);
  }),
);

test(
  'a text reminds from two hours to half an hour before the start, to a confirmed number of who wants it, and only where texts can be sent',
  check(async (rows) => {
    await addBooking(rows, 30, CONFIRMED);
    const phone = (confirmed: string | null) =>
      rows.query(`update auth.users set phone = '61400000001', phone_confirmed_at = $2 where id = $1`, [
        ALEX,
        confirmed,
      ]);
    await phone(at(-9_000));
    const want = (texts: boolean) =>
      rows.query('update public.profiles set remind_by_text = $2 where user_id = $1', [ALEX, texts]);
    await want(false);
    expect(await remind(rows, 540, true)).toBe(0);
    await want(true);
    const counts: unknown[] = [];
    for (const before of [121, 120, 30, 29]) counts.push(await remind(rows, 600 - before, true));
    expect(counts).toEqual([0, 1, 1, 0]);
    expect(await remind(rows, 540, false)).toBe(0);
    await phone(null);
    expect(await remind(rows, 540, true)).toBe(0);
    await phone(at(-9_000));
    for (const [minute, count] of [
      [600 - 3 * HOUR, 1],
      [600 - 3 * HOUR + 1, 0],
    ] as const) {
      await rows.query('update private.booking set confirmed_at = $1', [at(minute)]);
      expect(await remind(rows, 540, true)).toBe(count);
    }
  }),
);

test(
  'lights follow the sessions of their room: a job when one begins and when the last has ended, also for the second of two in a row',
  check(async (rows) => {
    await rows.query('delete from private.studio_plug');
    await addBooking(rows, 30, CONFIRMED);
    await addBooking(rows, 31, { ...CONFIRMED, start_time: at(660), end_time: at(720) });
    await addBooking(rows, 32, { status: 'pending', start_time: at(900), end_time: at(960) });
    await addBooking(rows, 33, { ...CONFIRMED, notes: 'test', start_time: at(1_000), end_time: at(1_060) });
    const follow = (minute: number): Promise<unknown> =>
      value(rows, `private.follow_sessions($1::timestamptz, '10 minutes', '5 minutes', '{""}')`, [at(minute)]);
    const readWanted = () => value(rows, `(select wanted from private.light_state where plug = '')`);
    const steps: unknown[] = [];
    for (const minute of [100, 589, 590, 591, 650, 655, 724, 725, 895, 995])
      steps.push([minute, await follow(minute), await readWanted()]);
    expect(steps).toEqual([
      // The first recorded state of the plug is off, for which no job is queued.
      [100, 0, false],
      [589, 0, false],
      [590, 1, true],
      [591, 0, true],
      [650, 1, true],
      [655, 0, true],
      [724, 0, true],
      [725, 1, false],
      [895, 0, false],
      [995, 0, false],
    ]);
  }),
);

test(
  'lights of a plug of its own follow its room alone',
  check(async (rows) => {
    await rows.query('delete from private.studio_plug');
    await force(rows, () => rows.add('private.studio_plug', { studio_id: OTHER_STUDIO, plug: 'other' }));
    await addBooking(rows, 30, CONFIRMED);
    expect(
      await value(rows, `private.follow_sessions($1::timestamptz, '10 minutes', '5 minutes', '{"", "other"}')`, [
        at(600),
      ]),
    ).toBe(1);
    expect(await rows.query('select plug, wanted from private.light_state order by plug')).toEqual([
      { plug: '', wanted: true },
      { plug: 'other', wanted: false },
    ]);
  }),
);

test(
  'a booking whose customer has lost the ID is raised once, within its time, with mails and news for staff',
  check(async (rows) => {
    const raise = (minute: number): Promise<unknown> =>
      value(rows, `private.raise_missing_ids($1::timestamptz, '48 hours')`, [at(minute)]);
    const news = async (): Promise<number> =>
      Number(
        await value(rows, `(select count(*) from realtime.messages where event = 'missing-ids' and topic = 'staff')`),
      );
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [KIM]);
    await force(rows, () =>
      rows.add('public.staff_permissions', { user_id: KIM, permission: 'identity', created_at: at(0) }),
    );
    const start = 600 + 48 * HOUR;
    await addBooking(rows, 30, { ...CONFIRMED, start_time: at(start), end_time: at(start + 60) });
    expect([await raise(600), await news()]).toEqual([0, 0]);
    await force(rows, () => rows.add('private.lost_verification', { user_id: ALEX, lost_at: at(0) }));
    const before = await news();
    for (const [minute, count] of [
      [599, 0],
      [start, 0],
    ] as const)
      expect(await tryOut(rows, () => raise(minute))).toBe(count);
    expect(await news()).toBe(before);
    for (const more of [{ made_by: KIM }, { notes: 'test' }, { status: 'pending' }])
      await tryOut(rows, async () => {
        await force(rows, () =>
          rows.query(
            `update private.booking set made_by = $1, notes = $2, status = coalesce($3, status) where id = '${uuid(30)}'`,
            ['made_by' in more ? KIM : null, 'notes' in more ? 'test' : null, 'status' in more ? 'pending' : null],
          ),
        );
        expect(await raise(600), JSON.stringify(more)).toBe(0);
      });
    expect(await raise(600)).toBe(1);
    expect(await news()).toBe(before + 1);
    expect(
      await rows.query(`select kind, payload from private.outbox where subject_id = $1 order by kind`, [uuid(30)]),
    ).toEqual([
      { kind: 'mail.id-missing', payload: { staff: KIM } },
      { kind: 'mail.id-needed', payload: {} },
    ]);
    expect([await raise(600), await news()]).toEqual([0, before + 1]);
  }),
);

test(
  'an account that loses an ID keeps its check only with another ID that is verified and has not expired',
  check(async (rows) => {
    const addVerified = (id: string, expiresAt: string): Promise<unknown> =>
      rows.query(
        `insert into public.id_verifications (id, user_id, source, verification_status, verified_at, expires_at)
         values ($1, $2, 'photo', 'verified', pg_catalog.now() - interval '1 year', $3)`,
        [id, ALEX, expiresAt],
      );
    const losesWith = (expiresAt: string): Promise<unknown> =>
      tryOut(rows, async () => {
        await addVerified(uuid(40), '2999-01-01');
        await addVerified(uuid(41), expiresAt);
        await rows.query(`update public.id_verifications set verification_status = 'superseded' where id = $1`, [
          uuid(40),
        ]);
        return value(rows, 'exists (select from private.lost_verification where user_id = $1)', [ALEX]);
      });
    expect([await losesWith('2998-01-01'), await losesWith('2001-01-01')]).toEqual([false, true]);
  }),
);

test(
  'staff keep the bookings of customers who are blocked now, and of no others',
  check(async (rows) => {
    await addBooking(rows, 30, CONFIRMED);
    const keepWhenBlocked = (until: string | null): Promise<unknown> =>
      tryOut(rows, async () => {
        await rows.add('private.customer_block', {
          user_id: ALEX,
          reason: 'Damage',
          until,
          blocked_by: KIM,
          blocked_at: at(0),
        });
        return value(rows, 'private.keep_blocked_bookings(array[$1::uuid], $2)', [uuid(30), KIM]);
      });
    const counts = [await keepWhenBlocked(null), await keepWhenBlocked('2999-01-01')];
    expect([...counts, await keepWhenBlocked('2001-01-01')]).toEqual([1, 1, 0]);
  }),
);

test(
  'staff hear of a campaign when it starts and when its last mail is decided, not of every mail',
  check(async (rows) => {
    const news = (): Promise<unknown> =>
      value(rows, `(select count(*)::integer from realtime.messages where event = 'campaign')`);
    const before = Number(await news());
    await rows.add('private.campaign', {
      id: uuid(50),
      subject: 'News',
      body: 'Come.',
      per_minute: 60,
      made_by: KIM,
      created_at: at(0),
      next_at: at(0),
      tail_at: at(0),
      recipients: 3,
    });
    const counts: number[] = [];
    for (const [number, outcome] of [
      [51, 'sent'],
      [52, 'skipped'],
      [53, 'sent'],
    ] as const) {
      await force(rows, () =>
        rows.add('private.campaign_recipient', { campaign_id: uuid(50), subscription_id: uuid(number) }),
      );
      await rows.query('select private.record_campaign_mail($1, $2, $3, null, $4)', [
        uuid(50),
        uuid(number),
        outcome,
        at(number),
      ]);
      counts.push(Number(await news()) - before);
    }
    expect(counts).toEqual([1, 1, 2]);
    expect(
      await rows.query(
        'select sent, skipped, finished_at = $2::timestamptz as ended from private.campaign where id = $1',
        [uuid(50), at(53)],
      ),
    ).toEqual([{ sent: 2, skipped: 1, ended: true }]);
  }),
);

test(
  'the hold of new hours ends when its booking is cancelled or moves elsewhere, unless its payment is on its way',
  check(async (rows) => {
    await addBooking(rows, 30, CONFIRMED);
    const held = { user_id: null, moves_booking: uuid(30), move_number: 1, start_time: at(800), end_time: at(860) };
    await addBooking(rows, 31, { ...held, hold_expires_at: at(100) });
    await addBooking(rows, 32, { status: 'pending', hold_expires_at: at(100), start_time: at(900), end_time: at(960) });
    const cancel = (minute: number) =>
      rows.query(
        `update private.booking set status = 'cancelled', cancel_reason = 'customer', cancelled_at = $2 where id = $1`,
        [uuid(30), at(minute)],
      );
    const ends = async (): Promise<unknown[]> =>
      (
        await rows.query('select hold_expires_at as at from private.booking where id = any ($1) order by id', [
          [uuid(31), uuid(32)],
        ])
      ).map(({ at: end }) => new Date(String(end)).toISOString());
    await tryOut(rows, async () => {
      await cancel(40);
      expect(await ends()).toEqual([at(40), at(100)]);
    });
    await tryOut(rows, async () => {
      await cancel(140);
      expect(await ends()).toEqual([at(100), at(100)]);
    });
    await tryOut(rows, async () => {
      await addPayment(rows, 31, 'processing');
      await cancel(40);
      expect(await ends()).toEqual([at(100), at(100)]);
    });
    await tryOut(rows, async () => {
      await force(rows, () =>
        rows.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1`, [
          uuid(31),
        ]),
      );
      await cancel(40);
      expect(await ends()).toEqual([at(100), at(100)]);
    });
  }),
);

test(
  'the weeks of a closure that are not over are named once each, whatever rooms they close',
  check(async (rows) => {
    const [closure, other] = [uuid(70), uuid(71)];
    const add = (id: string, studio: string, minute: number) =>
      force(rows, () =>
        rows.add('private.closed_span', {
          closure_id: id,
          studio_id: studio,
          start_time: at(minute),
          end_time: at(minute + 60),
        }),
      );
    for (const minute of [-120, -60, 0])
      for (const studio of [STUDIO, OTHER_STUDIO]) await add(closure, studio, minute);
    await add(other, STUDIO, 500);
    const starts = async (minute: number): Promise<unknown> =>
      (
        (await value(rows, 'private.closure_starts($1::uuid, $2::timestamptz)', [
          closure,
          at(minute),
        ])) as readonly string[]
      ).map((start) => new Date(start).toISOString());
    expect(await starts(-61)).toEqual([at(-120), at(-60), at(0)]);
    expect(await starts(-60)).toEqual([at(-60), at(0)]);
    expect(await starts(60)).toEqual([]);
  }),
);

test(
  'the next code of a lock for the same hours has the number after those of bookings and of staff, and of no other hours or lock',
  check(async (rows) => {
    const hours = { starts_at: at(600), ends_at: at(660) };
    const next = () =>
      value(rows, `private.next_code_variant('L', $1::timestamptz, $2::timestamptz)`, [at(600), at(660)]);
    const secret = (number: number, more: Row) =>
      force(rows, () =>
        rows.add('private.access_secret', { code_id: uuid(number), lock_id: 'L', live: true, ...hours, ...more }),
      );
    const ofStaff = (number: number, more: Row) =>
      force(rows, () =>
        rows.add('private.staff_code', {
          id: uuid(number),
          studio_id: STUDIO,
          lock_id: 'L',
          name: 'Cleaner',
          status: 'issued',
          made_by: ALEX,
          request_id: String(number),
          created_at: at(0),
          ...hours,
          ...more,
        }),
      );
    expect(await next()).toBe(1);
    const elsewhere = [{ lock_id: 'M' }, { starts_at: at(540) }, { ends_at: at(720) }];
    for (const [place, more] of elsewhere.entries()) {
      await secret(80 + place, { variant: 7, ...more });
      await ofStaff(90 + place, { variant: 8, ...more });
    }
    expect(await next()).toBe(1);
    await secret(86, { variant: 2 });
    expect(await next()).toBe(3);
    await ofStaff(96, { variant: 4 });
    expect(await next()).toBe(5);
  }),
);

test(
  'a calendar feed is a live secret until it is revoked',
  check(async (rows) => {
    const live = (subject: string) => value(rows, `private.is_secret_live('calendar-feed', $1::uuid)`, [subject]);
    await force(rows, () =>
      rows.add('private.calendar_feed', {
        id: uuid(75),
        studio_id: STUDIO,
        token_hash: 'a'.repeat(64),
        created_by: ALEX,
        created_at: at(0),
      }),
    );
    expect([await live(uuid(75)), await live(uuid(76))]).toEqual([true, false]);
    await rows.query('update private.calendar_feed set revoked_at = $1', [at(1)]);
    expect(await live(uuid(75))).toBe(false);
  }),
);

test(
  'the last opening of a door is the newest of those by bookings and by their guests',
  check(async (rows) => {
    await addBooking(rows, 30, CONFIRMED);
    await addBooking(rows, 31, { ...CONFIRMED, studio_id: OTHER_STUDIO });
    await force(rows, async () => {
      for (const [member, name] of ['Sam', 'Ash', 'Kit', 'Lee'].entries())
        await rows.add('private.crew_member', {
          id: uuid(110 + member),
          // Lee is in the other room.
          booking_id: uuid(name === 'Lee' ? 31 : 30),
          token_hash: String(member).repeat(64),
          state: 'joined',
          name,
          terms_version: '1',
          created_at: at(0),
          joined_at: at(1),
        });
      for (const [place, minute] of [605, 615, 610, 619].entries())
        await rows.add('private.crew_code', {
          id: uuid(120 + place),
          crew_member_id: uuid(110 + place),
          lock_id: 'L',
          status: 'issued',
          starts_at: at(600),
          ends_at: at(660),
          pin_encrypted: 'x',
          pin_fingerprint: String(place),
          created_at: at(0),
          used_at: at(minute),
        });
    });
    const last = async (): Promise<unknown> =>
      (
        await rows.query('select last_opening as last from private.door_states($1) where studio_id = $2', [
          at(620),
          STUDIO,
        ])
      )[0]?.['last'];
    expect(await last()).toMatchObject({ reference: 'AAAA-0030 (Ash)' });
    await force(rows, () =>
      rows.add('public.booking_access_codes', {
        id: uuid(300),
        booking_id: uuid(30),
        attempt: 1,
        status: 'issued',
        mode: 'bridge',
        starts_at: at(600),
        ends_at: at(660),
        release_at: at(585),
        created_at: at(0),
        used_at: at(616),
      }),
    );
    expect(await last()).toMatchObject({ reference: 'AAAA-0030' });
  }),
);

test(
  'prices of days belong to their room: the same for another room are set, and removing them there changes nothing',
  check(async (rows) => {
    const days = { firstDay: '2031-03-08', lastDay: '2031-03-09' };
    const prices = { name: 'Show', hourCents: Array.from({ length: 24 }, () => 9_900) };
    const set = (studioId: string | null, newPrices: object | null) =>
      value(rows, 'private.set_special_days($1::jsonb, $2::uuid, $3::timestamptz)', [
        JSON.stringify({ studioId, ...days, prices: newPrices }),
        ALEX,
        at(0),
      ]);
    const rooms = async () =>
      (
        await rows.query(
          `select studio_id as id from public.special_days where first_day = '2031-03-08' and studio_id = any ($1) order by 1`,
          [[STUDIO, OTHER_STUDIO]],
        )
      ).map(({ id }) => id);
    expect(await set(STUDIO, prices)).toBe('set');
    expect(await set(OTHER_STUDIO, null)).toBe('none');
    expect(await rooms()).toEqual([STUDIO]);
    expect(await set(OTHER_STUDIO, prices)).toBe('set');
    expect(await rooms()).toEqual([STUDIO, OTHER_STUDIO]);
    expect(await set(STUDIO, null)).toBe('set');
    expect(await rooms()).toEqual([OTHER_STUDIO]);
  }),
);

test(
  'an invitation with the same permissions waits, any other replaces it, and only owners invite people who are no staff',
  check(async (rows) => {
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [ALEX]);
    await rows.query(
      `insert into public.staff_permissions (user_id, permission) values ($1, 'owner') on conflict do nothing`,
      [ALEX],
    );
    let count = 130;
    const invite = async (permissions: readonly string[], minute = 0, actor = ALEX, email = 'new@example.com') => {
      count += 1;
      const [row] = await rows.query(
        'select outcome, id, expires_at from private.invite_staff($1, $2, $3, $4, $5, $6, $7)',
        [uuid(count), email, [...permissions], `token ${count}`, at(minute + 100), actor, at(minute)],
      );
      return { outcome: row?.['outcome'], id: row?.['id'] };
    };
    expect(await invite(['money'], 0, KIM)).toEqual({ outcome: 'not_owner', id: null });
    const address = String(await value(rows, '(select email from auth.users where id = $1)', [ALEX]));
    expect((await invite(['money'], 0, ALEX, address)).outcome).toBe('already_staff');
    const first = await invite(['money', 'bookings']);
    expect(first.outcome).toBe('invited');
    expect(await invite(['bookings', 'money'])).toEqual({ outcome: 'waiting', id: first.id });
    for (const [permissions, minute] of [
      [['money'], 1],
      [['money', 'bookings'], 2],
      [['money', 'bookings', 'identity'], 3],
      // The previous invitation has expired.
      [['money', 'bookings', 'identity'], 103],
    ] as const)
      expect(await invite(permissions, minute)).toEqual({ outcome: 'invited', id: uuid(count) });
    expect(await rows.query('select id from private.staff_invitation where revoked_at is null')).toEqual([
      { id: uuid(count) },
    ]);
  }),
);

test(
  'a photo of a report may be added from a quarter of an hour before a confirmed session until 30 days after it, twelve a day',
  check(async (rows) => {
    const now = Date.now();
    const from = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();
    const may = () => value(rows, 'public.may_add_report_photo()');
    const session = async (start: number, end: number, more: Row = {}): Promise<unknown> => {
      await rows.setClaims(null);
      await rows.query('delete from private.booking');
      await addBooking(rows, 30, { ...CONFIRMED, start_time: from(start), end_time: from(end), ...more });
      await rows.setClaims({ role: 'authenticated', sub: ALEX });
      return may();
    };
    const DAYS = 24 * HOUR;
    expect(await session(14, 74)).toBe(true);
    expect(await session(16, 76)).toBe(false);
    expect(await session(-30 * DAYS - 59, -30 * DAYS + 1)).toBe(true);
    expect(await session(-30 * DAYS - 61, -30 * DAYS - 1)).toBe(false);
    expect(await session(0, 60, { status: 'pending' })).toBe(false);
    expect(await session(0, 60, { user_id: KIM })).toBe(false);
    expect(await session(0, 60)).toBe(true);
    const photo = (number: number, more: Row = {}) =>
      force(rows, () =>
        rows.add('storage.objects', {
          id: uuid(200 + number),
          bucket_id: 'incidents',
          name: `${ALEX}/${number}.jpg`,
          owner: ALEX,
          storage_key: uuid(200 + number),
          content_type: 'image/jpeg',
          size: 1,
          created_at: from(-23 * HOUR),
          ...more,
        }),
      );
    for (let number = 0; number < 11; number += 1) await photo(number);
    await photo(20, { bucket_id: 'other' });
    await photo(21, { owner: KIM });
    await photo(22, { created_at: from(-25 * HOUR) });
    expect(await may()).toBe(true);
    await photo(11);
    expect(await may()).toBe(false);
  }),
);
