import { z } from 'zod';
import { instantField } from '#contracts/core/fields.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { makeStaffCode, readStaffCodes, revokeStaffCode } from '#server/operations/access/staff-codes.ts';
import type { ServerFunction } from './function.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';

const makeSchema = z.object({
  studioId: z.uuid(),
  startTime: instantField,
  endTime: instantField,
  name: z.string().trim().min(1).max(60),
  requestId: z.string().trim().min(1).max(100).optional(),
});
const STAFF = { methods: ['POST'], callers: 'staff', permission: 'bookings' } as const;
type Context = { access: AccessContext };

/** Makes a code for somebody without a booking, and closes its hours for bookings: `{codeId, pin}`. The digits are shown once. */
export function staffAccessCode({ access }: Context): ServerFunction {
  return {
    ...STAFF,
    limit: { name: 'staff-access-code', max: 10, seconds: 60 },
    async handle({ caller, body }) {
      const { requestId, ...wanted } = parse(makeSchema, body);
      const { studioId, startTime, endTime, name } = wanted;
      // Without an id of its own, a call for the same hours and person is the same one.
      const same = `${studioId.slice(0, 8)} ${startTime.getTime()} ${endTime.getTime()} ${name}`;
      const made = await makeStaffCode(
        access,
        { ...wanted, requestId: requestId ?? same.slice(0, 100) },
        actorOf(caller),
      );
      return json(made);
    },
  };
}

/** Reads the codes of staff without their digits: `{codes, canRevoke}`. */
export function staffAccessCodes({ access }: Context): ServerFunction {
  return {
    ...STAFF,
    limit: { name: 'staff-access-codes', max: 120, seconds: 60 },
    handle: async () => json({ codes: await readStaffCodes(access), canRevoke: access.locks.capabilities.revocable }),
  };
}

/** Removes a code of staff from its lock: `{revoking: true}` once that is queued. */
export function staffRevokeCode({ access }: Context): ServerFunction {
  return {
    ...STAFF,
    limit: { name: 'staff-revoke-code', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      await revokeStaffCode(access, parse(z.object({ codeId: z.uuid() }), body).codeId, actorOf(caller));
      return json({ revoking: true });
    },
  };
}
