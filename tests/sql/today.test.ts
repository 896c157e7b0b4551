import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALERT_KINDS } from '#rules/alerts/alerts.ts';
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
 * Tests the query of the Today page. NOW is 11 am on 1 March in Sydney, so that day runs from 660 minutes before NOW to 780 minutes after
 * it.
 */
let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const NOW = at(0);
const STAFF = { role: 'authenticated', sub: ALEX };
const ALL = ['bookings', 'identity', 'money', 'settings'] as const;

/** Runs a test as Alex, who is staff with these permissions. */
const asStaff = (permissions: readonly string[], work: (rows: Rows) => Promise<void>) => (): Promise<void> =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [ALEX]);
    await give(rows, permissions);
    await rows.setClaims(STAFF);
    await work(rows);
  });
const give = (rows: Rows, permissions: readonly string[]) =>
  force(rows, async () => {
    await rows.query('delete from public.staff_permissions where user_id = $1', [ALEX]);
    for (const permission of permissions)
      await rows.add('public.staff_permissions', { user_id: ALEX, permission, created_at: NOW });
  });

const addCode = (rows: Rows, booking: number, more: Row): Promise<Row> =>
  force(rows, () =>
    rows.add('public.booking_access_codes', {
      id: uuid(booking * 10 + Number(more['attempt'] ?? 1)),
      booking_id: uuid(booking),
      attempt: 1,
      status: 'issued',
      mode: 'bridge',
      starts_at: at(0),
      ends_at: at(60),
      release_at: at(0),
      created_at: at(-50),
      ...more,
    }),
  );
const addJob = (rows: Rows, number: number, more: Row): Promise<Row> =>
  rows.add('private.outbox', {
    id: uuid(number),
    kind: 'mail.booking-confirmed',
    subject_id: uuid(30),
    dedupe: String(number),
    payload: {},
    due_at: at(9),
    tries: 3,
    lease_until: '-infinity',
    created_at: at(-90),
    ...more,
  });

const day = (rows: Rows, date = '2031-03-01') => rows.query('select * from public.bookings_of_day($1::date)', [date]);
const formatReferences = (found: readonly Row[]): string =>
  found.map((row) => String(row['reference']).slice(-2)).join(' ');

test(
  'bookings_of_day returns the live bookings that overlap the day in Sydney, earliest first',
  asStaff(['bookings'], async (rows) => {
    const hours = (from: number, to: number) => ({ start_time: at(from), end_time: at(to), status: 'confirmed' });
    await addBooking(rows, 30, hours(-780, -660));
    await addBooking(rows, 31, { ...hours(-720, -600), studio_id: OTHER_STUDIO, user_id: KIM });
    await addBooking(rows, 32, hours(60, 120));
    await addBooking(rows, 33, { ...hours(60, 120), studio_id: OTHER_STUDIO, studio_name: 'Other', status: 'pending' });
    await addBooking(rows, 34, { ...hours(200, 260), status: 'cancelled', cancel_reason: 'staff' });
    await addBooking(rows, 35, hours(720, 840));
    await addBooking(rows, 36, { ...hours(780, 840), studio_id: OTHER_STUDIO });
    expect(formatReferences(await day(rows))).toBe('31 33 32 35');
    expect(formatReferences(await day(rows, '2031-02-28'))).toBe('30 31');
  }),
);

test(
  'bookings_of_day says how far the newest code has come that did not fail, and when the mail left',
  asStaff(['bookings'], async (rows) => {
    await addBooking(rows, 30, { status: 'confirmed', guest_email: 'guest@example.com', user_id: null });
    const names = ['due', 'requested', 'accepted', 'mailed', 'seen', 'used'];
    const minutes = names.map((name) => `(extract(epoch from code_${name}_at - $1::timestamptz) / 60)::int`);
    const codes = (): Promise<unknown> =>
      rows.value(`select jsonb_build_array(${minutes.join(', ')}) from public.bookings_of_day('2031-03-01')`, [NOW]);
    await addJob(rows, 90, { kind: 'access.request', due_at: at(540) });
    expect(await codes()).toEqual([540, null, null, null, null, null]);
    await rows.query('update private.outbox set done_at = now()');
    await addCode(rows, 30, { status: 'requested' });
    expect(await codes()).toEqual([null, -50, null, null, null, null]);
    await rows.query(`update public.booking_access_codes set issued_at = $1, seen_at = $2, used_at = $3`, [
      at(-40),
      at(-20),
      at(-10),
    ]);
    await force(rows, () =>
      rows.add('public.scheduled_emails', {
        id: uuid(95),
        booking_id: uuid(30),
        recipient_email: 'x@example.com',
        email_type: 'access_code',
        status: 'sent',
        scheduled_for: at(-31),
        sent_at: at(-30),
        created_at: at(-60),
      }),
    );
    await addCode(rows, 30, { attempt: 2, status: 'failed', created_at: at(-5) });
    expect(await codes()).toEqual([null, -50, -40, -30, -20, -10]);
    expect((await day(rows))[0]).toMatchObject({ customer_email: 'guest@example.com', is_test: false });
  }),
);

