import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { readNextFree } from '#server/operations/calendar/next-free.ts';
import { addPerson, databases, HOUR, START, STUDIO } from './booking-system.ts';
import { createPaymentCases } from './payment-cases.ts';

describe.each(databases)('the room that is free first on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());

  test('is the first in order whose hour nobody has and no closure covers, with the price of that hour', async () => {
    const { system } = await createPaymentCases(db);
    await db.query('delete from private.closed_span');
    await db.query('update public.studios set active = id = $1::uuid', [STUDIO]);
    const look = async () => {
      const found = await readNextFree(system.services);
      return found && [found.name, found.start && (found.start.getTime() - START) / HOUR, found.cents];
    };
    const name = (await db.queryRow<{ name: string }>('select name from public.studios where id = $1::uuid', [STUDIO]))
      ?.name;
    const now = await look();
    expect(now?.slice(0, 2)).toEqual([name, null]);
    expect(now?.[2]).toBeGreaterThan(0);
    expect((await readNextFree(system.services))?.query).toBe(`?room=${STUDIO}&from=2031-03-01T11&hours=1`);
    // These hours are first held, then closed.
    const hours = { startTime: new Date(START), endTime: new Date(START + 2 * HOUR) };
    await holdBooking(system.services, system.request(await addPerson(db), hours));
    expect((await look())?.[1]).toBe(2);
    const closed = { startTime: new Date(START + 2 * HOUR), endTime: new Date(START + 3 * HOUR) };
    await closeHours(
      system.services,
      { studioId: STUDIO, ...closed, weeks: 1, reason: 'Paint', public: false },
      randomUUID(),
    );
    expect((await look())?.[1]).toBe(3);
    await db.query('update public.studios set active = false');
    expect(await look()).toBeNull();
  });
});
