import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRows, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import { addBooking, addPayment, addStudiosAndCustomers, ALEX, at, force, KIM, STUDIO } from './booking-rows.ts';

/** Tests what staff and the customer see of a booking, and the mails that staff send again. */
let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const STAFF = { role: 'authenticated', sub: ALEX };

/** Runs a test with a confirmed booking of Kim's, without a signed-in caller at first. */
const asCustomer = (work: (rows: Rows) => Promise<void>) => (): Promise<void> =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await addBooking(rows, 30, BOOKING);
    await work(rows);
  });
const BOOKING = {
  user_id: KIM,
  status: 'confirmed',
  reference: 'ABCD-2345',
  policy: { freeCancelHours: 12 },
  start_time: '2999-03-01T00:00:00Z',
  end_time: '2999-03-01T01:00:00Z',
};

/** Runs a test as Alex, who is staff with this permission. The booking is Kim's. */
const asStaff = (permission: string, work: (rows: Rows) => Promise<void>) => (): Promise<void> =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [ALEX]);
    await force(rows, () => rows.query('update public.staff_permissions set permission = $1', [permission]));
    await addBooking(rows, 30, BOOKING);
    await rows.setClaims(STAFF);
    await work(rows);
  });
const details = (rows: Rows, reference = 'ABCD-2345') => rows.value('select public.booking_details($1)', [reference]);

test(
  'booking_details finds a booking by its reference, typed in any way, and answers null without one',
  asStaff('bookings', async (rows) => {
    for (const typed of ['ABCD-2345', 'abcd2345', ' ab cd-23 45 '])
      expect(await details(rows, typed)).toMatchObject({ id: uuid(30), reference: 'ABCD-2345', freeCancelHours: 12 });
    expect([await details(rows, 'ABCD-2346'), await details(rows, ''), await details(rows, 'ABCD-23455')]).toEqual([
      null,
      null,
      null,
    ]);
  }),
);

test(
  'booking_details names the room by its id, which stays when the room is renamed',
  asStaff('bookings', async (rows) => {
    const { studioId } = (await details(rows)) as { studioId?: string };
    await rows.setClaims(null);
    await rows.query(`update public.studios set name = 'The Loft' where id = $1`, [STUDIO]);
    await rows.setClaims(STAFF);
    expect([studioId, await details(rows)]).toEqual([STUDIO, expect.objectContaining({ studioId: STUDIO })]);
  }),
);

test(
  'booking_details says that a link is open only of an unpaid booking by staff, also of an order, and not of new hours or the hold of a customer',
  asStaff('bookings', async (rows) => {
    const pending = { status: 'pending', user_id: KIM, made_by: ALEX };
    const hour = (after: number) => ({ start_time: at(600 + 60 * after), end_time: at(660 + 60 * after) });
    await addBooking(rows, 31, { ...pending, ...hour(1), reference: 'LINK-2345' });
    await addBooking(rows, 32, { ...pending, ...hour(2), reference: 'PAYD-2345', status: 'confirmed' });
    await addBooking(rows, 33, { ...pending, ...hour(3), reference: 'HELD-2345', made_by: null });
    await addBooking(rows, 34, {
      ...pending,
      ...hour(4),
      reference: 'MVVE-2345',
      user_id: null,
      moves_booking: uuid(30),
      move_number: 1,
    });
    await addBooking(rows, 35, {
      ...pending,
      ...hour(5),
      reference: 'RDER-2345',
      order_id: uuid(35),
      order_place: 1,
      order_size: 2,
    });
    const open = async (reference: string) => ((await details(rows, reference)) as { openLink?: boolean }).openLink;
    expect(await open('LINK-2345')).toBe(true);
    expect(await open('RDER-2345')).toBe(true);
    for (const other of ['ABCD-2345', 'PAYD-2345', 'HELD-2345', 'MVVE-2345'])
      expect(await open(other), other).toBe(false);
  }),
);

