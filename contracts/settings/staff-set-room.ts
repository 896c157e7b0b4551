import { z } from 'zod';
import { roomChangeSchema, roomOrderSchema } from '#rules/business/room-change.ts';
import { defineCall } from '../core/define-call.ts';
import { eitherShape } from '../core/either-shape.ts';

const isOrder = (body: unknown): boolean => body !== null && typeof body === 'object' && 'order' in body;

export const staffSetRoom = defineCall({
  name: 'staff-set-room',
  summary:
    'Adds a room (`studioId` null), changes the named parts of a room, or orders the rooms. A room opens only with a ' +
    'lock that the lock service knows and that no other open room has.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'settings',
  limit: { max: 60, seconds: 60 },
  body: eitherShape(isOrder, roomOrderSchema, roomChangeSchema),
  answer: z.union([
    z.strictObject({ order: z.array(z.uuid()) }).describe('The answer to an order.'),
    z.strictObject({ studioId: z.uuid() }).describe('The answer to a new or changed room.'),
  ]),
  refusals: { not_found: { message: 'Studio not found' } },
  example: {
    body: { studioId: '55555555-5555-4555-8555-555555555555', room: { title: 'The vinyl room' } },
    answer: { studioId: '55555555-5555-4555-8555-555555555555' },
  },
});
