import { staffUndo as contract } from '#contracts/staff-bookings/staff-undo.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffUndo = defineHandler(contract, (services, { caller, body }) =>
  undoForStaff(services, { ...body, actor: actorOf(caller) }),
);
