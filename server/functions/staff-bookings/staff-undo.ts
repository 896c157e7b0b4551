import { staffUndo as contract } from '#contracts/staff-bookings/staff-undo.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffUndo = defineHandler(contract, ({ booking }: { booking: BookingContext }, { caller, body }) =>
  undoForStaff(booking, { ...body, actor: actorOf(caller) }),
);
