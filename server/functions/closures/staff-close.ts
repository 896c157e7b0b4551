import { staffClose as contract } from '#contracts/closures/staff-close.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffClose = defineHandler(contract, async (services, { caller, body }) => ({
  closureId: await closeHours(services, body, getActor(caller)),
}));
