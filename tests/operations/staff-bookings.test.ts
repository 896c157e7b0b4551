import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { cancelForStaff, type StaffCancellation } from '#server/operations/bookings/cancel-for-staff.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import type { StaffBooking } from '#server/operations/bookings/store-staff-booking.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { blockCustomer } from '#server/operations/customers/block.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { reconcilePayments } from '#server/operations/reconciliation/reconcile-payments.ts';
import { addPerson, databases, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, fails, noResponse, type PaymentCases } from './payment-cases.ts';

const STAFF = randomUUID();
const PRICE = 5_900;

describe.each(databases)('bookings that staff make on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    await db.query(`delete from private.closed_span`);
    cases = await createPaymentCases(db);
  });

  const createRequest = (more: Partial<StaffBooking> = {}): StaffBooking => ({
    studioId: STUDIO,
    ...cases.system.nextSpan(),
    customerEmail: `${randomUUID().slice(0, 13)}@example.com`,
    customerName: 'Sam Guest',
    payment: 'link',
    notes: null,
    requestId: null,
    actor: STAFF,
    money: 'held',
    ...more,
  });
  const context = () => cases.system.services;
  const book = (request: StaffBooking) => bookForStaff(context(), request);
  const cancel = (bookingId: string, refund: StaffCancellation['refund'] = 'full') =>
    cancelForStaff(context(), { bookingId, refund, reason: 'Called', actor: STAFF, money: 'held' as const });
  const drain = () => cases.system.jobs.drain();
  const mailsTo = (email: string) => cases.system.mails.filter(({ to }) => to === email);
  const row = (bookingId: string) =>
    db.queryRow<Record<string, unknown>>(
      `select b.status, b.user_id as "user", b.guest_email as email, b.guest_name as name, b.final_cost_cents as cost, b.waived_cents as waived,
         p.kind, p.state, p.paid_cents as paid, p.refunded_cents as refunded
       from private.booking b join private.payment p on p.booking_id = b.id where b.id = $1::uuid order by p.attempt desc limit 1`,
      [bookingId],
    );
  const readAddress = async (userId: string): Promise<string> =>
    (await db.queryRow<{ email: string }>('select email from auth.users where id = $1::uuid', [userId]))?.email ?? '';
  const countSessions = async (bookingId: string): Promise<number> =>
    (await cases.payments.listSessions(new Date(0))).filter((session) => session.bookingId === bookingId).length;
  /** Pays through the booking's payment link. */
  async function pay(bookingId: string): Promise<void> {
    const session = (await cases.readPayments(bookingId)).at(-1)?.session ?? '';
    cases.system.provider.move(session, 'pay');
    await settlePayment(cases.payment, session);
  }

  test('a guest with a link holds the hours for a day, pays, and gets confirmation and access code by mail', async () => {
    const request = createRequest();
    const created = await book(request);
    const { holds, audit } = (await db.queryRow<{ holds: Date; audit: unknown }>(
      `select b.hold_expires_at as holds, (select a.details from public.audit_logs a where a.resource_id = b.id::text and a.actor = $2::uuid) as audit
       from private.booking b where b.id = $1::uuid`,
      [created.bookingId, STAFF],
    )) ?? { holds: null, audit: null };
    expect(holds).toEqual(new Date(START + 24 * HOUR));
    expect(audit).toMatchObject({
      after: { payment: 'link', finalCostCents: PRICE },
      guest: true,
      identity: 'staff answer for this person',
    });
    expect(JSON.stringify(audit)).not.toContain(request.customerEmail);
    await drain();
    expect(mailsTo(request.customerEmail).map(({ subject }) => subject)).toEqual([
      expect.stringContaining('Please pay for your booking'),
    ]);
    expect(mailsTo(request.customerEmail)[0]?.text).toContain(created.url);
    await pay(created.bookingId);
    await drain();
    cases.system.state.now = request.startTime.getTime() - 15 * MINUTE;
    await drain();
    await drain();
    const texts = mailsTo(request.customerEmail).map(({ subject, text }) => `${subject} ${text}`);
    expect(texts).toHaveLength(3);
    expect(texts[1]).toMatch(/Booking confirmed.*Hi Sam.*by email to/s);
    expect(texts[2]).toMatch(/Your access code.*PIN: \d{6}.*regenerate-pin/s);
    expect(await row(created.bookingId)).toMatchObject({
      status: 'confirmed',
      user: null,
      name: 'Sam Guest',
      state: 'paid',
    });
  });

  test.each([
    ['the server was killed before it asked the provider', async () => fails(noResponse)],
    [
      'the answer of the provider was lost',
      async (create: PaymentCases['payments']['createSession']) => async (input: Parameters<typeof create>[0]) => {
        await create(input);
        throw noResponse;
      },
    ],
  ])('%s: the mail has the link all the same, of one session', async (_when, broken) => {
    const { createSession, findSession } = cases.payments;
    cases.payments.createSession = await broken(createSession);
    cases.payments.findSession = fails(noResponse);
    const request = createRequest();
    const created = await book(request);
    expect(created).toMatchObject({ url: null, pending: true });
    Object.assign(cases.payments, { createSession, findSession });
    cases.system.state.now += 2 * MINUTE;
    await drain();
    expect(await countSessions(created.bookingId)).toBe(1);
    const ends = await db.queryRow(
      `select session_expires_at >= $2::timestamptz as late from private.payment where booking_id = $1::uuid order by attempt desc limit 1`,
      [created.bookingId, new Date(START + 23 * HOUR)],
    );
    expect(ends).toEqual({ late: true });
    const repeated = await book(request);
    expect(repeated).toMatchObject({ bookingId: created.bookingId, pending: false });
    expect(mailsTo(request.customerEmail)).toMatchObject([
      { text: expect.stringContaining(repeated.url ?? 'no link') },
    ]);
    await pay(created.bookingId);
    expect(await row(created.bookingId)).toMatchObject({ status: 'confirmed' });
  });

  /** Books again, and runs `meanwhile` after the first statement, when the call has already read the earlier state of the booking. */
  function bookDuring(request: StaffBooking, meanwhile: () => Promise<unknown>) {
    let pending: (() => Promise<unknown>) | null = meanwhile;
    const interrupted: Database = {
      ...db,
      async queryRow<R>(text: string, values?: readonly unknown[]) {
        const row = await db.queryRow<R>(text, values);
        const interrupt = pending;
        pending = null;
        await interrupt?.();
        return row;
      },
    };
    return bookForStaff({ ...context(), db: interrupted }, request);
  }

  test.each([
    ['paid for', 'confirmed', pay],
    ['released', 'cancelled', cancel],
  ])('a repeated call whose link was %s meanwhile answers what is true now', async (_when, status, happens) => {
    const before = createRequest({ requestId: randomUUID() });
    const { bookingId } = await book(before);
    await happens(bookingId);
    expect(await book(before)).toMatchObject({ bookingId, status, url: null, pending: false });
    const during = createRequest({ requestId: randomUUID() });
    const other = await book(during);
    expect(await bookDuring(during, () => happens(other.bookingId))).toMatchObject({
      bookingId: other.bookingId,
      status,
      url: null,
      pending: false,
    });
  });

  test('a repeated call whose payment is being processed promises no mail with a link', async () => {
    const request = createRequest({ requestId: randomUUID() });
    const { bookingId } = await book(request);
    const session = await cases.system.readSessionId(bookingId);
    cases.system.provider.move(session, 'delay');
    await settlePayment(cases.payment, session);
    expect(await book(request)).toMatchObject({ bookingId, status: 'pending', url: null, pending: false });
  });

  test('the session of a link ends with the hold, and leaving the pay page releases nothing', async () => {
    const inputs: Parameters<typeof createSession>[0][] = [];
    const { createSession } = cases.payments;
    cases.payments.createSession = (input) => {
      inputs.push(input);
      return createSession(input);
    };
    const near = { startTime: new Date(START + 10 * HOUR), endTime: new Date(START + 11 * HOUR) };
    await book(createRequest(near));
    await book(createRequest());
    expect(inputs.map(({ expiresAt }) => expiresAt)).toEqual([
      new Date(START + 9 * HOUR),
      new Date(START + 24 * HOUR - MINUTE),
    ]);
    expect(inputs.map(({ cancelUrl }) => cancelUrl)).toEqual(['https://studio.example/', 'https://studio.example/']);
  });

  test('a mail whose booking was released meanwhile is not sent', async () => {
    const request = createRequest();
    const created = await book(request);
    await db.query(`update private.outbox set due_at = due_at + interval '1 hour' where kind = 'mail.payment-link'`);
    await cancel(created.bookingId);
    cases.system.state.now += HOUR;
    await drain();
    expect(mailsTo(request.customerEmail).map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Booking cancelled/),
    ]);
  });

  test('an account with the confirmed address gets the booking, one without confirmation does not', async () => {
    const person = await addPerson(db, { verifiedUntil: null });
    const unconfirmed = await addPerson(db, { mailConfirmed: false });
    const [registered, guest] = [await readAddress(person), await readAddress(unconfirmed)];
    const own = await book(createRequest({ customerEmail: registered }));
    expect(await row(own.bookingId)).toMatchObject({ user: person, email: null, name: null });
    const other = await book(createRequest({ customerEmail: guest }));
    expect(await row(other.bookingId)).toMatchObject({ user: null, email: guest });
  });

  test('links that staff sent do not count as the customer’s own tries to book', async () => {
    const person = await addPerson(db);
    const customerEmail = await readAddress(person);
    for (let links = 0; links < 3; links += 1) await book(createRequest({ customerEmail }));
    await expect(holdBooking(context(), cases.system.request(person))).resolves.toMatchObject({
      url: expect.any(String),
    });
  });

  test('a free booking is confirmed at no cost, and one paid elsewhere at its price, both without the provider', async () => {
    cases.system.provider.failing = noResponse;
    const free = await book(createRequest({ payment: 'free' }));
    expect(free).toMatchObject({ url: null, pending: false });
    expect(await row(free.bookingId)).toMatchObject({
      status: 'confirmed',
      cost: 0,
      waived: PRICE,
      kind: 'free',
      paid: 0,
    });
    const elsewhere = await book(createRequest({ payment: 'elsewhere' }));
    expect(await row(elsewhere.bookingId)).toMatchObject({
      status: 'confirmed',
      cost: PRICE,
      waived: 0,
      kind: 'elsewhere',
      state: 'paid',
      paid: PRICE,
    });
    cases.system.provider.failing = null;
    await reconcilePayments(cases.payment);
    expect(await cases.inboxRows()).toEqual([]);
  });

  test('money paid elsewhere goes back by hand: the provider is not asked, and it counts when staff close the job', async () => {
    const request = createRequest({ payment: 'elsewhere' });
    const { bookingId } = await book(request);
    await drain();
    const part = { bookingId, cents: 1_000, reason: 'Late', requestId: null, actor: STAFF, money: 'held' as const };
    expect(await refundForStaff(context(), part)).toMatchObject({ byHand: true });
    expect(await cancel(bookingId)).toEqual({ refundCents: PRICE - 1_000, byHand: true, undo: null });
    expect(await cancel(bookingId)).toEqual({ refundCents: PRICE - 1_000, byHand: true, undo: null });
    await drain();
    expect(cases.system.provider.refundKeys).toEqual([]);
    expect(
      mailsTo(request.customerEmail)
        .map(({ text }) => text)
        .join(),
    ).toContain('We’ll give you $49 back ourselves');
    expect(await row(bookingId)).toMatchObject({ status: 'cancelled', state: 'paid', refunded: 0 });
    const { rows: open } = await db.query<{ id: string; error: string }>(
      `select id, last_error as error from private.outbox where kind = 'payment.partial-refund' and done_at is null order by created_at`,
    );
    expect(open.map(({ error }) => error)).toEqual([
      expect.stringContaining('Refund $10 by hand'),
      expect.stringContaining('Refund $49 by hand'),
    ]);
    for (const job of open)
      await db.transaction(async (tx) => {
        await tx.query(`select set_config('request.jwt.claims', '{"role": "service_role"}', true)`);
        await tx.queryRow('select public.close_job($1::uuid, $2)', [job.id, 'given back in cash']);
      });
    expect(await row(bookingId)).toMatchObject({ state: 'refunded', refunded: PRICE });
    const { rows: refunds } = await db.query(
      `select r.amount_cents as cents, r.status from private.refund r join private.payment p on p.id = r.payment_id
       where p.booking_id = $1::uuid order by r.amount_cents`,
      [bookingId],
    );
    expect(refunds).toEqual([
      { cents: 1_000, status: 'succeeded' },
      { cents: PRICE - 1_000, status: 'succeeded' },
    ]);
    expect(cases.system.provider.refundKeys).toEqual([]);
  });

  test('staff who cancel what was paid elsewhere without a refund have nothing to give back by hand', async () => {
    const { bookingId } = await book(createRequest({ payment: 'elsewhere' }));
    expect(await cancel(bookingId, 'none')).toEqual({ refundCents: 0, byHand: false, undo: null });
  });

  test('a customer who cancels what was paid elsewhere is told that staff give the money back', async () => {
    const person = await addPerson(db);
    const { bookingId } = await book(createRequest({ payment: 'elsewhere', customerEmail: await readAddress(person) }));
    await drain();
    cases.system.mails.length = 0;
    expect(await cancelBooking(context(), bookingId, person)).toEqual({
      refund: 'full',
      amountCents: PRICE,
      byHand: true,
    });
    await drain();
    expect(cases.system.mails[0]?.text).toContain('We’ll give you $59 back ourselves');
    expect(await cases.readJobKinds(bookingId)).not.toContain('payment.refund');
  });

  test('a price of its own is paid by the link, and the rest of the list price is not charged; staff without money, and more than the list, are refused', async () => {
    const request = createRequest({ priceCents: 2_500, customerPhone: '+61466555444', requestId: randomUUID() });
    const { bookingId } = await book(request);
    expect(await row(bookingId)).toMatchObject({ cost: 2_500, waived: PRICE - 2_500, kind: 'card' });
    expect(await book(request)).toMatchObject({ bookingId });
    await expect(book({ ...request, priceCents: 2_600 })).rejects.toMatchObject({
      code: 'already_done',
      message: 'This request already made another booking.',
    });
    const session = await cases.system.readSessionId(bookingId);
    expect(await cases.payments.getSession(session)).toMatchObject({ amountCents: 2_500 });
    const phone = await db.queryRow('select contact_phone as phone from private.booking where id = $1::uuid', [
      bookingId,
    ]);
    expect(phone).toEqual({ phone: '+61466555444' });

    const elsewhere = await book(createRequest({ priceCents: 2_500, payment: 'elsewhere' }));
    expect(await row(elsewhere.bookingId)).toMatchObject({ status: 'confirmed', cost: 2_500, paid: 2_500 });
    expect(await row((await book(createRequest({ priceCents: PRICE }))).bookingId)).toMatchObject({
      cost: PRICE,
      waived: 0,
    });
    await expect(book(createRequest({ priceCents: 2_500, money: 'missing' }))).rejects.toMatchObject({
      code: 'not_yours',
      message: 'The list price is higher. You need the “Money” permission for this.',
      details: { permission: 'money' },
    });
    expect(await row((await book(createRequest({ priceCents: PRICE, money: 'missing' }))).bookingId)).toMatchObject({
      cost: PRICE,
    });
    for (const more of [{ priceCents: PRICE + 1 }, { priceCents: 2_500, payment: 'free' as const }])
      await expect(book(createRequest(more))).rejects.toMatchObject({
        code: 'invalid_request',
        message: 'The price can’t be higher than the list price.',
        details: { field: 'priceCents', listCents: PRICE },
      });
  });

  test('the same call makes one booking, also at the same moment; another call with its request is refused', async () => {
    const request = createRequest({ payment: 'free' });
    const created = await Promise.all([1, 2, 3, 4].map(() => book(request)));
    expect(new Set(created.map(({ bookingId }) => bookingId)).size).toBe(1);
    await expect(book({ ...request, payment: 'elsewhere' })).rejects.toMatchObject({ code: 'already_done' });
    await expect(book({ ...request, customerEmail: 'other@example.com' })).rejects.toMatchObject({
      code: 'slot_taken',
      message: 'This time is taken.',
    });
    const named = createRequest({ requestId: randomUUID() });
    const first = await book(named);
    await cancel(first.bookingId);
    expect(await book(named)).toMatchObject({ bookingId: first.bookingId, url: null });
    expect((await book({ ...named, requestId: randomUUID() })).bookingId).not.toBe(first.bookingId);
    await expect(book({ ...named, ...cases.system.nextSpan() })).rejects.toMatchObject({
      code: 'already_done',
      details: { bookingId: first.bookingId },
    });
  });

  test('hours that customers cannot book are refused, and taken hours are named', async () => {
    const at = (hours: number) => ({
      startTime: new Date(START + hours * HOUR),
      endTime: new Date(START + (hours + 1) * HOUR),
    });
    const refusal = (more: Partial<StaffBooking>) =>
      book(createRequest(more)).then(
        () => null,
        (error: unknown) => error,
      );
    for (const [more, code, message] of [
      [at(-2), 'slot_closed', 'This time can no longer be booked.'],
      [at(91 * 24 + 24), 'slot_closed', 'This time can’t be booked.'],
      [at(0.5), 'invalid_request', 'Bookings start and end on the hour, Sydney time.'],
      [
        { ...at(1), payment: 'link' },
        'too_late',
        'It’s too close to the start for a payment link. Choose another way to pay.',
      ],
      [{ studioId: randomUUID() }, 'not_found', 'Studio not found'],
    ] as const)
      expect(await refusal(more)).toMatchObject({ code, message });
    const span = cases.system.nextSpan();
    const { bookingId } = await book(createRequest({ ...span, payment: 'free' }));
    expect(await refusal(span)).toMatchObject({ code: 'slot_taken', details: { bookings: [{ id: bookingId }] } });
    const closed = cases.system.nextSpan();
    await closeHours(context(), { studioId: STUDIO, ...closed, weeks: 1, reason: 'Paint', public: false }, STAFF);
    expect(await refusal(closed)).toMatchObject({ code: 'slot_closed', message: 'The studio is closed at this time.' });
    const person = await addPerson(db);
    await blockCustomer(context(), { userId: person, reason: 'Damage', until: null }, STAFF);
    expect(await refusal({ customerEmail: await readAddress(person) })).toMatchObject({
      code: 'blocked',
      message: 'This customer is blocked, so nothing was booked. Unblock them first.',
    });
  });

  test('an expired hold in the way is released', async () => {
    const held = await cases.held();
    cases.system.state.now += 16 * MINUTE;
    const { startTime, endTime } = held.request;
    const created = await book(createRequest({ startTime, endTime, payment: 'free' }));
    expect(await row(created.bookingId)).toMatchObject({ status: 'confirmed' });
    expect(await cases.readBooking(held.id)).toEqual({ status: 'cancelled', reason: 'hold_expired' });
  });

  test('staff release an unpaid link: its session is closed first, the customer is told, and a second call answers the same', async () => {
    const request = createRequest();
    const { bookingId } = await book(request);
    const session = await cases.system.readSessionId(bookingId);
    expect(await cancel(bookingId)).toEqual({ refundCents: 0, byHand: false, undo: null });
    expect(await cancel(bookingId)).toEqual({ refundCents: 0, byHand: false, undo: null });
    expect(await cases.readBooking(bookingId)).toEqual({ status: 'cancelled', reason: 'staff' });
    expect((await cases.payments.getSession(session)).status).toBe('expired');
    await drain();
    expect(mailsTo(request.customerEmail).at(-1)?.text).toContain('Nothing was charged for it');
    const log = await db.queryRow(
      `select details from public.audit_logs where resource_id = $1 order by created_at desc limit 1`,
      [bookingId],
    );
    expect(log).toMatchObject({
      details: { before: { status: 'pending' }, after: { status: 'cancelled' }, reason: 'Called' },
    });
  });

  test('a release is staff’s, also when the provider’s event about the closed session is faster', async () => {
    const { bookingId } = await book(createRequest());
    const session = await cases.system.readSessionId(bookingId);
    const { expireSession } = cases.payments;
    cases.payments.expireSession = async (id) => {
      const expired = await expireSession(id);
      await settlePayment(cases.payment, session);
      return expired;
    };
    await cancel(bookingId);
    expect(await cases.readBooking(bookingId)).toEqual({ status: 'cancelled', reason: 'staff' });
  });

  test('a link that was just paid is not released, and neither is one whose provider does not answer', async () => {
    const paid = await book(createRequest());
    cases.system.provider.move(await cases.system.readSessionId(paid.bookingId), 'pay');
    await expect(cancel(paid.bookingId, 'none')).rejects.toMatchObject({ code: 'payment_processing' });
    expect(await cases.readBooking(paid.bookingId)).toMatchObject({ status: 'confirmed' });
    const other = await book(createRequest());
    cases.system.provider.failing = noResponse;
    await expect(cancel(other.bookingId)).rejects.toBe(noResponse);
    expect(await cases.readBooking(other.bookingId)).toMatchObject({ status: 'pending' });
    cases.system.provider.failing = null;
    expect(await cancel(other.bookingId)).toMatchObject({ refundCents: 0 });
  });
});
