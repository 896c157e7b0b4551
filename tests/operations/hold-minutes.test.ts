import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { followBusiness } from '#server/operations/settings/business.ts';
import { addPerson, databases, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

/** A week ahead, at an hour that costs less than seven hours later. */
const MORNING = START + 7 * 24 * HOUR;
const BY_OPERATOR = 25;
const BY_STAFF = 15;

describe.each(databases)('HOLD_MINUTES on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  let staff: string;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    cases = await createPaymentCases(db);
    staff = await addPerson(db);
  });

  const contextWith = (holdMinutes: number | null) => {
    const { services } = cases.system;
    return { ...services, config: { ...services.config, holdMinutes } };
  };
  const readMinutes = async (where: string, id: string): Promise<number> => {
    const row = await db.queryRow<{ until: Date }>(
      `select hold_expires_at as until from private.booking where ${where} = $1::uuid`,
      [id],
    );
    return ((row?.until.getTime() ?? 0) - cases.system.services.clock().getTime()) / MINUTE;
  };
  const bothWays = [
    [null, BY_STAFF],
    [BY_OPERATOR, BY_OPERATOR],
  ] as const;

  test.each(bothWays)('%s: a new booking is held for %s minutes', async (operator, minutes) => {
    const { bookingId } = await holdBooking(contextWith(operator), cases.system.request(await addPerson(db)));
    expect(await readMinutes('id', bookingId)).toBeCloseTo(minutes, 1);
  });

  test.each(bothWays)('%s: the new hours of a dearer move are held for %s minutes', async (operator, minutes) => {
    const person = await addPerson(db);
    const { id } = await cases.system.book(person, { startTime: new Date(MORNING), endTime: new Date(MORNING + HOUR) });
    await moveBooking(contextWith(operator), {
      bookingId: id,
      studioId: STUDIO,
      startTime: new Date(MORNING + 7 * HOUR),
      endTime: new Date(MORNING + 8 * HOUR),
      waive: false,
      actor: person,
      customer: person,
      money: 'held',
    });
    expect(await readMinutes('moves_booking', id)).toBeCloseTo(minutes, 1);
  });

  test.each(bothWays)(
    '%s: a link of staff needs at least %s minutes until an hour before the start',
    async (operator, minutes) => {
      const now = cases.system.services.clock().getTime();
      // Sessions begin on the hour, so the test moves the clock instead.
      const start = Math.ceil((now + 3 * HOUR) / HOUR) * HOUR;
      const link = (remaining: number) =>
        bookForStaff(
          { ...contextWith(operator), clock: () => new Date(start - HOUR - remaining * MINUTE) },
          {
            studioId: STUDIO,
            startTime: new Date(start),
            endTime: new Date(start + HOUR),
            customerEmail: 'kim@example.com',
            customerName: 'Kim',
            payment: 'link',
            notes: null,
            requestId: null,
            actor: staff,
          },
        );
      await expect(link(minutes - 1)).rejects.toThrow('too close to the start for a payment link');
      expect((await link(minutes + 1)).bookingId).not.toBe('');
    },
  );

  test.each(bothWays)('%s: pages say %s minutes', async (operator, minutes) => {
    const business = await followBusiness(db, () => undefined, { holdMinutes: operator });
    expect(business.now().holdMinutes).toBe(minutes);
    await business.close();
  });
});
