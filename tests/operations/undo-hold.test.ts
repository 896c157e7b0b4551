import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import type { Database } from '#server/db/database.ts';
import { ensureCode } from '#server/operations/access/issue-first-code.ts';
import { renewCode } from '#server/operations/access/renew-code.ts';
import { showAccess } from '#server/operations/access/show-access.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { joinCrew } from '#server/operations/crew/guests.ts';
import { inviteCrew } from '#server/operations/crew/links.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { addPerson, type BookingSystem, createBookingSystem, embedded, HOUR, MINUTE, START } from './booking-system.ts';

let db: Database;
let close: () => Promise<void>;
let system: BookingSystem;
let hours = 0;

beforeAll(async () => {
  if (!embedded) throw new Error('there is no embedded database');
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  await db.query('delete from private.outbox');
  await db.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
  );
  await db.query('delete from auth.replaced_emails');
  system = await createBookingSystem(db);
});

/** Makes a confirmed booking of two hours, at least a day and a half ahead. */
async function confirmedBooking(): Promise<{ id: string; person: string; start: number }> {
  const person = await addPerson(db);
  hours += 3;
  const start = START + (36 + hours) * HOUR;
  const { id } = await system.book(person, { startTime: new Date(start), endTime: new Date(start + 2 * HOUR) });
  return { id, person, start };
}
/** Replaces the email address of an account and begins to undo the change, at the system's time. */
async function beginUndo(person: string): Promise<void> {
  const at = new Date(system.state.now);
  await db.query(
    `insert into auth.replaced_emails (id, user_id, email, factor_ids, replaced_at, expires_at, begun_at)
     values (gen_random_uuid(), $1::uuid, $2, '{}', $3::timestamptz, $3::timestamptz + interval '72 hours', $3::timestamptz)`,
    [person, `${person}@example.com`, at],
  );
}
const endUndo = (person: string) => db.query('delete from auth.replaced_emails where user_id = $1::uuid', [person]);
const refunds = async (bookingId: string): Promise<number> =>
  (
    await db.queryRow<{ n: number }>(
      `select count(*)::int as n from private.refund r join private.payment p on p.id = r.payment_id where p.booking_id = $1::uuid`,
      [bookingId],
    )
  )?.n ?? 0;

test('the code of a guest waits too while the host takes the account back', async () => {
  const { id, person, start } = await confirmedBooking();
  const { url } = await inviteCrew(system.services, { bookingId: id, userId: person, requestId: null });
  const token = url.replace('https://studio.example/crew#', '');
  await joinCrew(system.services, { token, name: 'Sam', termsVersion: firstSettings.termsVersion });
  system.state.now = start - 60 * MINUTE;
  await beginUndo(person);
  await system.jobs.drain();
  expect(system.state.requests).toEqual([]);
  await endUndo(person);
  system.state.now += MINUTE;
  await system.jobs.drain();
  const names = [...system.state.codes.values()].map((name) => name.replace(/^\S+/, 'host'));
  expect(names.toSorted()).toEqual(['host', 'host crew']);
});

test('no code is issued, shown, renewed or mailed while the customer takes the account back, and all are once that is done', async () => {
  const { id, person, start } = await confirmedBooking();
  system.state.now = start - 60 * MINUTE;
  await beginUndo(person);
  await system.jobs.drain();
  system.state.now = start - 15 * MINUTE;
  await system.jobs.drain();
  expect(await ensureCode(system.services, id)).toMatchObject({ pin: null, pinId: null });
  expect(system.state.requests).toEqual([]);
  await expect(renewCode(system.services, id, null)).rejects.toMatchObject({
    code: 'code_not_released',
    message: 'The owner of this booking’s account is undoing an email change. The code is on hold until they finish.',
  });
  const codeMails = () => system.mails.filter(({ subject }) => subject.includes('access code'));
  expect(codeMails()).toEqual([]);

  await endUndo(person);
  system.state.now += MINUTE;
  await system.jobs.drain();
  expect((await showAccess(system.services, id)).pin).toMatch(/^\d{6}$/);
  await system.jobs.drain();
  expect(codeMails()).toHaveLength(1);
});

test('a code that was issued before is not shown meanwhile, and the hold ends after a day by itself', async () => {
  const { id, person, start } = await confirmedBooking();
  system.state.now = start - 60 * MINUTE;
  await system.jobs.drain();
  system.state.now = start - 15 * MINUTE;
  expect((await showAccess(system.services, id)).pin).toMatch(/^\d{6}$/);
  await beginUndo(person);
  expect((await showAccess(system.services, id)).pin).toBeNull();
  await db.query(`update auth.replaced_emails set begun_at = begun_at - interval '1 day'`);
  expect((await showAccess(system.services, id)).pin).toMatch(/^\d{6}$/);
});

test('refunds, whole and in part, wait until the account is back, and are made then', async () => {
  const whole = await confirmedBooking();
  const part = await confirmedBooking();
  await beginUndo(whole.person);
  await beginUndo(part.person);
  await cancelBooking(system.services, whole.id, whole.person);
  await refundForStaff(system.services, {
    bookingId: part.id,
    cents: 500,
    reason: 'The heating failed',
    money: 'held',
    requestId: null,
    actor: part.person,
  });
  await system.jobs.drain();
  expect([await refunds(whole.id), await refunds(part.id)]).toEqual([0, 0]);

  await endUndo(whole.person);
  await endUndo(part.person);
  system.state.now += MINUTE;
  await system.jobs.drain();
  expect([await refunds(whole.id), await refunds(part.id)]).toEqual([1, 1]);
});
