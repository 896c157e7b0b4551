import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';

export const staffLocks = defineCall({
  name: 'staff-locks',
  summary: 'Lists the locks that a room can have, as the lock service knows them.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'settings',
  limit: { max: 60, seconds: 60 },
  body: noBody,
  answer: z.strictObject({
    locks: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        batteryPercent: z.number().nullable(),
        room: z.string().nullable().describe('The name of the open room that has this lock.'),
      }),
    ),
  }),
  refusals: {},
  example: {
    body: {},
    answer: { locks: [{ id: 'SP4', name: 'Spare lock', batteryPercent: 91, room: null }] },
  },
});