test(
  'bookings_of_day and staff_alerts know only the code and the mail of the hours after a move',
  asStaff(['bookings'], async (rows) => {
    await addBooking(rows, 30, { status: 'confirmed', confirmed_at: at(-120), start_time: at(20), end_time: at(80) });
    await addCode(rows, 30, { status: 'revoked', issued_at: at(-40), seen_at: at(-40) });
    const mail = { booking_id: uuid(30), recipient_email: 'x@example.com', email_type: 'access_code', status: 'sent' };
    const add = (number: number, minute: number) =>
      rows.add('public.scheduled_emails', {
        id: uuid(number),
        ...mail,
        scheduled_for: at(minute),
        sent_at: at(minute),
        created_at: at(minute),
      });
    await force(rows, async () => {
      await add(95, -50);
      await rows.add('private.booking_move', {
        booking_id: uuid(30),
        number: 1,
        from_studio_id: OTHER_STUDIO,
        from_start_time: at(0),
        from_end_time: at(60),
        studio_id: STUDIO,
        start_time: at(20),
        end_time: at(80),
        final_cost_cents: 4900,
        difference_cents: 0,
        refund_cents: 0,
        last_code: 1,
        actor: ALEX,
        created_at: at(-30),
      });
    });
    const expected = { code_requested_at: null, code_accepted_at: null, code_mailed_at: null, code_seen_at: null };
    expect(await day(rows)).toMatchObject([expected]);
    expect(await alerts(rows)).toEqual(['code_missing AAAA-0030']);
    await addCode(rows, 30, { attempt: 2, issued_at: at(-20) });
    await force(rows, () => add(96, -10));
    expect(await alerts(rows)).toEqual([]);
    const times = { code_accepted_at: expect.anything(), code_mailed_at: expect.anything(), code_seen_at: null };
    expect(await day(rows)).toMatchObject([times]);
  }),
);

const addDispute = (rows: Rows, payment: number, more: Row): Promise<Row> =>
  force(rows, () =>
    rows.add('private.dispute', {
      id: 'd',
      payment_id: uuid(payment),
      status: 'open',
      provider_status: 'needs_response',
      needs_response: true,
      reason: 'fraudulent',
      amount_cents: 4900,
      due_at: at(9000),
      opened_at: at(-50),
      ...more,
    }),
  );
const recordLock = (rows: Rows, online: boolean | null, battery: number | null, minute: number) =>
  rows.query('select private.record_lock_state($1, $2, $3, $4, 20, $5)', [STUDIO, 'lock', online, battery, at(minute)]);

const alerts = async (rows: Rows): Promise<unknown> =>
  rows.value(
    `select coalesce(jsonb_agg(concat_ws(' ', a.kind, a.reference, right(a.job_id::text, 2))), '[]') from public.staff_alerts($1) a`,
    [NOW],
  );

/** Adds one problem of every kind. The lower numbers are those of the references, the higher ones those of the jobs. */
async function addTroubles(rows: Rows): Promise<void> {
  const confirmed = { status: 'confirmed', confirmed_at: at(-120) };
  await addBooking(rows, 30, { ...confirmed, start_time: at(20), end_time: at(80) });
  await addBooking(rows, 31, { ...confirmed, start_time: at(300), end_time: at(360) });
  await addPayment(rows, 31, 'refund_failed', { updated_at: at(-70) });
  await addJob(rows, 91, {
    kind: 'payment.refund',
    subject_id: uuid(3101),
    alerted_at: at(-65),
    last_error: 'no money',
  });
  await addBooking(rows, 32, { ...confirmed, start_time: at(400), end_time: at(460) });
  await addPayment(rows, 32, 'disputed', { dispute_id: 'd', dispute_status: 'open', updated_at: at(-50) });
  await addJob(rows, 92, { alerted_at: at(-30) });
  await addJob(rows, 93, { closed_at: at(-25), close_reason: 'too late' });
  await force(rows, () =>
    rows.query(
      `insert into public.id_verifications (user_id, source, verification_status, created_at) values ($1, 'photo', 'review', $2)`,
      [KIM, at(-80)],
    ),
  );
}

