import { staffAccessCode as contract } from '#contracts/access/staff-access-code.ts';
import { makeStaffCode } from '#server/operations/access/staff-codes.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffAccessCode = defineHandler(contract, async (services, { caller, body }) => {
  const { studioId, startTime, endTime, name } = body;
  // Without a request id, a call counts as a repeat of an earlier one for the same hours and person.
  const same = `${studioId.slice(0, 8)} ${startTime.getTime()} ${endTime.getTime()} ${name}`;
  return makeStaffCode(services, { ...body, requestId: body.requestId ?? same.slice(0, 100) }, getActor(caller));
});
