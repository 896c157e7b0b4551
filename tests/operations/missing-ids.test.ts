import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { followMissingIds, keepWithoutId } from '#server/operations/identity/missing-ids.ts';
import { withdrawId } from '#server/operations/identity/withdraw.ts';
import {
  addPerson,
  type BookingSystem,
  createBookingSystem,
  databases,
  HOUR,
  MINUTE,
  START,
} from './booking-system.ts';

const RACES = process.env['TEST_LONG'] ? 50 : 10;

describe.each(databases)('a verified ID that is lost after payment on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let system: BookingSystem;
  let staff: string;
  let days = 0;
  beforeAll(async () => {
    ({ db, close } = await open());
    system = await createBookingSystem(db);
    staff = await addPerson(db);
    await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff]);
  }, 180_000);
  afterAll(() => close());
  beforeEach(() => {
    system.mails.length = 0;
    system.state.requests.length = 0;
  });

  async function booked(minutesBefore: number) {
    const person = await addPerson(db);
    // Each call is a day later, so earlier bookings have ended.
    const startTime = new Date(START + (days += 1) * 24 * HOUR);
    system.state.now = startTime.getTime() - 12 * HOUR;
    const { id } = await system.book(person, { startTime, endTime: new Date(startTime.getTime() + HOUR) });
    await system.jobs.drain();
    system.mails.length = 0;
    const at = (minutes: number): void => void (system.state.now = startTime.getTime() - minutes * MINUTE);
    at(minutesBefore);
    return { id, person, at };
  }
  const changeName = (person: string) =>
    db.query(`update public.profiles set full_name = $2 where user_id = $1::uuid`, [person, `Kim ${randomUUID()}`]);
  const verify = (person: string) =>
    db.query(
      `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at)
       values ($1::uuid, 'staff', 'verified', now(), now() + interval '10 years')`,
      [person],
    );
  const round = () => followMissingIds(system.services, () => false);
  const readState = async (id: string) =>
    (
      await db.queryRow<{ state: string }>(
        `select b.status || ' ' || p.state as state from private.booking b join private.payment p on p.booking_id = b.id where b.id = $1::uuid`,
        [id],
      )
    )?.state;
  const subjects = async () => {
    await system.jobs.drain();
    const found = system.mails.map(({ subject }) => subject.split(':')[0]);
    system.mails.length = 0;
    return found.toSorted((a = '', b = '') => a.localeCompare(b));
  };

  test('is raised two hours before the session, once, and the booking is cancelled with its money 65 minutes before', async () => {
    const { id, person, at } = await booked(121);
    await changeName(person);
    await round();
    expect(await subjects()).toEqual([]);
    at(120);
    await round();
    await round();
    expect(await subjects()).toEqual(['ID missing', 'We need your ID before your session']);
    at(66);
    await round();
    expect([await readState(id), await subjects()]).toEqual(['confirmed paid', []]);
    at(65);
    await round();
    await round();
    expect(await readState(id)).toBe('cancelled refund_pending');
    await system.jobs.drain();
    const [mail] = system.mails.filter(({ subject }) => subject.startsWith('Booking cancelled'));
    expect(mail?.text).toContain('because your ID was no longer verified');
    expect(mail?.text).toContain('is on its way back to your card');
    expect(system.state.requests).toEqual([]);
    const log = await db.query<{ reason: string }>(
      `select details ->> 'reason' as reason from public.audit_logs where resource_type = 'booking' and resource_id = $1 and action in ('alert', 'update')
       order by created_at desc limit 2`,
      [id],
    );
    expect(log.rows.map(({ reason }) => reason)).toEqual([
      'The ID was no longer verified, and staff made no decision in time.',
      'the customer has lost the ID check',
    ]);
  });

  test('that is verified again in time cancels nothing, and its mails are not sent any more', async () => {
    const { id, person, at } = await booked(110);
    await changeName(person);
    await round();
    await verify(person);
    expect(await subjects()).toEqual([]);
    at(40);
    await round();
    expect(await readState(id)).toBe('confirmed paid');
  });

  test('cancels nothing when staff let the session take place, which the audit log has', async () => {
    const { id, person, at } = await booked(110);
    await expect(keepWithoutId(system.services, { bookingId: id, reason: 'x' }, staff)).rejects.toMatchObject({
      code: 'not_found',
      message: 'This booking has no ID decision to make.',
    });
    await changeName(person);
    await round();
    for (const _ of [1, 2]) await keepWithoutId(system.services, { bookingId: id, reason: 'I know them' }, staff);
    at(40);
    await round();
    expect(await readState(id)).toBe('confirmed paid');
    const { rows } = await db.query(
      `select actor, details ->> 'reason' as reason from public.audit_logs where resource_id = $1 and details #>> '{after,withoutId}' = 'kept'`,
      [id],
    );
    expect(rows).toEqual([{ actor: staff, reason: 'I know them' }]);
  });

  test.each([
    ['40 minutes before the session, half an hour after it was found', 40, 10, 'cancelled refund_pending'],
    ['29 minutes before the session, never', 29, 0, 'confirmed paid'],
  ])('that is found %s, cancels it: servers had stopped', async (_when, found, later, state) => {
    const { id, person, at } = await booked(600);
    await changeName(person);
    at(found);
    await round();
    at(found - 29);
    await round();
    expect(await readState(id)).toBe('confirmed paid');
    at(later);
    await round();
    at(-1);
    await round();
    expect(await readState(id)).toBe(state);
  });

  test('ends no booking that staff made, and none that is over', async () => {
    const other = await booked(110);
    const { id, person, at } = await booked(110);
    await db.query('update private.booking set made_by = $2::uuid where id = $1::uuid', [id, staff]);
    await changeName(person);
    await changeName(other.person);
    at(60);
    await round();
    at(20);
    await round();
    expect([await readState(id), await readState(other.id)]).toEqual(['confirmed paid', 'confirmed paid']);
    const { rows } = await db.query('select from private.missing_id where booking_id in ($1, $2)', [id, other.id]);
    expect(rows).toEqual([]);
  });

  test('may be withdrawn by staff, once, with a reason that the customer gets and the audit log has not', async () => {
    const { id, person, at } = await booked(300);
    const withdraw = (reason: string) => withdrawId(system.services, { userId: person, reason }, staff);
    await withdraw('The photo was not of you.');
    await withdraw('The photo was not of you.');
    await expect(withdraw('Something else')).rejects.toMatchObject({
      code: 'already_done',
      message: 'This customer has no verified ID.',
    });
    await system.jobs.drain();
    expect(system.mails.map(({ subject }) => subject)).toEqual(['Your ID is no longer verified']);
    expect(system.mails[0]?.text).toContain('The photo was not of you.');
    const { rows } = await db.query<{ details: unknown }>(
      `select details from public.audit_logs where actor = $1::uuid and details ->> 'decision' = 'withdraw'`,
      [staff],
    );
    expect(rows).toEqual([
      { details: { decision: 'withdraw', before: { status: 'verified' }, after: { status: 'failed' } } },
    ]);
    at(100);
    await round();
    at(60);
    await round();
    expect(await readState(id)).toBe('cancelled refund_pending');
    await expect(keepWithoutId(system.services, { bookingId: id, reason: 'x' }, staff)).rejects.toMatchObject({
      code: 'already_done',
      message: 'This booking is already cancelled.',
    });
  });

  test('either is kept or cancelled when both happen at once, and never both', { timeout: 300_000 }, async () => {
    for (let race = 0; race < RACES; race += 1) {
      const { id, person, at } = await booked(110);
      await changeName(person);
      await round();
      at(60);
      const [kept] = await Promise.allSettled([
        keepWithoutId(system.services, { bookingId: id, reason: 'I know them' }, staff),
        round(),
      ]);
      expect(await readState(id)).toBe(kept.status === 'fulfilled' ? 'confirmed paid' : 'cancelled refund_pending');
    }
  });
});