test(
  'staff_alerts returns exactly the kinds that have words, an action and a place in rules/alerts',
  asStaff(ALL, async (rows) => {
    const source = String(await rows.value(`select pg_get_functiondef('public.staff_alerts'::regproc)`));
    const kinds = [...source.matchAll(/select '(\w+)'(?: as kind)?,|(?:then|else) '(job_\w+)'/g)];
    expect(new Set(kinds.map(([, kind, ofJob]) => kind ?? ofJob))).toEqual(new Set(ALERT_KINDS));
  }),
);

test(
  'staff_alerts returns what needs a person, oldest first',
  asStaff(ALL, async (rows) => {
    await addTroubles(rows);
    expect(await alerts(rows)).toEqual([
      'id_waiting',
      'refund_failed AAAA-0031 91',
      'code_held AAAA-0032',
      'job_failing AAAA-0030 92',
      'job_late AAAA-0030 93',
      'code_missing AAAA-0030',
    ]);
  }),
);

/** Adds a code that Kim was shown. It ends an hour after NOW. */
const addSecret = (rows: Rows, more: Row) =>
  force(rows, () =>
    rows.add('private.shown_secret', {
      id: uuid(70),
      kind: 'staff-code',
      subject_id: uuid(71),
      studio_id: STUDIO,
      shown_to: KIM,
      permission: 'bookings',
      shown_at: at(-300),
      ends_at: at(60),
      lost_at: at(-10),
      ...more,
    }),
  );

test(
  'staff_alerts shows owners a code that a former colleague knows, while it opens a door and no job is about to remove it',
  asStaff(['owner'], async (rows) => {
    const shown = (minute = 0) =>
      rows.query('select kind, since, due, problem, studio_name, customer_name from public.staff_alerts($1)', [
        at(minute),
      ]);
    await addSecret(rows, {});
    const [alert, ...others] = await shown();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      kind: 'secret_stays',
      since: new Date(at(-10)),
      due: new Date(at(60)),
      problem: 'staff-code',
    });
    expect([alert?.['studio_name'], alert?.['customer_name']]).not.toContain(null);
    expect(await shown(60)).toEqual([]);
    for (const permission of ALL) {
      await give(rows, [permission]);
      expect(await shown(), permission).toEqual([]);
    }
    await give(rows, ['owner']);
    const change = (changes: string) =>
      force(rows, () => rows.query(`update private.shown_secret set ${changes} where id = $1`, [uuid(70)]));
    for (const changes of ['lost_at = null', 'ended_at = now()']) {
      await change(changes);
      expect(await shown(), changes).toEqual([]);
      await change(`lost_at = '${at(-10)}', ended_at = null`);
      expect(await shown()).toHaveLength(1);
    }
    await addJob(rows, 97, { kind: 'access.end-secret', subject_id: uuid(70), alerted_at: null });
    expect(await shown()).toEqual([]);
  }),
);

test(
  'staff_alerts shows each permission its own alerts, and an owner all',
  asStaff([], async (rows) => {
    await addTroubles(rows);
    const kinds = () =>
      rows.value(`select coalesce(string_agg(a.kind, ' '), '') from public.staff_alerts($1) a`, [NOW]);
    const seen: Record<string, unknown> = {};
    for (const permission of [...ALL, 'owner']) {
      await give(rows, [permission]);
      seen[permission] = await kinds();
    }
    expect(seen).toEqual({
      bookings: 'code_held job_failing job_late code_missing',
      identity: 'id_waiting',
      money: 'refund_failed code_held',
      settings: '',
      owner: 'id_waiting refund_failed code_held job_failing job_late code_missing',
    });
  }),
);

