import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import type { Database } from '#server/db/database.ts';
import { tellHeldCodes } from '#server/operations/access/code-hold.ts';
import { ensureCode } from '#server/operations/access/issue-first-code.ts';
import { renewCode } from '#server/operations/access/renew-code.ts';
import { showAccess } from '#server/operations/access/show-access.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { makeGuestCode } from '#server/operations/crew/guest-codes.ts';
import { joinCrew, readGuestAccess, requireJoined } from '#server/operations/crew/guests.ts';
import { inviteCrew } from '#server/operations/crew/links.ts';
import { describePass, readPass, storePass } from '#server/operations/wallet/pass-rows.ts';
import { askForDoorHelp, readDoorHelp } from '#server/operations/incidents/door-help.ts';
import { sendMailAgain } from '#server/operations/mails/send-again.ts';
import { sendReminder, sendTextReminder } from '#server/operations/mails/reminders.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { decideDispute } from '#server/operations/customers/decide-dispute.ts';
import { readDisputesAndHold } from '#server/operations/staff/read-disputes.ts';
import type { LockCapabilities } from '#server/providers/ports.ts';
import {
  addPerson,
  type BookingSystem,
  createBookingSystem,
  databases,
  HOUR,
  MINUTE,
  START,
  STUDIO,
} from './booking-system.ts';

const STAFF = randomUUID();
const HELD = { pin: null, held: true };

