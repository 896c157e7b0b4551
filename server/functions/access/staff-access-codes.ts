import { staffAccessCodes as contract } from '#contracts/access/staff-access-codes.ts';
import { readStaffCodes } from '#server/operations/access/staff-codes.ts';
import { defineHandler } from '../handler.ts';

export const staffAccessCodes = defineHandler(contract, async (services) => ({
  codes: (await readStaffCodes(services)).map(({ startsAt, endsAt, usedAt, ...code }) => ({
    ...code,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
    usedAt: usedAt?.toISOString() ?? null,
  })),
  canRevoke: services.locks.capabilities.revocable,
}));