test(
  'staff_alerts shows a raised booking without an ID to who may decide, until somebody does, the ID is verified or the session is over',
  asStaff(['bookings'], async (rows) => {
    const hours = { status: 'confirmed', start_time: at(60), end_time: at(120), confirmed_at: at(-1) };
    await addBooking(rows, 30, { ...hours, user_id: KIM });
    await rows.add('private.lost_verification', { user_id: KIM, lost_at: at(-20) });
    expect(await alerts(rows)).toEqual([]);
    expect(await rows.value(`select private.raise_missing_ids($1, '1 hour')`, [NOW])).toBe(1);
    for (const permission of ['bookings', 'identity', 'owner']) {
      await give(rows, [permission]);
      expect([permission, await alerts(rows)]).toEqual([permission, ['id_missing AAAA-0030']]);
    }
    await give(rows, ['money', 'settings']);
    expect(await alerts(rows)).toEqual([]);
    await give(rows, ['identity']);
    const kinds = (minute: number) =>
      rows.query('select kind, since from public.staff_alerts($1)', [at(minute)]).then((found) => found.length);
    expect([await kinds(119), await kinds(120)]).toEqual([1, 0]);
    await rows.query(`update private.missing_id set kept_at = now(), kept_by = $1, kept_reason = 'x'`, [ALEX]);
    expect(await kinds(0)).toBe(0);
    await rows.query(`update private.missing_id set kept_at = null, kept_by = null, kept_reason = null`);
    expect(await kinds(0)).toBe(1);
    await rows.query(
      `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at)
       values ($1, 'photo', 'verified', now(), now())`,
      [KIM],
    );
    expect(await kinds(0)).toBe(0);
  }),
);

test(
  'staff_alerts shows a lock that the lock service does not list, to who books and to who can change the room, until another lock is found',
  asStaff(['settings'], async (rows) => {
    const recordKnown = (isKnown: boolean, minutes: number) =>
      rows.query('select private.record_lock_known($1, $2, $3, $4)', [STUDIO, 'lock', isKnown, at(minutes)]);
    const lockAlerts = () =>
      rows.query('select kind, since, studio_name from public.staff_alerts($1) where studio_name is not null', [NOW]);
    await recordLock(rows, null, 5, -60);
    await recordKnown(true, -60);
    expect(await lockAlerts()).toEqual([]);
    await recordKnown(false, -50);
    await recordKnown(false, -40);
    const unknown = { kind: 'lock_unknown', since: new Date(at(-50)), studio_name: 'Testing' };
    expect(await lockAlerts()).toEqual([unknown]);
    await give(rows, ['bookings']);
    expect(await lockAlerts()).toMatchObject([{ kind: 'battery_low' }, unknown]);
    await give(rows, ['money', 'identity']);
    expect(await lockAlerts()).toEqual([]);
    await give(rows, ['settings']);
    await rows.query(`update private.lock_state set lock_id = 'another'`);
    expect(await lockAlerts()).toEqual([]);
    await rows.query('update private.lock_state set lock_id = $1', ['lock']);
    await recordKnown(false, -30);
    await recordKnown(true, -20);
    expect(await lockAlerts()).toEqual([]);
  }),
);

test(
  'staff_alerts shows a lock that two checks in a row did not reach, and a low battery, until they are well again',
  asStaff(['bookings'], async (rows) => {
    const lockAlerts = () =>
      rows.query('select kind, since, problem from public.staff_alerts($1) where studio_name is not null', [NOW]);
    await recordLock(rows, true, 21, -60);
    await recordLock(rows, false, null, -50);
    expect(await lockAlerts()).toEqual([]);
    await recordLock(rows, false, 20, -40);
    await recordLock(rows, false, 19, -30);
    const offline = { kind: 'lock_offline', since: new Date(at(-50)), problem: null };
    const low = { kind: 'battery_low', since: new Date(at(-40)), problem: '19 %' };
    expect(await lockAlerts()).toMatchObject([offline, low]);
    expect(await rows.value('select heard_at from private.lock_state')).toEqual(new Date(at(-60)));
    await recordLock(rows, null, 90, -10);
    expect(await lockAlerts()).toEqual([]);
    await recordLock(rows, false, 9, -9);
    await recordLock(rows, false, 9, -8);
    await rows.query('update public.studios set active = false');
    expect(await lockAlerts()).toEqual([]);
    await give(rows, ['money', 'identity', 'settings']);
    await rows.query('update public.studios set active = true');
    expect(await lockAlerts()).toEqual([]);
  }),
);