describe.each(databases)('the access code of a disputed booking on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let system: BookingSystem;
  let days = 0;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(() => begin());

  async function begin(lock: Partial<LockCapabilities> = {}): Promise<void> {
    await db.query('delete from private.outbox');
    await db.query('delete from public.user_roles');
    await db.query(
      `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
    );
    await db.query('update private.access_secret set live = false where live');
    days = 0;
    system = await createBookingSystem(db, lock);
  }
  /** Makes a confirmed booking of an hour; its `at` moves the clock to minutes before the start and runs the jobs that are due. */
  async function booked() {
    const person = await addPerson(db);
    days += 2;
    const startTime = new Date(START + days * 24 * HOUR);
    const { id, sessionId } = await system.book(person, { startTime, endTime: new Date(+startTime + HOUR) });
    await system.jobs.drain();
    system.mails.length = 0;
    const at = async (minutes: number): Promise<void> => {
      system.state.now = +startTime - minutes * MINUTE;
      await tellHeldCodes(system.services);
      await system.jobs.drain();
    };
    const dispute = async (move: 'dispute' | 'dispute won' | 'dispute lost' = 'dispute'): Promise<void> => {
      system.provider.move(sessionId, move);
      await settlePayment(system.services, sessionId);
      await system.jobs.drain();
    };
    return { id, person, sessionId, startTime, at, dispute };
  }
  type Booked = Awaited<ReturnType<typeof booked>>;
  const addGuest = async ({ id, person }: Booked): Promise<string> => {
    const { url } = await inviteCrew(system.services, { bookingId: id, userId: person, requestId: null });
    const token = url.replace('https://studio.example/crew#', '');
    await joinCrew(system.services, { token, name: 'Sam', termsVersion: firstSettings.termsVersion });
    return token;
  };
  const guestLook = async (token: string) =>
    readGuestAccess(system.services, await requireJoined(system.services, token));
  const decide = (id: string, decision: 'keep' | 'cancel' | 'block', reason = 'We called them') =>
    decideDispute(system.services, { bookingId: id, decision, reason }, STAFF);
  const outcome = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
  const subjects = (): string[] => {
    const found = system.mails.map(({ subject }) => subject.split(':')[0]?.replace(/ for .*/, '') ?? '');
    system.mails.length = 0;
    return found;
  };
  const readState = async (id: string) =>
    (
      await db.queryRow<{ state: string }>(
        `select b.status || ' ' || p.state as state from private.booking b join private.payment p on p.booking_id = b.id where b.id = $1::uuid`,
        [id],
      )
    )?.state;
  const waitingCode = (id: string) =>
    db.queryRow<{ kind: string }>(
      `select kind from private.outbox where subject_id = $1::uuid and kind in ('payment.refund', 'payment.partial-refund') and done_at is null`,
      [id],
    );

  test('is neither asked of the lock, shown, mailed, made again nor promised, to customer, guest and staff, until staff keep the booking', async () => {
    const booking = await booked();
    const token = await addGuest(booking);
    await booking.dispute();
    expect(await readDisputesAndHold(system.services, booking.id)).toMatchObject({ held: true, disputes: [{}] });
    await booking.at(14);
    expect([system.state.requests, [...system.state.codes]]).toEqual([[], []]);
    expect(subjects()).toEqual(['Your access code is on hold']);
    const scheduled = await db.query('select status from public.scheduled_emails where booking_id = $1::uuid', [
      booking.id,
    ]);
    expect(scheduled.rows).toEqual([{ status: 'cancelled' }]);
    for (const read of [ensureCode, showAccess]) expect(await read(system.services, booking.id)).toMatchObject(HELD);
    expect(await guestLook(token)).toMatchObject(HELD);
    expect(await outcome(renewCode(system.services, booking.id, STAFF))).toBe('code_held');
    expect(await outcome(makeGuestCode(system.services, await requireJoined(system.services, token)))).toBe(
      'code_held',
    );
    const mail = await db.queryRow<{ id: string }>(
      `select id from private.outbox where subject_id = $1::uuid and kind = 'mail.access-code'`,
      [booking.id],
    );
    await expect(
      sendMailAgain(system.services, { bookingId: booking.id, mailId: mail?.id ?? '', requestId: randomUUID() }, STAFF),
    ).rejects.toThrow('Decide about the dispute first.');
    expect(await readDoorHelp(system.services, booking.id)).toMatchObject({ held: true, hasCode: false });
    await askForDoorHelp(system.services, booking.id, { reporter: booking.person });
    const incident = await db.queryRow<{ text: string }>(
      'select description as text from private.incident where booking_id = $1::uuid',
      [booking.id],
    );
    expect(incident?.text).toContain('The code is on hold because a payment is disputed.');
    expect(system.state.requests).toEqual([]);

    for (const _ of [1, 2]) await decide(booking.id, 'keep');
    await system.jobs.drain();
    expect(subjects().filter((subject) => subject === 'Your access code')).toHaveLength(1);
    const shown = await showAccess(system.services, booking.id);
    expect([shown.held, shown.pin]).toEqual([false, expect.stringMatching(/^\d+$/)]);
    expect(await guestLook(token)).toMatchObject({ held: false, pin: expect.stringMatching(/^\d+$/) });
    expect(await readDoorHelp(system.services, booking.id)).toMatchObject({ held: false, hasCode: true });
    expect(await readDisputesAndHold(system.services, booking.id)).toMatchObject({ held: false });
    const log = await db.query(
      `select actor, details ->> 'reason' as reason from public.audit_logs where resource_id = $1 and details #>> '{after,code}' = 'not held'`,
      [booking.id],
    );
    expect(log.rows).toEqual([{ actor: STAFF, reason: 'We called them' }]);
    // The bank then decides against us, but staff have decided already.
    await booking.dispute('dispute lost');
    expect((await showAccess(system.services, booking.id)).held).toBe(false);
  });

  test('is told to each member of staff who may decide, once for each dispute and while it is held; the customer is not told why', async () => {
    const staff = { money: await addPerson(db), owner: await addPerson(db), bookings: await addPerson(db) };
    const emails: Record<string, string> = {};
    for (const [permission, id] of Object.entries(staff)) {
      await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [id]);
      const row = await db.queryRow<{ email: string }>('select email from auth.users where id = $1::uuid', [id]);
      emails[permission] = row?.email ?? '';
    }
    for (const permission of ['money', 'bookings'] as const) {
      await db.query(`update public.staff_permissions set permission = $2 where user_id = $1::uuid`, [
        staff[permission],
        permission,
      ]);
    }
    const getNotices = () =>
      system.mails.filter(({ subject }) => subject.startsWith('A customer’s code is on hold: payment disputed'));
    const booking = await booked();
    await booking.dispute();
    for (const _ of [1, 2]) await settlePayment(system.services, booking.sessionId);
    await system.jobs.drain();
    expect(getNotices().map(({ to }) => to)).toEqual(expect.arrayContaining([emails['money'], emails['owner']]));
    expect(getNotices().map(({ to }) => to)).not.toContain(emails['bookings']);
    expect(getNotices()).toHaveLength(2);
    expect(getNotices()[0]?.text).toContain(`/admin?tab=today&alert=code_held.${booking.id}`);
    await booking.at(14);
    const words = system.mails.find(({ subject }) => subject.startsWith('Your access code is'))?.text;
    expect(words).toContain('before you come');
    expect(words).not.toMatch(/disput|bank|card|payment/i);
    // Staff decide before the mail can be sent.
    const other = await booked();
    system.provider.move(other.sessionId, 'dispute');
    await settlePayment(system.services, other.sessionId);
    await decide(other.id, 'keep');
    await system.jobs.drain();
    expect(getNotices()).toEqual([]);
  });

  test('that the lock and the customer have already is removed from the lock with those of guests, and a new one comes when the dispute is won', async () => {
    const booking = await booked();
    const token = await addGuest(booking);
    await booking.at(10);
    const before = (await showAccess(system.services, booking.id)).pin ?? '';
    expect(system.state.codes.size).toBe(2);
    subjects();
    await booking.dispute();
    expect([...system.state.codes]).toEqual([]);
    expect(await showAccess(system.services, booking.id)).toMatchObject(HELD);
    expect(await guestLook(token)).toMatchObject(HELD);
    await booking.at(9);
    expect(subjects()).toEqual(['Your access code is on hold']);
    await booking.at(8);
    expect(subjects()).toEqual([]);
    await booking.dispute('dispute won');
    const { pin, held } = await showAccess(system.services, booking.id);
    expect([held, pin === null, pin === before]).toEqual([false, false, false]);
    expect((await guestLook(token)).pin).toMatch(/^\d+$/);
    expect(subjects()).toEqual(['Your access code']);
  });

  test('stays held after a dispute is lost, and undecided to the end nothing is cancelled or refunded', async () => {
    const booking = await booked();
    await booking.dispute();
    await booking.dispute('dispute lost');
    for (const minutes of [120, 15, 0, -59]) {
      await booking.at(minutes);
      expect(await showAccess(system.services, booking.id)).toMatchObject(HELD);
    }
    expect(subjects()).toEqual(['Your access code is on hold']);
    expect([await readState(booking.id), system.provider.refundKeys]).toEqual(['confirmed dispute_lost', []]);
    await booking.at(-61);
    expect([await readState(booking.id), system.provider.refundKeys, system.state.requests]).toEqual([
      'confirmed dispute_lost',
      [],
      [],
    ]);
  });

  test('behind a lock that cannot remove codes is hidden, with an alert if it was shown, and is the same once the booking is kept', async () => {
    await begin({ mode: 'hourly', revocable: false, singleUse: false });
    const readAlerts = async ({ id }: Booked) =>
      (
        await db.query(
          `select details ->> 'reason' as reason from public.audit_logs a join public.booking_access_codes c on c.id::text = a.resource_id
           where a.action = 'alert' and c.booking_id = $1::uuid`,
          [id],
        )
      ).rows;
    const shown = await booked();
    await shown.at(10);
    const before = (await showAccess(system.services, shown.id)).pin;
    await shown.dispute();
    await shown.at(9);
    expect(await showAccess(system.services, shown.id)).toMatchObject(HELD);
    expect(await readAlerts(shown)).toEqual([
      { reason: 'the booking is disputed, and the lock cannot remove this code before it ends' },
    ]);
    await decide(shown.id, 'keep');
    await system.jobs.drain();
    expect([(await showAccess(system.services, shown.id)).pin, system.state.requests.length]).toEqual([before, 1]);

    const unseen = await booked();
    await unseen.at(40);
    await unseen.dispute();
    await unseen.at(10);
    expect(await showAccess(system.services, unseen.id)).toMatchObject(HELD);
    expect(await readAlerts(unseen)).toEqual([]);
  });

  test('is not held when the dispute was opened after the session began', async () => {
    const booking = await booked();
    await booking.at(5);
    await booking.dispute();
    await db.query(
      `update private.dispute set opened_at = $2::timestamptz where payment_id in (select id from private.payment where booking_id = $1::uuid)`,
      [booking.id, booking.startTime],
    );
    expect((await showAccess(system.services, booking.id)).held).toBe(false);
  });

  test('is held at the new hours too when the booking moves, and comes for them once the booking is kept', async () => {
    const booking = await booked();
    await booking.dispute();
    const startTime = new Date(+booking.startTime + 4 * HOUR);
    await moveBooking(system.services, {
      bookingId: booking.id,
      studioId: STUDIO,
      startTime,
      endTime: new Date(+startTime + HOUR),
      waive: true,
      actor: STAFF,
    });
    system.state.now = +startTime - 10 * MINUTE;
    await system.jobs.drain();
    expect(await showAccess(system.services, booking.id)).toMatchObject(HELD);
    expect(system.state.requests).toEqual([]);
    await decide(booking.id, 'keep');
    await system.jobs.drain();
    expect((await showAccess(system.services, booking.id)).pin).toMatch(/^\d+$/);
  });

  test('is replaced in reminders by how to reach us, and its mail cannot be sent again', async () => {
    const booking = await booked();
    await booking.at(14);
    const sent = await db.queryRow<{ id: string }>(
      `select id from private.outbox where subject_id = $1::uuid and kind = 'mail.access-code'`,
      [booking.id],
    );
    system.mails.length = 0;
    await booking.dispute();
    await booking.at(30);
    system.mails.length = 0;
    const request = { bookingId: booking.id, mailId: sent?.id ?? '', requestId: randomUUID() };
    expect(await outcome(sendMailAgain(system.services, request, STAFF))).toBe('code_held');
    await db.query(`update auth.users set phone = $2, phone_confirmed_at = now() where id = $1::uuid`, [
      booking.person,
      `614${String(days).padStart(8, '0')}`,
    ]);
    await db.query(`update public.profiles set remind_by_text = true where user_id = $1::uuid`, [booking.person]);
    const job = { id: randomUUID(), subjectId: booking.id, payload: { startTime: booking.startTime } } as never;
    await sendReminder(system.services, job);
    await sendTextReminder(system.services, job);
    const texts = [system.mails[0]?.text ?? '', system.texts[0]?.text ?? ''];
    expect(texts[0]).toContain('Your access code is on hold. Please write to');
    expect(texts[0]).not.toContain('We’ll email your access code');
    expect(texts[1]).toContain('Your code is on hold: please write to');
  });

  test('is not on the pass of a wallet, held or not', async () => {
    const booking = await booked();
    await booking.at(10);
    const { pin } = await showAccess(system.services, booking.id);
    await storePass(db, { bookingId: booking.id, kind: 'apple', now: new Date(system.state.now) });
    const row = await readPass(system.services, booking.id);
    expect(row).not.toBeNull();
    expect(JSON.stringify(row && describePass(row, 'https://studio.example'))).not.toContain(pin ?? 'none');
  });

  test('never comes when staff cancel the booking or block its customer: nothing is refunded, also after a dispute is won', async () => {
    const [cancelled, blocked] = [await booked(), await booked()];
    for (const booking of [cancelled, blocked]) await booking.dispute();
    for (const _ of [1, 2]) await decide(cancelled.id, 'cancel', 'Fraud');
    for (const _ of [1, 2]) await decide(blocked.id, 'block', 'Fraud');
    await system.jobs.drain();
    expect([await readState(cancelled.id), await readState(blocked.id)]).toEqual([
      'cancelled disputed',
      'cancelled disputed',
    ]);
    const blocks = await db.query(
      `select private.is_blocked(x, $3::timestamptz) as blocked from unnest(array[$1::uuid, $2::uuid]) with ordinality o(x, n) order by n`,
      [cancelled.person, blocked.person, new Date(system.state.now)],
    );
    expect(blocks.rows).toEqual([{ blocked: false }, { blocked: true }]);
    await cancelled.dispute('dispute won');
    await blocked.dispute('dispute lost');
    expect([await readState(cancelled.id), await readState(blocked.id)]).toEqual([
      'cancelled paid',
      'cancelled dispute_lost',
    ]);
    expect([system.provider.refundKeys, await waitingCode(cancelled.id), system.state.requests]).toEqual([
      [],
      null,
      [],
    ]);
  });

  test('can be decided about once, while a dispute holds it', async () => {
    const booking = await booked();
    for (const decision of ['keep', 'cancel', 'block'] as const)
      expect([decision, await outcome(decide(booking.id, decision))]).toEqual([decision, 'not_found']);
    await booking.dispute();
    await decide(booking.id, 'keep');
    expect(await outcome(decide(booking.id, 'cancel'))).toBe('not_found');
    const other = await booked();
    await other.dispute();
    await cancelBooking(system.services, other.id, other.person);
    expect(await outcome(decide(other.id, 'keep'))).toBe('already_done');
    expect(await outcome(decide(randomUUID(), 'keep'))).toBe('not_found');
  });
});
