import { staffUndo as contract } from '#contracts/staff-bookings/staff-undo.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffUndo = defineHandler(contract, (services, { caller, body }) =>
  undoForStaff(services, { ...body, actor: getActor(caller) }),
);
