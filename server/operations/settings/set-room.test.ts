import { expect, test } from 'vitest';
import { setRoom } from './set-room.ts';

const ROOM = '5a000000-0000-4000-8000-000000000001';

test('the lock that a room has in the database counts, also before this process has heard of it', async () => {
  const checked: string[] = [];
  const context: Parameters<typeof setRoom>[0] = {
    db: {
      // Cast: the row of the room is the only one that is asked for.
      one: (() => Promise.resolve({ active: false, lockId: 'new-lock' })) as never,
      query: (() => Promise.resolve({ rows: [], count: 0 })) as never,
    },
    clock: () => new Date(0),
    lockOf: new Map(),
    locks: {
      check: () => {
        checked.push('asked');
        return Promise.resolve({ devices: [] } as never);
      },
    },
    plugs: new Map(),
  };
  await expect(setRoom(context, { studioId: ROOM, room: { active: true } }, ROOM)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^The lock service does not know this lock/),
  });
  expect(checked).toEqual(['asked']);
});