test(
  'staff_alerts shows a dispute from its opening with the day by which the bank wants an answer, until it has one',
  asStaff(['money'], async (rows) => {
    const disputed = { dispute_id: 'd', dispute_status: 'open', updated_at: at(-20) };
    await addBooking(rows, 32, { status: 'confirmed', start_time: at(-120), end_time: at(-60) });
    await addPayment(rows, 32, 'disputed', disputed);
    await addDispute(rows, 3201, {});
    const found = () => rows.query('select kind, since, due, problem from public.staff_alerts($1)', [NOW]);
    const since = new Date(at(-50));
    expect(await found()).toEqual([{ kind: 'dispute', since, due: new Date(at(9000)), problem: 'fraudulent' }]);
    await rows.query(`update private.dispute set needs_response = false, provider_status = 'under_review'`);
    expect(await found()).toEqual([]);
  }),
);

test(
  'staff_alerts shows a session whose code is held, once, to staff with bookings or money, the reason only with money, until it is decided or over',
  asStaff(['money'], async (rows) => {
    const hours = { status: 'confirmed', start_time: at(20), end_time: at(80), confirmed_at: at(-120) };
    await addBooking(rows, 32, hours);
    await addPayment(rows, 32, 'disputed', { dispute_id: 'd', dispute_status: 'open', updated_at: at(-20) });
    await addDispute(rows, 3201, {});
    const found = (minute = 0) =>
      rows.query('select kind, since, due, problem from public.staff_alerts($1)', [at(minute)]);
    const held = { kind: 'code_held', since: new Date(at(-50)), due: new Date(at(5)) };
    expect(await found()).toEqual([{ ...held, problem: 'fraudulent' }]);
    await give(rows, ['bookings']);
    expect(await found()).toEqual([{ ...held, problem: null }]);
    await give(rows, ['identity', 'settings']);
    expect(await found()).toEqual([]);
    await give(rows, ['money']);
    expect([(await found(79)).length, await found(80)]).toEqual([1, [expect.objectContaining({ kind: 'dispute' })]]);
    await rows.query(`update private.payment set dispute_status = 'lost', state = 'dispute_lost'`);
    await rows.query(`update private.dispute set status = 'lost', needs_response = false`);
    expect(await found()).toMatchObject([{ kind: 'code_held' }]);
    await rows.query(`insert into private.kept_dispute values ($1, 'd', now(), $2)`, [uuid(32), ALEX]);
    expect(await found()).toEqual([]);
  }),
);

test(
  'staff_alerts shows a mail that the mail server refused for good at once and once, and other failures as failing jobs',
  asStaff(['bookings'], async (rows) => {
    await addBooking(rows, 30, { status: 'confirmed' });
    await addJob(rows, 91, { tries: 1, last_error: 'mail: smtp_550' });
    await addJob(rows, 92, { alerted_at: at(-9), last_error: 'mail: smtp_553' });
    await addJob(rows, 93, { alerted_at: at(-8), last_error: 'mail: smtp_535' });
    await addJob(rows, 94, { tries: 1, last_error: 'mail: smtp_450' });
    await addJob(rows, 95, { kind: 'mail.review-waiting', last_error: 'mail: smtp_550' });
    await addJob(rows, 96, { last_error: 'mail: smtp_550', closed_at: at(-8), close_reason: 'x', closed_by: ALEX });
    await addJob(rows, 97, { last_error: 'mail: smtp_550', closed_at: at(-8), close_reason: 'too late' });
    expect(await alerts(rows)).toEqual([
      'mail_bounced AAAA-0030 91',
      'mail_bounced AAAA-0030 92',
      'job_failing AAAA-0030 93',
      'job_late AAAA-0030 97',
    ]);
  }),
);