test(
  'booking_details says of an unpaid booking of an order how many are held with it and what they cost, and nothing once they are paid',
  asStaff('bookings', async (rows) => {
    const ofOrder = (place: number) => ({
      order_id: uuid(41),
      order_place: place,
      order_size: 2,
      start_time: at(600 + 60 * place),
      end_time: at(660 + 60 * place),
      made_by: ALEX,
      reference: `RDER-234${place + 1}`,
    });
    for (const place of [1, 2]) await addBooking(rows, 40 + place, { ...ofOrder(place), status: 'pending' });
    const held = async (reference: string) =>
      ((await details(rows, reference)) as { heldTogether?: unknown }).heldTogether;
    const both = { bookings: 2, cents: 9_800 };
    expect([await held('RDER-2342'), await held('RDER-2343'), await held('ABCD-2345')]).toEqual([both, both, null]);
    await force(rows, () =>
      rows.query(`update private.booking set status = 'confirmed' where order_id = $1`, [uuid(41)]),
    );
    expect(await held('RDER-2342')).toBeNull();
  }),
);

test(
  'booking_details has the payments with what is left of each, the refunds, the decision of staff, the mails, and for who may see it the ID',
  asStaff('bookings', async (rows) => {
    await addPayment(rows, 30, 'expired');
    await addPayment(rows, 30, 'paid', { attempt: 2, paid_cents: 4900, refunded_cents: 500, payment_intent_id: 'pi' });
    await force(rows, async () => {
      const decided = { actor: ALEX, created_at: at(0) };
      await rows.add('private.partial_refund', {
        id: uuid(50),
        payment_id: uuid(3002),
        request_key: 'k',
        amount_cents: 1500,
        reason: 'Sorry',
        state: 'pending',
        updated_at: at(0),
        ...decided,
      });
      const cancelled = { booking_id: uuid(30), refund: 'part', refund_cents: 1500, reason: 'Broken mixer' };
      await rows.add('private.cancellation', { ...cancelled, ...decided });
      for (const [status, expires] of [
        ['verified', '2999-01-01'],
        ['failed', null],
      ])
        await rows.query(
          `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at) values ($1, 'photo', $2, $3::timestamptz - interval '1 year', $3)`,
          [KIM, status, expires],
        );
      await rows.query(
        `insert into private.outbox (kind, subject_id, due_at, last_error) values ('mail.booking-confirmed', $1, $2, 'no mail server'), ('access.revoke', $1, $2, 'x')`,
        [uuid(30), at(0)],
      );
    });
    expect(await details(rows)).toMatchObject({
      finalCents: 4900,
      customer: { hasAccount: true, email: expect.stringContaining('@'), blocked: false },
      payments: [
        { kind: 'card', state: 'expired', leftCents: 0 },
        { kind: 'card', state: 'paid', cents: 4900, refundedCents: 500, leftCents: 3400 },
      ],
      refunds: [{ cents: 1500, state: 'pending', reason: 'Sorry' }],
      cancellation: { refund: 'part', cents: 1500, reason: 'Broken mixer' },
      // Reading the result of the ID check requires the permission for IDs.
      mayReadId: false,
      verification: null,
      mails: [{ kind: 'mail.booking-confirmed', sentAt: null, problem: 'no mail server', refusal: 'queued' }],
      code: { due: null, requested: null, seen: null },
      history: null,
    });
    await force(rows, () => rows.query(`update public.staff_permissions set permission = 'owner'`));
    expect(await details(rows)).toMatchObject({ mayReadId: true, verification: { status: 'verified' } });
  }),
);

test(
  'booking_details has what the audit log says of the booking, its payments and its codes, for owners only',
  asStaff('owner', async (rows) => {
    await addPayment(rows, 30, 'paid');
    for (const [type, id] of [
      ['booking', uuid(30)],
      ['payment', uuid(3001)],
      ['booking', uuid(31)],
      ['payment', uuid(30)],
    ])
      await rows.query(`select private.audit($1, 'update', $2, $3)`, [ALEX, type, id]);
    // The order is ignored, because both entries may be from the same millisecond.
    const history = async () =>
      rows.value(
        `select array_agg(one #>> '{}' order by one) from jsonb_path_query(public.booking_details('ABCD-2345'), '$.history[*].resource') one`,
      );
    expect(await history()).toEqual(['booking', 'payment']);
    await force(rows, () => rows.query(`update public.staff_permissions set permission = 'bookings'`));
    expect(await history()).toBeNull();
  }),
);

