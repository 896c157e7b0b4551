import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { type Move, moveBooking, quoteMove, readExtendingMove } from '#server/operations/bookings/move.ts';
import { readDocuments } from '#server/operations/exports/booking-document.ts';
import { releaseOwnHold } from '#server/operations/bookings/release.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { readPaymentStatus } from '#server/operations/payments/read-status.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { addPerson, databases, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, noResponse, type PaymentCases } from './payment-cases.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

const DAY = 24 * HOUR;
/** A Saturday at 11 am in Sydney, a week ahead, when an hour costs $59; seven hours later it costs $69. */
const SATURDAY = START + 7 * DAY;
const EVENING = SATURDAY + 7 * HOUR;

type Span = { startTime: Date; endTime: Date };

describe.each(databases)('moves that are paid by a link on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  let staff: string;
  beforeAll(async () => {
    ({ db, close } = await open());
    staff = await addPerson(db);
    await db.query(`update auth.users set email = 'owner@example.com' where id = $1::uuid`, [staff]);
    await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff]);
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    cases = await createPaymentCases(db);
  });

  const at = (start: number, hours = 1): Span => ({
    startTime: new Date(start),
    endTime: new Date(start + hours * HOUR),
  });
  const context = () => cases.system.services;
  const move = (bookingId: string, span: Span, more: Partial<Move> = {}) =>
    moveBooking(context(), {
      bookingId,
      studioId: STUDIO,
      ...span,
      waive: false,
      actor: staff,
      money: 'held',
      ...more,
    });
  /** Moves a customer's own booking, as that customer. */
  const own = (person: string, bookingId: string, span: Span, more: Partial<Move> = {}) =>
    move(bookingId, span, { actor: person, customer: person, ...more });
  async function extend(person: string, bookingId: string, hours: number, from: number | null = null) {
    const request = { bookingId, customer: person, hours, from: from === null ? null : new Date(from) };
    return moveBooking(context(), await readExtendingMove(context(), request));
  }
  const drain = () => cases.system.jobs.drain();
  async function booked(span = at(SATURDAY)) {
    const person = await addPerson(db);
    return { person, ...(await cases.system.book(person, span)) };
  }
  const row = (bookingId: string) =>
    db.queryRow<Record<string, unknown>>(
      `select reference, status, start_time as "startTime", end_time as "endTime", waived_cents as waived, final_cost_cents as cost, moves
       from private.booking where id = $1::uuid`,
      [bookingId],
    );
  /** Returns the newest hold of new hours for a booking, with its session. */
  async function readHold(bookingId: string): Promise<{ id: string; status: string; reason: string; session: string }> {
    const hold = await db.queryRow<{ id: string; status: string; reason: string; session: string }>(
      `select b.id, b.status, b.cancel_reason as reason, (select p.session_id from private.payment p where p.key like 'create:' || b.id || ':%'
         order by p.attempt desc limit 1) as session
       from private.booking b where b.moves_booking = $1::uuid order by b.created_at desc, b.move_number desc limit 1`,
      [bookingId],
    );
    if (!hold) throw new Error('there is no hold');
    return hold;
  }
  async function pay(session: string): Promise<void> {
    cases.system.provider.move(session, 'pay');
    await settlePayment(context(), session);
  }
  /** Pays a session that was already closed. */
  async function payTooLate(session: string): Promise<void> {
    cases.system.provider.force(session, 'pay');
    await settlePayment(context(), session);
  }
  const expire = () => releaseExpiredHolds(context());
  const subjects = () => cases.system.mails.map(({ subject }) => subject);
  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    );
  /** Returns what was paid for a booking and its holds of new hours, less past and pending refunds. */
  async function kept(bookingId: string): Promise<number> {
    await drain();
    const sum = await db.queryRow<{ cents: number }>(
      `select coalesce(sum(p.paid_cents - case when p.state in ('refund_pending', 'refunded') then p.paid_cents
           else (select coalesce(sum(r.amount_cents), 0) from private.refund r where r.payment_id = p.id and r.status = 'succeeded') end), 0)::int as cents
       from private.payment p join private.booking b on b.id = p.booking_id where $1::uuid in (b.id, b.moves_booking)`,
      [bookingId],
    );
    return sum?.cents ?? 0;
  }
  async function returned(session: string): Promise<readonly number[]> {
    const { paymentIntentId } = await cases.payments.getSession(session);
    return (await cases.payments.listRefunds(paymentIntentId ?? '')).map(({ amountCents }) => amountCents);
  }

  const documents = async (bookingId: string) =>
    (await readDocuments(servicesWith({ db }), { bookingId, userId: null })).documents;
  async function requireNumbersWithoutGaps(): Promise<void> {
    const row = await db.queryRow(
      'select count(*)::int as n, max(number) as last, min(number) as first from private.document',
    );
    expect(row).toMatchObject({ first: 1, last: row?.['n'] });
  }

  test('dearer hours are held until the difference is paid; then the booking moves once [spec 10.8]', async () => {
    const { id } = await booked();
    const before = await row(id);
    const answer = await move(id, at(EVENING));
    const { session } = await readHold(id);
    const waiting = { url: expect.stringContaining('https://'), until: new Date(START + DAY) };
    expect(answer).toEqual({ differenceCents: 1_000, refundCents: 0, byHand: false, waiting, undo: null });
    expect(await move(id, at(EVENING))).toEqual(answer);
    await drain();
    expect(await row(id)).toEqual(before);
    for (const start of [SATURDAY, EVENING])
      expect(await refusal(holdBooking(context(), cases.system.request(await addPerson(db), at(start))))).toMatchObject(
        { code: 'slot_taken' },
      );
    const links = cases.system.mails.filter(({ subject }) => subject.startsWith('Please pay for the change'));
    expect(links).toHaveLength(1);
    expect(links[0]?.text).toMatch(/Now: Studio, .*11.am.*\nNew: Studio, .*6.pm.*\nTo pay: \$10/);
    expect(links[0]?.text).toContain(answer.waiting?.url);
    cases.system.provider.failing = noResponse;
    const status = () => readPaymentStatus(cases.payment, session);
    expect(await status()).toMatchObject({ waiting: true, booking: { status: 'pending' }, changed: { id } });
    cases.system.provider.failing = null;
    await pay(session);
    await settlePayment(context(), session);
    await drain();
    expect(await status()).toMatchObject({ paid: true, booking: { id, status: 'confirmed' }, changed: { id } });
    expect(await row(id)).toEqual({ ...before, ...at(EVENING), cost: 6_900, moves: 1 });
    expect(await readHold(id)).toMatchObject({ status: 'cancelled', reason: 'replaced' });
    const moved = cases.system.mails.filter(({ subject }) => subject.startsWith('Booking moved'));
    expect(moved.map(({ text }) => text)).toEqual([expect.stringContaining('You paid $10 for the change.')]);
    expect(await move(id, at(EVENING))).toMatchObject({ differenceCents: 1_000, waiting: null });
    expect(await kept(id)).toBe(6_900);
    await expect(
      holdBooking(context(), cases.system.request(await addPerson(db), at(SATURDAY))),
    ).resolves.toBeDefined();
  });

  test.each([
    ['the page of the booking', true, (id: string) => `bookings/${id}`],
    ['the first page, from a link of staff', false, () => ''],
  ])('whoever does not pay for dearer hours comes back to %s', async (_page, isOwn, path) => {
    const { person, id } = await booked();
    await (isOwn ? own(person, id, at(EVENING)) : move(id, at(EVENING)));
    expect(cases.system.provider.getInput((await readHold(id)).session)).toMatchObject({
      cancelUrl: `https://studio.example/${path(id)}`,
      successUrl: `https://studio.example/payment-success?session_id={CHECKOUT_SESSION_ID}&booking_id=${id}`,
    });
  });

  test('refunds take from both payments: a part, a cheaper move, a cancellation', async () => {
    const first = await booked();
    await move(first.id, at(EVENING));
    const { session } = await readHold(first.id);
    await pay(session);
    const part = {
      bookingId: first.id,
      cents: 1_500,
      reason: 'Sorry',
      requestId: null,
      actor: staff,
      money: 'held' as const,
    };
    const { refundId } = await refundForStaff(context(), part);
    expect(await refundForStaff(context(), part)).toMatchObject({ refundId });
    expect(await refusal(refundForStaff(context(), { ...part, cents: 5_401 }))).toMatchObject({
      details: { refundableCents: 5_400 },
    });
    await drain();
    expect([await returned(session), await returned(first.sessionId)]).toEqual([[1_000], [500]]);
    expect(await row(first.id)).toMatchObject({ status: 'confirmed' });
    await cancelBooking(context(), first.id, first.person);
    expect(await kept(first.id)).toBe(0);
    expect(cases.system.mails.at(-1)?.text).toContain('$54 is on its way back');

    const second = await booked();
    await move(second.id, at(EVENING));
    const { session: difference } = await readHold(second.id);
    await pay(difference);
    expect(await move(second.id, at(SATURDAY + 2 * DAY))).toMatchObject({ refundCents: 2_000 });
    await drain();
    expect([await returned(difference), await returned(second.sessionId)]).toEqual([[1_000], [1_000]]);
    expect(await kept(second.id)).toBe(4_900);
    const cancelled = { bookingId: second.id, refund: 'full' as const, reason: 'Flood', actor: staff };
    expect(await cancelForStaff(context(), { ...cancelled, money: 'held' as const })).toMatchObject({
      refundCents: 4_900,
    });
    expect(await kept(second.id)).toBe(0);
  });

  test('all of both payments goes back when staff cancel, and the money of the difference alone leaves the booking', async () => {
    const { id, sessionId } = await booked();
    await move(id, at(EVENING));
    const { session } = await readHold(id);
    await pay(session);
    cases.system.provider.move(session, 'refund all');
    await settlePayment(context(), session);
    expect(await row(id)).toMatchObject({ status: 'confirmed' });
    expect(await kept(id)).toBe(5_900);
    const cancelled = { bookingId: id, refund: 'full' as const, reason: 'Flood', actor: staff, money: 'held' as const };
    expect(await cancelForStaff(context(), cancelled)).toMatchObject({ refundCents: 5_900 });
    await drain();
    expect([await returned(session), await returned(sessionId)]).toEqual([[1_000], [5_900]]);
  });

  test('unpaid, the new hours are free again and the booking stays; customer and staff are told once, and late money goes back', async () => {
    const { id } = await booked();
    const before = await row(id);
    await move(id, at(EVENING));
    const { session } = await readHold(id);
    await drain();
    cases.system.state.now += DAY + MINUTE;
    await expire();
    expect(await readHold(id)).toMatchObject({ status: 'cancelled', reason: 'hold_expired' });
    cases.system.mails.length = 0;
    cases.system.state.now += MINUTE;
    await drain();
    await drain();
    const { reference } = before ?? {};
    expect(subjects().toSorted()).toEqual([
      `Not paid: ${String(reference)}`,
      `Your booking ${String(reference)} stays as it is`,
    ]);
    expect(cases.system.mails.find(({ subject }) => subject.startsWith('Not paid'))?.to).toBe('owner@example.com');
    await expect(holdBooking(context(), cases.system.request(await addPerson(db), at(EVENING)))).resolves.toBeDefined();
    await payTooLate(session);
    await drain();
    expect(await returned(session)).toEqual([1_000]);
    expect(await row(id)).toEqual(before);
    expect(cases.system.mails.at(-1)?.text).toContain('Your booking stays as it is.');
    expect(await kept(id)).toBe(5_900);
  });

  test('a link for a new booking that expires unpaid is told to customer and staff too', async () => {
    const request = {
      studioId: STUDIO,
      ...at(SATURDAY),
      customerEmail: 'guest@example.com',
      customerName: 'Sam Guest',
    };
    const by = { payment: 'link' as const, notes: null, requestId: null, actor: randomUUID() };
    const { reference } = await bookForStaff(context(), { ...request, ...by });
    await drain();
    cases.system.mails.length = 0;
    cases.system.state.now += DAY + MINUTE;
    await expire();
    cases.system.state.now += MINUTE;
    await drain();
    expect(cases.system.mails.map(({ to, subject }) => `${to}: ${subject}`).toSorted()).toEqual([
      expect.stringContaining('guest@example.com: Your hours are no longer held'),
      `owner@example.com: Not paid: ${reference}`,
    ]);
  });

  test('staff who were removed after a link expired are not told', async () => {
    const { id } = await booked();
    await move(id, at(EVENING));
    await drain();
    cases.system.state.now += DAY + MINUTE;
    await expire();
    cases.system.mails.length = 0;
    const colleague = await addPerson(db);
    await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [colleague]);
    await db.query('delete from public.user_roles where user_id = $1::uuid', [staff]);
    cases.system.state.now += MINUTE;
    await drain();
    expect(subjects()).toEqual([expect.stringContaining('stays as it is')]);
    await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff]);
    await db.query('delete from public.user_roles where user_id = $1::uuid', [colleague]);
  });

  test('a running session is extended with a link until it would have ended; the price, the door and the mail follow', async () => {
    const { id } = await booked();
    cases.system.state.now = SATURDAY + 20 * MINUTE;
    const { waiting } = await move(id, at(SATURDAY, 2));
    expect(waiting?.until).toEqual(new Date(SATURDAY + HOUR));
    expect(await refusal(move(id, at(SATURDAY + HOUR, 2)))).toMatchObject({
      code: 'too_late',
      message: 'This session has started. You can only extend it.',
    });
    cases.system.state.now = SATURDAY + 50 * MINUTE;
    await pay((await readHold(id)).session);
    expect(await row(id)).toMatchObject({ ...at(SATURDAY, 2), status: 'confirmed' });
    await drain();
    expect(cases.system.state.requests.at(-1)).toMatchObject({ endsAt: new Date(SATURDAY + 2 * HOUR) });
    expect(await refusal(move(id, at(SATURDAY, 3)))).toBeNull();
    cases.system.state.now = SATURDAY + 106 * MINUTE;
    expect(await refusal(move(id, at(SATURDAY, 4)))).toMatchObject({
      code: 'too_late',
      message: 'It’s too close to the start for a payment link.',
      details: { differenceCents: expect.any(Number) },
    });
  });

  test('a booking that is cancelled meanwhile frees the new hours, and a payment in that moment goes back', async () => {
    const booking = await booked();
    await move(booking.id, at(EVENING));
    const held = await readHold(booking.id);
    await cancelBooking(context(), booking.id, booking.person);
    await pay(held.session);
    expect(await readHold(booking.id)).toMatchObject({ status: 'cancelled', reason: 'slot_lost' });
    expect(await kept(booking.id)).toBe(0);
    const two = await booked();
    await move(two.id, at(EVENING));
    await drain();
    cases.system.mails.length = 0;
    await cancelBooking(context(), two.id, two.person);
    expect(await expire()).toBe(1);
    cases.system.state.now += MINUTE;
    await drain();
    expect(subjects()).toEqual([expect.stringContaining('Booking cancelled')]);
  });

  test('of two moves of one booking that wait the one paid first counts, and the other money goes back', async () => {
    const { id } = await booked();
    await move(id, at(EVENING));
    const first = await readHold(id);
    cases.system.state.now += 1_000;
    await move(id, at(EVENING + HOUR));
    const second = await readHold(id);
    expect(second.id).not.toBe(first.id);
    await pay(first.session);
    expect(await row(id)).toMatchObject({ ...at(EVENING), moves: 1 });
    await pay(second.session);
    expect(await row(id)).toMatchObject({ ...at(EVENING), moves: 1 });
    expect(await kept(id)).toBe(6_900);
    expect(await returned(second.session)).toEqual([1_000]);
  });

  test('choosing other new hours leaves those whose payment is being processed to the customer', async () => {
    const { id, person } = await booked();
    await own(person, id, at(EVENING));
    const first = await readHold(id);
    // A pay page for new hours does not offer delayed payment methods, but a setting at the provider could enable them.
    cases.system.provider.force(first.session, 'delay');
    await settlePayment(context(), first.session);
    const until = () =>
      db.queryRow('select hold_expires_at as at from private.booking where id = $1::uuid', [first.id]);
    const before = await until();
    cases.system.state.now += 1_000;
    await own(person, id, at(EVENING + HOUR));
    expect(await until()).toEqual(before);
  });

  test('staff can call a waiting move off, or waive the difference after all', async () => {
    const { id } = await booked();
    await move(id, at(EVENING));
    const { id: hold } = await readHold(id);
    await drain();
    cases.system.mails.length = 0;
    const off = { bookingId: hold, refund: 'none' as const, reason: 'Mistake', actor: staff, money: 'held' as const };
    await cancelForStaff(context(), off);
    cases.system.state.now += MINUTE;
    await drain();
    expect(subjects()).toEqual([expect.stringContaining('stays as it is')]);
    await move(id, at(EVENING));
    expect(await move(id, at(EVENING), { waive: true })).toMatchObject({ waiting: null });
    expect(await row(id)).toMatchObject({ waived: 1_000, cost: 5_900, moves: 1 });
    expect(await expire()).toBe(1);
  });

  test('while the provider does not answer there is no link; the mail opens the session later, once', async () => {
    const { id } = await booked();
    cases.system.provider.failing = noResponse;
    expect((await move(id, at(EVENING))).waiting).toMatchObject({ url: null });
    await drain();
    cases.system.provider.failing = null;
    cases.system.state.now += 20 * MINUTE;
    await drain();
    expect(subjects().filter((subject) => subject.startsWith('Please pay for the change'))).toHaveLength(1);
    await pay((await readHold(id)).session);
    expect(await row(id)).toMatchObject({ ...at(EVENING), moves: 1 });
  });

  test('the database refuses a dearer booking without its payment, and a hold of new hours that is confirmed', async () => {
    const { id } = await booked();
    await move(id, at(EVENING));
    const hold = await readHold(id);
    await expect(
      db.query(`update private.booking set status = 'confirmed' where id = $1::uuid`, [hold.id]),
    ).rejects.toMatchObject({ constraint: 'booking_move_hold' });
    await expect(
      db.query(`update private.payment set booking_id = $2::uuid, move_number = 1 where session_id = $1`, [
        hold.session,
        id,
      ]),
    ).rejects.toMatchObject({ constraint: 'payment_frozen' });
    await expect(
      db.transaction(async (tx) => {
        await tx.query(
          `insert into private.booking_move (booking_id, number, from_studio_id, from_start_time, from_end_time, studio_id, start_time, end_time,
             final_cost_cents, difference_cents, refund_cents, last_code, actor, created_at)
           select id, 1, studio_id, start_time, end_time, studio_id, start_time, end_time, 6900, 1000, 0, 0, id, start_time
           from private.booking where id = $1::uuid`,
          [id],
        );
        await tx.query(`update private.booking set moves = 1, final_cost_cents = 6900 where id = $1::uuid`, [id]);
      }),
    ).rejects.toMatchObject({ constraint: 'booking_move_is_paid' });
  });

  test('a customer moves to cheaper hours at once, and pays for dearer ones within the time of a hold, without a mail in between', async () => {
    const { id, person, sessionId } = await booked();
    const monday = at(SATURDAY + 2 * DAY);
    const request = { bookingId: id, studioId: STUDIO, ...monday, waive: false, actor: person, customer: person };
    expect(await quoteMove(context(), request)).toMatchObject({ differenceCents: -1_000, refundCents: 1_000 });
    const wrong = refusal(own(person, id, monday, { shownCents: -900 }));
    expect(await wrong).toMatchObject({
      code: 'price_changed',
      message: 'The price of this change is different now. Please check it.',
      details: { differenceCents: -1_000 },
    });
    expect(await own(person, id, monday, { shownCents: -1_000 })).toMatchObject({ refundCents: 1_000, waiting: null });
    await drain();
    expect(await returned(sessionId)).toEqual([1_000]);
    const to = { ...request, ...at(EVENING) };
    const until = new Date(START + 15 * MINUTE);
    expect(await quoteMove(context(), to)).toMatchObject({ differenceCents: 2_000, linkUntil: until });
    cases.system.mails.length = 0;
    const answer = await own(person, id, at(EVENING));
    expect(answer).toMatchObject({
      differenceCents: 2_000,
      waiting: { url: expect.stringContaining('https://'), until },
    });
    expect(await own(person, id, at(EVENING))).toEqual(answer);
    await drain();
    expect(subjects()).toEqual([]);
    await pay((await readHold(id)).session);
    await drain();
    expect(subjects()).toEqual([expect.stringContaining('Booking moved')]);
    expect(await row(id)).toMatchObject({ ...at(EVENING), cost: 6_900, moves: 2 });
    expect(await kept(id)).toBe(6_900);
    const log = await db.queryRow(
      `select count(*)::int as n from public.audit_logs where resource_id = $1 and actor = $2::uuid and details ? 'before'`,
      [id, person],
    );
    expect(log).toEqual({ n: 2 });
  });

  test('a customer who does not pay keeps the old hours, and nobody is mailed; the customer can also let the new hours go', async () => {
    const { id, person } = await booked();
    const before = await row(id);
    await own(person, id, at(EVENING));
    const late = await readHold(id);
    cases.system.state.now += 16 * MINUTE;
    await expire();
    cases.system.state.now += MINUTE;
    await drain();
    expect(await readHold(id)).toMatchObject({ status: 'cancelled', reason: 'hold_expired' });
    expect(subjects()).not.toContainEqual(expect.stringContaining('stays as it is'));
    await own(person, id, at(EVENING));
    const hold = await readHold(id);
    expect(await refusal(releaseOwnHold(context(), hold.id, await addPerson(db)))).toMatchObject({ code: 'not_found' });
    await releaseOwnHold(context(), hold.id, person);
    expect(await readHold(id)).toMatchObject({ status: 'cancelled', reason: 'abandoned' });
    expect(await row(id)).toEqual(before);
    await payTooLate(late.session);
    expect(await kept(id)).toBe(5_900);
  });

  test('a customer may move until the frozen terms end, extend until the session ends, and only when verified and not blocked [spec 10.8]', async () => {
    const { id, person } = await booked();
    const free = at(SATURDAY + 2 * DAY);
    expect(await refusal(own(await addPerson(db), id, free))).toMatchObject({ code: 'not_found' });
    await db.query(
      `insert into private.customer_block (user_id, reason, blocked_by, blocked_at) values ($1::uuid, 'x', $1::uuid, $2::timestamptz)`,
      [person, new Date(START)],
    );
    expect(await refusal(own(person, id, free))).toMatchObject({
      code: 'blocked',
      message: expect.stringMatching(/^You can’t book with this account at the moment\. Please email \S+@\S+\.$/),
    });
    await db.query('delete from private.customer_block where user_id = $1::uuid', [person]);
    await db.query('update public.id_verifications set expires_at = $2::timestamptz where user_id = $1::uuid', [
      person,
      free.startTime,
    ]);
    expect(await refusal(own(person, id, free))).toMatchObject({ code: 'id_required' });
    await db.query('update public.id_verifications set expires_at = $2::timestamptz where user_id = $1::uuid', [
      person,
      new Date(START + 30 * DAY),
    ]);
    expect(await refusal(own(person, id, at(START + 95 * DAY)))).toMatchObject({ code: 'id_required' });
    expect(await refusal(own(person, id, at(START - DAY)))).toMatchObject({ code: 'slot_closed' });
    cases.system.state.now = SATURDAY - DAY + 1;
    expect(await refusal(own(person, id, free))).toMatchObject({
      code: 'too_late',
      message: 'Bookings can be moved up to 24 hours before the start. Please contact us instead.',
    });
    await db.query(`update private.booking set policy = '{"freeCancelHours": 12}' where id = $1::uuid`, [id]);
    expect(await refusal(own(person, id, free))).toBeNull();
    await own(person, id, at(SATURDAY + 2 * DAY + HOUR));
    cases.system.state.now = SATURDAY + 2 * DAY + HOUR + 59 * MINUTE;
    expect(await refusal(extend(person, id, 1))).toMatchObject({
      code: 'too_late',
      message: 'It’s too late to pay for this change.',
    });
  });

  test('a customer extends at the price of the longer booking, once for each end on the screen, and never over somebody else', async () => {
    const { id, person } = await booked(at(SATURDAY, 2));
    const end = SATURDAY + 2 * HOUR;
    expect(await extend(person, id, 1, end)).toMatchObject({ differenceCents: 4_100 });
    await pay((await readHold(id)).session);
    expect(await row(id)).toMatchObject({ ...at(SATURDAY, 3), cost: 15_900, moves: 1 });
    expect(await extend(person, id, 1, end)).toMatchObject({ differenceCents: 4_100, waiting: null });
    expect(await row(id)).toMatchObject({ ...at(SATURDAY, 3), moves: 1 });
    expect(await refusal(extend(person, id, 22))).toMatchObject({
      code: 'invalid_request',
      message: 'A booking can be up to 24 hours long.',
      details: { field: 'hours' },
    });
    expect(await refusal(extend(person, id, 1, SATURDAY))).toMatchObject({
      code: 'invalid_request',
      message: 'The session doesn’t end at that time.',
      details: { field: 'from' },
    });
    const stale = own(person, id, at(SATURDAY, 2), { onlyLater: true });
    expect(await refusal(stale)).toMatchObject({
      code: 'already_done',
      message: 'This booking has changed in the meantime. Please look at it again.',
    });
    await booked(at(SATURDAY + 4 * HOUR));
    const taken = await refusal(extend(person, id, 2));
    expect(taken).toMatchObject({ code: 'slot_taken', message: 'This time is taken.', details: { bookings: [] } });
    // The button with the price charges at once, so no price is offered for hours that another customer has.
    const quote = (hours: number, customer?: string) => {
      const request = {
        bookingId: id,
        studioId: STUDIO,
        ...at(SATURDAY, hours),
        waive: false,
        actor: staff,
        money: 'held' as const,
      };
      return quoteMove(context(), customer === undefined ? request : { ...request, customer, onlyLater: true });
    };
    expect(await refusal(quote(5, person))).toMatchObject({ code: 'slot_taken', details: { bookings: [] } });
    expect(await quote(4, person)).toMatchObject({ differenceCents: 4_200 });
    expect(await quote(5)).toMatchObject({ refundCents: 0 });
    cases.system.state.now = SATURDAY + 2 * HOUR + 50 * MINUTE;
    expect((await extend(person, id, 1)).waiting?.until).toEqual(new Date(SATURDAY + 3 * HOUR));
    await pay((await readHold(id)).session);
    await drain();
    expect(cases.system.state.requests.at(-1)).toMatchObject({ endsAt: new Date(SATURDAY + 4 * HOUR) });
    expect(subjects().filter((subject) => /extended|moved/.test(subject))).toEqual([
      expect.stringContaining('Booking extended'),
      expect.stringContaining('Booking extended'),
    ]);
  });

  test('a customer pays for more hours of a free booking, and a coupon counts only for the hours it is for', async () => {
    const { bookingId } = await bookForStaff(context(), {
      studioId: STUDIO,
      ...at(SATURDAY),
      customerEmail: 'free@example.com',
      customerName: 'Sam Free',
      payment: 'free',
      notes: null,
      requestId: null,
      actor: staff,
      money: 'held',
    });
    const guest = await addPerson(db);
    await db.query('update private.booking set user_id = $2::uuid, guest_email = null where id = $1::uuid', [
      bookingId,
      guest,
    ]);
    expect(await extend(guest, bookingId, 1)).toMatchObject({ differenceCents: 5_900 });
    const code = `SAT${randomUUID().slice(0, 6).toUpperCase()}`;
    await db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, weekdays) values ($1, 'percentage', 50, '{6}')`,
      [code],
    );
    const person = await addPerson(db);
    const { id } = await cases.system.book(person, { ...at(SATURDAY + 2 * HOUR), couponCode: code });
    const ask = (span: Span) =>
      quoteMove(context(), { bookingId: id, studioId: STUDIO, ...span, waive: false, actor: person, customer: person });
    expect(await ask(at(SATURDAY + 3 * HOUR))).toMatchObject({ differenceCents: 0 });
    expect(await ask(at(SATURDAY + 2 * DAY))).toMatchObject({ differenceCents: 4_900 - 2_950 });
  });

  test('the hour that comes twice is one hour of an extension', async () => {
    // Sunday 6 April 2031, 1 am in Sydney: an hour later, the hour from 2 am begins, which lasts two hours.
    const night = Date.parse('2031-04-05T14:00:00Z');
    const { id, person } = await booked(at(night));
    await extend(person, id, 1);
    await pay((await readHold(id)).session);
    expect(await row(id)).toMatchObject(at(night, 3));
    expect(await db.queryRow('select total_hours::int as n from private.booking where id = $1::uuid', [id])).toEqual({
      n: 2,
    });
  });

  test('each payment has an invoice and each refund that arrived an adjustment note, with numbers without gaps and figures of the ledger [spec 10.7]', async () => {
    const { id, person } = await booked();
    const first = await documents(id);
    expect(first).toMatchObject([
      { kind: 'invoice', cents: 5_900, content: { hours: 1, baseCents: 5_900, change: false } },
    ]);
    expect(first[0]?.content).toMatchObject({ buyer: { name: 'Alex Citizen' }, seller: { name: expect.any(String) } });
    await own(person, id, at(EVENING));
    await pay((await readHold(id)).session);
    await refundForStaff(context(), {
      bookingId: id,
      cents: 1_500,
      reason: 'Sorry',
      requestId: null,
      actor: staff,
      money: 'held' as const,
    });
    await own(person, id, at(SATURDAY + 2 * DAY));
    await drain();
    await cancelBooking(context(), id, person);
    expect(await kept(id)).toBe(0);
    const all = await documents(id);
    expect(all.map(({ kind, cents }) => (kind === 'invoice' ? cents : -cents))).toEqual([
      5_900,
      1_000,
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
      -3_400,
    ]);
    expect(all.at(-1)?.content.cancelled).toBe(true);
    expect(all.slice(0, 2).map(({ content }) => content.change)).toEqual([false, true]);
    await requireNumbersWithoutGaps();
    await expect(readDocuments(servicesWith({ db }), { bookingId: id, userId: staff })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('money that came too late for its hours has no document, and neither does a hold', async () => {
    const held = await cases.held(at(SATURDAY));
    await expect(
      readDocuments(servicesWith({ db }), { bookingId: held.id, userId: held.person }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
    cases.system.state.now += 16 * MINUTE;
    await expire();
    await payTooLate(held.session);
    await drain();
    await expect(
      readDocuments(servicesWith({ db }), { bookingId: held.id, userId: held.person }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('payments that settle at the same time get numbers without gaps, and one refund that fails later is void', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 8 }, async (_, hour) => (await cases.held(at(SATURDAY + hour * HOUR))).session),
    );
    for (const session of sessions) cases.system.provider.move(session, 'pay');
    await Promise.all(
      sessions.flatMap((session) => [settlePayment(context(), session), settlePayment(context(), session)]),
    );
    await requireNumbersWithoutGaps();
    const { id } = await booked(at(SATURDAY + 2 * DAY));
    await refundForStaff(context(), {
      bookingId: id,
      cents: 1_000,
      reason: 'Sorry',
      requestId: null,
      actor: staff,
      money: 'held' as const,
    });
    await drain();
    expect(await documents(id)).toHaveLength(2);
    await db.query(
      `update private.refund set status = 'failed' where payment_id in (select p.id from private.payment p where p.booking_id = $1::uuid)`,
      [id],
    );
    expect(await documents(id)).toHaveLength(1);
    await requireNumbersWithoutGaps();
  });

  test('unpaid changes of a customer are limited', async () => {
    const { id, person } = await booked();
    for (let hour = 0; hour < 6; hour += 1) {
      await own(person, id, at(EVENING + (hour % 2) * HOUR));
      cases.system.state.now += 1_000;
    }
    expect(await refusal(own(person, id, at(EVENING)))).toMatchObject({
      code: 'too_many_holds',
      message: 'You’ve started several changes without paying. Please wait a while.',
      details: { retryAfter: 3_594 },
    });
  });
});
