import { staffAccessCodes as contract } from '#contracts/access/staff-access-codes.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { readStaffCodes } from '#server/operations/access/staff-codes.ts';
import { defineHandler } from '../handler.ts';

export const staffAccessCodes = defineHandler(contract, async ({ access }: { access: AccessContext }) => ({
  codes: (await readStaffCodes(access)).map(({ startsAt, endsAt, usedAt, ...code }) => ({
    ...code,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
    usedAt: usedAt?.toISOString() ?? null,
  })),
  canRevoke: access.locks.capabilities.revocable,
}));
