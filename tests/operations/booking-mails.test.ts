import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { showAccess } from '#server/operations/access/show-access.ts';
import { queueThanks } from '#server/operations/mails/after-session.ts';
import { queueReminders } from '#server/operations/mails/reminders.ts';
import { PIN_LINK } from '#server/operations/mails/booking-mail.ts';
import type { JobKind } from '#rules/alerts/jobs.ts';
import { enqueue } from '#server/operations/core/jobs.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { mailDocuments } from '#server/operations/mails/document-mails.ts';
import { sendMailAgain } from '#server/operations/mails/send-again.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { ProviderError } from '#server/providers/call.ts';
import { readPdf } from '#tests/support/files/pdf-text.ts';
import {
  addPerson,
  type BookingSystem,
  createBookingSystem,
  embedded,
  HOUR,
  MINUTE,
  START,
  STUDIO,
} from './booking-system.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

let db: Database;
let close: () => Promise<void>;
let system: BookingSystem;

beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  await db.query('delete from private.outbox');
  await db.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
  );
  system = await createBookingSystem(db);
});

const readEmail = async (person: string): Promise<string | undefined> =>
  (await db.queryRow<{ email: string }>('select email from auth.users where id = $1::uuid', [person]))?.email;
/** Returns the only mail since the last check, with its text in one line. */
function onlyMail() {
  const [mail, ...more] = system.mails.splice(0);
  if (!mail || more.length > 0) throw new Error(`one mail was expected, there are ${mail ? more.length + 1 : 0}`);
  return { ...mail, text: mail.text.replaceAll(/\s+/g, ' ') };
}
/** Sends one mail about a booking, as the worker does. */
async function send(kind: JobKind, bookingId: string): Promise<void> {
  await enqueue(db, { kind, subjectId: bookingId, dueAt: system.clock(), dedupe: randomUUID() });
  await system.jobs.drain();
}
const readCodeMail = (bookingId: string) =>
  db.queryRow<{ status: string; at: Date | null }>(
    'select status, sent_at as at from public.scheduled_emails where booking_id = $1::uuid',
    [bookingId],
  );

test('the confirmation goes to the account, greets by first name and links to the code page for this booking only', async () => {
  const person = await addPerson(db);
  const { id } = await system.book(person);
  await system.jobs.drain();
  const mail = onlyMail();
  expect(mail.to).toBe(await readEmail(person));
  expect(mail.subject).toMatch(/^Booking confirmed: Studio, /);
  expect(mail.text).toContain('Hi Alex, Studio is yours.');
  expect(mail.text).toMatch(
    /We’ll email your access code at 10:45 am\. .* Arrive 10 minutes early\. Your code opens the door from 10:55 am, so/s,
  );
  expect(mail.text).toContain('Free to cancel until 11 am on');
  expect(mail.text).toContain('https://studio.example/bookings/');
  expect(mail.text).toContain('Google (https://calendar.google.com/calendar/render?');
  expect(mail.document?.name).toMatch(/^receipt-.*\.pdf$/);
  expect((await readPdf(mail.document?.content ?? new Uint8Array()))[0]).toMatch(/^Receipt$/m);
  const link = /https:\/\/studio\.example\/regenerate-pin\?booking_id=([0-9a-f-]+)&token=([\w.-]+)/.exec(mail.text);
  expect(link?.[1]).toBe(id);
  const read = (now: number) => system.links.read(PIN_LINK, link?.[2] ?? '', new Date(now));
  const { endTime } = await readOwnBooking(system.services, person, id);
  expect(read(endTime.getTime() - 1)).toBe(id);
  expect(read(endTime.getTime())).toBeNull();
});

test('somebody without a name gets the mail without a greeting, and an account that was deleted gets none', async () => {
  const [nameless, gone] = [await addPerson(db), await addPerson(db)];
  const [first, second] = [await system.book(nameless), await system.book(gone)];
  await db.query('update public.profiles set full_name = null where user_id = $1::uuid', [nameless]);
  await db.query('delete from private.outbox');
  await db.query('update auth.users set deleted_at = $2::timestamptz where id = $1::uuid', [gone, system.clock()]);
  await send('mail.booking-confirmed', second.id);
  expect(system.mails).toEqual([]);
  await send('mail.booking-confirmed', first.id);
  const mail = onlyMail();
  expect(mail.text).toContain('Studio is yours.');
  expect(mail.text).not.toContain('Hi ');
  await send('mail.booking-confirmed', randomUUID());
  expect(system.mails).toEqual([]);
  const { rows } = await db.query('select last_error from private.outbox where done_at is null');
  expect(rows).toEqual([]);
});

