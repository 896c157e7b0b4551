import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { issueTestPin } from '#server/operations/access/issue-test-pin.ts';
import { recordView } from '#server/operations/access/record-view.ts';
import { showAccess } from '#server/operations/access/show-access.ts';
import { makeStaffCode } from '#server/operations/access/staff-codes.ts';
import { openFeed } from '#server/operations/calendar/feeds.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { ProviderError } from '#server/providers/call.ts';
import { addPerson, type BookingSystem, createBookingSystem, databases, LOCK, STUDIO } from './booking-system.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

const SERVICE = '00000000-0000-0000-0000-000000000000';

describe.each(databases)('a removal that happens while a secret is shown, on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let system: BookingSystem;
  beforeAll(async () => {
    ({ db, close } = await open());
    system = await createBookingSystem(db);
    const owner = await addPerson(db);
    await setPermissions(servicesWith({ db }), { userId: owner, permissions: ['owner'] }, SERVICE);
  }, 180_000);
  afterAll(() => close());

  const addStaff = async (): Promise<string> => {
    const id = await addPerson(db);
    await setPermissions(servicesWith({ db }), { userId: id, permissions: ['bookings', 'settings'] }, SERVICE);
    return id;
  };
  const remove = (userId: string) => setPermissions(servicesWith({ db }), { userId, permissions: [] }, SERVICE);
  /** Runs `change` while the lock is being asked for a code. */
  const duringRequest = async (change: () => Promise<unknown>, work: () => Promise<unknown>): Promise<unknown> => {
    system.state.duringRequest = async () => {
      system.state.duringRequest = () => Promise.resolve();
      await change();
    };
    try {
      return await work();
    } finally {
      system.state.duringRequest = () => Promise.resolve();
    }
  };
  const settle = async (): Promise<void> => {
    await system.jobs.drain();
    await system.jobs.drain();
  };

  test.each(['a code of staff', 'a test code'] as const)(
    '%s that its maker was removed for is refused, and the lock forgets it',
    async (what) => {
      const person = await addStaff();
      const { startTime, endTime } = system.nextSpan(2);
      const before = new Set(system.state.codes.keys());
      const make = () =>
        what === 'a test code'
          ? issueTestPin(system.services, person)
          : makeStaffCode(
              system.services,
              { studioId: STUDIO, startTime, endTime, name: 'Plumber', requestId: 'one' },
              person,
            );
      await expect(
        duringRequest(async () => {
          await remove(person);
          await settle();
        }, make),
      ).rejects.toMatchObject({ code: 'already_done', message: 'This code was revoked while it was being created.' });
      await settle();
      expect([...system.state.codes.keys()].filter((code) => !before.has(code))).toEqual([]);
    },
  );

  test('staff who were removed after they were admitted are shown neither a code, nor a feed, nor the code of a booking', async () => {
    const person = await addStaff();
    await remove(person);
    const refused = { code: 'not_yours', details: { permission: 'bookings' } };
    const { startTime, endTime } = system.nextSpan();
    const request = { studioId: STUDIO, startTime, endTime, name: 'Plumber', requestId: 'one' };
    await expect(makeStaffCode(system.services, request, person)).rejects.toMatchObject(refused);
    await expect(issueTestPin(system.services, person)).rejects.toMatchObject({ details: { permission: 'settings' } });
    await expect(openFeed({ ...system.services, links: system.links }, STUDIO, person)).rejects.toMatchObject(refused);
    const { id } = await system.book(await addPerson(db));
    const begins = await db.queryRow<{ at: Date }>('select start_time as at from private.booking where id = $1::uuid', [
      id,
    ]);
    const before = system.state.now;
    system.state.now = (begins?.at.getTime() ?? 0) - 600_000;
    await settle();
    const access = await showAccess(system.services, id);
    expect(access.pin).toMatch(/^\d{6}$/);
    await expect(recordView(system.services, access, person)).rejects.toMatchObject(refused);
    system.state.now = before;
    const { rows } = await db.query('select from private.shown_secret where shown_to = $1::uuid', [person]);
    expect(rows).toEqual([]);
  });

  test('when the lock refuses another code for a booking, the customer keeps the one that was seen until it gives one', async () => {
    const person = await addStaff();
    const { id } = await system.book(await addPerson(db));
    const begins = await db.queryRow<{ at: Date }>('select start_time as at from private.booking where id = $1::uuid', [
      id,
    ]);
    system.state.now = (begins?.at.getTime() ?? 0) - 600_000;
    await settle();
    const access = await showAccess(system.services, id);
    await recordView(system.services, access, person);
    system.state.lockFails = new ProviderError('igloohome', 'http_503', { retryable: true });
    await remove(person);
    await settle();
    expect((await showAccess(system.services, id)).pin).toBe(access.pin);
    expect(system.state.codes.has(`${LOCK}:${access.pin ?? ''}`)).toBe(true);
    system.state.lockFails = null;
    system.state.now += 2 * 60_000;
    await settle();
    const fresh = (await showAccess(system.services, id)).pin;
    expect(fresh).toMatch(/^\d{6}$/);
    expect(fresh).not.toBe(access.pin);
    expect(system.state.codes.has(`${LOCK}:${access.pin ?? ''}`)).toBe(false);
  });
});