test(
  'staff_alerts names the room whose lock is meant by its present name, also of a code without a booking and of one that a moved booking left in the old lock',
  asStaff(ALL, async (rows) => {
    await rows.query(`update public.studios set name = 'Renamed' where id = $1`, [STUDIO]);
    await rows.query(`insert into private.studio_lock values ($1, 'old lock'), ($2, 'new lock')`, [
      OTHER_STUDIO,
      STUDIO,
    ]);
    await addBooking(rows, 30, { status: 'confirmed' });
    await addCode(rows, 30, {});
    await rows.add('private.access_secret', {
      code_id: uuid(301),
      lock_id: 'old lock',
      variant: 0,
      starts_at: at(0),
      ends_at: at(60),
      live: true,
    });
    await force(rows, () =>
      rows.add('private.staff_code', {
        id: uuid(77),
        studio_id: OTHER_STUDIO,
        lock_id: 'gone',
        name: 'Cleaner',
        status: 'revoking',
        starts_at: at(0),
        ends_at: at(60),
        variant: 0,
        made_by: ALEX,
        request_id: 'x',
        created_at: NOW,
      }),
    );
    const failing = { alerted_at: at(-9), last_error: 'igloohome: http_404' };
    await addJob(rows, 91, { ...failing, kind: 'access.request' });
    await addJob(rows, 92, { ...failing, kind: 'access.revoke', payload: { codeId: uuid(301) } });
    await addJob(rows, 93, { ...failing, kind: 'access.revoke' });
    await addJob(rows, 94, { ...failing, kind: 'access.revoke-staff', subject_id: uuid(77) });
    const found = await rows.query(
      `select job_id as job, reference, studio_name as room from public.staff_alerts($1) where kind = 'job_failing' order by job_id`,
      [NOW],
    );
    expect(found).toEqual([
      { job: uuid(91), reference: 'AAAA-0030', room: 'Renamed' },
      { job: uuid(92), reference: 'AAAA-0030', room: 'Other' },
      { job: uuid(93), reference: 'AAAA-0030', room: 'Renamed' },
      { job: uuid(94), reference: null, room: 'Other' },
    ]);
  }),
);

test(
  'staff_alerts leaves out what is done, closed by a person or long closed, and sessions that have a code, are test bookings, over or just paid',
  asStaff(ALL, async (rows) => {
    const soon = { status: 'confirmed', confirmed_at: at(-120), start_time: at(30), end_time: at(90) };
    await addBooking(rows, 30, soon);
    await addCode(rows, 30, { issued_at: at(-1) });
    const elsewhere = { ...soon, studio_id: OTHER_STUDIO };
    await addBooking(rows, 31, { ...elsewhere, notes: 'test', start_time: at(-30), end_time: at(10) });
    await addBooking(rows, 32, { ...soon, start_time: at(-60), end_time: at(0) });
    await addBooking(rows, 33, { ...elsewhere, confirmed_at: at(-4), start_time: at(10), end_time: at(31) });
    await addBooking(rows, 34, { ...elsewhere, start_time: at(31), end_time: at(91) });
    await addJob(rows, 91, { alerted_at: at(-9), done_at: at(-8) });
    await addJob(rows, 92, { alerted_at: at(-9), closed_at: at(-8), close_reason: 'by phone', closed_by: ALEX });
    await addJob(rows, 93, { closed_at: at(-1441), close_reason: 'too late' });
    await addJob(rows, 94, {});
    expect(await alerts(rows)).toEqual([]);
    // Each is omitted for exactly one reason.
    await rows.query(`update public.booking_access_codes set issued_at = null`);
    expect(await alerts(rows)).toEqual(['code_missing AAAA-0030']);
  }),
);

test(
  'guests, customers and staff without the permission do not see the bookings of a day, and nobody but staff sees alerts',
  asStaff(['identity', 'money', 'settings'], async (rows) => {
    expect((await rows.refusal(() => day(rows)))?.code).toBe('42501');
    for (const claims of [null, { role: 'anon' }, { role: 'authenticated', sub: KIM }]) {
      await rows.setClaims(claims);
      expect((await rows.refusal(() => day(rows)))?.code).toBe('42501');
      expect((await rows.refusal(() => alerts(rows)))?.code).toBe('42501');
    }
    await rows.setClaims({ role: 'service_role' });
    expect([await day(rows), await alerts(rows)]).toEqual([[], []]);
  }),
);

const calendar = (rows: Rows, first: string, days: number, studio: string | null = null) =>
  rows.query<{ kind: string; reference: string | null; reason: string | null }>(
    'select * from public.staff_calendar($1::date, $2::integer, $3::uuid)',
    [first, days, studio],
  );
const formatNames = (found: readonly { kind: string; reference: string | null; reason: string | null }[]): string =>
  found.map(({ kind, reference, reason }) => `${kind} ${reference?.slice(-2) ?? reason}`).join(', ');
/** Closes hours of the studio for two weeks. Times are in minutes from NOW. */
const close = (rows: Rows, from: number, until: number, studio: string | null = STUDIO): Promise<unknown> =>
  rows.query('select private.close_hours($1::jsonb, $2::uuid, $3)', [
    { studioId: studio, startTime: at(from), endTime: at(until), weeks: 2, reason: 'Cleaning', public: false },
    ALEX,
    NOW,
  ]);