test('a cancellation names the money that goes back: what was paid, or nothing where nothing was', async () => {
  const person = await addPerson(db);
  const paid = await system.book(person, {
    startTime: new Date(START + 48 * HOUR),
    endTime: new Date(START + 49 * HOUR),
  });
  await db.query('delete from private.outbox');
  await cancelBooking(system.services, paid.id, person);
  await system.jobs.drain();
  expect(onlyMail().text).toMatch(/\$\d+(\.\d\d)? is on its way back to your card/);
  // Staff make bookings without any payment.
  const [id, { startTime, endTime }] = [randomUUID(), system.nextSpan()];
  await db.query(
    `insert into private.booking (id, reference, user_id, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
     values ($1::uuid, private.new_reference(), $2::uuid, $3::uuid, 'Studio', $4::timestamptz, $5::timestamptz, $4::timestamptz, 1, 0, 0)`,
    [id, person, STUDIO, startTime, endTime],
  );
  await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`, [id]);
  await send('mail.booking-cancelled', id);
  expect(onlyMail().text).toContain('Nothing was charged for it.');
});

test('an adjustment note is mailed once when its refund has arrived; staff mail all documents, once for each request', async () => {
  const person = await addPerson(db);
  const { id } = await system.book(person);
  await system.jobs.drain();
  onlyMail();
  const staff = { actor: person, money: 'held' as const, requestId: null, reason: 'Sorry' };
  await refundForStaff(system.services, { bookingId: id, cents: 1_100, ...staff });
  await system.jobs.drain();
  const [note, ...more] = system.notes.splice(0);
  expect(more).toEqual([]);
  expect(note?.text).toContain('your refund of $11 has gone through');
  expect((await readPdf(note?.document?.content ?? new Uint8Array())).join('\n')).toMatch(/^Refund receipt$/m);
  system.mails.splice(0);
  const request = randomUUID();
  const mail = (requestId: string, bookingId = id) =>
    mailDocuments(servicesWith({ db, clock: system.clock }), { bookingId, requestId }, person);
  for (const _ of [1, 2]) await mail(request);
  await system.jobs.drain();
  expect(onlyMail()).toMatchObject({ subject: expect.stringMatching(/^Your receipt: /), to: await readEmail(person) });
  await mail(request);
  await system.jobs.drain();
  expect(system.mails).toEqual([]);
  await expect(mail(randomUUID(), randomUUID())).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is no receipt for this booking.',
  });
  // A refund note is not mailed if its refund failed after all.
  await db.query(`update private.document set voided_at = now() where booking_id = $1::uuid and kind = 'adjustment'`, [
    id,
  ]);
  const number = await db.queryRow<{ n: number }>(
    `select number as n from private.document where booking_id = $1::uuid and kind = 'adjustment'`,
    [id],
  );
  await enqueue(db, {
    kind: 'mail.document',
    subjectId: id,
    payload: { number: number?.n },
    dueAt: system.clock(),
    dedupe: 'void',
  });
  await system.jobs.drain();
  expect([system.mails, system.notes]).toEqual([[], []]);
  await db.query('update private.booking set user_id = null, guest_email = null where id = $1::uuid', [id]);
  await expect(mail(randomUUID())).rejects.toMatchObject({
    code: 'already_done',
    message: 'This booking has no email address to send to.',
    details: { reason: 'no_address' },
  });
});

test('one cancellation sends one mail, which says where the receipt of its refund is; a later refund has a mail of its own', async () => {
  const person = await addPerson(db);
  const cancelled = async (refund: 'full' | number) => {
    const { id } = await system.book(person);
    await system.jobs.drain();
    [system.mails, system.notes].forEach((sent) => sent.splice(0));
    await cancelForStaff(system.services, {
      bookingId: id,
      refund,
      actor: person,
      money: 'held',
      reason: 'Sorry',
    });
    await system.jobs.drain();
    return id;
  };
  await cancelled('full');
  const mail = onlyMail();
  expect(mail.subject).toMatch(/^Booking cancelled/);
  expect(mail.text).toMatch(/receipt with your booking.*https:\/\/\S+\/bookings\/[A-Z0-9-]{9}/);
  expect(system.notes).toEqual([]);

  const part = await cancelled(1_000);
  expect(onlyMail().text).toContain('$10 is on its way back');
  expect(system.notes).toEqual([]);
  await refundForStaff(system.services, {
    bookingId: part,
    cents: 500,
    actor: person,
    money: 'held',
    requestId: null,
    reason: 'Sorry',
  });
  await system.jobs.drain();
  expect(system.notes.map(({ text }) => /refund of \$\d+/.exec(text)?.[0])).toEqual(['refund of $5']);
});

test.each([
  ['within the hour, its code mail is due at once', HOUR, 'pending_immediate', 0],
  ['later, its code mail is due a quarter of an hour before', HOUR + 1, 'pending', HOUR + 1 - 15 * MINUTE],
])('for a booking that starts %s', async (_when, ahead, status, due) => {
  const start = Math.ceil(START / HOUR) * HOUR + HOUR;
  system.state.now = start - ahead;
  const { id } = await system.book(await addPerson(db), {
    startTime: new Date(start),
    endTime: new Date(start + HOUR),
  });
  expect(
    await db.queryRow('select status, scheduled_for as due from public.scheduled_emails where booking_id = $1::uuid', [
      id,
    ]),
  ).toEqual({ status, due: new Date(start - ahead + due) });
});

test('staff send a mail again with what is true now, once for each request, and no mail that would be untrue', async () => {
  const person = await addPerson(db);
  const { id } = await system.book(person);
  await system.jobs.drain();
  onlyMail();
  const readMailId = async (kind: JobKind) =>
    (
      await db.queryRow<{ id: string }>(
        'select id from private.outbox where kind = $1 and subject_id = $2::uuid order by created_at limit 1',
        [kind, id],
      )
    )?.id ?? '';
  const confirmation = await readMailId('mail.booking-confirmed');
  const resend = (mailId: string, requestId: string = randomUUID(), bookingId = id) =>
    sendMailAgain(servicesWith({ db, clock: system.clock }), { bookingId, mailId, requestId }, person);
  const request = randomUUID();
  await db.query(`update public.profiles set full_name = 'Kim Citizen' where user_id = $1::uuid`, [person]);
  for (const _ of [1, 2]) await resend(confirmation, request);
  await expect(resend(confirmation)).rejects.toMatchObject({ code: 'already_done', details: { reason: 'queued' } });
  await system.jobs.drain();
  expect(onlyMail().text).toContain('Hi Kim, Studio is yours.');
  await resend(confirmation, request);
  await system.jobs.drain();
  expect(system.mails).toEqual([]);
  await expect(resend(confirmation, randomUUID(), randomUUID())).rejects.toMatchObject({
    code: 'not_found',
    message: 'This booking has no such email.',
  });
  const logged = await db.queryRow(
    `select count(*)::int from public.audit_logs where resource_id = $1 and details ->> 'mail' = 'booking-confirmed'`,
    [id],
  );
  expect(logged).toEqual({ count: 1 });
  // This job was queued before the cancellation, but runs after it.
  await resend(confirmation);
  await cancelBooking(system.services, id, person);
  await system.jobs.drain();
  expect(onlyMail().subject).toMatch(/cancelled/);
  await expect(resend(confirmation)).rejects.toMatchObject({ message: 'The booking is no longer confirmed.' });
  await resend(await readMailId('mail.booking-cancelled'));
  await system.jobs.drain();
  expect(onlyMail().subject).toMatch(/cancelled/);
});

test('a payment that takes days is mailed about only while it processes, and a failed one with its reason', async () => {
  const person = await addPerson(db);
  const { bookingId } = await holdBooking(system.services, system.request(person));
  const session = await system.readSessionId(bookingId);
  system.provider.move(session, 'delay');
  await settlePayment(system.services, session);
  await system.jobs.drain();
  expect(onlyMail()).toMatchObject({
    to: await readEmail(person),
    subject: expect.stringMatching(/^Your payment is being processed: Studio, /),
    text: expect.stringContaining('Hi Alex, thanks.'),
  });
  system.provider.move(session, 'delay fails');
  await settlePayment(system.services, session);
  await system.jobs.drain();
  expect(onlyMail().text).toMatch(
    /Your payment didn’t go through .*nothing was charged.*https:\/\/studio\.example\/booking/,
  );
  await send('mail.payment-processing', bookingId);
  expect(system.mails).toEqual([]);
});

test('a payment that still processes when the session starts is reported as too late', async () => {
  const person = await addPerson(db);
  const request = system.request(person);
  const { bookingId } = await holdBooking(system.services, request);
  const session = await system.readSessionId(bookingId);
  system.provider.move(session, 'delay');
  await settlePayment(system.services, session);
  await db.query('delete from private.outbox');
  system.state.now = request.startTime.getTime();
  await releaseExpiredHolds(system.services);
  await system.jobs.drain();
  expect(onlyMail().text).toContain('Your payment didn’t arrive in time');
});

test('a payment that arrives too late is mailed about with its amount', async () => {
  const person = await addPerson(db);
  const request = system.request(person);
  const { bookingId } = await holdBooking(system.services, request);
  const session = await system.readSessionId(bookingId);
  system.provider.move(session, 'pay');
  system.state.now = request.startTime.getTime() + 31 * MINUTE;
  await settlePayment(system.services, session);
  await system.jobs.drain();
  expect(onlyMail()).toMatchObject({
    subject: expect.stringMatching(/^Your payment is going back: Studio, /),
    text: expect.stringMatching(/Your payment of \$[1-9]\d*(\.\d\d)? reached us when/),
  });
});

test('the code mail waits five seconds for a lock that has not answered, then brings the code, and is marked as sent', async () => {
  const person = await addPerson(db);
  const request = system.request(person);
  const { id } = await system.book(person, request);
  const start = request.startTime.getTime();
  await system.jobs.drain();
  system.mails.length = 0;
  system.state.now = start - 15 * MINUTE;
  system.state.lockFails = new ProviderError('igloohome', 'no_response', { retryable: true, ambiguous: true });
  await system.jobs.drain();
  expect(system.mails).toEqual([]);
  expect(await readCodeMail(id)).toEqual({ status: 'pending', at: null });
  const due = await db.queryRow<{ at: Date; tries: number }>(
    `select due_at as at, tries from private.outbox where kind = 'mail.access-code' and subject_id = $1::uuid`,
    [id],
  );
  expect(due).toEqual({ at: new Date(system.state.now + 5_000), tries: 0 });
  system.state.lockFails = null;
  system.state.now += MINUTE;
  await system.jobs.drain();
  const { pin } = await showAccess(system.services, id);
  const mail = onlyMail();
  expect(mail.to).toBe(await readEmail(person));
  expect(mail.text).toContain(pin ?? 'no code');
  expect(mail.text).toMatch(/Your code works from .*:55 .*regenerate-pin\?booking_id=/);
  expect(await readCodeMail(id)).toEqual({ status: 'sent', at: system.clock() });
});

test('the code mail of a cancelled booking is dropped without a word', async () => {
  const person = await addPerson(db);
  const request = system.request(person);
  const { id } = await system.book(person, request);
  await cancelBooking(system.services, id, person);
  await system.jobs.drain();
  system.mails.length = 0;
  system.state.now = request.startTime.getTime() - 15 * MINUTE;
  await db.query(`update public.scheduled_emails set status = 'pending' where booking_id = $1::uuid`, [id]);
  await send('mail.access-code', id);
  expect(system.mails).toEqual([]);
  expect(await readCodeMail(id)).toEqual({ status: 'cancelled', at: null });
  const { rows } = await db.query(`select 1 from private.outbox where kind = 'mail.access-code' and done_at is null`);
  expect(rows).toEqual([]);
});

test('a code mail that comes after the end of the session is closed with the reason, for a person to see', async () => {
  const person = await addPerson(db);
  const request = system.request(person);
  const { id } = await system.book(person, request);
  await db.query(`delete from private.outbox where kind <> 'mail.access-code'`);
  system.state.now = request.endTime.getTime();
  await system.jobs.drain();
  expect(system.mails).toEqual([]);
  expect(await readCodeMail(id)).toEqual({ status: 'cancelled', at: null });
  const job = await db.queryRow(
    `select close_reason as reason from private.outbox where kind = 'mail.access-code' and subject_id = $1::uuid`,
    [id],
  );
  expect(job).toEqual({ reason: 'The session ended before the access code could be emailed.' });
});

const DAY = 24 * HOUR;
/** Runs the periodic task at this time and sends what it queued. */
async function remindAt(time: number): Promise<{ mails: number; texts: number }> {
  system.state.now = time;
  await queueReminders(system.services);
  await system.jobs.drain();
  return {
    mails: system.mails.splice(0).filter(({ subject }) => subject.startsWith('Reminder: ')).length,
    texts: system.texts.length,
  };
}
/** Books a session and gives the account a confirmed phone number. */
async function bookToRemind(startTime: Date): Promise<{ person: string; id: string }> {
  const person = await addPerson(db);
  const endTime = new Date(startTime.getTime() + 2 * HOUR);
  const { id } = await system.book(person, { startTime, endTime });
  await db.query(`update auth.users set phone = $2, phone_confirmed_at = $3::timestamptz where id = $1::uuid`, [
    person,
    `614${String(Math.random()).slice(2, 10)}`,
    system.clock(),
  ]);
  await system.jobs.drain();
  system.mails.splice(0);
  return { person, id };
}

test('a session is reminded of once by mail a day before and once by text two hours before [spec 10.10]', async () => {
  const start = START + 7 * DAY;
  await bookToRemind(new Date(start));
  expect(await remindAt(start - DAY - 1)).toEqual({ mails: 0, texts: 0 });
  system.state.now = start - DAY;
  await queueReminders(system.services);
  await system.jobs.drain();
  const mail = onlyMail();
  expect(mail.subject).toMatch(/^Reminder: Studio, /);
  expect(mail.text).toMatch(/Hi Alex, Studio is yours from \d+ [ap]m on \w{3} \d+ \w{3} \d{4}, Sydney time\./);
  expect(mail.text).toContain('/regenerate-pin?booking_id=');
  expect(await remindAt(start - DAY + 1)).toEqual({ mails: 0, texts: 0 });
  expect(await remindAt(start - 2 * HOUR - 1)).toEqual({ mails: 0, texts: 0 });
  expect(await remindAt(start - 2 * HOUR)).toEqual({ mails: 0, texts: 1 });
  expect(system.texts[0]?.text).toContain('(Sydney time)');
  expect(await remindAt(start - HOUR)).toEqual({ mails: 0, texts: 1 });
});

test('nobody is reminded of a session that was cancelled, is switched off, or was booked a moment ago; a late server still reminds', async () => {
  const starts = [1, 2, 3, 4, 5].map((at) => START + 7 * DAY + at * 3 * HOUR);
  const [gone, off, late, unconfirmed] = [
    await bookToRemind(new Date(starts[0] ?? 0)),
    await bookToRemind(new Date(starts[1] ?? 0)),
    await bookToRemind(new Date(starts[2] ?? 0)),
    await bookToRemind(new Date(starts[3] ?? 0)),
  ];
  await cancelBooking(system.services, gone.id, gone.person);
  await system.jobs.drain();
  system.mails.splice(0);
  await db.query(
    'update public.profiles set remind_by_email = false, remind_by_text = false where user_id = $1::uuid',
    [off.person],
  );
  await db.query('update auth.users set phone_confirmed_at = null where id = $1::uuid', [unconfirmed.person]);
  // Reminder mails are due a day before the start, so those of `unconfirmed` and `late` are due; text messages are due two hours before it,
  // so none is.
  expect(await remindAt((starts[3] ?? 0) - 20 * HOUR)).toEqual({ mails: 2, texts: 0 });
  expect(late.id).not.toBe(unconfirmed.id);
  expect(await remindAt((starts[2] ?? 0) - 31 * MINUTE)).toEqual({ mails: 0, texts: 1 });
  expect(await remindAt((starts[3] ?? 0) - HOUR)).toEqual({ mails: 0, texts: 1 });
  // The booking was made 23 hours ahead, so the confirmation is enough.
  await bookToRemind(new Date(system.state.now - (system.state.now % HOUR) + 23 * HOUR));
  expect(await remindAt(system.state.now + MINUTE)).toEqual({ mails: 0, texts: 1 });
});

test('a text message that waits is not sent to a number that its owner has not confirmed since', async () => {
  const start = START + 7 * DAY;
  const { person } = await bookToRemind(new Date(start));
  await remindAt(start - DAY);
  system.state.now = start - 2 * HOUR;
  await queueReminders(system.services);
  await db.query(`update auth.users set phone = '61400000009', phone_confirmed_at = null where id = $1::uuid`, [
    person,
  ]);
  await system.jobs.drain();
  expect(system.texts).toEqual([]);
});

test('a moved session is reminded of at its new hours only, also when the mail of the old hours still waits', async () => {
  const start = START + 7 * DAY;
  const { id } = await bookToRemind(new Date(start));
  system.state.now = start - DAY;
  await queueReminders(system.services);
  const later = start + 5 * DAY;
  await db.transaction(async (tx) => {
    await tx.query(
      `insert into private.booking_move (booking_id, number, from_studio_id, from_start_time, from_end_time, studio_id, start_time, end_time,
         final_cost_cents, difference_cents, refund_cents, last_code, actor, created_at)
       select id, 1, studio_id, start_time, end_time, studio_id, $2::timestamptz, $2::timestamptz + interval '2 hours', final_cost_cents, 0, 0, 0, gen_random_uuid(), $3::timestamptz
       from private.booking where id = $1::uuid`,
      [id, new Date(later), system.clock()],
    );
    await tx.query(
      `update private.booking set start_time = $2::timestamptz, end_time = $2::timestamptz + interval '2 hours', moves = 1 where id = $1::uuid`,
      [id, new Date(later)],
    );
  });
  await system.jobs.drain();
  expect(system.mails.splice(0)).toEqual([]);
  expect(await remindAt(later - DAY - 1)).toEqual({ mails: 0, texts: 0 });
  expect(await remindAt(later - DAY)).toEqual({ mails: 1, texts: 0 });
  expect(await remindAt(later - 2 * HOUR)).toEqual({ mails: 0, texts: 1 });
});

test.each([
  ['forward', '2027-10-02T23:00:00Z', '10 am to 12 pm'],
  ['back', '2027-04-04T00:00:00Z', '10 am to 12 pm'],
  ['forward while the session begins', '2027-10-02T16:00:00Z', '3 am to 5 am'],
  ['back during the session', '2027-04-03T15:00:00Z', '2 am to 3 am'],
])(
  'over a night when the clocks go %s, a reminder goes 24 hours before and says the hour of the clock',
  async (_name, at, expected) => {
    const start = Date.parse(at);
    system.state.now = start - 20 * DAY;
    await bookToRemind(new Date(start));
    expect(await remindAt(start - DAY - 1)).toEqual({ mails: 0, texts: 0 });
    system.state.now = start - DAY;
    await queueReminders(system.services);
    await system.jobs.drain();
    expect(onlyMail().text).toContain(expected);
    expect((await remindAt(start - 2 * HOUR)).texts).toBe(1);
    expect(system.texts[0]?.text).toContain(expected);
  },
);

test('a session is thanked for once, half an hour after its end, with one question and the same hours of a later week', async () => {
  const start = START + 9 * DAY;
  const { person, id } = await bookToRemind(new Date(start));
  const thankAt = async (time: number) => {
    system.state.now = time;
    await queueThanks(system.services);
    await system.jobs.drain();
    return system.mails.splice(0).filter(({ subject }) => subject === 'How was Studio?');
  };
  const end = start + 2 * HOUR;
  await thankAt(start + HOUR);
  expect(await thankAt(end + 30 * MINUTE - 1)).toEqual([]);
  const [mail] = await thankAt(end + 30 * MINUTE);
  const { reference } =
    (await db.queryRow<{ reference: string }>('select reference from private.booking where id = $1::uuid', [id])) ?? {};
  expect(mail?.text).toContain(`/bookings/${reference}#how-was-it`);
  expect(mail?.text).toContain(`/bookings/${reference}#something-wrong`);
  expect(mail?.text).toMatch(/booking\?room=.*&from=\d{4}-\d{2}-\d{2}T\d{2}&hours=2/);
  expect(await thankAt(end + 40 * MINUTE)).toEqual([]);
  // A customer who did not come, or who has switched the mail off, is not thanked.
  await db.query(`delete from private.outbox where kind = 'mail.thanks'`);
  await db.query('update public.profiles set thank_by_email = false where user_id = $1::uuid', [person]);
  expect(await thankAt(end + HOUR)).toEqual([]);
  await db.query('update public.profiles set thank_by_email = true where user_id = $1::uuid', [person]);
  await db.query('update private.booking set no_show_at = now(), no_show_by = $2::uuid where id = $1::uuid', [
    id,
    person,
  ]);
  expect(await thankAt(end + HOUR)).toEqual([]);
  await db.query('update private.booking set no_show_at = null, no_show_by = null where id = $1::uuid', [id]);
  expect(await thankAt(end + 12 * HOUR)).toEqual([]);
  expect(await thankAt(end + 12 * HOUR - 1)).toHaveLength(1);
});
