import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-undo', max: 60, seconds: 60 };
const bodySchema = z.object({ undoId: bookingIdField });

/**
 * Undoes a cancellation or a move that was made with `undoable`: `{bookingId, reference, kind}`. 409 when its mails or refunds have begun, or when
 * somebody has the hours meanwhile.
 */
export function staffUndo({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      return json(await undoForStaff(booking, { ...parse(bodySchema, body), actor: actorOf(caller) }));
    },
  };
}