test(
  'staff_calendar returns what overlaps the days in Sydney, of all studios or one, with holds and closures and without what is cancelled',
  asStaff(['bookings'], async (rows) => {
    const hours = (from: number, to: number) => ({ start_time: at(from), end_time: at(to), status: 'confirmed' });
    await addBooking(rows, 30, hours(-780, -660));
    await addBooking(rows, 31, {
      ...hours(-720, -600),
      studio_id: OTHER_STUDIO,
      guest_name: 'Kim Guest',
      user_id: null,
    });
    await addBooking(rows, 32, { ...hours(60, 120), status: 'pending' });
    await addBooking(rows, 33, { ...hours(200, 260), status: 'cancelled', cancel_reason: 'staff' });
    await addBooking(rows, 34, hours(780, 840));
    await close(rows, 240, 300);
    expect(formatNames(await calendar(rows, '2031-03-01', 1))).toBe('booking 31, hold 32, closure Cleaning');
    expect(formatNames(await calendar(rows, '2031-03-01', 1, STUDIO))).toBe('hold 32, closure Cleaning');
    expect(formatNames(await calendar(rows, '2031-03-01', 8, STUDIO))).toBe(
      'hold 32, closure Cleaning, booking 34, closure Cleaning',
    );
    await addBooking(rows, 35, {
      ...hours(300, 360),
      status: 'pending',
      user_id: null,
      moves_booking: uuid(31),
      move_number: 1,
    });
    expect((await calendar(rows, '2031-03-01', 1)).at(-1)).toMatchObject({
      kind: 'hold',
      reference: 'AAAA-0031',
      customer_name: 'Kim Guest',
    });
    expect((await calendar(rows, '2031-03-01', 1))[0]).toMatchObject({
      customer_name: 'Kim Guest',
      final_cost: '49.00',
      is_test: false,
    });
  }),
);

test(
  'free_hours subtracts bookings, holds and closures once each, day by day, of all active studios or one',
  asStaff(['bookings'], async (rows) => {
    await rows.query(`insert into public.studios (id, name, hourly_rate, active) values ($1, 'Retired', 49, false)`, [
      uuid(12),
    ]);
    const hours = (from: number, to: number) => ({ start_time: at(from), end_time: at(to), status: 'confirmed' });
    await addBooking(rows, 31, { ...hours(-720, -600), studio_id: OTHER_STUDIO });
    await addBooking(rows, 32, { ...hours(60, 120), status: 'pending' });
    await close(rows, 240, 300);
    await close(rows, 270, 360, null);
    const read = async (first: string, days: number, studio: string | null = null): Promise<unknown> =>
      (await rows.query('select * from public.free_hours($1::date, $2::integer, $3::uuid)', [first, days, studio])).map(
        ({ hours: all, free }) => [Number(all), Number(free)],
      );
    expect(await read('2031-02-28', 3)).toEqual([
      [48, 47],
      [48, 48 - 1 - 1 - 2 - 1.5],
      [48, 48],
    ]);
    expect(await read('2031-03-01', 1, STUDIO)).toEqual([[24, 21]]);
    expect(await read('2031-04-06', 1, STUDIO)).toEqual([[25, 25]]);
    expect(await read('2031-10-05', 1, STUDIO)).toEqual([[23, 23]]);
  }),
);

test.each(['staff_calendar', 'free_hours'])('%s is for staff with the permission, and for 1 to 42 days', (name) =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    const call = (days: number): Promise<unknown> =>
      rows.query(`select * from public.${name}('2031-03-01', $1::integer)`, [days]);
    const refusal = (days: number): Promise<unknown> =>
      tryOut(rows, () => call(days).then(() => null)).catch((error: { code?: string }) => error.code);
    await rows.setClaims(STAFF);
    expect(await refusal(1)).toBe('42501');
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [ALEX]);
    await give(rows, ['identity', 'money', 'settings']);
    expect(await refusal(1)).toBe('42501');
    await give(rows, ['bookings']);
    const refusals: unknown[] = [];
    for (const days of [0, 1, 42, 43]) refusals.push(await refusal(days));
    expect(refusals).toEqual(['22023', null, null, '22023']);
  }),
);
