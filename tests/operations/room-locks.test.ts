import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { setRoom } from '#server/operations/settings/set-room.ts';
import { databases } from './booking-system.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

describe.each(databases)('the lock of a room on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());

  test('is the one that the database has, also before a process has heard of it', async () => {
    const context = servicesWith({
      db,
      clock: () => new Date('2031-03-01T00:00:00Z'),
      studioLocks: new Map<string, string>(),
      locks: { check: () => Promise.resolve({ devices: [] }) },
      plugs: new Map(),
    });
    const staff = randomUUID();
    const studioId = await setRoom(context, { studioId: null, room: { name: 'Studio F', lockId: 'new-lock' } }, staff);
    await expect(setRoom(context, { studioId, room: { active: true } }, staff)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^The lock service does not know this lock/),
    });
  });
});