test(
  'send_mail_again queues the confirmation, and the code not before its first mail was due; each is in the audit log',
  asStaff('bookings', async (rows) => {
    const send = (mail: string) => rows.value('select public.send_mail_again($1, $2)', [uuid(30), mail]);
    const due = '2999-02-28T23:45:00Z';
    await force(rows, () =>
      rows.query(
        `insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for) values ($1, 'x', 'access_code', 'pending', $2)`,
        [uuid(30), due],
      ),
    );
    expect([await send('access-code'), await send('booking-confirmed'), await send('booking-confirmed')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      await rows.query(
        `select kind, count(*)::int, max(due_at) > now() as later from private.outbox group by kind order by kind`,
      ),
    ).toEqual([
      { kind: 'mail.access-code', count: 1, later: true },
      { kind: 'mail.booking-confirmed', count: 2, later: false },
    ]);
    expect(
      await rows.value(
        `select string_agg(resource_type, ' ' order by resource_type) from public.audit_logs where actor = $1`,
        [ALEX],
      ),
    ).toBe('booking booking scheduled_email');
    expect((await rows.refusal(() => send('refund')))?.code).toBe('22023');
    const over = { start_time: '2020-03-01T00:00:00Z', end_time: '2020-03-01T01:00:00Z' };
    await addBooking(rows, 31, { status: 'confirmed', ...over });
    await addBooking(rows, 32, {
      status: 'cancelled',
      cancel_reason: 'staff',
      start_time: '2999-03-01T00:00:00Z',
      end_time: '2999-03-01T01:00:00Z',
    });
    for (const other of [31, 32])
      expect(await rows.value(`select public.send_mail_again($1, 'booking-confirmed')`, [uuid(other)])).toBe(false);
  }),
);

test(
  'a note is added once by its id, has its author and time, and the audit log names it without its words',
  asStaff('bookings', async (rows) => {
    const add = (id: string, booking: string, note: string) =>
      rows.value('select public.add_booking_note($1, $2, $3)', [id, booking, note]);
    const [first, second] = [uuid(71), uuid(72)];
    expect([await add(first, uuid(30), ' Wants the lights low. '), await add(first, uuid(30), 'Other')]).toEqual([
      true,
      true,
    ]);
    expect([await add(second, uuid(30), 'Called.'), await add(second, uuid(99), 'Nobody')]).toEqual([true, false]);
    expect((await rows.refusal(() => add(uuid(73), uuid(30), '  ')))?.code).toBe('23514');
    const { staffNotes } = Object(await details(rows));
    expect(staffNotes).toEqual([
      { id: second, note: 'Called.', by: '0001@example.com', at: expect.any(String) },
      { id: first, note: 'Wants the lights low.', by: '0001@example.com', at: expect.any(String) },
    ]);
    const logged = await rows.query<{ details: unknown }>(
      `select details from public.audit_logs where actor = $1 order by created_at, id`,
      [ALEX],
    );
    expect(logged.map((entry) => entry.details)).toEqual([{ note: first }, { note: second }]);
  }),
);

test(
  'a no-show is marked from the start of a confirmed booking on, once, and taken back',
  asStaff('bookings', async (rows) => {
    const mark = (booking: number, missed: boolean) =>
      rows.value('select public.mark_no_show($1, $2)', [uuid(booking), missed]);
    const past = { start_time: '2020-03-01T00:00:00Z', end_time: '2020-03-01T01:00:00Z' };
    await addBooking(rows, 31, { status: 'confirmed', reference: 'BBBB-2222', ...past });
    await addBooking(rows, 32, { status: 'cancelled', cancel_reason: 'staff', ...past });
    await addBooking(rows, 33, { status: 'confirmed', notes: 'test', ...past, studio_id: uuid(2) });
    expect([await mark(30, true), await mark(32, true), await mark(33, true), await mark(99, true)]).toEqual(
      Array(4).fill(false),
    );
    expect([await mark(31, true), await mark(31, true)]).toEqual([true, true]);
    expect(await details(rows, 'BBBB-2222')).toMatchObject({
      noShow: { at: expect.any(String), by: '0001@example.com' },
    });
    expect([await mark(31, false), await mark(31, false)]).toEqual([true, true]);
    expect(await details(rows, 'BBBB-2222')).toMatchObject({ noShow: null });
    const logged = await rows.query<{ details: unknown }>(
      `select details from public.audit_logs where actor = $1 order by created_at, id`,
      [ALEX],
    );
    expect(logged.map((entry) => entry.details)).toEqual([
      { before: { noShow: false }, after: { noShow: true } },
      { before: { noShow: true }, after: { noShow: false } },
    ]);
  }),
);

test(
  'a mail can be sent again only while what it says is true',
  asStaff('bookings', async (rows) => {
    const now = '2999-02-01T00:00:00Z';
    let number = 100;
    /** Adds a mail about the booking that was sent `daysAgo` days ago. Returns why it cannot be sent again. */
    const sent = async (kind: string, { daysAgo = 0, booking = 30, ...more } = {} as Record<string, unknown>) => {
      number += 1;
      const at = new Date(Date.parse(now) - Number(daysAgo) * 86_400_000).toISOString();
      const id = uuid(number);
      const row = {
        id,
        kind: `mail.${kind}`,
        subject_id: uuid(Number(booking)),
        dedupe: id,
        due_at: at,
        done_at: at,
        created_at: at,
      };
      await rows.add('private.outbox', { ...row, ...more });
      return rows.value('select private.mail_refusal($1, $2)', [id, now]);
    };
    const setBooking = (change: string) =>
      force(rows, () => rows.query(`update private.booking set ${change} where id = $1`, [uuid(30)]));
    for (const kind of ['booking-confirmed', 'access-code', 'booking-moved', 'document'])
      expect(await sent(kind), kind).toBeNull();
    expect(await sent('booking-moved', { daysAgo: 11, payload: { refundCents: 500 } })).toBe('moved_again');
    expect(await sent('id-needed')).toBe('not_needed');
    expect(await sent('booking-cancelled')).toBe('not_cancelled');
    for (const kind of ['payment-link', 'payment-processing', 'payment-failed', 'link-expired', 'payment-returned'])
      expect(await sent(kind), kind).toBe('payment_ended');
    expect(await sent('refund')).toBe('money_arrived');
    expect(await sent('access-code', { done_at: null })).toBe('queued');
    expect(await sent('access-code')).toBe('queued');
    expect(await sent('review-waiting')).toBe('unknown');
    await addPayment(rows, 30, 'paid', { paid_cents: 4900, payment_intent_id: 'pi' });
    await force(rows, () =>
      rows.add('private.partial_refund', {
        id: uuid(50),
        payment_id: uuid(3001),
        request_key: 'k',
        amount_cents: 1500,
        reason: 'Sorry',
        state: 'pending',
        actor: ALEX,
        created_at: now,
      }),
    );
    expect(await sent('refund', { dedupe: uuid(50) })).toBeNull();
    await rows.query(`update private.outbox set due_at = $2 where dedupe = $1`, [uuid(50), '2999-01-01T00:00:00Z']);
    expect(
      await rows.value('select private.mail_refusal(id, $2) from private.outbox where dedupe = $1', [uuid(50), now]),
    ).toBe('money_arrived');
    await setBooking(`end_time = '2999-01-31T00:00:00Z', start_time = '2999-01-30T00:00:00Z'`);
    expect(await sent('booking-confirmed')).toBe('over');
    await setBooking(`status = 'cancelled', cancel_reason = 'staff'`);
    expect(await sent('booking-confirmed')).toBe('cancelled');
    expect([await sent('booking-cancelled'), await sent('booking-cancelled', { daysAgo: 11 })]).toEqual([
      null,
      'money_arrived',
    ]);
    await setBooking(`user_id = null`);
    expect(await sent('booking-cancelled')).toBe('no_address');
  }),
);

test(
  'guests, customers and staff without the permission read no booking and send no mail',
  asStaff('money', async (rows) => {
    for (const claims of [null, { role: 'anon' }, { role: 'authenticated', sub: KIM }, STAFF]) {
      await rows.setClaims(claims);
      expect((await rows.refusal(() => details(rows)))?.code).toBe('42501');
      const send = () => rows.value(`select public.send_mail_again($1, 'access-code')`, [uuid(30)]);
      const note = () => rows.value(`select public.add_booking_note($1, $2, 'x')`, [uuid(71), uuid(30)]);
      const missed = () => rows.value('select public.mark_no_show($1, true)', [uuid(30)]);
      for (const call of [send, note, missed]) expect((await rows.refusal(call))?.code).toBe('42501');
    }
  }),
);

test(
  'own_booking answers the own booking by id or reference with its money, its moves and the hours that wait, and null to everybody else',
  asCustomer(async (rows) => {
    await addPayment(rows, 30, 'paid', { amount_cents: 4900, paid_cents: 4900, refunded_cents: 500, paid_at: at(0) });
    await force(rows, async () => {
      await rows.add('private.refund', {
        id: 're_1',
        payment_id: uuid(3001),
        amount_cents: 500,
        status: 'succeeded',
        ours: true,
      });
      await rows.add('private.refund', {
        id: 're_2',
        payment_id: uuid(3001),
        amount_cents: 700,
        status: 'failed',
        ours: true,
      });
      await rows.add('private.partial_refund', {
        payment_id: uuid(3001),
        request_key: 'k',
        amount_cents: 1500,
        reason: 'Sorry',
        actor: ALEX,
      });
    });
    await addBooking(rows, 31, {
      user_id: null,
      moves_booking: uuid(30),
      move_number: 1,
      start_time: '2999-04-01T00:00:00Z',
      end_time: '2999-04-01T01:00:00Z',
    });
    await addPayment(rows, 31, 'open', { url: 'https://pay.example/x' });
    const own = (key: string) => rows.value('select public.own_booking($1)', [key]);
    expect(await own('ABCD-2345')).toBeNull();
    await rows.setClaims({ role: 'authenticated', sub: ALEX });
    expect([await own('ABCD-2345'), await own(uuid(30))]).toEqual([null, null]);
    await rows.setClaims({ role: 'authenticated', sub: KIM });
    const found = await own('abcd2345');
    expect(found).toMatchObject({
      id: uuid(30),
      freeCancelHours: 12,
      payments: [{ cents: 4900, forMove: false, online: true }],
      refunds: [{ cents: 500 }],
      refundingCents: 1500,
      waiting: { holdId: uuid(31), url: 'https://pay.example/x' },
    });
    expect(await own(uuid(30))).toEqual(found);
    expect(await own(uuid(31))).toEqual(found);
    expect([await own(''), await own('ABCD-2346'), await own(uuid(99))]).toEqual([null, null, null]);
  }),
);

test(
  'waiting_moves answers the new hours of own bookings until their time to pay ends, and nothing to everybody else',
  asCustomer(async (rows) => {
    const hold = { user_id: null, moves_booking: uuid(30), move_number: 1, final_cost_cents: 1500 };
    const times = { start_time: '2999-04-01T00:00:00Z', end_time: '2999-04-01T01:00:00Z' };
    await addBooking(rows, 31, { ...hold, ...times, hold_expires_at: '2999-03-01T00:00:00Z' });
    const waiting = () => rows.query('select booking_id, cents, start_time from public.waiting_moves()');
    expect(await waiting()).toEqual([]);
    await rows.setClaims({ role: 'authenticated', sub: ALEX });
    expect(await waiting()).toEqual([]);
    await rows.setClaims({ role: 'authenticated', sub: KIM });
    expect(await waiting()).toEqual([{ booking_id: uuid(30), cents: 1500, start_time: new Date(times.start_time) }]);
    await rows.query("update private.booking set hold_expires_at = '2020-01-01T00:00:00Z' where id = $1", [uuid(31)]);
    expect(await waiting()).toEqual([]);
  }),
);
